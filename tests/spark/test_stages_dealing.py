"""Stages, without Spark: engines for every key, or slice of time, one stage after the other.

On random programs and streams they give together what one engine gives that sees it all.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, event, given, reject, settings
from hypothesis import example as explicit

from etalis_py.compiler.partition.stages import Dealing, plan_stages
from etalis_py.compiler.plan.triggers import plain_triggers
from etalis_py.core.errors import QueryError, RunTimeError
from etalis_py.spark_udfs.planning.program import QuerySource, compile_all
from tests.oracle.examples import Example, Send, examples
from tests.oracle.running import open_engine
from tests.spark.staging import Staged
from tests.spark.test_dealing import end_of, files, run, unnamed

__all__ = ["files"]

# A pattern that reads what is made of its matches is not dealt out anyhow.
FEEDS_ITSELF = Example(
    (
        "PREFIX : <urn:> CONSTRUCT { ?y :p ?x } WHERE { ?x :p ?y }",
        "PREFIX : <urn:> SELECT * WHERE { { ?x :p ?y . ?x :q ?z } SEQ { ?y :q ?u . ?u :r ?w } }",
    ),
    (Send(((("urn:a", "urn:p", "urn:b"), (5, 5)), (("urn:b", "urn:p", "urn:a"), (5, 5)))),),
    None,
    entails=True,
)
SETTINGS = settings(deadline=None, suppress_health_check=list(HealthCheck))


@settings(SETTINGS, max_examples=100)
@explicit(example=FEEDS_ITSELF)
@given(example=examples())
def test_stages_give_what_the_whole_gives(example: Example, files: list[Path]) -> None:
    check(example, files)


@pytest.mark.long
@pytest.mark.timeout(0)
@settings(SETTINGS, max_examples=int(os.environ.get("ETALIS_ORACLE_EXAMPLES", "20000")), derandomize=False)
@given(example=examples())
def test_stages_give_what_the_whole_gives_at_length(example: Example, files: list[Path]) -> None:
    check(example, files)


def check(example: Example, files: list[Path]) -> None:
    assume(example.at is None)  # what is at one instant is not dealt out
    sources = [QuerySource(str(number), text) for number, text in enumerate(example.queries)]
    try:
        if example.background is None:  # most programs are one stage: tell them apart without an engine
            assume(is_staged([each.plan for each in compile_all(sources)]))
        with open_engine(example, files) as engine:
            compiled = [engine.query(source.name) for source in sources]
            triggers = engine.knowledge.triggers if example.entails else plain_triggers
            stages = plan_stages([each.plan for each in compiled], triggers)
            assume(len(stages) > 1 or stages[0].dealing is Dealing.SLICES)
            whole = run(engine, sorted(example.stream, key=end_of), len(sources))
    except (QueryError, RunTimeError):
        reject()
    staged = Staged(example, files, compiled, stages)
    together = staged.answers()
    ways = ", ".join(sorted({stage.dealing.value for stage in stages}))
    known = example.background is not None
    event(f"{len(stages)} stages {ways}; {min(sum(map(len, whole)), 1)} answers; background {known}")
    event(f"{min(staged.passed_on, 3)} passed on")
    assert list(map(unnamed, together)) == list(map(unnamed, whole))
    assert isinstance(together[0], Counter)


def is_staged(plans: list) -> bool:
    stages = plan_stages(plans)
    return len(stages) > 1 or stages[0].dealing is Dealing.SLICES
