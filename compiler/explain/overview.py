"""The plan on one screen: operators, by what they join, and how long they keep what has happened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from etalis_py.compiler.algebra.algebra import CHANGE
from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.explain.hidden_names import in_words_of
from etalis_py.compiler.explain.plan_printer import entailed_by, operator_text, outcome_text
from etalis_py.compiler.explain.readable import Node, Readable, draw_tree, window_text
from etalis_py.compiler.plan.plan import (
    ChangesPlan,
    ExtendPlan,
    Pair,
    PlanNode,
    ProjectPlan,
    Scan,
    SnapshotPlan,
    inputs,
    walk,
)
from etalis_py.compiler.plan.triggers import TriggerFinder
from etalis_py.compiler.rules.generate import rules_of_nodes
from etalis_py.compiler.rules.rules import RuleSet, Store, StoreKind
from etalis_py.core.value_class import value_class

__all__ = ["overview_text"]

_MOST: Final = 3
"""So many of the predicates that an ontology adds to a pattern are named."""


def overview_text(query: CompiledQuery, triggers: TriggerFinder) -> str:
    """The operators of a query as a tree, and what of them is kept for ever."""
    plan, readable = query.untraced or query.plan, in_words_of(query)
    drawn = _Drawn(query, triggers, readable, rules_of_nodes(plan))
    root = plan.root
    title = outcome_text(plan, readable)
    below = inputs(root) if isinstance(root, ProjectPlan) else (root,)
    if isinstance(root, ProjectPlan | ChangesPlan) or any(map(_is_looked_at, inputs(root))):
        title = f"{title} {readable.variables(root.schema.columns)}"
    tree = draw_tree(Node(title, *map(drawn.node, below)))
    return "\n\n".join([tree, "\n".join(drawn.kept_for_ever(root))])


def _is_looked_at(node: PlanNode) -> bool:
    """Whether it is there while its windows hold something, and so what stands beside it."""
    return isinstance(node, SnapshotPlan) and node.always


def _is_inner(node: PlanNode) -> bool:
    """Whether it is about columns that the query does not speak of."""
    if isinstance(node, ExtendPlan):
        return node.variable.is_hidden
    if not isinstance(node, ProjectPlan):
        return False
    return not node.schema.columns or any(each.is_hidden for each in node.schema.columns)


@value_class
class _Drawn:
    query: CompiledQuery
    triggers: TriggerFinder
    readable: Readable
    made: Mapping[str, RuleSet]

    def node(self, node: PlanNode) -> Node:
        """An operator, and those below it; what has no name of the query's is said where it is used."""
        while _is_inner(node):
            (node,) = inputs(node)
        facts = [
            f"{operator_text(node, self.readable)}{self._join(node)}",
            *self._kept(node),
            *self._through(node),
        ]
        return Node("; ".join(facts), *map(self.node, inputs(node)))

    def kept_for_ever(self, root: PlanNode) -> Iterator[str]:
        """A line for each operator that never forgets."""
        lasting = [node for node in walk(root) if self._is_lasting(node)]
        if not lasting:
            yield "nothing is kept for ever"
        for node in lasting:
            line = self.query.text.line_of(node.span)
            yield f"kept for ever: the goals of {operator_text(node, self.readable)} (line {line})"

    def _join(self, node: PlanNode) -> str:
        return f" on {self.readable.variables(node.join)}" if isinstance(node, Pair) and node.join else ""

    def _kept(self, node: PlanNode) -> Iterator[str]:
        """How long its goals wait; those of one instant are not worth telling."""
        windows = [each.window or 0 for each in self._stores(node) if each.kind is StoreKind.WINDOW]
        if self._is_lasting(node):
            yield "goals wait for ever"
        elif windows:
            yield f"goals wait {window_text(max(windows))}"

    def _is_lasting(self, node: PlanNode) -> bool:
        if isinstance(node, SnapshotPlan):
            return node.reach is None and node.newest is None and not node.always
        if isinstance(node, ChangesPlan) or CHANGE in node.schema:  # what it keeps goes when it is told so
            return False
        return any(each.kind is StoreKind.LASTING for each in self._stores(node))

    def _stores(self, node: PlanNode) -> Sequence[Store]:
        return self.made.get(node.name, RuleSet()).stores

    def _through(self, node: PlanNode) -> Iterator[str]:
        """What else matches a pattern, by the ontology."""
        asked = self.readable.pattern_term(node.pattern.predicate) if isinstance(node, Scan) else None
        found = entailed_by(node, self.triggers, self.readable)
        if names := [name for name, _ in found if name != asked]:
            more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
            yield f"also by the ontology: {', '.join(names[:_MOST])}{more}"
