"""The one printer of stages: how each one's events are dealt out, what it takes and what it gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.explain.plan_printer import positions_text
from etalis_py.compiler.explain.readable import Readable, window_text
from etalis_py.compiler.partition.join_key import KeyPlan
from etalis_py.compiler.partition.stages import Dealing, Stage
from etalis_py.compiler.plan.plan import walk
from etalis_py.compiler.plan.solution_scan import SolutionScan

__all__ = ["obstacle_lines", "stage_lines", "stage_obstacles", "stages_text"]


def stages_text(stages: Sequence[Stage], queries: Sequence[CompiledQuery], readable: Readable) -> str:
    """All stages of a program, without an end of line after it."""
    lines = [f"{len(stages)} stages on Spark:" if len(stages) > 1 else "one stage on Spark:"]
    for number, stage in enumerate(stages, 1):
        first, *others = stage_lines(stage, queries, readable)
        lines += [f"  {number}  {first}", *(f"     {each}" for each in others)]
    return "\n".join(lines)


def stage_lines(stage: Stage, queries: Sequence[CompiledQuery], readable: Readable) -> Iterator[str]:
    """One stage: by what its events are dealt out, which they are, and what comes of them."""
    names = {each.plan.number: each.name for each in queries}
    yield _dealing(stage)
    if stage.dealing is Dealing.ONE_PART:
        yield from stage_obstacles(stage, queries)
    yield f"events: {_events(stage, readable)}"
    scans = [node for plan in stage.plans for node in walk(plan.root) if isinstance(node, SolutionScan)]
    taken = [*(each.name for each in scans), *(f"triples of {names[each]}" for each in sorted(stage.triples))]
    if taken:
        yield f"takes: {', '.join(dict.fromkeys(taken))}"
    found = [unit.plan.root.name for unit in stage.units if unit.stream is not None]
    if found:
        yield f"finds for later stages: {', '.join(found)}"
    answers = [names[unit.query] for unit in stage.units if unit.stream is None]
    if answers:
        yield f"answers: {', '.join(answers)}"


def stage_obstacles(stage: Stage, queries: Sequence[CompiledQuery]) -> Iterator[str]:
    """Why a stage has no key, a line for each operator in the way."""
    by_number = {each.plan.number: each for each in queries}
    return obstacle_lines(stage.key, {unit.plan.number: by_number[unit.query] for unit in stage.units})


def obstacle_lines(key: KeyPlan, queries: Mapping[int, CompiledQuery]) -> Iterator[str]:
    """What is in the way of a key: query, line and reason; ``queries`` by the numbers of their plans."""
    for each in key.obstacles:
        query = queries[each.query]
        yield f"{query.name}, line {query.text.line_of(each.span)}: {each.reason}"


def _dealing(stage: Stage) -> str:
    match stage.dealing:
        case Dealing.KEY:
            keys = ("the key of each way" if key is None else _shown(key) for key in stage.key.keys.values())
            return f"dealt out by {' and '.join(dict.fromkeys(keys))}"
        case Dealing.ANYHOW:
            return "dealt out anyhow: one pattern"
        case Dealing.SLICES if stage.reach == 0:
            return "dealt out by the instant at which events end"
        case Dealing.SLICES:
            assert stage.reach is not None
            return f"in slices of time that overlap by {window_text(stage.reach).removeprefix('below ')}"
        case Dealing.ONE_PART:
            return "in one part"


def _shown(key: Sequence[str]) -> str:
    return ", ".join(each if each.startswith("_:") else f"?{each}" for each in key)


def _events(stage: Stage, readable: Readable) -> str:
    """The predicates that are needed, with the positions of the key where there is one."""
    routes = stage.key.routes
    by_key = stage.dealing is Dealing.KEY
    if routes.other is not None:
        return f"all, by {positions_text(routes.other)}" if by_key else "all"
    shown = [
        f"{readable.iri(name)} by {positions_text(where)}" if by_key else readable.iri(name)
        for name, where in routes.positions.items()
    ]
    return ", ".join(shown) or "none of the stream"
