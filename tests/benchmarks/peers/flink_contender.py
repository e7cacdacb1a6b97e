"""Flink as a contender: patterns of Flink CEP (flink/src), and queries of Flink SQL (flink/forms/*.sql).

The clock takes what Flink does from the first event to the end of the job, and not the start of a job.
"""

from __future__ import annotations

from pathlib import Path
from string import Template

import pyarrow as pa

from tests.benchmarks.peers.java_program import built, served
from tests.benchmarks.peers.place import Place
from tests.benchmarks.workload import Contender

__all__ = ["flink_pattern", "flink_sql"]

FORMS = Path(__file__).resolve().parent / "flink" / "forms"
MAIN = "peers.Peer"
OPTIONS = [f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in ("lang", "time", "util")]
"""Flink's serializers look into these packages."""
MILLISECOND = 1_000


def flink_pattern(place: Place, table: pa.Table, name: str, window: int) -> Contender:
    """Flink CEP with the pattern of this name; the window is in microseconds.

    Raises:
        Unavailable: Flink cannot be built here.
    """
    program = built("flink")
    arguments = ("cep", name, str(window))
    return served(
        place, lambda: program.command(MAIN, place.write_events(table), *arguments, options=OPTIONS)
    )


def flink_sql(place: Place, table: pa.Table, name: str, window: int) -> Contender:
    """Flink SQL with the query of this name; the window is in microseconds, whole milliseconds.

    Raises:
        Unavailable: Flink cannot be built here.
    """
    program = built("flink")

    def command() -> list[str]:
        text = Template(FORMS.joinpath(f"{name}.sql").read_text(encoding="utf-8"))
        longest = f"{(window - MILLISECOND) / 1_000_000:.3f}"  # an interval of SQL has its ends in it
        query = place.new_file("sql")
        seconds = f"{window / 1_000_000:g}"
        filled = text.substitute(longest=longest, window=window, seconds=seconds)
        query.write_text(filled, encoding="utf-8")
        return program.command(MAIN, place.write_events(table), "sql", query, options=OPTIONS)

    return served(place, command)
