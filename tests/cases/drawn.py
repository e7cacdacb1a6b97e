"""Cases worked out by hand and drawn, several in a text file, and the ways in which an engine runs one.

``===`` begins a case with its name, ``#`` explains and draws it. Then its queries, with ``;;`` between two of
them. ``>`` are the elements, by commas: ``time subject predicate object @stream %name``, ``2-5`` for what
lasts; ``@`` is background. ``<`` are the answers: times, then values, or a triple with dots. A word is
``<urn:x:word>``, but for those of RDFS.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any, Final

from etalis_py.core.terms import Encoded, ntriples
from etalis_py.core.vocabulary import DEFAULT_STREAM, RDFS_DOMAIN, RDFS_SUBPROPERTYOF, XSD_INTEGER
from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from etalis_py.streams.batch import Batch
from tests.oracle.solutions import Placed, Triple

__all__ = [
    "NAMESPACE",
    "Case",
    "given_after_snapshots",
    "given_as_a_whole",
    "given_shuffled",
    "opened",
    "read_cases",
    "send",
    "word",
]

NAMESPACE: Final = "urn:x:"
_RDFS: Final = {"domain": RDFS_DOMAIN, "subPropertyOf": RDFS_SUBPROPERTYOF}
_match_element = re.compile(r"(\d+)(?:-(\d+))? (\w+) (\w+) (\w+)(?: @(\w+))?(?: %(\w+))?").fullmatch

Shown = Callable[[Match], str]
"""A match as its line."""


@dataclass(frozen=True)
class Case:
    """One case; ``elements`` are in the order of their ends."""

    name: str
    topic: str
    queries: tuple[str, ...]
    elements: tuple[Placed, ...]
    background: frozenset[Triple]
    expected: Counter[str]

    @property
    def named(self) -> dict[str, str]:
        """The queries by name, the number of each."""
        return {str(number): text for number, text in enumerate(self.queries)}


def read_cases(folder: str, unit: int) -> Iterator[Case]:
    """All of a folder beside this file; a time, and a length such as ``4s``, is so many microseconds."""
    for file in sorted((Path(__file__).parent / folder).glob("*.txt")):
        for text in file.read_text(encoding="utf-8").split("=== ")[1:]:
            yield _case(file.stem, text, unit)


def _case(topic: str, text: str, unit: int) -> Case:
    name, *lines = text.splitlines()
    marked: dict[str, list[str]] = {mark: [] for mark in "#><@"}
    query: list[str] = []
    for line in filter(None, lines):
        marked.get(line[0], query).append(line if line[0] not in marked else line[1:].strip())
    assert marked["#"], f"{name}: no timeline"
    queries = (f"PREFIX : <{NAMESPACE}>\n{each}" for each in "\n".join(query).split(";;"))
    queries = (re.sub(r"\b(\d+)s\b", partial(_length, unit=unit), each) for each in queries)
    known = (tuple(map(_term, each.split())) for line in marked["@"] for each in line.split(","))
    elements = (_element(each, unit) for each in ", ".join(marked[">"]).split(", "))
    in_order = sorted(elements, key=lambda each: each.interval[1])
    return Case(name, topic, tuple(queries), tuple(in_order), frozenset(known), Counter(marked["<"]))


def _length(seconds: re.Match[str], unit: int) -> str:
    return f"PT{int(seconds[1]) * unit / 10**6:.6f}S"


def _element(text: str, unit: int) -> Placed:
    match = _match_element(text)
    assert match is not None, text
    start, end, subject, predicate, target, stream, graph = match.groups()
    times = int(start) * unit, int(end or start) * unit
    place = NAMESPACE + stream if stream else DEFAULT_STREAM
    triple = NAMESPACE + subject, NAMESPACE + predicate, _term(target)
    return Placed(triple, times, place, NAMESPACE + graph if graph else None)


def _term(text: str) -> Encoded:
    return (int(text), XSD_INTEGER) if text.isdigit() else _RDFS.get(text, NAMESPACE + text)


def word(term: Encoded) -> str:
    """A term as cases write it."""
    return str(term[0]) if isinstance(term, tuple) else term.removeprefix(NAMESPACE)


# ---- ways to run a case ------------------------------------------------------------------------------------


def opened(case: Case, folder: Path, **options: Any) -> Engine:
    """An engine with the background and the queries of a case."""
    known = folder / "background.nt"
    known.write_text("".join(" ".join(map(ntriples, each)) + " .\n" for each in case.background))
    engine = Engine([str(known)] if case.background else [], **options)
    for name, text in case.named.items():
        engine.register(text, name=name)
    return engine


def send(engine: Engine, elements: Sequence[Placed]) -> None:
    """Elements as one batch."""
    starts, ends = zip(*(each.interval for each in elements), strict=True)
    s, p, o = zip(*(each.triple for each in elements), strict=True)
    streams = [None if each.stream == DEFAULT_STREAM else each.stream for each in elements]
    graphs = [each.graph for each in elements]
    rows = list(range(1, len(elements) + 1))
    named = graphs if any(graphs) else None
    engine.send_encoded(Batch(starts, ends, s, p, o, named, ["case"] * len(rows), rows, streams))


def given_as_a_whole(case: Case, folder: Path, shown: Shown) -> Counter[str]:
    """What a case gives in one batch."""
    with opened(case, folder) as engine:
        send(engine, case.elements)
        engine.finish()
        return Counter(map(shown, engine.matches()))


def given_after_snapshots(case: Case, folder: Path, shown: Shown) -> Counter[str]:
    """What it gives if after every element another engine goes on."""
    engine, given = opened(case, folder), Counter[str]()
    try:
        for element in case.elements:
            send(engine, [element])
            given.update(map(shown, engine.matches()))
            state = engine.snapshot()
            engine.close()
            engine = opened(case, folder)
            engine.restore([state])
        engine.finish()
        given.update(map(shown, engine.matches()))
    finally:
        engine.close()
    return given


def given_shuffled(case: Case, folder: Path, shown: Shown) -> Iterable[Counter[str]]:
    """What it gives with the elements of each instant in other orders."""
    choice = Random(case.name)
    for _ in range(3):
        instants = [list(each) for _, each in groupby(case.elements, key=lambda each: each.interval[1])]
        for each in instants:
            choice.shuffle(each)
        with opened(case, folder) as engine:
            for each in instants:
                send(engine, each)
            engine.finish()
            yield Counter(map(shown, engine.matches()))
