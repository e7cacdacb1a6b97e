"""Texts as users of other engines write them: ``neighbours/*.txt``, after published grammars and examples.

Each is registered as it stands, gives what the formulas say, and gives the same in any other dialect that has
it, and back. They are about persons that are in rooms, posts that they like, and sensors with values.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Final

import pytest

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.dialect_names import DIALECTS
from etalis_py.compiler.parse.parser import parse
from etalis_py.compiler.parse.syntax_walk import walk
from etalis_py.compiler.rewriting.rewrite import rewrite
from etalis_py.core.errors import CompileError
from etalis_py.core.terms import ntriples
from etalis_py.core.vocabulary import XSD_INTEGER, XSD_STRING
from etalis_py.engine.engine import Engine
from tests.cases.drawn import Case, send
from tests.cases.test_windows import given_by_formulas, shown
from tests.oracle.solutions import Placed, Triple
from tests.oracle.windowed import microseconds

SPACE: Final = "urn:n:"
ROOMS: Final[frozenset[Triple]] = frozenset(
    (SPACE + s, SPACE + p, o if isinstance(o, tuple) else SPACE + o)
    for s, p, o in (
        ("hall", "beside", "lab"),
        ("lab", "beside", "hall"),
        ("hall", "name", ("the hall", XSD_STRING)),
        ("lab", "name", ("the lab", XSD_STRING)),
    )
)
SECOND: Final = 10**6


def texts() -> Iterator[tuple[str, str, str]]:
    """Language, name and text of each."""
    for file in sorted((Path(__file__).parent / "neighbours").glob("*.txt")):
        for text in file.read_text(encoding="utf-8").split("=== ")[1:]:
            name, query = text.split("\n", 1)
            yield file.stem, name, f"BASE <{SPACE}>\n{query}"


TEXTS: Final = list(texts())
EACH: Final = pytest.mark.parametrize(
    "text", [text for *_, text in TEXTS], ids=[f"{a}: {b}" for a, b, _ in TEXTS]
)


def elements(seed: int, unit: int) -> tuple[Placed, ...]:
    """A short stream: what comes at times from 1 to 12."""
    random = Random(seed)
    found = []
    for number in range(16):
        time = random.randint(1, 12) * unit
        person = random.choice(("ann", "bob", "eve"))
        stream, predicate, value = random.choice(
            (
                ("s", "at", SPACE + random.choice(("hall", "lab"))),
                ("s", "value", (random.randint(1, 9), XSD_INTEGER)),
                ("t", "likes", SPACE + random.choice(("ann", "post"))),
            )
        )
        graph = f"{SPACE}g{number}" if random.random() < 0.5 else None
        found.append(Placed((SPACE + person, SPACE + predicate, value), (time, time), SPACE + stream, graph))
    return tuple(sorted(found, key=lambda each: each.interval[1]))


def given(text: str, placed: tuple[Placed, ...], folder: Path) -> Counter[str]:
    """What the engine gives."""
    rooms = folder / "rooms.nt"
    rooms.write_text("".join(" ".join(map(ntriples, each)) + " .\n" for each in ROOMS), encoding="utf-8")
    with Engine([str(rooms)], graphs={f"{SPACE}rooms": str(rooms)}) as engine:
        engine.register(text, name="q")
        send(engine, placed)
        engine.finish()
        return Counter(map(shown, engine.matches()))


def test_there_are_enough() -> None:
    assert len(TEXTS) >= 60
    assert all(len(list(some)) >= 5 for _, some in groupby(TEXTS, key=lambda each: each[0]))


@EACH
@pytest.mark.filterwarnings("ignore::etalis_py.EtalisWarning")
def test_by_the_formulas(text: str, tmp_path: Path) -> None:
    """A second is a microsecond, so that the evaluator of the tests can look at each."""
    short = _in_microseconds(text)
    for seed in range(2):
        placed = elements(seed, 1)
        case = Case("", "", (short,), placed, ROOMS, Counter())
        try:
            expected = given_by_formulas(case, {f"{SPACE}rooms": ROOMS})
        except NotImplementedError:
            pytest.skip("no formula of the tests says this")
        assert given(short, placed, tmp_path) == expected


@EACH
@pytest.mark.filterwarnings("ignore::etalis_py.EtalisWarning")
def test_in_other_dialects_and_back(text: str, tmp_path: Path) -> None:
    other = {each for to in DIALECTS if (each := _rewritten(text, to)) is not None}
    back = {each for one in other for to in DIALECTS if (each := _rewritten(one, to)) is not None}
    placed = elements(1, SECOND)
    wanted = given(text, placed, tmp_path)
    for each in other | back:
        assert given(each, placed, tmp_path) == wanted, each


def _rewritten(text: str, to: str) -> str | None:
    try:
        return rewrite(text, to)  # type: ignore[arg-type]
    except CompileError as error:
        if error.code != "EP222":
            raise
        return None


def _in_microseconds(text: str) -> str:
    """The text with a millionth of its lengths and times."""
    nodes = walk(parse(text))
    lengths = {each.span: each for each in nodes if isinstance(each, syntax.Length | syntax.Duration)}
    for span, length in sorted(lengths.items(), key=lambda each: -each[0].start):
        start = span.start + (text[span.start] == "-")  # NOW-4 S
        text = f"{text[:start]}PT{microseconds(length) / SECOND**2:.6f}S{text[span.end :]}"
    return re.sub(r"\bLND (\d+)000000\b", r"LND \1", text)
