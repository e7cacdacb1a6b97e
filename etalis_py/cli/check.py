"""``etalis check``: what is wrong with queries, and what is probably not meant. Every file is looked at."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from etalis_py.cli.engine_options import SURROUNDINGS, add_engine_options, engine_options
from etalis_py.cli.messages import add_warnings
from etalis_py.cli.query_engines import registered
from etalis_py.cli.query_files import QueryFile, add_language, read_query
from etalis_py.cli.standard_streams import say
from etalis_py.cli.stream_options import add_stream_options, add_streams, streams_of
from etalis_py.core.errors import EtalisError, EtalisWarning, QueryError, UsageError

if TYPE_CHECKING:
    from etalis_py.cli.stream_names import StreamNames
    from etalis_py.compiler.languages.language_names import LanguageName
    from etalis_py.engine.options import EngineOptions

__all__ = ["add_arguments", "run"]

_Problem: TypeAlias = EtalisError | EtalisWarning
_ESCAPES: Final = {"%": "%25", "\r": "%0D", "\n": "%0A"}
"""Of GitHub's workflow commands."""
_IN_PROPERTIES: Final = {**_ESCAPES, ":": "%3A", ",": "%2C"}


@dataclass(frozen=True, slots=True)
class _Checked:
    """A file, and what is wrong with it."""

    path: str
    errors: Sequence[EtalisError]
    warnings: Sequence[EtalisWarning]

    @property
    def problems(self) -> list[_Problem]:
        """Errors and warnings."""
        return [*self.errors, *self.warnings]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the parser the arguments of the command."""
    parser.epilog = "example:\n  etalis check queries/*.rq"
    parser.add_argument(
        "queries", nargs="+", metavar="QUERY.rq", help="query files; each is checked separately"
    )
    add_engine_options(parser, *SURROUNDINGS)
    add_language(parser)
    add_streams(
        parser,
        "event streams whose classes and properties the queries may ask for; the first 10,000 events of each "
        "are read",
        dest="streams",
    )
    add_stream_options(parser)
    parser.add_argument(
        "--format", choices=("text", "json", "github"), default="text",
        help="json: a list of all that was found; github: annotations of a GitHub workflow (default: text)",
    )  # fmt: skip
    add_warnings(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print what was found; 2 if there was an error, or with ``-W error`` a warning."""
    options = engine_options(arguments)
    known = _known(arguments)
    show = {"text": _print_text, "github": _print_github}.get(arguments.format)
    files = []
    for path in arguments.queries:
        checked = _check(path, options, known, arguments.language)
        if arguments.warnings == "none":
            checked = _Checked(path, checked.errors, ())
        files.append(checked)
        if show is not None:
            show(checked)
    if show is None:
        print(json.dumps([_as_json(each, file) for file in files for each in file.problems], indent=2))
    codes = [error.exit_code for file in files for error in file.errors]
    if arguments.warnings == "error" and any(file.warnings for file in files):
        codes.append(QueryError.exit_code)
    return codes[-1] if codes else 0


def _known(arguments: argparse.Namespace) -> StreamNames | None:
    """The names in the streams, and those that the queries make.

    Raises:
        UsageError, DataError: a stream cannot be read.
    """
    if not arguments.streams:
        if arguments.stream_format or arguments.time_unit or arguments.map or arguments.prefix:
            raise UsageError("EP501", "there is no stream to read", hint="--stream FILE")
        return None
    from etalis_py.cli.stream_names import names_of_streams

    files = []
    for path in arguments.queries:
        with suppress(UsageError):  # reported when the file is checked
            files.append(read_query(path, arguments.language))
    return names_of_streams(
        streams_of(arguments.streams, arguments), files, arguments.stream_format, arguments.time_unit
    )


def _check(
    path: str, options: EngineOptions, known: StreamNames | None, language: LanguageName | None
) -> _Checked:
    """What is wrong with one file. Errors that are not the query's are raised."""
    from etalis_py.compiler.lint.linter import ALL_CHECKS

    errors: list[EtalisError] = []
    found: list[EtalisWarning] = []
    file: QueryFile | None = None
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always", EtalisWarning)
        try:
            file = read_query(path, language)
            with registered(options, [file]) as (engine, names):
                checks = ALL_CHECKS if known is None else known.checks(engine.knowledge)
                found += engine.lint_registered(names, checks)
        except (QueryError, UsageError) as error:
            errors = [error] if file is None else _all_errors(file, error, options)
    said = {str(each) for each in found}
    for message in (each.message for each in noted):
        if not isinstance(message, EtalisWarning) or str(message) in said:
            continue
        if known is None or message.code != "EW10":  # which knew the background alone
            found.append(message)
    return _Checked(path, errors, found)


def _all_errors(file: QueryFile, first: EtalisError, options: EngineOptions) -> list[EtalisError]:
    """The error that a query was refused with, and others that can be found without it."""
    from etalis_py.compiler.lint.mistakes import all_errors

    found = all_errors(
        file.text, source=file.path, base=file.base, policy=options.policy, language=file.language
    )
    return [*found] if str(first) in map(str, found) else [first, *found]


def _print_text(checked: _Checked) -> None:
    if not checked.problems:
        print(f"{checked.path}: ok")
        return
    if not checked.errors:
        count = len(checked.warnings)
        print(f"{checked.path}: ok, {count} warning{'s' if count > 1 else ''}")
    sys.stdout.flush()
    for error in checked.errors:
        say(str(error))
    for warning in checked.warnings:
        say(f"warning: {warning}")


def _print_github(checked: _Checked) -> None:
    """``::error file=...,line=...::message``: GitHub shows it beside the line."""
    for each in checked.problems:
        place = each.place
        where: dict[str, object] = {"file": checked.path}
        if place is not None and place.line is not None:
            where |= {"line": place.line, "col": place.column or 1}
        where["title"] = each.code
        kind = "error" if isinstance(each, EtalisError) else "warning"
        listed = ",".join(f"{name}={_escaped(str(value), _IN_PROPERTIES)}" for name, value in where.items())
        text = each.message if each.hint is None else f"{each.message}\nhint: {each.hint}"
        print(f"::{kind} {listed}::{_escaped(text, _ESCAPES)}")


def _escaped(text: str, escapes: Mapping[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in text)


def _as_json(problem: _Problem, checked: _Checked) -> dict[str, object]:
    place = problem.place
    return {
        "file": checked.path,
        "line": None if place is None else place.line,
        "column": None if place is None else place.column,
        "severity": "error" if isinstance(problem, EtalisError) else "warning",
        "code": problem.code,
        "message": problem.message,
        "hint": problem.hint,
    }
