"""A row of the table: one job, done by the engine and by peers, who must give the same answers.

A peer's form is a contender named ``peer, form``. Each contender first does the job once with its answers
kept, for their checksum and to warm up; then all run in turn, as in the suite.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.benchmarks.measure import record_of
from tests.benchmarks.peers.checksum import checksum
from tests.benchmarks.peers.place import Place, pinned, place
from tests.benchmarks.workload import ENGINE, Contender, Outcome, Trial

__all__ = ["Comparison", "answers_of", "compare"]

WARM = 3.0
"""Seconds that a peer in Java runs before the clock does, at the least."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A job to compare; ``events`` of a full run, ``quick`` of one that only shows that it works."""

    name: str
    purpose: str
    trial: Callable[[Place, int], Trial]
    events: int = 500_000
    quick: int = 4_000


def compare(comparison: Comparison, events: int, runs: int, *, warm: float = WARM) -> dict[str, Any]:
    """The record of one row, as `measure` has it, with the checksum of each contender's answers.

    ``agree`` says that numbers and checksums are equal. Everything runs on one core, where the system can do
    that. A peer that is not on this machine is left out, with the reason in ``skipped``.

    Raises:
        Unavailable: the data is not on this machine.
    """
    with pinned() as core, place(warm) as here:
        trial = comparison.trial(here, events)
        found = {name: answers_of(contender) for name, contender in trial.contenders.items()}
        record = record_of(comparison.name, comparison.purpose, trial, runs)
    record |= {"core": core, "skipped": here.skipped}
    for name, outcome in found.items():
        part = record[ENGINE] if name == ENGINE else record["yardsticks"][name]
        part["checksum"] = outcome.checksum
        record["agree"] = (
            record["agree"] and _same(outcome, found[ENGINE]) and part["answers"] == outcome.answers
        )
    return record


def answers_of(contender: Contender) -> Outcome:
    """The number and the checksum of a contender's answers."""
    with contender.ready(True) as run:
        outcome = run()
    if outcome.checksum is not None:
        return outcome
    assert outcome.rows is not None
    return Outcome(outcome.answers, checksum=checksum(outcome.rows))


def _same(one: Outcome, other: Outcome) -> bool:
    return (one.answers, one.checksum) == (other.answers, other.checksum)
