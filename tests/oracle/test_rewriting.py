"""Queries in other dialects: what is rewritten gives the same rows, on random queries and streams."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

from etalis_py.compiler.parse.dialect_names import DIALECTS, DialectName
from etalis_py.compiler.rewriting.rewrite import rewrite
from etalis_py.core.errors import CompileError
from tests.oracle.chooser import Chooser
from tests.oracle.running import deliveries, open_engine, tally
from tests.oracle.windowed_texts import make_windowed_example


def others(text: str) -> dict[DialectName, str]:
    """A query in each dialect that has it."""
    found: dict[DialectName, str] = {}
    for to in DIALECTS:
        try:
            found[to] = rewrite(text, to)
        except CompileError as error:
            if error.code not in ("EP222", "EP201"):
                raise
    return found


def test_rows_stay_the_same(backgrounds: list[Path]) -> None:
    written: Counter[DialectName] = Counter()
    rows = 0
    for seed in range(120):
        example = make_windowed_example(Chooser(Random(f"rewriting {seed}").randint))
        text = example.queries[0]
        rewritten = others(text)
        there_and_back = {back for each in rewritten.values() for back in others(each).values()}
        both = replace(example, queries=(text, *there_and_back))
        try:
            with open_engine(both, backgrounds) as engine:
                given: list[Counter[object]] = [Counter() for _ in both.queries]
                for delivery in deliveries(engine, both):
                    for number, new in enumerate(tally(delivery.matches, len(given))):
                        given[number].update(new)
        except CompileError as error:
            if error.code != "EP201":
                raise AssertionError(f"seed {seed}: {both.queries}") from error
            continue
        for other, rewritten_text in zip(given[1:], both.queries[1:], strict=True):
            assert other == given[0], f"seed {seed}: {text}\n{rewritten_text}\n{example}"
        written.update(list(rewritten))
        rows += given[0].total()
    assert min(written[each] for each in DIALECTS) >= 10, written
    assert rows > 100
