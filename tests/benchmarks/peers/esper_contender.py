"""Esper as a contender: one form of a query over the events of a table, in a Java that is warm.

The texts of the forms are esper/forms/*.epl; the program that runs them is esper/src.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from string import Template

import pyarrow as pa

from tests.benchmarks.peers.java_program import built, served
from tests.benchmarks.peers.place import Place, plain
from tests.benchmarks.workload import Contender

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

    def command() -> list[str]:
        text, names = place.new_file("epl"), place.new_file("classes")
        text.write_text(epl, encoding="utf-8")
        names.write_text("".join(f"{name}\n" for name in classes), encoding="utf-8")
        known = types or types_of(table)
        return program.command(MAIN, place.write_events(table), text, names, *known)

    return served(place, command, latency=latency)
