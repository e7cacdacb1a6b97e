"""Runs the contenders of a trial in turn, and makes the record: medians, ratios, and whether they agree."""

from __future__ import annotations

import gc
import statistics
import time
from typing import Any

from tests.benchmarks.kernel import inferences
from tests.benchmarks.machine import machine
from tests.benchmarks.workload import ENGINE, Contender, Outcome, Trial, Workload

__all__ = ["measure"]


def measure(workload: Workload, events: int, runs: int) -> dict[str, Any]:
    """The record of one workload, fit for JSON.

    Each of the ``runs`` lets every contender run once, so that what the machine does besides meets all alike;
    a ratio is the median of the ratios of single runs. Speeds are events per second.
    """
    trial = workload.trial(events)
    seen: dict[str, list[tuple[float, int, Outcome]]] = {name: [] for name in trial.contenders}
    for _ in range(runs):
        for name, contender in trial.contenders.items():
            seen[name].append(_run(contender))
    record: dict[str, Any] = {
        "workload": workload.name,
        "purpose": workload.purpose,
        "events": trial.events,
        "runs": runs,
        "details": dict(trial.details),
        "machine": machine(),
        "agree": _agree(trial, {name: outcomes[-1][2].answers for name, outcomes in seen.items()}),
    }
    engine = [seconds for seconds, _, _ in seen[ENGINE]]
    for name, outcomes in seen.items():
        contender = trial.contenders[name]
        count = contender.events or trial.events
        seconds = [each for each, _, _ in outcomes]
        ratios = [(trial.events / e) / (count / s) for e, s in zip(engine, seconds, strict=True)]
        part = {
            "events": count,
            "answers": outcomes[-1][2].answers,
            "events_per_second": round(statistics.median(count / each for each in seconds)),
            "seconds": [round(each, 4) for each in seconds],
            "inferences_per_event": round(outcomes[-1][1] / count, 2),
            **{key: round(value, 4) for key, value in outcomes[-1][2].extra.items()},
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


def _run(contender: Contender) -> tuple[float, int, Outcome]:
    """Seconds, Prolog inferences and the outcome of one run."""
    with contender.ready(False) as run:
        gc.collect()
        steps = inferences()
        began = time.perf_counter()
        outcome = run()
        seconds = time.perf_counter() - began
        steps = inferences() - steps
    return (seconds if outcome.seconds is None else outcome.seconds), steps, outcome


def _agree(trial: Trial, answers: dict[str, int]) -> bool:
    """Whether all that do the same job found as many answers."""
    same = {answers[name] for name, contender in trial.contenders.items() if contender.same_answers}
    return len(same) == 1
