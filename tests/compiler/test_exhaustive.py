"""A new pattern is a class and its plan: what a stage does not know it takes for what it says of itself.

What gives a node its meaning names all nodes: the parser's forms, expressions, the builder of plans, the
rules. Elsewhere a ``case _`` for patterns and plan nodes gives the answer that is safe for any. Statically: a
last ``case _`` is `assert_never` but for these; by running: a node of a new class.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest

from etalis_py.cli.unmatched import _required
from etalis_py.compiler.algebra import algebra, operators, scope, window
from etalis_py.compiler.algebra.correlate import Outside, joined
from etalis_py.compiler.algebra.policies import Policy, chooses, refuse_unclear
from etalis_py.compiler.association.associate import associate
from etalis_py.compiler.association.association import Extent, left_deep
from etalis_py.compiler.association.estimates import estimate
from etalis_py.compiler.compile import compile_program, no_background
from etalis_py.compiler.explain.algebra_printer import algebra_text
from etalis_py.compiler.explain.plan_printer import plan_text
from etalis_py.compiler.explain.readable import Readable
from etalis_py.compiler.lint.bounds import contradictory_bounds
from etalis_py.compiler.lint.connections import unconnected_parts
from etalis_py.compiler.lint.findings import Subject
from etalis_py.compiler.lint.linter import _NoVocabulary
from etalis_py.compiler.lint.scopes import Scopes
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.syntax_walk import check_width
from etalis_py.compiler.partition.join_key import find_key
from etalis_py.compiler.partition.key_ways import ways
from etalis_py.compiler.partition.stage_reach import draws_values, reach_of
from etalis_py.compiler.passes import PASSES
from etalis_py.compiler.passes.drop_columns import drop_columns
from etalis_py.compiler.plan import plan
from etalis_py.compiler.plan.build_plan import build_plan
from etalis_py.compiler.plan.graph_nodes import node_variables
from etalis_py.compiler.plan.trace_plan import trace_plan
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.rules.background import background_rules
from etalis_py.compiler.rules.generate import generate_rules, rules_of
from etalis_py.compiler.rules.rules import VariableNames
from etalis_py.compiler.spans import Span
from etalis_py.core.value_class import value_class
from etalis_py.no_answers.steps import steps_of
from etalis_py.why.absences import phrase

ROOT = Path(__file__).parents[2]
PACKAGES = {"etalis_py": ROOT / "etalis_py", "etalis_py.compiler": ROOT / "compiler"} | {
    "etalis_py.spark_udfs": ROOT / "spark_udfs"
}
NODES = (syntax.Node, algebra.Node, plan.PlanBase, plan.ExistsPlan)
SPEAKING = (algebra.PatternNode, plan.PlanBase)
"""They say of themselves what stages ask."""
DECISIVE = {"build_plan", "generate", "plan_printer"}
"""The modules that give them their meaning."""


# ---- statically ------------------------------------------------------------------------------------------


def modules() -> Iterator[tuple[str, Path]]:
    """The names and files of our modules."""
    for package, folder in PACKAGES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            yield ".".join((package, *(each for each in parts if each != "__init__"))), path


def matches_of_nodes(
    tree: ast.Module, module: Callable[[], ModuleType], *, speaking: bool
) -> Iterator[ast.Match]:
    """The match statements that name a class of node; with ``speaking`` also one that says what it is."""
    for found in ast.walk(tree):
        if isinstance(found, ast.Match):
            named = [each for each in _classes(found) if _is_node(each, module())]
            if named and (speaking or not _is_node(named[0], module(), SPEAKING)):
                yield found


def _classes(found: ast.Match) -> Iterator[ast.expr]:
    for case in found.cases:
        yield from (each.cls for each in ast.walk(case.pattern) if isinstance(each, ast.MatchClass))


def _is_node(written: ast.expr, module: ModuleType, kinds: tuple[type, ...] = NODES) -> bool:
    owner, _, name = ast.unparse(written).rpartition(".")
    holder = getattr(module, owner, None) if owner else module
    kind = getattr(holder, name, None)
    return isinstance(kind, type) and issubclass(kind, kinds)


def _takes_anything(pattern: ast.pattern) -> bool:
    """Whether a case takes whatever comes: ``_``, a name, or a sequence of such."""
    match pattern:
        case ast.MatchAs(pattern=None):
            return True
        case ast.MatchAs(pattern=inner) if inner is not None:
            return _takes_anything(inner)
        case ast.MatchSequence(patterns=patterns) | ast.MatchOr(patterns=patterns):
            return any(map(_takes_anything, patterns))
        case _:
            return False


@pytest.mark.parametrize(("name", "path"), [pytest.param(*each, id=each[0]) for each in modules()])
def test_a_match_names_all_nodes(name: str, path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    speaking = path.stem in DECISIVE
    for found in matches_of_nodes(tree, lambda: importlib.import_module(name), speaking=speaking):
        for case in found.cases:
            if _takes_anything(case.pattern):
                body = ast.unparse(case.body[0])
                assert body.startswith("assert_never("), f"{path}:{case.pattern.lineno} takes any node"


def test_no_dictionary_is_keyed_by_classes_of_nodes() -> None:
    for name, path in modules():
        for found in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(found, ast.Dict) and any(
                isinstance(key, ast.Name | ast.Attribute) for key in found.keys
            ):
                module = importlib.import_module(name)
                keys = [key for key in found.keys if isinstance(key, ast.Name | ast.Attribute)]
                assert not any(_is_node(key, module) for key in keys), f"{path}:{found.lineno}"


def test_the_unions_hold_all_classes() -> None:
    def own(module: ModuleType, base: type) -> set[type]:
        classes = (each for each in vars(module).values() if isinstance(each, type))
        return {each for each in classes if issubclass(each, base) and each is not base}

    assert own(syntax, syntax.Node) == set(get_args(syntax.AnyNode))
    others = {
        *get_args(algebra.Expression),
        *get_args(algebra.Query),
        algebra.Aggregate,
        algebra.OrderKey,
        algebra.Place,
    }
    assert own(algebra, algebra.PatternNode) == set(get_args(algebra.Pattern))
    assert own(algebra, algebra.Node) == {algebra.PatternNode, *get_args(algebra.Pattern), *others}
    assert own(plan, plan.PlanBase) == set(get_args(plan.PlanNode))


# ---- by running ------------------------------------------------------------------------------------------


@value_class
class NewPattern(algebra.PatternNode):
    """An operator on one input that nobody knows."""

    INPUTS = ("pattern",)

    pattern: algebra.Pattern


@value_class
class NewPlan(plan.PlanBase):
    """A plan node on one input that nobody knows."""

    INPUTS = ("input",)

    input: plan.PlanNode


@value_class
class NewSyntax(syntax.Node):
    """A syntax node that nobody knows."""


TEXT = "SELECT * { ?x <urn:p> ?y }"
[QUERY] = compile_program(TEXT, name="query")
TRIPLE = algebra.TriplePattern(algebra.Variable("x"), algebra.Constant("urn:p"), algebra.Variable("y"))
INNER = algebra.Filter(algebra.Variable("z"), replace(TRIPLE, object=algebra.Variable("z")))
NEW: Any = NewPattern(INNER)
PATTERN = algebra.Pair(operators.SEQ, TRIPLE, NEW)
MEANING = algebra.SelectQuery(PATTERN, ())
SCAN: Any = QUERY.plan.root.input  # type: ignore[union-attr]
NEW_PLAN: Any = NewPlan("new", SCAN.schema, None, True, True, Span(0, 0), SCAN)
PLAN = replace(QUERY.plan, root=replace(QUERY.plan.root, input=NEW_PLAN))  # type: ignore[call-arg]
OUTSIDE = Outside(frozenset({algebra.Variable("x")}), frozenset(), at_instant=False)
BROKEN = replace(QUERY, meaning=MEANING)


def subject() -> Subject:
    """As the linter sees a query."""
    return Subject(BROKEN, Scopes(PATTERN), _NoVocabulary(), at_instant=False)


SAFE: dict[str, tuple[Callable[[], object], object]] = {
    "children": (lambda: algebra.children(NEW), (INNER,)),
    "map_children": (lambda: algebra.map_children(NEW, lambda _: TRIPLE), NewPattern(TRIPLE)),
    "variables": (lambda: algebra.variables(NEW), algebra.variables(INNER)),
    "mentioned_variables": (lambda: algebra.mentioned_variables(NEW), algebra.mentioned_variables(INNER)),
    "certain_variables": (lambda: scope.certain_variables(NEW), scope.certain_variables(INNER)),
    "end_variables": (lambda: scope.end_variables(NEW), frozenset()),
    "is_open": (lambda: scope.is_open(NEW), False),
    "duration_bound": (lambda: window.duration_bound(LENGTH, NEW), None),
    "joined": (lambda: joined(NEW, OUTSIDE), (NEW, None)),
    "chooses": (lambda: chooses(NEW), False),
    "refuse_unclear": (
        lambda: refuse_unclear(MEANING, Policy.RECENT, QueryText(TEXT, None, None), at_instant=False),
        None,
    ),
    **{each.__name__: (lambda each=each: each(PATTERN), PATTERN) for each in PASSES},  # type: ignore[misc]
    "drop_columns": (lambda: drop_columns(PATTERN), PATTERN),
    "associate": (
        lambda: associate(PATTERN, lambda chain: left_deep(len(chain.operands)), no_background),
        PATTERN,
    ),
    "estimate": (lambda: estimate(NEW, lambda _: None, Extent(None, 1.0)), None),
    "algebra_text": (lambda: "NewPattern\n" in algebra_text(MEANING, Readable({})), True),
    "lint: scopes": (lambda: [each.expression for each in Scopes(PATTERN).tested], [INNER.condition]),
    "lint: bounds": (lambda: list(contradictory_bounds(subject())), []),
    "lint: connections": (lambda: len(list(unconnected_parts(subject()))), 0),
    "steps_of": (lambda: len(steps_of(BROKEN)), 5),
    "plan: children": (lambda: plan.children(NEW_PLAN), (SCAN,)),
    "node_variables": (lambda: node_variables(NEW_PLAN), frozenset()),
    "trace_plan": (lambda: len(trace_plan(PLAN).root.schema.columns), 3),
    "ways": (lambda: ways(NEW_PLAN), []),
    "find_key": (lambda: find_key([PLAN]).is_partitioned, False),
    "reach_of": (lambda: reach_of(NEW_PLAN, lambda _: 0), None),
    "draws_values": (lambda: draws_values(PLAN), False),
    "unmatched": (lambda: list(_required(NEW_PLAN)), [SCAN]),
    "why: phrase": (lambda: phrase(NEW_PLAN, Readable({})), phrase(SCAN, Readable({}))),
}
STAGES: dict[str, Callable[[], object]] = {
    "build_plan": lambda: build_plan(MEANING, 1, no_background),
    "generate_rules": lambda: generate_rules(PLAN),
    "rules_of": lambda: rules_of(NEW_PLAN, VariableNames(())),
    "plan_text": lambda: plan_text(PLAN, Readable({})),
    "syntax: check_width": lambda: check_width(NewSyntax(span=Span(0, 0))),
}
HOUR = algebra.Constant(((0, 3_600_000_000), "http://www.w3.org/2001/XMLSchema#dayTimeDuration"))
LENGTH = algebra.Apply("<", (algebra.Apply("-", (algebra.Variable("e"), algebra.Variable("s"))), HOUR))


@pytest.mark.parametrize("stage", SAFE)
def test_a_stage_takes_a_node_for_what_it_says_of_itself(stage: str) -> None:
    ask, safe = SAFE[stage]
    assert ask() == safe


def test_what_background_gives_and_what_is_asked_is_known_or_refused() -> None:
    names = VariableNames(SCAN.schema.columns)
    for ask in (lambda: background_rules(NEW_PLAN, names), lambda: plan.asked_inputs(NEW_PLAN)):
        with pytest.raises(AssertionError):
            ask()


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_refuses_a_node_that_it_does_not_know(stage: str) -> None:
    with pytest.raises(AssertionError, match="unreachable"):
        STAGES[stage]()
