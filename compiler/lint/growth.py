"""What a query keeps for ever: no harm in a file, but a stream has no end."""

from __future__ import annotations

from collections.abc import Iterator

from etalis_py.compiler.algebra.algebra import (
    Apply,
    Constant,
    Expression,
    RepeatMode,
    conjuncts,
    expression_variables,
)
from etalis_py.compiler.algebra.operators import Side
from etalis_py.compiler.algebra.window import day_time_microseconds
from etalis_py.compiler.lint.findings import Finding, Subject
from etalis_py.compiler.lint.scopes import each_part
from etalis_py.compiler.plan.plan import (
    BetweenPlan,
    GapPlan,
    GroupPlan,
    Pair,
    PlanNode,
    RepeatPlan,
    Scan,
    TicksPlan,
    inputs,
)
from etalis_py.core.vocabulary import RDF_TYPE

__all__ = ["endless_aggregates", "endless_waiting"]


def endless_waiting(subject: Subject) -> Iterator[Finding]:
    """EW30: parts that wait for their partners however long that takes; the outermost is reported.

    ``{ ?x a :C } SEQ { ?x :p ?y }`` is not reported: it keeps the class of each thing, as the query asks.
    """
    if subject.at_instant:
        return
    for node in _nodes(subject.query.plan.root):
        if node.window is None and _waits(node) and not _keeps_classes_alone(node):
            message = "past events wait here for later ones, for ever"
            yield Finding("EW30", message, node.span, "".join(_ways_out(node, subject)))
            return


def _waits(node: PlanNode) -> bool:
    if isinstance(node, Pair) and node.operator.optional is None and not node.operator.same_end:
        if node.operator.next_only and isinstance(node.right, TicksPlan):
            return False  # until the next multiple of the period
        return node.left.eventful and node.right.eventful
    if isinstance(node, RepeatPlan):
        return not _is_strict_alone(node) or node.group.window is None
    return isinstance(node, GapPlan | BetweenPlan)


def _is_strict_alone(node: PlanNode) -> bool:
    """Whether it repeats without a gap, and nothing else: broken runs matter for as long as an iteration."""
    if not isinstance(node, RepeatPlan) or node.left is not None or node.then is not None:
        return False
    return node.repeat.mode is RepeatMode.STRICT


def _keeps_classes_alone(node: PlanNode) -> bool:
    """Whether all that waits is of which class the things are that the rest is about."""
    if not isinstance(node, Pair) or node.operator.earlier is not Side.LEFT:
        return False
    first, rest = _scans(node.left), _scans(node.right)
    things = {each.pattern.subject for each in first}
    about = {each.pattern.subject for each in rest if not _tells_class(each)}
    return all(map(_tells_class, first)) and bool(things) and things <= about


def _ways_out(node: PlanNode, subject: Subject) -> Iterator[str]:
    """What may be done about a node that waits for ever, in the order in which it is to be said."""
    if _is_strict_alone(node):
        yield "say how long an iteration may take: WITHIN PT1S at the end of the repeated group"
    else:
        yield "say how long a match may take: WITHIN PT1H at the end of its group"
    scans = _scans(node)
    classes = [each for each in scans if _tells_class(each) and each.eventful and not each.timeless]
    if classes and not all(map(_tells_class, scans)):
        shown = " . ".join(subject.written(each.span) for each in classes)
        yield (
            f"; or, if {shown} comes only once, and first, {{ {shown} }} SEQ {{ ... }}: then only it is kept"
        )
    for tested in subject.scopes.tested:
        for part in conjuncts(tested.expression) if tested.is_filter else ():
            if _compares_values(part, node):
                written = subject.written(part.span)
                yield f"; {written} is not enough: it does not tell the engine what it may forget"
                return


def _compares_values(condition: Expression, node: PlanNode) -> bool:
    """Whether it bounds how far two values are apart, one of each side."""
    if not isinstance(condition, Apply) or condition.function not in ("<", "<=", ">", ">="):
        return False
    if not isinstance(node, Pair):
        return False
    used = set(expression_variables(condition))
    lengths = (each for each in each_part(condition) if day_time_microseconds(each) is not None)
    sides = (set(side.schema.columns) & used for side in (node.left, node.right))
    return any(True for _ in lengths) and all(sides) and len(used) > 1


def _tells_class(scan: Scan) -> bool:
    return scan.pattern.predicate == Constant(RDF_TYPE) and isinstance(scan.pattern.object, Constant)


def _scans(root: PlanNode) -> list[Scan]:
    return [each for each in _nodes(root) if isinstance(each, Scan)]


def endless_aggregates(subject: Subject) -> Iterator[Finding]:
    """EW31: aggregates over all that ever came."""
    if subject.at_instant:
        return
    for node in _nodes(subject.query.plan.root):
        if isinstance(node, GroupPlan) and node.eventful and node.extent is None and node.aggregates:
            first = node.aggregates[0]
            message = f"{subject.written(first.span)} covers everything since the stream began"
            yield Finding("EW31", message, first.span, "for the last hour only: WINDOW [RANGE PT1H]")


def _nodes(root: PlanNode) -> Iterator[PlanNode]:
    """All nodes from the outermost, each once."""
    todo, seen = [root], set[str]()
    while todo:
        node = todo.pop()
        if node.name not in seen:
            seen.add(node.name)
            yield node
            todo += reversed(inputs(node))
