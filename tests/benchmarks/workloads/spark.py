"""Spark: a SEQ of two steps by ``detect``, beside the kernel in ``mapInArrow`` and a join in Spark SQL.

Also windows. Each contender runs in processes of its own (``spark_run.py``, ``spark_join.py``,
``spark_window.py``); seconds are those of the clock, as there is no telling how many processors a run had.
Quote ratios that were measured on a machine with nothing else to do.
"""

from __future__ import annotations

from functools import partial

from etalis_py.provision.console import SetupError
from etalis_py.provision.java import lead_spark_to_java
from tests.benchmarks.workload import ENGINE, Contender, Trial, Unavailable, Workload
from tests.benchmarks.workloads.memory import apart

__all__ = ["WORKLOADS"]

EVENTS = 1_000_000


def keys(number: int, count: int, *, new: bool = False) -> Trial:
    """``number`` keys, each with a goal alive; or, with ``new``, none that comes again."""
    _need_java()

    def run(how: str, cores: int) -> Contender:
        words = [how, str(cores), str(number), str(count), *(["new"] if new else [])]
        return apart("spark_run", *words)

    contenders = {
        ENGINE: run("engine", 2),
        "kernel": run("kernel", 2),
        "engine, plain columns": run("plain", 2),
        "engine, one core": run("engine", 1),
    }
    return Trial(count, contenders, {"keys": number, "cores": 2})


def two_steps(count: int) -> Trial:
    """The first row of ``etalis bench --peers``, where Spark SQL joins the events with themselves."""
    _need_java()
    ways = {ENGINE: "engine", "Spark SQL": "sql", "Spark SQL, bins": "bins", "engine, plain columns": "plain"}
    contenders = {name: apart("spark_join", how, "2", str(count)) for name, how in ways.items()}
    return Trial(count, contenders, {"cores": 2})


def windows(count: int) -> Trial:
    """Count and sum of each key each second, where Spark SQL groups by key and window."""
    _need_java()
    contenders = {
        name: apart("spark_window", how, cores, str(count))
        for name, how, cores in (
            (ENGINE, "engine", "2"),
            ("Spark SQL", "sql", "2"),
            ("engine, plain columns", "plain", "2"),
            ("engine, one core", "engine", "1"),
            ("Spark SQL, one core", "sql", "1"),
        )
    }
    return Trial(count, contenders, {"cores": 2})


def _need_java() -> None:
    try:
        lead_spark_to_java()
    except SetupError as error:
        raise Unavailable(str(error)) from error


WORKLOADS = [
    *(
        Workload(
            f"spark-{number}-keys", f"SEQ of 2 steps on Spark, {number:,} keys", partial(keys, number), EVENTS
        )
        for number in (10, 1_000, 100_000)
    ),
    Workload(
        "spark-new-keys",
        "SEQ of 2 steps on Spark in a window of 1,000 keys, none of which comes again",
        partial(keys, 1_000, new=True),
        EVENTS,
    ),
    Workload("spark-two-steps", "SEQ of 2 steps on Spark beside a join in Spark SQL", two_steps, EVENTS),
    Workload("spark-windows", "windows by key on Spark beside those of Spark SQL", windows, EVENTS),
]
