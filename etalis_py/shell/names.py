"""The prefixes of a session, and the names it has heard of: what completion offers and ``:send`` reads."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from etalis_py.core.errors import DataError, UsageError
from etalis_py.core.terms import Encoded, encode_ntriples
from etalis_py.engine.questions import PREFIXES
from etalis_py.streams.batch import Batch

__all__ = ["Names"]

MOST_NAMES: Final = 20_000
_find_prefixes = re.compile(
    r"(?:@prefix|\bPREFIX)\s+([A-Za-z][\w.\-]*)?:\s*<([^<>\s]*)>"
    r"|:-\s*(?:rdf_register_)?prefix\(\s*'?([a-z]\w*)'?\s*,\s*['\"]([^'\"]*)['\"]",
    re.IGNORECASE,
).finditer
_match_word = re.compile(
    r"""\s*(?:
        (?P<iri><[^<>\s]*>)
      | (?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
        (?:(?P<language>@[A-Za-z0-9-]+)|\^\^(?P<datatype><[^<>\s]*>|[\w.\-]*:[\w.\-]*))?
      | (?P<blank>_:[\w.\-]+)
      | (?P<time>\d{4,}-\d\d-\d\d\S*)
      | (?P<number>[+-]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)(?=\s|\Z)
      | (?P<pname>[A-Za-z][\w.\-]*:[^\s<>"]*|:[^\s<>"]*)
      | (?P<plain>\S+)
    )\s*""",
    re.VERBOSE,
).match


class Names:
    """Prefixes, those declared in files that were loaded and in queries included, and IRIs."""

    def __init__(self) -> None:
        self.prefixes: dict[str, str] = dict(PREFIXES)
        self.iris: set[str] = set()

    def declare(self, prefix: str, namespace: str) -> None:
        """Let ``prefix:`` stand for ``namespace`` from now on."""
        self.prefixes[prefix] = namespace

    def learn_file(self, path: str) -> None:
        """Take over the prefixes that a text file declares; a file that is not text has none."""
        try:
            with Path(path).open(encoding="utf-8", errors="replace") as file:
                self.learn_text(file.read(1_000_000))
        except OSError:
            return

    def learn_text(self, text: str) -> None:
        """Take over the prefixes that are declared in a text and not known."""
        for match in _find_prefixes(text):
            prefix, namespace = (match[1] or "", match[2]) if match[2] is not None else (match[3], match[4])
            if ":" in namespace:
                self.prefixes.setdefault(prefix, namespace)

    def learn_terms(self, terms: Iterable[Encoded]) -> None:
        """Remember IRIs, for completion."""
        if len(self.iris) < MOST_NAMES:
            self.iris.update(each for each in terms if isinstance(each, str) and not each.startswith("_:"))

    def learn_batch(self, batch: Batch) -> None:
        """Remember the IRIs of events."""
        for column in (batch.p, batch.s, batch.o):
            self.learn_terms(set(column[:1000]))

    def declared_for(self, query: str) -> str:
        """``PREFIX`` lines for what a query uses and does not declare, on one line."""
        own = {match[1] or "" for match in _find_prefixes(query) if match[2] is not None}
        used = set(re.findall(r"(?<![\w.\-<])([A-Za-z][\w.\-]*|):(?=[\w%\\]|[^\S\n])", query))
        wanted = [name for name in self.prefixes if name in used - own and name not in ("rdf", "rdfs", "xsd")]
        return " ".join(f"PREFIX {name}: <{self.prefixes[name]}>" for name in wanted)

    def words(self, text: str) -> list[str]:
        """The words of ``:send`` and the like: terms in Turtle's syntax as N-Triples text, all else as it is.

        Raises:
            UsageError: EP505, a prefix that is not declared.
        """
        found, place = [], 0
        while place < len(text.rstrip()):
            match = _match_word(text, place)
            assert match is not None, "anything is a word"
            found.append(self._word(match))
            place = match.end()
        return found

    def _word(self, match: re.Match[str]) -> str:
        kind, text = match.lastgroup, match[0].strip()
        if match["text"] is not None:
            inner = match["text"][1:-1]
            quoted = '"' + (inner if text[0] == '"' else inner.replace('"', '\\"').replace("\\'", "'")) + '"'
            if match["datatype"] is not None:
                return f"{quoted}^^{self._iri(match['datatype'])}"
            return quoted + (match["language"] or "")
        if kind == "pname":
            return self._iri(text)
        if kind == "number" and not text.isdigit():
            form = "double" if "e" in text.lower() else "decimal" if "." in text else "integer"
            return f'"{text}"^^<{PREFIXES["xsd"]}{form}>'
        if text in ("true", "false"):
            return f'"{text}"^^<{PREFIXES["xsd"]}boolean>'
        return f"<{PREFIXES['rdf']}type>" if text == "a" else text

    def _iri(self, name: str) -> str:
        if name.startswith("<"):
            return name
        prefix, _, local = name.partition(":")
        if prefix not in self.prefixes:
            known = ", ".join(f"{each}:" for each in sorted(self.prefixes))
            hint = f":prefix {prefix}: <IRI> declares it; known are {known}"
            raise UsageError("EP505", f"the prefix {prefix}: is not declared", hint=hint)
        return f"<{self.prefixes[prefix]}{local}>"

    def expanded(self, name: str) -> str | None:
        """The IRI of a name with a prefix that is known; None for anything else."""
        prefix, colon, local = name.partition(":")
        return f"{self.prefixes[prefix]}{local}" if colon and prefix in self.prefixes else None

    def term(self, word: str, position: str) -> Encoded:
        """The encoded term for one of `words`, standing as ``subject``, ``predicate`` or ``object``.

        Raises:
            DataError: EP407 for what is not a term, EP408 for one that cannot stand there.
        """
        if word.isdigit():
            word = f'"{word}"^^<{PREFIXES["xsd"]}integer>'
        try:
            term = encode_ntriples(word)
        except ValueError as error:
            hint = 'write <IRI>, prefix:name, "text", a number, true or false'
            raise DataError("EP407", f"the {position} {word} {error}", hint=hint) from error
        literal = not isinstance(term, str)
        if (position != "object" and literal) or (position == "predicate" and str(term).startswith("_:")):
            raise DataError(
                "EP408",
                f"the {position} {word} cannot stand there",
                hint="a subject is an IRI or a blank node, a predicate an IRI",
            )
        return term
