"""Runs as Flink CEP finds them: each mode of REPEAT gives the matches of one of its contiguities.

``oneOrMore`` is REPEAT NEXT, ``consecutive`` REPEAT STRICT, ``allowCombinations`` REPEAT ANY; each beginning
of a run is a match for both.
"""

from __future__ import annotations

import pytest

from tests.benchmarks.contender import engine
from tests.benchmarks.kernel import PREFIX
from tests.benchmarks.peers.comparison import answers_of
from tests.benchmarks.peers.flink_contender import flink_pattern
from tests.benchmarks.peers.java_program import built
from tests.benchmarks.peers.place import place
from tests.benchmarks.peers.streams import mixed
from tests.benchmarks.streams import STEP, duration
from tests.benchmarks.workload import Unavailable

WINDOW = 6_000 * STEP
MODES = {"runs-next": "NEXT", "runs-strict": "STRICT PER ?x", "runs-any": "ANY"}


@pytest.mark.long
@pytest.mark.parametrize("name", MODES)
def test_modes_of_repetition_are_those_of_flink(name: str) -> None:
    table = mixed(8_000, "pqrr")
    query = (
        f"PREFIX : <{PREFIX}> SELECT ?x ?a ?n ?sum {{"
        f" {{ ?x :p ?a }} SEQ NEXT REPEAT {MODES[name]} {{ ?x :r ?v }}"
        f" MEASURES (COUNT(*) AS ?n, SUM(?v) AS ?sum) FILTER (getDURATION() < {duration(WINDOW)}) }}"
    )
    try:
        built("flink")
        with place(warm=0) as here:
            theirs = answers_of(flink_pattern(here, table, name, WINDOW))
    except Unavailable as reason:
        pytest.skip(str(reason))
    ours = answers_of(engine(table, query))
    assert (ours.answers, ours.checksum) == (theirs.answers, theirs.checksum)
    assert ours.answers > 1_000
