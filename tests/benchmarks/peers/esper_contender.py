"""Esper as a contender: one form of a query over the events of a table, in a Java that is warm.

The texts of the forms are esper/forms/*.epl; the program that runs them is esper/src.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from string import Template

import pyarrow as pa

from tests.benchmarks.peers.java_program import built
from tests.benchmarks.peers.place import Place, Process, plain
from tests.benchmarks.workload import Contender, Outcome, Run

__all__ = ["esper", "form", "types_of"]

FORMS = Path(__file__).resolve().parent / "esper" / "forms"
MAIN = "peers.Peer"


def form(name: str, **values: object) -> str:
    """The EPL of a form with these values."""
    return Template(FORMS.joinpath(f"{name}.epl").read_text(encoding="utf-8")).substitute(values)


def types_of(table: pa.Table) -> list[str]:
    """The local names of the predicates: each is a type of event."""
    names = map(plain, table.column("p").unique().to_pylist())
    return sorted(name.rpartition("#")[2].rpartition(":")[2] for name in names)


def esper(
    place: Place,
    table: pa.Table,
    epl: str,
    *,
    classes: Sequence[str] = (),
    types: Sequence[str] = (),
    latency: bool = False,
) -> Contender:
    """Esper with the statements of an EPL text; ``classes`` are what ``Classes.below`` knows, ``types``
    the local names of predicates where some may not be in the table.

    With ``latency`` it gives the percentiles of the time from an event to its last answer, in microseconds.
    The clock takes the making of event objects and a look at each value of each answer, and no reading of
    files.

    Raises:
        Unavailable: Esper cannot be built here.
    """
    program = built("esper")
    process: Process | None = None

    def started() -> Process:
        text = place.new_file("epl")
        text.write_text(epl, encoding="utf-8")
        names = place.new_file("classes")
        names.write_text("".join(f"{name}\n" for name in classes), encoding="utf-8")
        new = place.start(
            program.command(MAIN, place.write_events(table), text, names, *(types or types_of(table)))
        )
        spent = 0.0
        while spent < place.warm:
            found = new.ask("count")
            spent += found["seconds"] * found["runs"]
        return new

    @contextmanager
    def ready(keep: bool) -> Iterator[Run]:
        nonlocal process
        process = process or started()
        running = process

        def run() -> Outcome:
            if keep:
                found = running.ask("check")
                return Outcome(found["answers"], found["seconds"], checksum=int(found["checksum"]))
            found = running.ask("latency" if latency else "count")
            extra = {name: value for name, value in found.items() if name.endswith("_us")}
            return Outcome(found["answers"], found["seconds"], extra=extra)

        yield run

    return Contender(ready)
