"""The algebra of EP-SPARQL: what a query means, names resolved.

The operators are those of docs/semantics.md#matches (EP-SPARQL paper, section 3; SPARQL 1.1, section 18). A
solution is a mapping with an interval; background alone gives solutions without one ("timeless", the
neutral element of min and max), which pass through joins but never are an answer.

At the end stand the questions that several stages ask of it.
Does not say how solutions are found: that is ``plan.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TypeAlias

from typing_extensions import assert_never

from etalis_py.compiler.algebra.aggregate_windows import Window
from etalis_py.compiler.algebra.operators import Operator, Side
from etalis_py.compiler.algebra.pattern_facts import pattern_fact
from etalis_py.compiler.algebra.stream_windows import CountExtent, Extent, Schedule
from etalis_py.compiler.spans import Span
from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import XSD_BOOLEAN

__all__ = [
    "TIME_FUNCTIONS",
    "Absence",
    "Aggregate",
    "Apply",
    "AskQuery",
    "Changes",
    "Closure",
    "Constant",
    "ConstructQuery",
    "DescribeQuery",
    "Distinct",
    "Exists",
    "Expression",
    "Extend",
    "Filter",
    "Gap",
    "GraphNames",
    "Group",
    "Leaf",
    "Minus",
    "Node",
    "OneInput",
    "OrderBy",
    "OrderKey",
    "Pair",
    "Pattern",
    "Place",
    "Project",
    "Query",
    "Repeat",
    "RepeatMode",
    "SelectQuery",
    "Skip",
    "Slice",
    "Snapshot",
    "Steps",
    "Table",
    "TermPattern",
    "Ticks",
    "TriplePattern",
    "TwoInputs",
    "Union",
    "Unit",
    "Variable",
    "children",
    "conjoin",
    "conjuncts",
    "existence_tests",
    "expression_variables",
    "map_children",
    "mentioned_variables",
    "parts",
    "step_conditions",
    "uses_time",
    "variables",
    "with_values",
]


class _WithFacts:
    """Room for what `pattern_fact` keeps: no field, it takes no part in ``==`` and is not copied."""

    __slots__ = ("facts",)


@dataclass(frozen=True, slots=True)
class Node(_WithFacts):
    """Anything with a place in the query text; the place takes no part in ``==``."""

    span: Span = field(default=Span(0, 0), kw_only=True, compare=False, repr=False)


# ---- Terms and expressions ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Variable(Node):
    """A variable; a blank node of a pattern is one whose name starts with ``_:``."""

    name: str

    @property
    def is_hidden(self) -> bool:
        """Whether ``SELECT *`` leaves it out."""
        return self.name.startswith("_:")


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """An IRI or a literal."""

    value: Encoded


@dataclass(frozen=True, slots=True)
class Apply(Node):
    """An operator, built-in, cast or Prolog predicate on its arguments.

    ``function`` is one of ``&& || ! = != < > <= >= + - * / in`` (binary but for ``&& || ! in``),
    ``negate`` and ``plus`` (unary), the name of a built-in in capitals, or the IRI of a function.
    """

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Exists(Node):
    """EXISTS: whether ``pattern`` has a solution that does not end after the one tested.

    In ``pattern`` the values of the one tested stand for its variables (SPARQL 1.1, section 18.6).
    """

    pattern: Pattern


Expression: TypeAlias = Variable | Constant | Apply | Exists
TermPattern: TypeAlias = Variable | Constant

TIME_FUNCTIONS = frozenset({"GETDURATION", "GETSTARTTIME", "GETENDTIME", "GETWINDOWSTART", "GETWINDOWEND"})
"""Those of a window have its name, its width, and where it has steps their period and the first closing."""


# ---- Patterns ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Unit(Node):
    """The empty group: one timeless solution that binds nothing."""


@dataclass(frozen=True, slots=True)
class Table(Node):
    """VALUES: timeless solutions, row by row; None is UNDEF."""

    variables: tuple[Variable, ...]
    rows: tuple[tuple[Encoded | None, ...], ...]


@dataclass(frozen=True, slots=True)
class GraphNames(Node):
    """One timeless solution for each named graph of the background (that ``graph`` can be).

    With a ``predicate`` of the user's, one for each of its answers, ``arguments`` being those of the call.
    """

    graph: TermPattern | None
    predicate: str | None = None
    arguments: tuple[TermPattern, ...] = ()

    @property
    def terms(self) -> tuple[TermPattern, ...]:
        """What the solutions have values for, and constants."""
        return self.arguments if self.graph is None else (self.graph,)


@dataclass(frozen=True, slots=True)
class Place(Node):
    """Where the occurrences that a pattern matches are from (docs/semantics.md#streams-and-elements).

    ``stream`` is None for any stream; ``name`` is that of a named element. ``element`` stands for the
    identity of the element, where all patterns of a group belong to one; those of a stream alone have none.
    ``background``: triples of the background match, too (FROM STREAM). With ``extent`` the interval of a
    solution is from when until when its occurrence is in that window: its life, without the end. With
    ``begins_at_once`` it begins when the occurrence ends, and ends then where it is never in the window.
    ``time`` has the milliseconds from 1970 to the end of the occurrence.
    """

    stream: TermPattern | None = None
    name: TermPattern | None = None
    element: Variable | None = None
    background: bool = False
    extent: Extent | None = None
    begins_at_once: bool = False
    time: Variable | None = None

    @property
    def terms(self) -> tuple[TermPattern, ...]:
        """What stands for the stream, the name and the element, as far as the pattern asks for them."""
        return tuple(each for each in (self.stream, self.name, self.element) if each is not None)


@dataclass(frozen=True, slots=True)
class TriplePattern(Node):
    """Matched by occurrences of the stream and by triples of the background.

    With ``graph`` (the pattern stands in a GRAPH) only by the triples of named graphs of the background;
    with ``sources`` (the query has a FROM) by the stream and by these graphs of the background; with
    ``place`` only by occurrences from there; with ``background_only`` not by the stream; with ``given`` not
    by what a CONSTRUCT makes, unless an element of the input has the same interval.
    """

    subject: TermPattern
    predicate: TermPattern
    object: TermPattern
    graph: TermPattern | None = None
    sources: tuple[str, ...] | None = None
    place: Place | None = None
    background_only: bool = False
    given: bool = False

    @property
    def eventful(self) -> bool:
        """Whether occurrences of the stream can match."""
        return self.graph is None and not self.background_only

    @property
    def terms(self) -> tuple[TermPattern, TermPattern, TermPattern]:
        """Subject, predicate and object."""
        return (self.subject, self.predicate, self.object)

    @property
    def all_terms(self) -> tuple[TermPattern, ...]:
        """Subject, predicate and object, and those that say where the triple is."""
        graph = () if self.graph is None else (self.graph,)
        place = () if self.place is None else self.place.terms
        time = () if self.place is None or self.place.time is None else (self.place.time,)
        return (*self.terms, *graph, *place, *time)


@dataclass(frozen=True, slots=True)
class Pair(Node):
    """Each compatible pair whose intervals lie as the operator says: it has the earlier start, the later end.

    Of an optional operator, with the ``condition`` true; else the other side alone. Of SEQ NEXT only what
    makes the ``condition`` true fits. Time functions in the condition speak of the interval of the optional
    side, or of the right one.
    ``anti`` (``passes/anti_joins.py``): only what is alone counts, so pairs need not be given.
    """

    operator: Operator
    left: Pattern
    right: Pattern
    condition: Expression | None = None
    anti: bool = False

    def side(self, side: Side) -> Pattern:
        """The pattern on one side."""
        return self.left if side is Side.LEFT else self.right


@dataclass(frozen=True, slots=True)
class Union(Node):
    """Either side."""

    left: Pattern
    right: Pattern


@dataclass(frozen=True, slots=True)
class Minus(Node):
    """``A MINUS B``: A without what is compatible with a B that ends no later and shares a bound variable.

    Variables named in ``ignored`` do not count as shared: they are not the query's own.
    """

    left: Pattern
    right: Pattern
    ignored: frozenset[Variable] = frozenset()


@dataclass(frozen=True, slots=True)
class Gap(Node):
    """``A SEQ NOT {N} SEQ C``, ``A SEQ STRICT C``, ``NOT {N} FOR length SEQ C``: nothing between.

    With ``left``: the pairs of ``operator`` (SEQ or SEQ NEXT, with ``step`` as its condition) for which no
    solution of ``none`` that agrees and makes ``condition`` true starts after ``left`` has ended and ends
    before ``right`` starts. Without ``left``: the solutions of ``right`` for which none ends before their
    start and, with ``length``, no more than so many microseconds before it.

    ``word`` is how the query says it. docs/semantics.md#patterns.
    """

    left: Pattern | None
    none: Pattern
    right: Pattern
    operator: Operator
    step: Expression | None = None
    condition: Expression | None = None
    length: int | None = None
    word: str = "NOT"


@dataclass(frozen=True, slots=True)
class Absence(Node):
    """``A SEQ NOT {N} FOR length``: A, when nothing of ``none`` has come by its deadline; ends then.

    The deadline is ``length`` microseconds after the end of A (``from_start``: after its start; then A must
    have ended by it). A solution of ``none`` that agrees and makes ``condition`` true counts if it starts
    after the end of A and ends no later than the deadline. Without ``none`` nothing counts: ``A SEQ AFTER
    length``.
    """

    left: Pattern
    none: Pattern | None
    condition: Expression | None
    length: int
    from_start: bool = False


@dataclass(frozen=True, slots=True)
class Ticks(Node):
    """``EVERY period``: a solution without bindings at each multiple of so many microseconds since 1970."""

    period: int


class RepeatMode(Enum):
    """Which later solutions extend a run of REPEAT."""

    ALL = "ALL"
    NEXT = "NEXT"
    STRICT = "STRICT"
    ANY = "ANY"


@dataclass(frozen=True, slots=True)
class Repeat(Node):
    """``A SEQ REPEAT low TO high mode {B} MEASURES (..) SEQ C`` (docs/semantics.md#patterns).

    Iterations agree with ``left`` and with one another in the variables ``shared``, those that ``left`` binds
    and those of ``per``, for each value of which there is a run; the others are seen through ``measures``
    alone. The first iteration follows ``left`` as ``operator`` says (SEQ or SEQ NEXT), and with
    ``first_scope`` as SEQ STRICT. ``condition`` chooses what is an iteration: it sees ``left``, the iteration
    and in ``running`` the aggregates of the iterations before it. ``scope``: of STRICT, what may not lie
    between two iterations.

    ``then`` is what follows ALL and LONGEST, by SEQ or, with ``then_next``, as the first that fits.
    ``then_condition`` chooses among what follows, and with which runs. Nothing of ``last_scope`` that makes
    ``last_condition`` true may lie between the last iteration and it.

    With ``begun`` each solution of ``left`` holds a first iteration, at its end: for the variables of one
    iteration those that stand for them there.
    """

    left: Pattern | None
    group: Pattern
    then: Pattern | None
    mode: RepeatMode
    low: int
    high: int | None
    operator: Operator
    shared: tuple[Variable, ...]
    condition: Expression | None
    running: tuple[Aggregate, ...]
    measures: tuple[Aggregate, ...]
    longest: bool = False
    scope: Pattern | None = None
    first_scope: Pattern | None = None
    last_scope: Pattern | None = None
    last_condition: Expression | None = None
    then_condition: Expression | None = None
    then_next: bool = False
    per: tuple[Variable, ...] = ()
    begun: tuple[tuple[Variable, Variable], ...] | None = None


@dataclass(frozen=True, slots=True)
class Skip(Node):
    """``SKIP PAST LAST`` or, with ``to_next``, ``SKIP TO NEXT`` among solutions that agree in ``keys``.

    Solutions count in the order of end, start and bindings. PAST LAST drops one that starts no later than
    the last occurrence of the last one given ended; TO NEXT gives of those with one start the ones that end
    first. ``ended`` is bound to the end of the last occurrence where solutions are known later.
    """

    pattern: Pattern
    keys: tuple[Variable, ...]
    to_next: bool
    ended: Variable | None = None


@dataclass(frozen=True, slots=True)
class Closure(Node):
    """A path ``P?``, ``P*`` or ``P+``: the set of (first, last, start, end) of the walks along ``pattern``.

    ``pattern`` binds ``first`` and ``last``, the ends of one step (and the graph, where that is a variable);
    ``subject`` and ``object`` are the ends of the path. A walk of no steps (``zero``) is timeless.
    SPARQL 1.1, section 18.4.
    """

    pattern: Pattern
    first: Variable
    last: Variable
    subject: TermPattern
    object: TermPattern
    zero: bool
    many: bool
    graph: TermPattern | None = None
    sources: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Filter(Node):
    """The solutions for which ``condition`` is true: neither false nor an error."""

    condition: Expression
    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Extend(Node):
    """BIND: ``variable`` gets the value of ``expression``, or stays unbound where that is an error."""

    pattern: Pattern
    variable: Variable
    expression: Expression


@dataclass(frozen=True, slots=True)
class Aggregate(Node):
    """``variable := FUNCTION(argument)``; ``argument`` is None for ``COUNT(*)``."""

    variable: Variable
    function: str
    argument: Variable | None
    distinct: bool
    separator: str = " "


@dataclass(frozen=True, slots=True)
class Group(Node):
    """Aggregates over the solutions in ``window``: at each instant one row a group, at that instant.

    Without a window all solutions up to the instant count. Evaluated at each instant at which a solution
    arrives, or at each step of the window. SPARQL 1.1, section 18.5; docs/semantics.md#aggregates.
    """

    pattern: Pattern
    keys: tuple[Variable, ...]
    aggregates: tuple[Aggregate, ...]
    window: Window | None


@dataclass(frozen=True, slots=True)
class OrderKey(Node):
    """One key of ORDER BY."""

    variable: Variable
    descending: bool


@dataclass(frozen=True, slots=True)
class OrderBy(Node):
    """The solutions of one instant in order: by ``keys``, then by start and bindings."""

    pattern: Pattern
    keys: tuple[OrderKey, ...]


@dataclass(frozen=True, slots=True)
class Slice(Node):
    """Some of the solutions of one instant, in the order they come: OFFSET and LIMIT."""

    pattern: Pattern
    offset: int
    limit: int | None


@dataclass(frozen=True, slots=True)
class Project(Node):
    """The solutions restricted to ``variables``, in that order; a bag.

    ``closed``, under a policy: filters from outside are not pushed in, where they would choose. So are the
    braces of a group, with all their variables (docs/semantics.md, "Policies").
    """

    pattern: Pattern
    variables: tuple[Variable, ...]
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Distinct(Node):
    """One of each (bindings, start, end)."""

    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Snapshot(Node):
    """At each instant of ``schedule`` what lives then, with that instant as its interval.

    The intervals of ``pattern`` are lives, from an instant until before another; what background alone gives
    has none, and is left out. A solution is there once, however many lives of it there are.

    ``always``: ``pattern`` stands for all elements of the streams, and there is a solution at each instant at
    which the query is evaluated, from the first element on, whatever windows hold then. ``newest``: only what
    belongs to so many elements of those that ``pattern`` has, or so many of its solutions.
    ``changes``: what begins to live then, and what lives no more, told apart for the `Changes` above.
    """

    pattern: Pattern
    schedule: Schedule
    always: bool = False
    newest: CountExtent | None = None
    changes: bool = False


@dataclass(frozen=True, slots=True)
class Changes(Node):
    """Of the solutions at an instant of ``schedule`` those that were not there at the one before (ISTREAM).

    ``gone``: those that were there and are no more (DSTREAM). Both as bags. With ``held`` only instants count
    at which a solution has a value for it.
    """

    pattern: Pattern
    gone: bool
    schedule: Schedule
    held: Variable | None = None


Leaf: TypeAlias = Unit | Table | GraphNames | TriplePattern | Ticks
Evaluated: TypeAlias = Snapshot | Changes
OneInput: TypeAlias = (
    Closure | Filter | Extend | Group | OrderBy | Slice | Project | Distinct | Skip | Evaluated
)
TwoInputs: TypeAlias = Pair | Union | Minus
Steps: TypeAlias = Gap | Absence | Repeat
Pattern: TypeAlias = Leaf | OneInput | TwoInputs | Steps


# ---- Whole queries -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SelectQuery(Node):
    """``variables`` are the columns of its rows; ``ordered``: the rows of an instant come in an order.

    ``stream`` is what a registered query calls the stream of its rows, which no pattern reads.
    """

    pattern: Pattern
    variables: tuple[Variable, ...]
    ordered: bool = False
    stream: str | None = None


@dataclass(frozen=True, slots=True)
class ConstructQuery(Node):
    """Each solution adds the template's triples to the stream, with the solution's interval.

    A template variable whose name starts with ``_:`` is a blank node, fresh for each solution. The triples
    go to ``stream``; None is the default stream.
    """

    pattern: Pattern
    template: tuple[TriplePattern, ...]
    stream: str | None = None


@dataclass(frozen=True, slots=True)
class AskQuery(Node):
    """Whether there is a solution: ``true`` at each instant at which one arrives."""

    pattern: Pattern


@dataclass(frozen=True, slots=True)
class DescribeQuery(Node):
    """Triples about resources: the solutions of ``pattern`` bind the terms of ``triple``."""

    pattern: Pattern
    triple: tuple[Variable, Variable, Variable]


Query: TypeAlias = SelectQuery | ConstructQuery | AskQuery | DescribeQuery


# ---- Questions ---------------------------------------------------------------------------------------


def children(pattern: Pattern) -> tuple[Pattern, ...]:
    """The patterns directly below one; not those of EXISTS."""
    match pattern:
        case Unit() | Table() | GraphNames() | TriplePattern() | Ticks():
            return ()
        case (
            Closure() | Filter() | Extend() | Group() | OrderBy() | Slice() | Project() | Distinct() | Skip()
            | Snapshot() | Changes()
        ):  # fmt: skip
            return (pattern.pattern,)
        case Pair() | Union() | Minus():
            return (pattern.left, pattern.right)
        case Gap() | Absence() | Repeat():
            return tuple(each for _, each in parts(pattern))
        case _:
            assert_never(pattern)


def parts(pattern: Steps) -> tuple[tuple[str, Pattern], ...]:
    """The patterns that a step is made of, by the names of the fields that hold them."""
    match pattern:
        case Gap():
            names: tuple[str, ...] = ("left", "none", "right")
        case Absence():
            names = ("left", "none")
        case Repeat():
            names = ("left", "group", "then", "scope", "first_scope", "last_scope")
        case _:
            assert_never(pattern)
    found: list[tuple[str, Pattern | None]] = [(name, getattr(pattern, name)) for name in names]
    return tuple((name, each) for name, each in found if each is not None)


def map_children(pattern: Pattern, transform: Callable[[Pattern], Pattern]) -> Pattern:
    """``pattern`` with ``transform`` applied to the patterns directly below it."""
    match pattern:
        case Unit() | Table() | GraphNames() | TriplePattern() | Ticks():
            return pattern
        case (
            Closure() | Filter() | Extend() | Group() | OrderBy() | Slice() | Project() | Distinct() | Skip()
            | Snapshot() | Changes()
        ):  # fmt: skip
            return replace(pattern, pattern=transform(pattern.pattern))
        case Pair() | Union() | Minus():
            return replace(pattern, left=transform(pattern.left), right=transform(pattern.right))
        case Gap() | Absence() | Repeat():
            return replace(pattern, **{name: transform(each) for name, each in parts(pattern)})  # type: ignore[arg-type]
        case _:
            assert_never(pattern)


@pattern_fact
def variables(  # noqa: C901 - one branch for each node
    pattern: Pattern,
) -> tuple[Variable, ...]:
    """The variables in scope after ``pattern``, each once, in order of appearance."""
    match pattern:
        case Unit() | Ticks():
            found: list[Variable] = []
        case Table() | Project():
            found = list(pattern.variables)
        case GraphNames():
            found = _named(*pattern.terms)
        case TriplePattern():
            found = _named(*pattern.all_terms)
        case Closure():
            found = _named(pattern.subject, pattern.object, pattern.graph)
        case Filter() | Distinct() | OrderBy() | Slice() | Skip() | Snapshot() | Changes():
            found = list(variables(pattern.pattern))
        case Group():
            found = [*pattern.keys, *(each.variable for each in pattern.aggregates)]
        case Minus():
            found = list(variables(pattern.left))
        case Extend():
            found = [*variables(pattern.pattern), pattern.variable]
        case Pair() | Union():
            found = [*variables(pattern.left), *variables(pattern.right)]
        case Gap():
            found = [*_variables_of(pattern.left), *variables(pattern.right)]
        case Absence():
            found = list(variables(pattern.left))
        case Repeat():
            measured = (each.variable for each in pattern.measures)
            found = [*_variables_of(pattern.left), *pattern.shared, *measured, *_variables_of(pattern.then)]
        case _:
            assert_never(pattern)
    return tuple(dict.fromkeys(found))


def _variables_of(pattern: Pattern | None) -> tuple[Variable, ...]:
    return () if pattern is None else variables(pattern)


def _named(*terms: TermPattern | None) -> list[Variable]:
    return [term for term in terms if isinstance(term, Variable)]


def expression_variables(expression: Expression) -> frozenset[Variable]:
    """All variables that ``expression`` mentions."""
    match expression:
        case Variable():
            return frozenset({expression})
        case Constant():
            return frozenset()
        case Apply():
            return frozenset().union(*(expression_variables(each) for each in expression.arguments))
        case Exists(pattern=pattern):
            return mentioned_variables(pattern)
        case _:
            assert_never(expression)


def with_values(expression: Expression, values: Mapping[Variable, Expression]) -> Expression:
    """``expression`` with expressions in the place of variables; not within EXISTS."""
    match expression:
        case Apply(function="BOUND", arguments=(Variable() as variable,)) if variable in values:
            same = Apply("SAMETERM", (values[variable], values[variable]), span=expression.span)
            no = Constant((False, XSD_BOOLEAN), span=expression.span)
            return Apply("COALESCE", (same, no), span=expression.span)
        case Variable():
            return values.get(expression, expression)
        case Constant() | Exists():
            return expression
        case Apply(arguments=arguments):
            return replace(expression, arguments=tuple(with_values(each, values) for each in arguments))
        case _:
            assert_never(expression)


def mentioned_variables(pattern: Pattern) -> frozenset[Variable]:
    """All variables that a value from outside would stand for; a sub-SELECT shows some of its own only."""
    found = frozenset(variables(pattern))
    match pattern:
        case (
            Unit() | Ticks() | Table() | GraphNames() | TriplePattern() | Closure() | Project() | Group()
        ):  # fmt: skip
            return found
        case Filter(condition=expression) | Extend(expression=expression):
            return found | expression_variables(expression) | mentioned_variables(pattern.pattern)
        case Distinct() | OrderBy() | Slice() | Skip() | Snapshot() | Changes():
            return found | mentioned_variables(pattern.pattern)
        case Pair(condition=condition):
            own = frozenset[Variable]() if condition is None else expression_variables(condition)
            return found | own | mentioned_variables(pattern.left) | mentioned_variables(pattern.right)
        case Gap() | Absence() | Repeat():
            inside = frozenset[Variable]().union(*map(mentioned_variables, children(pattern)))
            return found | inside.union(*map(expression_variables, step_conditions(pattern)))
        case Union() | Minus():
            return found | mentioned_variables(pattern.left) | mentioned_variables(pattern.right)
        case _:
            assert_never(pattern)


def step_conditions(pattern: Steps) -> tuple[Expression, ...]:
    """The conditions of a step on what it pairs."""
    match pattern:
        case Gap():
            found = [pattern.step, pattern.condition]
        case Absence():
            found = [pattern.condition]
        case Repeat():
            found = [pattern.condition, pattern.last_condition, pattern.then_condition]
        case _:
            assert_never(pattern)
    return tuple(each for each in found if each is not None)


def existence_tests(expression: Expression | None) -> tuple[Exists, ...]:
    """The EXISTS of an expression, each once, but those within their patterns."""
    match expression:
        case Exists():
            return (expression,)
        case Apply(arguments=arguments):
            return tuple(dict.fromkeys(test for each in arguments for test in existence_tests(each)))
        case Variable() | Constant() | None:
            return ()
        case _:
            assert_never(expression)


def uses_time(expression: Expression) -> bool:
    """Whether the value depends on the interval of the solution, as that of EXISTS does on its end."""
    if isinstance(expression, Exists):
        return True
    return isinstance(expression, Apply) and (
        expression.function in TIME_FUNCTIONS or any(map(uses_time, expression.arguments))
    )


def conjoin(parts: list[Expression]) -> Expression:
    """One condition that holds where all ``parts`` (at least one) hold."""
    if len(parts) == 1:
        return parts[0]
    return Apply("&&", tuple(parts), span=parts[0].span.to(parts[-1].span))


def conjuncts(condition: Expression) -> tuple[Expression, ...]:
    """The operands of a condition's outermost ``&&``, nested ones included."""
    if isinstance(condition, Apply) and condition.function == "&&":
        return tuple(part for operand in condition.arguments for part in conjuncts(operand))
    return (condition,)
