"""Stages run here, one engine a part after the other, as Spark would run them side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from pathlib import Path
from typing import Any

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.partition.stage_queries import stage_queries
from etalis_py.compiler.partition.stages import Dealing, Stage
from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from etalis_py.streams import Batch
from tests.oracle.examples import Example
from tests.oracle.running import tally
from tests.oracle.solutions import Answer
from tests.oracle.vocabulary import GRAPHS

__all__ = ["Staged"]


@dataclass(frozen=True)
class Row:
    """An event of the stream, a triple, or a solution of an earlier stage with its columns."""

    s: Any
    p: str
    o: Any
    start: int
    end: int
    columns: tuple[Any, ...] | None = None


Part = tuple[list[Row], Callable[[int], bool]]
"""Its events, and which ends its answers may have."""


class Staged:
    """The stages of an example; ``passed_on`` counts what goes from one to another."""

    def __init__(
        self,
        example: Example,
        files: list[Path],
        compiled: Sequence[CompiledQuery],
        stages: Sequence[Stage],
    ) -> None:
        self._example = example
        self._files = files
        self._compiled = compiled
        self._stages = stages
        self._names = {each.name: each.plan.number for each in compiled}
        self._numbers = count(1)
        self._solutions: dict[int, list[Row]] = {}
        self._triples: dict[int, list[Row]] = {}
        self.passed_on = 0

    def answers(self) -> list[Counter[Answer]]:
        """The answers of each query."""
        found: list[Match] = []
        stream = [Row(*triple, *interval) for triple, interval in self._example.stream]  # type: ignore[arg-type]
        merged: set[int] = set()
        for order, stage in enumerate(self._stages):
            rows = list(stream)
            for number in sorted(stage.solutions):
                rows += self._solutions.get(number, [])
            for number in sorted(stage.triples):
                rows += self._triples.get(number, [])
            rows.sort(key=lambda row: row.end)
            for name, (part, keeps) in enumerate(self._parts(stage, rows)):
                found += self._run(stage, part, keeps, f"s{order}p{name}x")
            merged |= stage.key.merge
        tallied = map(Counter, tally(found, len(self._compiled)))
        pairs = zip(tallied, self._compiled, strict=True)
        return [Counter(set(own)) if each.plan.number in merged else own for own, each in pairs]

    def _parts(self, stage: Stage, rows: list[Row]) -> Iterator[Part]:
        routes, parts = stage.key.routes, {}
        needed = []
        for row in rows:
            if row.columns is not None:
                key: Any = tuple(row.columns[at] for at in routes.columns[row.p])
            else:
                positions = routes.positions.get(row.p, routes.other)
                if positions is None:
                    continue
                key = tuple({"s": row.s, "p": row.p, "o": row.o}[each] for each in positions)
            needed.append(row)
            parts.setdefault(repr(key), []).append(row)
        match stage.dealing:
            case Dealing.KEY | Dealing.ANYHOW:
                for part in parts.values():
                    yield part, lambda _: True
            case Dealing.ONE_PART:
                yield needed, lambda _: True
            case Dealing.SLICES:
                assert stage.reach is not None
                yield from _slices(needed, stage.reach)

    def _run(self, stage: Stage, rows: list[Row], keeps: Callable[[int], bool], name: str) -> list[Match]:
        streams = {unit.stream: unit for unit in stage.units if unit.stream is not None}
        fed = frozenset().union(*(each.triples for each in self._stages))
        answers = []
        with self._engine(name) as engine:
            engine.install(stage_queries(stage, self._compiled))
            engine.send_encoded(_batch(rows))
            engine.finish()
            for match in engine.matches():
                if not keeps(match.end):
                    continue
                if match.query in streams:
                    number = streams[match.query].plan.number
                    own = 0 if number in stage.sets else next(self._numbers)
                    solution = ("tuple", own, list(match.values), None)
                    row = Row(match.query, match.query, solution, match.start, match.end, tuple(match.values))
                    self._solutions.setdefault(number, []).append(row)
                    self.passed_on += 1
                    continue
                answers.append(match)
                number = self._names[match.query]
                if number in fed:
                    rows = [
                        Row(s, str(p), o, match.start, match.end) for s, p, o in match.encoded_triples or ()
                    ]
                    self._triples.setdefault(number, []).extend(rows)
                    self.passed_on += len(rows)
        return answers

    def _engine(self, name: str) -> Engine:
        example = self._example
        return Engine(
            () if example.background is None else [self._files[example.background]],
            graphs={
                graph: self._files[number] for graph, number in zip(GRAPHS, example.graphs, strict=False)
            },
            entailment="rdfs" if example.entails else "none",
            blank_node_prefix=name,
        )


def _slices(rows: list[Row], reach: int) -> Iterator[Part]:
    """Between every other pair of instants a new slice begins."""
    ends = sorted({row.end for row in rows})
    borders = [-(1 << 60), *ends[1:-1:2], 1 << 60]
    for low, high in pairwise(borders):
        part = [row for row in rows if low - reach < row.end <= high]
        yield part, lambda end, low=low, high=high: low < end <= high  # type: ignore[misc]


def _batch(rows: Sequence[Row]) -> Batch:
    return Batch(
        [row.start for row in rows],
        [row.end for row in rows],
        [row.s for row in rows],
        [row.p for row in rows],
        [row.o for row in rows],
        None,
        ["x"] * len(rows),
        range(len(rows)),
    )
