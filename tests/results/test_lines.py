"""Lines that are written natively: the same as those that Python writes."""

from __future__ import annotations

import io
import random
from array import array
from collections.abc import Sequence

import pytest

from etalis_py.core.times import format_time
from etalis_py.embedding.cells import ATOM, GRAPH, INTEGER, Cells, Graphs
from etalis_py.engine.answer_columns import Answers, Receiver
from etalis_py.results import QueryHead, open_writer
from etalis_py.texts import lines
from etalis_py.texts.lines import INTEGERS, MOMENTS, TEXTS, NumberedTexts, TextColumn, Values, write_lines
from tests.results.test_columns import CASES, found

FAR = (0, 1, -1, 10**6, -(10**6), 2**63 - 1, -(2**63), 253_402_300_799_999_999, 253_402_300_800_000_000)
EARLY = (-62_135_596_800_000_000, -62_135_596_800_000_001, -62_167_219_200_000_001)
"""The first moment of the year 1, the last of the year 0, and the last of the year before it."""


def test_moments_and_integers() -> None:
    chance = random.Random(1)
    some = [chance.randrange(-(2**63), 2**63) >> chance.randrange(64) for _ in range(5_000)]
    whole = [chance.randrange(-(10**12), 10**12) * 1_000_000 for _ in range(5_000)]
    numbers = array("q", [*FAR, *EARLY, *some, *whole])
    columns = Values(MOMENTS, numbers), Values(INTEGERS, numbers, None, "<", ">")
    written = write_lines([columns[0], " ", columns[1], "\n"], len(numbers)).content.decode()
    assert written == "".join(f"{format_time(number)} <{number}>\n" for number in numbers)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_lines_by_python_are_the_same(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: Sequence[str] = ["", "ä", "%s"][:count]
    for items in (["100 %", texts, "\n"], [texts, texts], ["x"], []):
        columns: list[str | TextColumn] = list(items)
        natively = write_lines(columns, count)
        with monkeypatch.context() as patch:
            patch.setattr(lines, "text_library", lambda: None)
            assert natively == write_lines(columns, count)


def test_texts_are_found_by_their_numbers() -> None:
    texts = NumberedTexts(["a", "", "ä"])
    texts.add(["b"])
    column = Values(TEXTS, array("q", [3, 2, 1, 0, 2]), texts, "(", ")")
    assert [*write_lines([column], 5)] == [each.encode() for each in ("(b)", "(ä)", "()", "(a)", "(ä)")]


@pytest.mark.parametrize(("form", "names"), CASES, ids=[f"{form}-{'-'.join(names)}" for form, names in CASES])
def test_writers_without_the_library_write_the_same(
    form: str, names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    heads, native, _ = found(names)
    compare(form, heads, native, monkeypatch)


@pytest.mark.parametrize("length", [0, 5])
def test_graphs_of_one_triple(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All points, all intervals, and both; at moments that no array holds, too."""
    receivers = {1: Receiver("make it", (), "construct")}
    terms = Cells(bytes([ATOM, ATOM, INTEGER] * 3), array("q", [0, 1, 7, 0, 1, 8, 1, 1, 9]), ["urn:a", "_:b"])
    for starts in ([1, 2, 3], [1 - length, 2, 3], [1, 2, 2**70]):
        graphs = Graphs(array("q", [1, 2, 3]), terms)
        values = Cells(bytes([GRAPH] * 3), array("q", range(3)), graphs=graphs)
        answers = Answers(receivers, [1, 1, 1], starts, [start + length for start in starts], values)
        compare("nquads", [QueryHead("make it", "construct")], answers, monkeypatch)


def compare(form: str, heads: list[QueryHead], answers: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    for has_library in (True, False):
        with monkeypatch.context() as patch:
            if not has_library:
                patch.setattr(lines, "text_library", lambda: None)
            with open_writer(form, out := io.BytesIO(), heads=heads) as writer:
                for some in answers.blocks(500):
                    writer.write_answers(some)
            written.append(out.getvalue())
    assert written[0] == written[1]
    assert written[0]
