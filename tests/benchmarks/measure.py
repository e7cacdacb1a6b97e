"""Runs the contenders of a trial in turn, and makes the record: medians, ratios, and whether they agree."""

from __future__ import annotations

import gc
import statistics
import time
from typing import Any, NamedTuple

from tests.benchmarks.kernel import inferences, settle
from tests.benchmarks.machine import machine
from tests.benchmarks.workload import ENGINE, Contender, Outcome, Trial, Workload

__all__ = ["measure", "record_of"]


def measure(workload: Workload, events: int, runs: int) -> dict[str, Any]:
    """The record of one workload, fit for JSON."""
    return record_of(workload.name, workload.purpose, workload.trial(events), runs)


def record_of(workload: str, purpose: str, trial: Trial, runs: int) -> dict[str, Any]:
    """The record of a trial, fit for JSON.

    Each of the ``runs`` lets every contender run once, so that what the machine does besides meets all alike;
    a ratio is the median of the ratios of single runs. Speeds are events per second of processor time, which
    other processes on the machine lengthen less than that of the clock.
    """
    seen: dict[str, list[_Taken]] = {name: [] for name in trial.contenders}
    for _ in range(runs):
        for name, contender in trial.contenders.items():
            seen[name].append(_run(contender))
    record: dict[str, Any] = {
        "workload": workload,
        "purpose": purpose,
        "events": trial.events,
        "runs": runs,
        "details": dict(trial.details),
        "machine": machine(),
        "agree": _agree(trial, {name: taken[-1].outcome.answers for name, taken in seen.items()}),
    }
    engine = [each.seconds for each in seen[ENGINE]]
    for name, taken in seen.items():
        contender = trial.contenders[name]
        count = contender.events or trial.events
        last = taken[-1]
        seconds = [each.seconds for each in taken]
        ratios = [(trial.events / e) / (count / s) for e, s in zip(engine, seconds, strict=True)]
        part = {
            "events": count,
            "answers": last.outcome.answers,
            "events_per_second": round(statistics.median(count / each for each in seconds)),
            "seconds": [round(each, 4) for each in seconds],
            "seconds_by_the_clock": [round(each.elapsed, 4) for each in taken],
            "inferences_per_event": round(last.steps / count, 2),
            **{key: round(value, 4) for key, value in last.outcome.extra.items()},
        }
        if name == ENGINE:
            record[ENGINE] = part
        else:
            more = [1e6 * (e / trial.events - s / count) for e, s in zip(engine, seconds, strict=True)]
            part |= {
                "microseconds_more": round(statistics.median(more), 3),
                "ratio": round(statistics.median(ratios), 3),
                "ratios": [round(each, 3) for each in ratios],
            }
            record.setdefault("yardsticks", {})[name] = part
    return record


class _Taken(NamedTuple):
    """One run: seconds of the processor and of the clock, Prolog inferences, and what came of it."""

    seconds: float
    elapsed: float
    steps: int
    outcome: Outcome


def _run(contender: Contender) -> _Taken:
    with contender.ready(False) as run:
        gc.collect()
        settle()
        steps = inferences()
        began, clock = time.process_time(), time.perf_counter()
        outcome = run()
        seconds, elapsed = time.process_time() - began, time.perf_counter() - clock
        steps = inferences() - steps
    return _Taken(seconds if outcome.seconds is None else outcome.seconds, elapsed, steps, outcome)


def _agree(trial: Trial, answers: dict[str, int]) -> bool:
    """Whether all that do the same job found as many answers."""
    same = {answers[name] for name, contender in trial.contenders.items() if contender.same_answers}
    return len(same) == 1
