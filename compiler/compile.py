"""All stages in a row: text, syntax tree, algebra, passes, binary plan, EDBC rules, Prolog text."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from typing_extensions import assert_never

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.policies import PolicyName, policy_of, policy_of_pairs, refuse_unclear
from etalis_py.compiler.algebra.translate import translate
from etalis_py.compiler.algebra.window import duration_bound, narrower
from etalis_py.compiler.languages.language_names import LanguageName
from etalis_py.compiler.languages.languages import read_program
from etalis_py.compiler.languages.remarks import Remark
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.answer_limit import max_answers_of
from etalis_py.compiler.parse.names import Names
from etalis_py.compiler.parse.syntax import DatasetClause
from etalis_py.compiler.passes import PASSES, Pass, run_passes
from etalis_py.compiler.passes.drop_columns import drop_columns
from etalis_py.compiler.plan.build_plan import BackgroundTest, build_plan
from etalis_py.compiler.plan.own_nodes import own_nodes
from etalis_py.compiler.plan.plan import (
    AbsencePlan,
    BetweenPlan,
    ChangesPlan,
    ChosenPlan,
    GapPlan,
    GroupPlan,
    OrderPlan,
    Pair,
    PlanNode,
    QueryPlan,
    RepeatPlan,
    Scan,
    SkipPlan,
    SnapshotPlan,
    TicksPlan,
    UnusedPlan,
    WaitPlan,
)
from etalis_py.compiler.plan.row_streams import refuse_streams_of_rows
from etalis_py.compiler.plan.settlements import Settlements
from etalis_py.compiler.plan.strata import Cycle, TriggerTest
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.rules.generate import generate_rules
from etalis_py.compiler.rules.names import settlement_name, timeless_name
from etalis_py.compiler.rules.prolog_text import clause_text, directive_text
from etalis_py.compiler.rules.rules import RuleSet
from etalis_py.core.value_class import value_class

if TYPE_CHECKING:
    from etalis_py.compiler.association.choice import OrderChoice
    from etalis_py.compiler.association.event_rates import RateSource

__all__ = [
    "CompiledQuery",
    "QueryForm",
    "add_settlements",
    "compile_program",
    "never",
    "no_background",
    "order_settlements",
    "program_text",
]

MOST_OF_ANY: Final = 8
"""So many iterations REPEAT ANY may have where nothing bounds its length."""

MOST_VARIABLES: Final = 1016
"""Columns of a solution. SWI-Prolog's predicates have 1,024 arguments at most; some are for times."""

QueryForm: TypeAlias = Literal["select", "construct", "ask", "describe"]


@value_class
class CompiledQuery:
    """One query after each stage."""

    name: str
    text: QueryText
    syntax: syntax.Query
    meaning: algebra.Query
    """The algebra as the query says it."""
    optimized: algebra.Query
    """The algebra after the passes."""
    plan: QueryPlan
    generated: RuleSet | None = None
    """The rules, where they are at hand: they are far larger than the plan that they follow from."""
    orders: tuple[OrderChoice, ...] = ()
    """In which order its chains are evaluated, where rates were given."""
    untraced: QueryPlan | None = None
    """Where the plan has columns for a trace: the plan without them, as a reader wants it."""
    remarks: tuple[Remark, ...] = ()
    """What is odd in a text that is not EP-SPARQL."""

    @property
    def rules(self) -> RuleSet:
        """The EDBC rules."""
        return generate_rules(self.plan) if self.generated is None else self.generated

    @property
    def variables(self) -> tuple[str, ...]:
        """The columns of a SELECT's rows; empty for any other query."""
        if not isinstance(self.meaning, algebra.SelectQuery):
            return ()
        return tuple(each.name for each in self.meaning.variables)

    @property
    def form(self) -> QueryForm:
        """Which kind of query it is."""
        match self.meaning:
            case algebra.SelectQuery():
                return "select"
            case algebra.ConstructQuery():
                return "construct"
            case algebra.AskQuery():
                return "ask"
            case algebra.DescribeQuery():
                return "describe"
            case _:
                assert_never(self.meaning)

    @property
    def stream(self) -> str | None:
        """The stream that the triples of a CONSTRUCT go to; how REGISTER calls that of a SELECT."""
        meaning = self.meaning
        return meaning.stream if isinstance(meaning, algebra.ConstructQuery | algebra.SelectQuery) else None

    @property
    def prefixes(self) -> Mapping[str, str]:
        """The namespaces that names in the text may begin with, by their prefixes."""
        return Names(self.syntax.prologue, text=self.text.text, source=self.text.source).prefixes

    @property
    def max_answers(self) -> int | None:
        """Most answers at one instant, if the query says so (``PRAGMA max_answers_per_instant 1000``)."""
        return max_answers_of(self.syntax.prologue)

    @property
    def is_construct(self) -> bool:
        """Whether the answers are triples."""
        return self.form in ("construct", "describe")

    @property
    def is_ordered(self) -> bool:
        """Whether the rows of an instant come in an order of their own (ORDER BY)."""
        return isinstance(self.meaning, algebra.SelectQuery) and self.meaning.ordered

    @property
    def solutions(self) -> list[tuple[str, int]]:
        """Name and arity of the predicate of each operator's solutions."""
        return [(node.name, len(node.schema.columns) + node.schema.used + 3) for node in self._nodes]

    @property
    def timeless(self) -> list[tuple[str, int]]:
        """Name and arity of the predicate of what background alone gives, for each operator."""
        return [(timeless_name(node), len(node.schema.columns)) for node in self._nodes]

    @property
    def _nodes(self) -> Iterator[PlanNode]:
        return own_nodes(self.plan)

    @property
    def prolog(self) -> str:
        """The rules as Prolog text."""
        return program_text(self.rules)


def no_background(_pattern: algebra.TriplePattern) -> bool:
    """The BackgroundTest of an engine without background."""
    return False


def compile_program(
    text: str,
    *,
    name: str,
    source: str | None = None,
    first_number: int = 1,
    taken_numbers: Collection[int] = (),
    background: BackgroundTest = no_background,
    passes: tuple[Pass, ...] = PASSES,
    at_instant: bool = False,
    base: str | None = None,
    policy: PolicyName = "unrestricted",
    rates: RateSource | None = None,
    trace: bool = False,
    has_graphs: bool = True,
    language: LanguageName | None = None,
    starting_at: int | None = None,
    dataset: Sequence[DatasetClause] = (),
) -> list[CompiledQuery]:
    """Compile the queries of one text (separated by ``;;``).

    The first is called ``name``, the following ``name-2``, ``name-3``, where the text does not name them.
    They have the numbers from ``first_number`` on that are not among ``taken_numbers``, which keep the names
    of an engine's rules apart. ``background`` says which patterns background triples may match. With
    ``at_instant`` the queries are for a run with one instant only. ``base`` is the base IRI of the text,
    ``policy`` that of queries without a PRAGMA of their own. By ``rates`` the order of chains is chosen. With
    ``trace`` answers tell what they are made of. Without ``has_graphs`` the background has no named graph,
    and GRAPH asks for elements of the streams. ``language`` is that of a text that does not say so itself;
    at ``starting_at``, microseconds, begin windows of queries that do not say so. ``dataset`` is in the place
    of what they say in FROM and FROM NAMED.

    Raises:
        QuerySyntaxError: the text is not EP-SPARQL, or SPAseq where that is its language.
        CompileError: something cannot be run.
        UsageError: EP505, the rates have a prefix that a query does not.
    """
    query_text = QueryText(text, source, base)
    compiled = []
    numbers = (each for each in itertools.count(first_number) if each not in taken_numbers)
    for index, read in enumerate(read_program(text, source, language)):
        parsed = replace(read.query, starting_at=starting_at)
        if dataset:
            parsed = replace(parsed, form=replace(parsed.form, datasets=tuple(dataset)))
        asked = policy_of(parsed.prologue, policy, query_text)
        meaning = translate(parsed, query_text, asked, has_graphs=has_graphs, traced=trace)
        selection = policy_of_pairs(parsed, asked)
        optimized = replace(meaning, pattern=run_passes(meaning.pattern, passes))
        refuse_unclear(optimized, selection, query_text, at_instant=at_instant)
        orders: tuple[OrderChoice, ...] = ()
        if rates is not None and selection is None and not at_instant:
            from etalis_py.compiler.association.choice import choose_orders

            names = Names(parsed.prologue, text=text, source=source, base=base)
            optimized, orders = choose_orders(optimized, rates.of_patterns(names), background)
        _refuse_unbounded(optimized.pattern, None, query_text)
        if selection is None:
            optimized = replace(optimized, pattern=drop_columns(optimized.pattern))
        plan = build_plan(optimized, next(numbers), background, at_instant=at_instant, policy=selection)
        untraced = None
        if trace:
            from etalis_py.compiler.plan.trace_plan import trace_plan

            untraced, plan = plan, trace_plan(plan)
        _refuse_wide(plan, query_text)
        own_name = read.name or (name if index == 0 else f"{name}-{index + 1}")
        rules = generate_rules(plan)
        compiled.append(
            CompiledQuery(
                own_name, query_text, parsed, meaning, optimized, plan, rules, orders, untraced, read.remarks
            )
        )
    return compiled


def _refuse_unbounded(pattern: algebra.Pattern, window: int | None, text: QueryText) -> None:
    """Refuse REPEAT ANY without a bound.

    Raises:
        CompileError: EP214.
    """
    if isinstance(pattern, algebra.Filter):
        window = narrower(window, duration_bound(pattern.condition, pattern.pattern))
    if isinstance(pattern, algebra.Repeat) and pattern.mode is algebra.RepeatMode.ANY:
        is_short = pattern.high is not None and pattern.high <= MOST_OF_ANY
        if not is_short and window is None:
            hint = f"say how many at most, REPEAT 1 TO {MOST_OF_ANY} ANY, or how long: WITHIN PT1H"
            message = "REPEAT ANY without a bound has a match for each subset"
            raise text.error("EP214", message, pattern.span, hint=hint)
    keeps = isinstance(
        pattern, algebra.Filter | algebra.Extend | algebra.Project | algebra.Gap | algebra.Repeat
    )
    keeps = keeps or (isinstance(pattern, algebra.Pair) and pattern.operator.optional is None)
    for each in algebra.children(pattern):
        _refuse_unbounded(each, window if keeps else None, text)


def _refuse_wide(plan: QueryPlan, text: QueryText) -> None:
    """Refuse a plan with a solution that no predicate of Prolog can hold: each variable is an argument."""
    for node in own_nodes(plan):
        if len(node.schema.columns) > MOST_VARIABLES:
            hint = "split the query, or show fewer variables"
            raise text.error("EP107", f"more than {MOST_VARIABLES} variables at once", node.span, hint=hint)


def never(_template: algebra.TriplePattern, _pattern: algebra.TriplePattern) -> bool:
    """The TriggerTest of queries that do not see what others construct."""
    return False


def program_text(rules: RuleSet) -> str:
    """Clauses with an empty line between them, after what they need declared."""
    parts = [directive_text(goal) for goal in rules.declarations]
    parts += [clause_text(rule.head, rule.body) for rule in rules.rules]
    parts += [directive_text(goal) for goal in rules.preparations]
    return "\n\n".join(parts) + "\n"


def order_settlements(compiled: Sequence[CompiledQuery], may_trigger: TriggerTest) -> list[str]:
    """The settling predicates of all queries of a program, each after those it depends on.

    Raises:
        CompileError: EP205, the program is not stratified; EP223, a query reads rows.
    """
    settlements = Settlements(may_trigger)
    add_settlements(settlements, compiled)
    return [settlement_name(node) for node in settlements.order]


def add_settlements(
    settlements: Settlements, compiled: Sequence[CompiledQuery], others: Iterable[CompiledQuery] = ()
) -> None:
    """Order the operators of further queries, too; ``others`` are those that were added before.

    Raises:
        CompileError: EP205, the program would not be stratified; EP223, a query reads rows. Nothing is added.
    """
    everything = [*others, *compiled]
    of_rows = {
        each.stream: each.name for each in everything if each.form == "select" and each.stream is not None
    }
    for each in everything if of_rows else ():
        refuse_streams_of_rows(each.plan, each.text, of_rows)
    cycle = settlements.add([each.plan for each in compiled])
    if cycle is None:
        return
    operator, name = _operator(cycle.operator), cycle.operator.name
    holder = next(each for each in everything if any(name == solution for solution, _ in each.solutions))
    raise holder.text.error(
        "EP205",
        f"the {operator} depends on its own result within one instant: {_steps(cycle, everything)}",
        cycle.operator.span,
        hint=_OF_WINDOWS if any(isinstance(each, SnapshotPlan) for each in cycle.path) else _OF_SEQUENCES,
    )


_OF_SEQUENCES: Final = "let the recursion go through the left side of SEQ, which is always earlier"
_OF_WINDOWS: Final = "let a query CONSTRUCT into a stream that neither it nor what feeds it reads"


def _operator(node: PlanNode) -> str:  # noqa: C901 - one branch for each node
    """The name of an operator as its user knows it."""
    match node:
        case Pair(operator=operator):
            return operator.word
        case GapPlan():
            return "EQUALSOPTIONAL"
        case BetweenPlan():
            return "SEQ NEXT"
        case AbsencePlan():
            return "NOT"
        case TicksPlan():
            return "EVERY"
        case RepeatPlan():
            return "REPEAT"
        case SkipPlan():
            return "SKIP"
        case SnapshotPlan():
            return "WINDOW"
        case ChangesPlan(to_stream=to_stream):
            return to_stream
        case ChosenPlan() | UnusedPlan():
            return "MATCH"
        case GroupPlan():
            return "aggregate"
        case OrderPlan():
            return "ORDER BY or LIMIT"
        case WaitPlan(waits_for=tests):
            return "MINUS" if all(test.is_minus for test in tests) else "EXISTS"
        case _:
            return "query"


def _steps(cycle: Cycle, compiled: Sequence[CompiledQuery]) -> str:
    """The way round a cycle: its operators and patterns, each with its query and line."""
    holders = {name: each for each in compiled for name, _ in each.solutions}
    steps = []
    for node in cycle.path:
        if isinstance(node, (Pair, Scan)) or node.waits_for_instant:
            what = "a pattern" if isinstance(node, Scan) else _operator(node)
            query = holders[node.name]
            steps.append(f"{what} ({query.name}, line {query.text.line_of(node.span)})")
    return " -> ".join(steps)
