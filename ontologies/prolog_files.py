"""The user's Prolog files: facts for the background, predicates for FILTER and BIND."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from etalis_py.core.errors import DataError, Place
from etalis_py.ontologies.formats import check_name, unreadable
from etalis_py.ontologies.prolog_calls import PrologCalls

__all__ = ["load_prolog_file"]

_log = logging.getLogger(__name__)

_STATE_HINT: Final = (
    'a state is declared as :- state(closed(Segment), begins("?Segment :status :Closed"), '
    'ends("?Segment :status :Open")).'
)
_MESSAGES: Final = {
    "syntax": ("EP442", "{text}", None),
    "module": (
        "EP443",
        "the file is a Prolog module",
        "remove the line with :- module; the engine puts the file's predicates into a module of its own",
    ),
    "directive": ("EP444", "{text}", None),
    "reserved": (
        "EP445",
        "{text} is a predicate of the system or of the engine and cannot be redefined",
        "choose another name",
    ),
    "fact": ("EP446", "{text}", "facts are rdf(Subject, Predicate, Object) with atoms for IRIs"),
    "time": (
        "EP447",
        "a directive did not finish after {seconds:g} s",
        "do long work beforehand, in a program of its own",
    ),
    "unsupported": ("EP448", "{text}", None),
    "prefix": (
        "EP449",
        "{text}",
        "a prefix is declared as :- prefix(traffic, 'http://example.org/traffic#').",
    ),
    "state": ("EP449", "{text}", _STATE_HINT),
    "state_name": ("EP449", "{text}", "choose another name"),
    "state_arguments": ("EP449", "{text}", _STATE_HINT),
}


@contextmanager
def _as_rules(path: Path) -> Iterator[Path]:
    """The file, or of an ETALIS file its static rules, on the lines on which they stand there."""
    if path.suffix.lower() != ".event":
        yield path
        return
    from etalis_py.compiler.languages.etalis.reader import static_rules

    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "static.pl"
        own.write_text(static_rules(path.read_text(encoding="utf-8"), str(path)), encoding="utf-8")
        yield own


def load_prolog_file(prolog: PrologCalls, module: str, name: str | os.PathLike[str], seconds: float) -> None:
    """Load one Prolog file into the open background ``module``.

    Facts ``rdf(S, P, O)`` become background triples, everything else predicates. Warnings of Prolog, and what
    the file prints, go to the log. ``seconds`` is the time each directive may take. Of an ETALIS file
    (``.event``) the static rules are loaded.

    Raises:
        DataError: EP441 to EP449; nothing of the file stays then.
        QuerySyntaxError: EP101 to EP126, an ETALIS file cannot be read.
    """
    path = Path(name)
    place = str(name)
    check_name(place, path, "EP441")
    try:
        path.read_bytes().decode("utf-8")
    except OSError as error:
        raise unreadable(place, error, "EP441") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise DataError(
            "EP441",
            "the file is not UTF-8",
            place=Place(place, line=line),
            hint="convert it, for example with iconv",
        ) from error
    with _as_rules(path) as file:
        outcome = prolog.call("etalis_background_rules", "load_rules", module, str(file.absolute()), seconds)
    status, line, column, text, notes = outcome
    for kind, note in notes:
        _log.log(logging.WARNING if kind == "warning" else logging.INFO, "%s: %s", place, note.rstrip())
    if status != "loaded":
        code, message, hint = _MESSAGES[status]
        if "Unexpected end of file" in text:
            hint = "each clause must end with a full stop; close quotes and brackets"
        raise DataError(
            code,
            message.format(text=text, seconds=seconds),
            place=Place(place, line=line or None, column=column or None),
            hint=hint,
        )
