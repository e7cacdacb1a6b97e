"""The one printer of the binary plan: operators as a tree with what the rules know of each, and the key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from typing_extensions import assert_never

from etalis_py.compiler.algebra.policies import Policy
from etalis_py.compiler.explain.readable import Node, Readable, draw_tree, window_text
from etalis_py.compiler.partition.join_key import KeyPlan
from etalis_py.compiler.partition.routes import Positions
from etalis_py.compiler.plan.plan import (
    AbsencePlan,
    AskPlan,
    BetweenPlan,
    ChangesPlan,
    ChosenPlan,
    ClosurePlan,
    ConstructPlan,
    DescribePlan,
    DistinctPlan,
    ExistsPlan,
    ExtendPlan,
    FilterPlan,
    GapPlan,
    GroupPlan,
    InstantPlan,
    LookupPlan,
    OrderPlan,
    Pair,
    PartPlan,
    PlanNode,
    ProjectPlan,
    QueryPlan,
    RepeatPlan,
    Scan,
    SelectPlan,
    SkipPlan,
    SlicePlan,
    SnapshotPlan,
    StatePlan,
    TablePlan,
    TicksPlan,
    UnionPlan,
    UnitPlan,
    UnusedPlan,
    WaitPlan,
    asked_inputs,
    decided_tests,
    inputs,
    walk,
)
from etalis_py.compiler.plan.triggers import TriggerFinder
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.rules.repetition.shared_runs import are_shared

__all__ = [
    "entailed_by",
    "key_text",
    "node_facts",
    "operator_text",
    "outcome_text",
    "plan_text",
    "positions_text",
    "triggers_text",
    "ways_text",
]

_PLACES = {"s": "subject", "p": "predicate", "o": "object"}


def plan_text(plan: QueryPlan, readable: Readable) -> str:
    """The plan of one query, without an end of line after it."""
    return draw_tree(Node(outcome_text(plan, readable), _node(plan.root, readable)))


def outcome_text(plan: QueryPlan, readable: Readable) -> str:
    """What the solutions of a query are for."""
    outcome = _outcome(plan, readable)
    return outcome if plan.policy is None else f"{outcome} | policy {plan.policy.value}"


def _outcome(plan: QueryPlan, readable: Readable) -> str:
    match plan:
        case SelectPlan():
            return "answers"
        case AskPlan():
            return "answers true"
        case DescribePlan():
            return "describes"
        case ConstructPlan(template=template, stream=stream):
            return f"adds {readable.template(template, stream)}"
        case StatePlan(name=name, change=change, arguments=arguments):
            shown = ", ".join(f"?{each.name}" for each in arguments)
            return f"{change} {name}({shown})" if shown else f"{change} {name}"
        case _:
            assert_never(plan)


def _node(node: PlanNode, readable: Readable) -> Node:
    facts = (operator_text(node, readable), *node_facts(node, readable), node.name)
    tests = decided_tests(node)
    parts = {test.name: test for test in tests if test.is_part}
    below = (each for each in inputs(node) if all(each is not part.node for part in parts.values()))
    asked = (_asked_test(test, parts, readable) for test in tests if test.substituted is not None)
    return Node(" | ".join(facts), *(_node(each, readable) for each in below), *asked)


def _asked_test(test: ExistsPlan, parts: Mapping[str, ExistsPlan], readable: Readable) -> Node:
    """A group that is evaluated for each solution tested, down to the parts of which something is kept."""
    values = readable.variables(test.substituted or ())
    text = f"EXISTS, evaluated for each match with its values of {values} | {test.name}"
    return Node(text, _asked(test.node, parts, readable))


def _asked(node: PlanNode, parts: Mapping[str, ExistsPlan], readable: Readable) -> Node:
    text = f"{operator_text(node, readable)} | {node.name}"
    if isinstance(node, PartPlan):
        part = parts[node.part]
        return Node(f"{text} | found by {readable.variables(part.join)}", _node(part.node, readable))
    return Node(text, *(_asked(each, parts, readable) for each in asked_inputs(node)))


def node_facts(node: PlanNode, readable: Readable) -> list[str]:
    """What the rules know of a node: its join, its columns, its window."""
    facts = []
    if isinstance(node, Pair):
        facts.append(f"joins on {readable.variables(node.join)}")
        if node.shared:
            facts.append(f"where bound also on {readable.variables(node.shared)}")
        if node.policy is not None:
            facts.append(_choice(node))
    facts.append(f"columns {readable.variables(node.schema.columns)}")
    unsure = [each for each in node.schema.columns if each not in node.schema.certain]
    if unsure:
        facts.append(f"maybe unbound {readable.variables(unsure)}")
    if node.window is not None:
        facts.append(f"window {window_text(node.window)}")
    return [*facts, *_origin(node)]


def _choice(pair: Pair) -> str:
    """Who takes which partner, and by which filters above it is judged."""
    which = "earliest" if pair.policy is Policy.CHRONOLOGICAL else "latest"
    judged = ", judged by the filters above" if pair.steps else ""
    return f"takes the {which} partner{judged}"


def operator_text(node: PlanNode, readable: Readable) -> str:  # noqa: C901 - one branch for each node
    """What a node does, in the words of its query."""
    match node:
        case TicksPlan(period=period):
            return f"EVERY {readable.length(period)}"
        case UnitPlan():
            return "empty group"
        case TablePlan(rows=rows):
            return f"VALUES of {len(rows)} rows"
        case LookupPlan(predicate=str() as name, arguments=arguments):
            return readable.goal(name, arguments)
        case LookupPlan(graph=graph):
            return "named graphs" if graph is None else f"named graphs {readable.pattern_term(graph)}"
        case Scan(pattern=pattern):
            return readable.triple(pattern)
        case PartPlan(part=part):
            return f"what is kept of {part}"
        case Pair(operator=operator, begins=True):
            return f"{operator.word}, told once, as it begins"
        case Pair(operator=operator, condition=condition):
            return operator.word + ("" if condition is None else f" if {readable.expression(condition)}")
        case GapPlan(join=join):
            return f"SEQ without a third between | joins on {readable.variables(join)}"
        case UnionPlan():
            return "UNION"
        case FilterPlan(tests=(ExistsPlan(is_minus=True),)):
            return "MINUS"
        case FilterPlan(condition=condition):
            return f"FILTER {readable.expression(condition)}"
        case ExtendPlan(variable=variable, expression=expression):
            return f"BIND {readable.expression(expression)} AS {readable.variable(variable)}"
        case ProjectPlan():
            return "project"
        case SkipPlan(keys=keys, to_next=to_next):
            per = f" PER {readable.variables(keys)}" if keys else ""
            return f"SKIP {'TO NEXT' if to_next else 'PAST LAST'}{per}"
        case SnapshotPlan(schedule=schedule, always=True):
            return f"evaluated {readable.schedule(schedule)}"
        case SnapshotPlan(schedule=schedule, changes=True, ends_heard=False):
            return f"what begins {readable.schedule(schedule)}"
        case SnapshotPlan(schedule=schedule, changes=True):
            return f"what begins, or lives no more, {readable.schedule(schedule)}"
        case SnapshotPlan(schedule=schedule):
            return f"what lives {readable.schedule(schedule)}"
        case ChangesPlan(to_stream=to_stream, schedule=schedule):
            return f"{to_stream} {readable.schedule(schedule)}"
        case ChosenPlan(keys=keys, last=last):
            per = f" for each {readable.variables(keys)}" if keys else ""
            return f"{'LAST' if last else 'FIRST'}{per}"
        case UnusedPlan(consumes=consumes):
            return "what was not consumed before" + (", and is now" if consumes else "")
        case WaitPlan():
            return "waits for the end of the instant"
        case InstantPlan():
            return "background at this instant"
        case ClosurePlan(path=path):
            return f"path {readable.path(path)}"
        case GroupPlan(keys=keys, aggregates=aggregates, extent=extent):
            columns = ", ".join(map(readable.aggregate, aggregates)) or "no aggregate"
            return f"GROUP BY {readable.variables(keys)}: {columns}{readable.extent(extent)}"
        case OrderPlan(keys=keys):
            return f"ORDER BY {readable.order(keys)}"
        case SlicePlan(offset=offset, limit=limit, keys=order):
            by = "" if order is None else f"by {readable.order(order)} "
            return f"{by}from row {offset}" + ("" if limit is None else f", at most {limit}")
        case BetweenPlan() | AbsencePlan() | RepeatPlan():
            return _step(node, readable)
        case DistinctPlan():
            return "DISTINCT"
        case _:
            assert_never(node)


def _step(node: BetweenPlan | AbsencePlan | RepeatPlan, readable: Readable) -> str:
    match node:
        case BetweenPlan(left=None, length=length):
            text = "NOT, then" if length is None else f"NOT for {readable.length(length)}, then"
        case BetweenPlan(operator=operator, word=word, step=step):
            text = operator.word + ("" if step is None else f" if {readable.expression(step)}")
            text += f", {word.replace('NOT', 'NOT between')}"
        case AbsencePlan(none=none, length=length, from_start=from_start):
            text = f"{'AFTER' if none is None else 'NOT for'} {readable.length(length)}"
            text += " from the start" if from_start else ""
        case RepeatPlan(repeat=repeat):
            text = readable.repetition(repeat).replace("Repeat", "REPEAT", 1)
            text += ", one update for all runs" if are_shared(node) else ""
        case _:
            assert_never(node)
    condition = node.repeat.condition if isinstance(node, RepeatPlan) else node.condition
    return text if condition is None else f"{text} if {readable.expression(condition)}"


def _origin(node: PlanNode) -> list[str]:
    """Where solutions come from, unless it is the stream alone."""
    match node.eventful, node.timeless:
        case True, True:
            return ["from stream and background"]
        case True, False:
            return []
        case False, True:
            return ["from background"]
        case _:
            return ["never"]


def key_text(key: KeyPlan, plan: QueryPlan, text: QueryText) -> str:
    """By what the events of one query could be dealt out to partitions, or why they cannot be."""
    if not key.is_partitioned:
        reasons = (f"  line {text.line_of(each.span)}: {each.reason}" for each in key.obstacles)
        return "\n".join(["no join key, so one partition on Spark:", *reasons])
    name = key.keys[plan.number]
    patterns = (node for node in walk(plan.root) if isinstance(node, Scan) and node.eventful)
    places = ", ".join(f"{positions_text(key.positions[each.name])} of {each.name}" for each in patterns)
    shown = "of each way" if name is None else ", ".join(f"?{each}" for each in name)
    return f"join key {shown}: {places}"


def positions_text(positions: Positions) -> str:
    """Where a triple has the key, in words."""
    return " and ".join(_PLACES[each] for each in positions)


def entailed_by(node: PlanNode, triggers: TriggerFinder, readable: Readable) -> list[tuple[str, str]]:
    """What else matches a pattern of the stream by the ontology: predicates, each with its way."""
    if not isinstance(node, Scan) or not node.eventful:
        return []
    return [
        ("any predicate" if each.predicate is None else readable.iri(each.predicate), each.way)
        for each in triggers(node.pattern)
        if each.is_entailed
    ]


def ways_text(found: Sequence[tuple[str, str]]) -> str:
    """What `entailed_by` found, with the ways in brackets."""
    return ", ".join(f"{name} ({way})" for name, way in found)


def triggers_text(plan: QueryPlan, triggers: TriggerFinder, readable: Readable) -> str:
    """Patterns that occurrences of other predicates match through the ontology; empty without any."""
    nodes = ((node, entailed_by(node, triggers, readable)) for node in walk(plan.root))
    return "\n".join(
        f"{node.name} is also matched through the ontology by {ways_text(found)}"
        for node, found in nodes
        if found
    )
