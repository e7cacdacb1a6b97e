"""A profile as tables for readers: the plan with its figures, and what no operator accounts for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import StringIO
from typing import TYPE_CHECKING, NamedTuple

from etalis_py.compiler.explain.readable import Node, draw_tree
from etalis_py.core.counting import counted
from etalis_py.profiling.report import OperatorProfile, Profile, QueryProfile, RuleProfile

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["print_profile"]

_FIGURES = ("line", "in", "goals", "live", "most", "out", "own ms", "own", "total")
_WIDE = 400
"""As wide as any text of an operator."""
_NARROW = 200
"""Wide enough for all figures: where a terminal is not, it wraps the lines."""
_LEAST = 24
"""What is left of the text of an operator."""


class _Row(NamedTuple):
    text: str
    figures: tuple[str, ...]
    is_dearest: bool = False
    is_rule: bool = False
    has_inputs: bool = False


def print_profile(profile: Profile) -> None:
    """Print it on standard output: as wide as the terminal, or as it needs elsewhere."""
    from rich.console import Console

    terminal = sys.stdout.isatty()
    written = StringIO()
    width = Console().width if terminal else _WIDE
    console = Console(
        file=written,
        force_terminal=terminal or None,
        width=max(width, _NARROW),
        highlight=False,
        markup=False,
        emoji=False,
    )
    for query in profile.queries:
        console.print(_query_title(query))
        console.print(_query_table(query, profile, width))
    console.print("outside of all operators")
    console.print(_outside_table(profile))
    console.print("\n".join(_summary(profile)), soft_wrap=True)
    lines = written.getvalue().split("\n")
    print("\n".join(lines if terminal else map(str.rstrip, lines)), end="")


def _query_title(query: QueryProfile) -> str:
    return f"{query.name}: {counted(query.answers, 'answer')}"


# ---- the plan -------------------------------------------------------------------------------------------


def _query_table(query: QueryProfile, profile: Profile, width: int) -> Table:
    """The plan; where it is too wide, the texts of operators are cut and no figure is."""
    rows = list(_rows(query, profile))
    figures = sum(
        max(map(len, column)) for column in zip(_FIGURES, *(row.figures for row in rows), strict=True)
    )
    table = _table("operator", *_FIGURES, room=max(_LEAST, width - figures - 2 * len(_FIGURES) - 2))
    for row in rows:
        table.add_row(row.text, *row.figures, style="bold" if row.is_dearest else None)
    return table


def _rows(query: QueryProfile, profile: Profile) -> Iterator[_Row]:
    """A row an operator, drawn as a tree; below one with several rules, a row for each of these."""
    dearest = _dearest(profile)
    figures: list[_Row] = []
    tree = draw_tree(_node(query.root, profile, dearest, figures))
    for line, row in zip(tree.split("\n"), figures, strict=True):
        guides = line[: len(line) - len("*")]
        if row.is_rule:  # it is not an input: no branch leads to it
            guides = guides[:-3] + ("│  " if row.has_inputs else "   ")
        yield row._replace(text=guides + row.text)


def _node(
    operator: OperatorProfile, profile: Profile, dearest: OperatorProfile | None, rows: list[_Row]
) -> Node:
    """The operator as a tree whose lines are marks only; its rows, in the order of the lines."""
    shared = "" if operator.computed_by is None else f" (computed by {operator.computed_by})"
    rows.append(_Row(operator.text + shared, _operator_figures(operator, profile), operator is dearest))
    rules = operator.rules if len(operator.rules) > 1 else ()
    for each in rules:
        figures = _rule_figures(each, profile)
        rows.append(_Row(f"- {_rule_name(each, operator)}", figures, False, True, bool(operator.inputs)))
    below = [_node(each, profile, dearest, rows) for each in operator.inputs]
    return Node("*", *(Node("*") for _ in rules), *below)


def _operator_figures(operator: OperatorProfile, profile: Profile) -> tuple[str, ...]:
    goals: tuple[str, ...] = ("", "", "")
    if operator.stores:
        goals = tuple(f"{each:,}" for each in (operator.goals_made, operator.goals_live, operator.goals_most))
    return (
        str(operator.line), f"{operator.events_in:,}", *goals, f"{operator.matches_out:,}",
        *_times(operator.own, profile), _share(operator.total, profile),
    )  # fmt: skip


def _rule_figures(rule: RuleProfile, profile: Profile) -> tuple[str, ...]:
    return "", f"{rule.calls:,}", "", "", "", "", *_times(rule.own, profile), ""


def _rule_name(rule: RuleProfile, operator: OperatorProfile) -> str:
    """What the rule does, and for which input where there are several."""
    names = [each.name for each in operator.inputs]
    if rule.source not in names or len(names) == 1:
        return rule.name
    place = names.index(rule.source)
    return f"{('left', 'right', *['tested pattern'] * len(names))[place]}: {rule.name}"


# ---- the rest -------------------------------------------------------------------------------------------


def _outside_table(profile: Profile) -> Table:
    table = _table("spent on", "ms", "share")
    for name, seconds in profile.outside.items():
        table.add_row(name, *_times(seconds, profile))
    return table


def _summary(profile: Profile) -> Iterator[str]:
    events = counted(profile.events, "event")
    took, measuring = _milliseconds(profile.seconds), _milliseconds(profile.measuring)
    yield f"{events} in {took} ms of processor time; measuring took {measuring} ms more, not counted above"
    dearest = _dearest(profile)
    if dearest is not None:
        share = _share(dearest.own, profile)
        yield f"most time of an operator: {share}, line {dearest.line}: {dearest.text}"


def _dearest(profile: Profile) -> OperatorProfile | None:
    operators = [each for query in profile.queries for each in query.operators]
    dearest = max(operators, key=lambda each: each.own, default=None)
    return dearest if dearest is not None and dearest.own > 0 else None


def _table(first: str, *others: str, room: int | None = None) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(first, no_wrap=True, overflow="ellipsis", max_width=room)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _times(seconds: float, profile: Profile) -> tuple[str, str]:
    return _milliseconds(seconds), _share(seconds, profile)


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:,.2f}"


def _share(seconds: float, profile: Profile) -> str:
    return f"{seconds / profile.seconds:.1%}" if profile.seconds else "-"
