"""A row of the table: one job, done by the engine and by peers, who must give the same answers.

A peer's form is a contender named ``peer, form``. Each contender first does the job once with its answers
kept, for their checksum and to warm up; then all run in turn, as in the suite.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.benchmarks.measure import record_of
from tests.benchmarks.peers.checksum import checksum
from tests.benchmarks.peers.place import Place, pinned, place
from tests.benchmarks.workload import ENGINE, Contender, Outcome, Trial

__all__ = ["CODED", "COLUMNS", "Comparison", "answers_of", "compare"]

COLUMNS = f"{ENGINE}, columns"
"""The engine that gives Arrow tables; the one without a form gives matches."""
CODED = f"{ENGINE}, texts coded"
"""The same, whose texts come in as dictionaries of Arrow, as those of Esper's events lie in memory once."""
WARM = 3.0
"""Seconds that a peer in Java runs before the clock does, at the least."""
_RELATIVE = ("microseconds_more", "ratio", "ratios")


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
    that. A peer that is not on this machine is left out, with the reason in ``skipped``. Where the engine has
    two forms, the faster one counts, as with peers; the other is among the yardsticks.

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
    return _by_best_form(record)


def _by_best_form(record: dict[str, Any]) -> dict[str, Any]:
    """The same record with the faster form of the engine in the place of the engine."""
    matches, others = record[ENGINE], dict(record.get("yardsticks", {}))
    columns = others.pop(COLUMNS, None)
    if columns is None:
        return record
    if columns["events_per_second"] <= matches["events_per_second"]:
        return {**record, ENGINE: {**matches, "form": "matches"}}
    engine = {name: value for name, value in columns.items() if name not in _RELATIVE}
    others[f"{ENGINE}, matches"] = matches
    yardsticks = {name: part | _relation(engine, part) for name, part in others.items()}
    return {**record, ENGINE: {**engine, "form": "columns"}, "yardsticks": yardsticks}


def _relation(engine: Mapping[str, Any], part: Mapping[str, Any]) -> dict[str, Any]:
    """As `record_of` has it."""
    pairs = list(zip(engine["seconds"], part["seconds"], strict=True))
    ratios = [(engine["events"] / e) / (part["events"] / s) for e, s in pairs]
    more = [1e6 * (e / engine["events"] - s / part["events"]) for e, s in pairs]
    return {
        "microseconds_more": round(statistics.median(more), 3),
        "ratio": round(statistics.median(ratios), 3),
        "ratios": [round(each, 3) for each in ratios],
    }


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
