"""What a run found, as tables on the screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from etalis_py.core.times import format_time
from etalis_py.demos.delivery.outputs import legs_of, minutes
from etalis_py.demos.delivery.pipeline import Run

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["show"]

_SHOWN = 10


def show(run: Run, files: Sequence[Path], console: Console) -> None:
    """Print the tables of a run and where its files are."""
    network, found = run.network, run.outcome
    roads = "A made-up city" if run.made_city else "The road network"
    console.print(
        f"[bold]{roads}[/]: {len(network.junctions):,} junctions, {len(network.segments):,} segments. "
        "The traffic is simulated.\n",
        soft_wrap=True,
    )
    blocked = {one.leg for one in found.reroutes} | {one.leg for one in found.cut_off}
    legs = sum(len(tour.legs) for tour in run.tours)
    share = f"{len(blocked) / legs:.0%}"
    console.print(f"[bold]Agents[/]: on {len(blocked):,} of {legs:,} legs a closed segment was met ({share})")
    console.print(_agent_table(run))
    if found.cut_off or found.late:
        console.print("[bold]Alerts[/]: cut off, and later than promised")
        console.print(_alert_table(run))
    if found.warned:
        console.print("[bold]Warnings[/]: a segment closed within ten minutes of a neighbouring one")
        console.print(_warning_table(run))
    console.print("Written: " + ", ".join(map(str, files)), soft_wrap=True)
    changed = f" (changed: {', '.join(run.changed)})" if run.changed else ""
    console.print(f"Queries and rules, to be read and changed: {run.program}{changed}", soft_wrap=True)


def _table(*columns: str, right: Sequence[str] = ()) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left")
    return table


def _more(table: Table, rows: Sequence[Sequence[str]], what: str) -> Table:
    for row in rows[:_SHOWN]:
        table.add_row(*row)
    if len(rows) > _SHOWN:
        table.caption = f"and {len(rows) - _SHOWN:,} more {what}"
        table.caption_justify = "left"
    return table


def _agent_table(run: Run) -> Table:
    table = _table(
        "Agent", "Vehicle", "Legs", "New ways", "Cut off", "Late", "Planned", "Driven",
        right=("Legs", "New ways", "Cut off", "Late", "Planned", "Driven"),
    )  # fmt: skip
    legs = legs_of(run)
    new = Counter(legs[one.leg].agent for one in run.outcome.reroutes)
    cut = Counter(one.agent for one in run.outcome.cut_off)
    late = Counter(one.agent for one in run.outcome.late)
    driven: Counter[str] = Counter()
    for trip in run.day.trips:
        driven[trip.leg.agent] += trip.reached - trip.left
    rows = [
        (
            tour.agent, tour.vehicle, f"{len(tour.legs):,}", f"{new[tour.agent]:,}", f"{cut[tour.agent]:,}",
            f"{late[tour.agent]:,}", f"{minutes(sum(leg.time for leg in tour.legs)):,.0f} min",
            f"{minutes(driven[tour.agent]):,.0f} min",
        )
        for tour in run.tours
    ]  # fmt: skip
    return _more(table, rows, "agents")


def _alert_table(run: Run) -> Table:
    table = _table("Time (UTC)", "Agent", "Leg", "Alert")
    legs = legs_of(run)
    asked = Counter(one.leg for one in run.outcome.cut_off)
    first = {one.leg: one for one in reversed(run.outcome.cut_off)}
    alerts = [
        (
            one.time, one.agent, one.leg,
            f"cut off at {one.here} from {one.goal}"
            + (f", asked {asked[one.leg]} times" if asked[one.leg] > 1 else ""),
        )
        for one in first.values()
    ]  # fmt: skip
    alerts += [
        (
            one.time, one.agent, one.leg,
            f"late at {legs[one.leg].goal}: {minutes(one.taken)} min, promised {minutes(one.promised)} min",
        )
        for one in run.outcome.late
    ]  # fmt: skip
    return _more(table, [(_time(time), *rest) for time, *rest in sorted(alerts)], "alerts")


def _warning_table(run: Run) -> Table:
    table = _table("Borough", "Warnings", "First (UTC)", "Last (UTC)", right=("Warnings",))
    by_borough: dict[str, list[int]] = {}
    for one in run.outcome.warned:
        by_borough.setdefault(one.borough, []).append(one.time)
    rows = [
        (name, str(len(times)), _time(min(times)), _time(max(times))) for name, times in by_borough.items()
    ]
    return _more(table, sorted(rows), "boroughs")


def _time(microseconds: int) -> str:
    return format_time(microseconds // 1_000_000 * 1_000_000).replace("T", " ").removesuffix("Z")
