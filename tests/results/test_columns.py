"""Writers write the same bytes of answers in columns as of matches, whatever is written together."""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import pytest

from etalis_py.cli.heads import head_of
from etalis_py.core.formats import RESULT_FORMATS
from etalis_py.embedding.cells import Cells
from etalis_py.engine.answer_columns import Answers
from etalis_py.engine.engine import Engine
from etalis_py.results import QueryHead, Writer, open_writer
from tests.engine.test_native_answers import QUERIES, batch, in_prolog

FORMS = {"nquads": ("construct", "describe"), "json": ("select", "ask"), "parquet": ("select", "construct")}


class Found(NamedTuple):
    heads: list[QueryHead]
    native: Answers
    by_prolog: Answers


@cache
def found(names: tuple[str, ...]) -> Found:
    """The answers of some queries in native columns, and in lists."""
    heads, native = answers(names)
    with in_prolog():
        _, by_prolog = answers(names)
    assert isinstance(native.values, Cells)
    assert isinstance(by_prolog.values, list)
    return Found(heads, native, by_prolog)


def answers(names: tuple[str, ...]) -> tuple[list[QueryHead], Answers]:
    with Engine() as engine:
        for name in names:
            engine.register(QUERIES[name], name=name)
        engine.send_batch(batch(random.Random(13), -50, 300))
        engine.finish()
        return [head_of(engine.query(name)) for name in names], engine.answers()


def in_columns(answers: Answers, size: int) -> Callable[[Writer], None]:
    def write(writer: Writer) -> None:
        for some in answers.blocks(size):
            writer.write_answers(some)

    return write


def as_matches(answers: Answers, size: int) -> Callable[[Writer], None]:
    def write(writer: Writer) -> None:
        for some in answers.blocks(size):
            writer.write_all(some.matches())

    return write


def programs(form: str) -> Iterator[tuple[str, ...]]:
    """Queries whose answers go into one document."""
    fitting = FORMS.get(form, ("select", "ask"))
    if form in ("ndjson", "table"):
        yield tuple(QUERIES)
    for name, text in QUERIES.items():
        if text.partition(" ")[0].lower() in fitting:
            yield (name,)


CASES = [(form, names) for form in RESULT_FORMATS for names in programs(form)]


@pytest.mark.parametrize(("form", "names"), CASES, ids=[f"{form}-{'-'.join(names)}" for form, names in CASES])
@pytest.mark.parametrize("at_mode", [False, True])
def test_columns_are_written_as_matches(form: str, names: tuple[str, ...], at_mode: bool) -> None:
    heads, native, by_prolog = found(names)

    def written(write: Callable[[Writer], None]) -> bytes:
        with open_writer(form, out := io.BytesIO(), heads=heads, at_mode=at_mode) as writer:
            write(writer)
        return out.getvalue()

    expected = written(as_matches(native, 120))
    assert written(in_columns(native, 120)) == expected
    assert written(in_columns(by_prolog, 120)) == expected
    if form != "parquet":  # whose pages are as large as what is written together
        assert written(as_matches(native, 1)) == expected
        assert written(in_columns(native, 1)) == expected
