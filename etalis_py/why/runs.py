"""Runs of REPEAT in words: how often, what was measured, what chose an iteration, what was not between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from etalis_py.compiler.algebra.algebra import expression_variables
from etalis_py.compiler.explain.readable import Readable
from etalis_py.compiler.plan.plan import RepeatPlan
from etalis_py.core.terms import Encoded
from etalis_py.core.times import format_time
from etalis_py.why.absences import scope_text
from etalis_py.why.tree import Proof

__all__ = ["condition_text", "run_absences", "run_text"]


def run_text(node: RepeatPlan, proof: Proof, count: int, readable: Readable) -> str:
    """``REPEAT ALL, 3 times: ?n := COUNT(*) is 3``."""
    mode = node.repeat.mode.value + (" LONGEST" if node.repeat.longest else "")
    measured = (
        f"{readable.aggregate(each)} is {_value(proof.bindings.get(each.variable.name), readable)}"
        for each in node.repeat.measures
    )
    text = f"REPEAT {mode}, {count} time" + ("" if count == 1 else "s")
    return ": ".join(filter(None, (text, ", ".join(measured))))


def condition_text(written: str, node: RepeatPlan, values: Mapping[str, Encoded], readable: Readable) -> str:
    """What chose an iteration, and what it saw: its own values, and those of the iterations before."""
    assert node.repeat.condition is not None
    before = {each.variable for each in node.repeat.running}
    used = sorted(
        set(expression_variables(node.repeat.condition)), key=lambda each: (each in before, each.name)
    )
    saw = (f"{readable.variable(each)} is {_value(values.get(each.name), readable)}" for each in used)
    return f"FILTER ({written}), where {', '.join(saw)}"


def run_absences(
    node: RepeatPlan, iterations: Sequence[Proof], proof: Proof, readable: Readable
) -> Iterator[str]:
    """What did not come between iterations, and when a longest run was over."""
    scopes = (
        (node.scope, "one iteration and the next"),
        (node.first_scope, "what is before and the first"),
        (node.last_scope, "the last one and what follows"),
    )
    for scope, where in scopes:
        if scope is not None:
            none = scope_text(scope, bindings=proof.bindings, readable=readable)
            yield f"{none} between {where}"
    ends = [each.interval[1] for each in iterations if each.interval is not None]
    if node.repeat.longest and node.then is None and ends and proof.interval is not None:
        over = proof.interval[1]
        if ends[-1] < over:
            yield f"no longer run: it was broken, or the input ended, at {format_time(over)}"


def _value(value: Encoded | None, readable: Readable) -> str:
    return "unbound" if value is None else readable.term(value)
