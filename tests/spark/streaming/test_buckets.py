"""A bucket and its state, without Spark: what is refused, what is read back, and what it is called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import closing
from copy import deepcopy
from typing import Any

import pytest

from etalis_py.core.errors import DataError, EtalisError, EtalisWarning, RunTimeError
from etalis_py.core.vocabulary import XSD_INTEGER
from etalis_py.engine import feeding
from etalis_py.engine.deliveries import Deliveries
from etalis_py.engine.options import EngineOptions
from etalis_py.spark_udfs.planning.program import Program, QuerySource
from etalis_py.spark_udfs.streaming import bucket, bucket_state
from etalis_py.spark_udfs.streaming.bucket import BucketProgram
from etalis_py.spark_udfs.streaming.live_engine import LiveEngine
from etalis_py.spark_udfs.streaming.live_engines import LiveEngines
from tests.spark.streaming.memory import MemoryStream, Row

SEQ = "SELECT ?x { { ?x <urn:p> ?y } SEQ { ?x <urn:q> ?z } }"
MARK = "CONSTRUCT { ?x <urn:mark> [] } { ?x <urn:p> ?y }"
MARKED = "SELECT ?m { { ?x <urn:mark> ?m } SEQ { ?x <urn:q> ?z } }"
SECOND = 1_000_000


def program(*queries: str, **options: object) -> BucketProgram:
    sources = tuple(QuerySource(f"q{number}", text) for number, text in enumerate(queries))
    return BucketProgram(Program(sources).with_blank_nodes("mine"), "this program", **options)


def event(second: int, predicate: str, thing: str = "a") -> Row:
    time = second * SECOND
    return time, time, f"<urn:{thing}>", f"<urn:{predicate}>", "<urn:b>"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is done to make engines."""
    done: list[str] = []

    class Watched(LiveEngine):
        def __init__(self, *arguments: object) -> None:
            done.append("new")
            super().__init__(*arguments)

        def catch_up(self, steps: object) -> None:
            steps = list(steps)
            done.append(f"{len(steps)} steps")
            super().catch_up(steps)

    monkeypatch.setattr("etalis_py.spark_udfs.streaming.bucket.LiveEngine", Watched)
    return done


def test_a_deadline_wakes_its_bucket() -> None:
    """A is on at 1, and another bucket's events move the watermark.

    a   1 --------------- 4 deadline
    b   1   2             4       6
    """
    silent = "SELECT ?x { { ?x <urn:p> ?y } SEQ NOT { ?x <urn:q> ?z } FOR PT3S }"
    stream = MemoryStream(program(silent))
    stream.micro_batch({0: [event(1, "p")], 1: [event(1, "p", "b"), event(2, "q", "b")]})
    stream.micro_batch({1: [event(4, "q", "b")]})
    stream.micro_batch({1: [event(6, "q", "b")]})  # the watermark is that of the batch before: 4
    assert stream.matches == []
    stream.micro_batch({})
    assert [(each.start, each.end, str(each["x"])) for each in stream.matches] == [
        (SECOND, 4 * SECOND, "urn:a")
    ]
    assert stream.buckets[0].timer is None
    stream.close()


def test_an_engine_is_made_anew_only_where_it_has_to_be(made: list[str]) -> None:
    stream = MemoryStream(program(SEQ), processes=(LiveEngines(), LiveEngines()))
    for second in (1, 2):
        stream.micro_batch({0: [event(second, "p")]})
    assert made == ["new", "0 steps"]
    stream.micro_batch({0: [event(3, "p")]}, process=1)  # another process knows nothing of it
    assert made[2:] == ["new", "2 steps"]
    stream.micro_batch({0: [event(4, "p")]})  # the first one missed a step
    assert made[4:] == ["1 steps"]
    stream.micro_batch({0: [event(5, "p")]}, fails=True)  # it ran ahead, and the other process has to do it
    assert made[5:] == ["1 steps"]
    stream.micro_batch({0: [event(6, "q")]})  # what ran ahead is not used
    assert made[6:] == ["new", "5 steps"]
    stream.end()
    assert [match.start // SECOND for match in stream.matches] == [1, 2, 3, 4, 5]
    stream.close()


def test_new_blank_nodes_keep_their_labels() -> None:
    """An engine that is made again makes the nodes again that answers speak of."""
    stream = MemoryStream(program(MARK, MARKED), processes=(LiveEngines(), LiveEngines()))
    stream.micro_batch({0: [event(1, "p")]})
    stream.micro_batch({0: [event(2, "q")]})  # the mark is given
    stream.program = program(MARK, MARKED)
    others = stream.program.program.with_blank_nodes("others")  # as after a restart
    object.__setattr__(stream.program, "program", others)
    stream.micro_batch({0: [event(3, "p", "b")]}, process=1)
    stream.end()
    stream.close()
    first, marked, second = stream.matches
    assert first.encoded_triples is not None
    assert second.encoded_triples is not None
    label = first.encoded_triples[0][2]
    assert marked.values == (label,)
    assert str(label).startswith("_:mine0x")
    assert second.encoded_triples[0][2] != label


# ---- portions ---------------------------------------------------------------------------------------------

CROSS = "SELECT ?a ?b { ?a <urn:p> ?x . ?b <urn:q> ?x }"
MOST = 10


def crossed(*seconds: int) -> dict[int, list[Row]]:
    """Eight of either side at each end; all fit together, those of several ends, too."""
    return {0: [event(second, side, f"{side}{second}{number}")
                for second in seconds for side in "pq" for number in range(8)]}  # fmt: skip


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many answers an engine keeps at a time, whenever some come; a portion has `MOST`."""
    counts: list[int] = []
    add = Deliveries.add

    def watched(self: Deliveries, answers: list[list[Any]]) -> None:
        add(self, answers)
        counts.append(self.count)

    monkeypatch.setattr(Deliveries, "add", watched)
    monkeypatch.setattr(feeding, "MOST_ANSWERS_AT_ONCE", MOST)
    monkeypatch.setattr(feeding, "SECONDS_AT_ONCE", 1e9)
    return counts


@pytest.mark.filterwarnings("ignore:EW65")
@pytest.mark.parametrize("least", [0, bucket.LEAST_LOG])
def test_answers_come_in_portions(kept: list[int], monkeypatch: pytest.MonkeyPatch, least: int) -> None:
    """In memory is no more than one; state is that after all of them, also where it is read from its log."""
    monkeypatch.setattr(bucket, "LEAST_LOG", least)
    stream = MemoryStream(program(CROSS), processes=(LiveEngines(), LiveEngines()))
    stream.micro_batch(crossed(1, 2))
    for process, second in enumerate((3, 4, 5)):
        stream.micro_batch(crossed(second), process=process % 2, fails=True)
    stream.end()
    stream.close()
    ends = Counter(match.end // SECOND for match in stream.matches)
    assert ends == {second: 64 * (second**2 - (second - 1) ** 2) for second in range(1, 6)}
    assert len({match.values for match in stream.matches}) == len(stream.matches)
    assert max(kept) == MOST


@pytest.mark.filterwarnings("ignore:EW65")
@pytest.mark.parametrize("taken", [1, 3])
def test_what_is_broken_off_between_two_portions_was_never_done(kept: list[int], taken: int) -> None:
    stream = MemoryStream(program(CROSS))
    stream.micro_batch(crossed(1, 2))
    state = stream.buckets[0].handle.values
    before = deepcopy(state)
    with closing(stream.waking(0, [], 3000)) as waking:
        assert all(0 < len(next(waking)) <= MOST for _ in range(taken))
        assert state == before
    assert state == before
    assert len(stream.processes[0]) == 0  # the engine that was amid its work is gone
    *portions, woken = stream.waking(0, [], 3000)
    assert state != before
    assert woken.timer is None
    assert sum(map(len, portions)) == 256
    assert len(stream.processes[0]) == 1
    stream.close()


def test_functions_of_the_user() -> None:
    """Also after a restart; what one raises is told (EW51)."""

    def longer(value: object) -> int:
        if str(value).endswith("bad"):
            raise ValueError("bad")
        return len(str(value))

    text = "SELECT ?x ?n { ?x <urn:p> ?y BIND(<urn:f>(?x) AS ?n) }"
    sources = (QuerySource("q", text),)
    named = BucketProgram(Program(sources, EngineOptions.of(functions={"urn:f": longer})), "this program")
    stream = MemoryStream(named, processes=(LiveEngines(), LiveEngines()))
    stream.micro_batch({0: [event(1, "p", "abc"), event(2, "p", "bad")]})
    with pytest.warns(EtalisWarning, match="EW51 the function <urn:f> raised ValueError: bad"):  # noqa: PT031
        stream.micro_batch({0: [event(3, "p", "abcd")]})
        stream.end()
    stream.micro_batch({0: [event(9, "p", "a")]}, process=1)
    stream.end()
    stream.close()
    assert [(each.start // SECOND, each.values[1:]) for each in stream.matches] == [
        (1, ((7, XSD_INTEGER),)), (2, (None,)), (3, ((8, XSD_INTEGER),)), (9, ((5, XSD_INTEGER),)),
    ]  # fmt: skip


def test_an_engine_of_an_earlier_call_is_not_used(made: list[str]) -> None:
    """Its functions may be others, and its state goes on: a stream that is started again in one session."""

    def called(call: str, function: Callable[[str], int]) -> BucketProgram:
        sources = (QuerySource("q", "SELECT ?n { ?x <urn:p> ?y BIND(<urn:f>(?x) AS ?n) }"),)
        return BucketProgram(
            Program(sources, EngineOptions.of(functions={"urn:f": function})), "this program", call=call
        )

    stream = MemoryStream(called("first", len))
    for second in (1, 2, 3):
        stream.micro_batch({0: [event(second, "p")]})
    stream.program = called("second", lambda iri: -len(iri))
    stream.micro_batch({0: [event(4, "p")]})
    stream.end()
    assert made == ["new", "0 steps", "new", "3 steps"]
    assert len(stream.processes[0]) == 1
    stream.close()
    assert [each.values[0][0] for each in stream.matches] == [5, -5, -5, -5]


# ---- what is refused --------------------------------------------------------------------------------------


def test_late_rows() -> None:
    strict, lenient = (MemoryStream(program(SEQ, on_late=each)) for each in ("error", "drop"))
    for stream in (strict, lenient):
        stream.micro_batch({0: [event(10, "p")]}, delay=3 * SECOND)
        stream.micro_batch({0: [event(7, "p"), event(12, "p")]}, delay=3 * SECOND)  # as late as may be
    late = {0: [event(6, "p"), event(13, "q")]}
    with pytest.raises(
        DataError, match="EP413 events: an element that ends at 1970-01-01T00:00:06Z"
    ) as caught:
        strict.micro_batch(late, delay=3 * SECOND)
    assert "'s': '<urn:a>'" in str(caught.value)
    lenient.micro_batch(late, delay=3 * SECOND)
    lenient.end()
    assert [match.start // SECOND for match in lenient.matches] == [7, 10, 12]
    for stream in (strict, lenient):
        stream.close()


def test_what_is_no_event_is_told_when_it_comes() -> None:
    stream = MemoryStream(program(SEQ))
    stream.micro_batch({0: [event(1, "p")]})
    wrong = (5 * SECOND, 5 * SECOND, "<urn:a>", "<urn:p>", '"open')
    with pytest.raises(DataError, match="EP407 events") as caught:
        stream.micro_batch({0: [event(4, "p"), wrong]})
    assert "'o': '\"open'" in str(caught.value)
    stream.micro_batch({0: [event(4, "q")]})  # without it the stream goes on
    stream.end()
    stream.close()
    assert len(stream.matches) == 1


def test_state_of_others_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = MemoryStream(program(SEQ))
    stream.micro_batch({0: [event(1, "p")]})
    mine = stream.program
    stream.program = BucketProgram(mine.program, "another program")
    with pytest.raises(RunTimeError, match="EP585"):
        stream.micro_batch({0: [event(2, "p")]})
    stream.program = mine
    monkeypatch.setattr(bucket_state, "FORMAT", 3)
    with pytest.raises(EtalisError, match="format version 2; this version reads 3"):
        stream.micro_batch({0: [event(2, "p")]})
    stream.close()
