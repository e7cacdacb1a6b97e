"""Queries that are nearly right: each is refused at a place of its text, or runs to its end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property
from pathlib import Path
from random import Random

from etalis_py.compiler.algebra.algebra import Constant, TriplePattern
from etalis_py.compiler.explain.explain import STAGES, explain
from etalis_py.compiler.explain.syntax_printer import print_syntax
from etalis_py.compiler.parse.parser import parse_program
from etalis_py.core.errors import EtalisError, QueryError, RunTimeError
from etalis_py.core.terms import Encoded
from etalis_py.engine.engine import Engine
from tests.fuzz.mutation import changed_text
from tests.oracle.chooser import Chooser
from tests.oracle.examples import make_example
from tests.oracle.running import batch_of
from tests.oracle.solutions import Occurrence
from tests.oracle.vocabulary import ENTITIES, LITERALS, PREDICATES, SECOND

__all__ = ["Queries"]

PROJECT = Path(__file__).resolve().parents[2]
PAGES = (PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md")))
FOLDERS = (PROJECT / "tests" / "cases", PROJECT / "etalis_py" / "demos")


class Queries:
    """Takes queries of the documentation, the cases and the demos, and the oracle's, and changes them."""

    name = "queries"

    def make(self, random: Random) -> bytes:
        if random.randrange(2):
            text = random.choice(self._texts)
        else:
            text = ";;\n".join(make_example(Chooser(random.randint)).queries)
        return changed_text(random, text, self._texts).encode(errors="surrogatepass")

    def check(self, content: bytes, _folder: Path) -> None:
        text = content.decode(errors="replace")
        try:
            parsed = parse_program(text)
        except QueryError as error:
            _check_place(error, text)
            return
        for query in parsed:
            print_syntax(query)
        with Engine(max_derivations=1000, share=len(text) % 2 == 0) as engine:
            try:
                names = engine.register(text, name="q")
            except QueryError as error:
                _check_place(error, text)
                return
            for name in names:
                for stage in STAGES:
                    explain(engine.query(name), stage, engine.knowledge.triggers)
            patterns = [each for name in names for each in _patterns(engine.query(name).meaning)]
            try:
                engine.send_encoded(batch_of(_stream(patterns, Random(text))))
                engine.finish()
            except RunTimeError as error:
                if error.code != "EP302":
                    raise

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        files = [path for folder in FOLDERS for path in sorted(folder.rglob("*.rq"))]
        blocks = [
            block
            for page in PAGES
            for block in re.findall(r"```sparql\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
        ]
        return (*blocks, *(path.read_text(encoding="utf-8") for path in files))


def _check_place(error: EtalisError, text: str) -> None:
    place = error.place
    assert place is None or place.line is None or place.line <= text.count("\n") + 1
    assert str(error)


def _patterns(node: object) -> Iterator[TriplePattern]:
    """All triple patterns below a node of the algebra, whatever it is."""
    if isinstance(node, TriplePattern):
        yield node
    elif is_dataclass(node):
        for field in fields(node):
            yield from _patterns(getattr(node, field.name))
    elif isinstance(node, tuple):
        for each in node:
            yield from _patterns(each)


def _stream(patterns: list[TriplePattern], random: Random) -> list[Occurrence]:
    """Twelve occurrences, most of them instances of the patterns."""
    found: list[Occurrence] = []
    for position in range(12):
        triple: list[Encoded] = [random.choice(ENTITIES), random.choice(PREDICATES), random.choice(LITERALS)]
        if patterns and random.randrange(5):
            pattern = random.choice(patterns)
            for column, term in enumerate((pattern.subject, pattern.predicate, pattern.object)):
                if isinstance(term, Constant):
                    triple[column] = term.value
        if isinstance(triple[0], str) and isinstance(triple[1], str):
            end = position // 3 * SECOND
            found.append(((triple[0], triple[1], triple[2]), (end - random.choice((0, 0, SECOND)), end)))
    return found
