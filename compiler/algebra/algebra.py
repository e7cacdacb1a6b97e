"""The algebra of EP-SPARQL: what a query means, names resolved.

The operators are those of docs/semantics.md#matches (EP-SPARQL paper, section 3; SPARQL 1.1, section 18). A
solution is a mapping with an interval; background alone gives solutions without one ("timeless", the
neutral element of min and max), which pass through joins but never are an answer.

Each node says of itself what stages need to know of any (`PatternNode`), and a stage names only those that
are special to it. At the end stand the questions that several stages ask.
Does not say how solutions are found: that is ``plan.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from enum import Enum
from functools import reduce
from typing import ClassVar, Final, TypeAlias

from typing_extensions import assert_never, override

from etalis_py.compiler.algebra.aggregate_windows import Window
from etalis_py.compiler.algebra.functions import TIME_FUNCTIONS
from etalis_py.compiler.algebra.operators import Operator, Side
from etalis_py.compiler.algebra.pattern_facts import pattern_fact
from etalis_py.compiler.algebra.stream_windows import CountExtent, Extent, Schedule
from etalis_py.compiler.parse.relation_to_stream import RelationToStream
from etalis_py.compiler.spans import Span
from etalis_py.core.terms import Encoded
from etalis_py.core.value_class import value_class
from etalis_py.core.vocabulary import XSD_BOOLEAN

__all__ = [
    "CHANGE",
    "Absence",
    "Aggregate",
    "Apply",
    "AskQuery",
    "Changes",
    "Chosen",
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
    "Group",
    "Lookup",
    "Minus",
    "Node",
    "OrderBy",
    "OrderKey",
    "Pair",
    "Pattern",
    "PatternNode",
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
    "Union",
    "Unit",
    "Unused",
    "Variable",
    "children",
    "conjoin",
    "conjuncts",
    "existence_tests",
    "expression_variables",
    "map_children",
    "mentioned_variables",
    "parts",
    "tells_changes",
    "united",
    "uses_time",
    "variables",
    "with_values",
]


class _WithFacts:
    """Room for what `pattern_fact` keeps: no field, it takes no part in ``==`` and is not copied."""

    __slots__ = ("facts",)


@value_class
class Node(_WithFacts):
    """Anything with a place in the query text; the place takes no part in ``==``."""

    span: Span = field(default=Span(0, 0), kw_only=True, compare=False, repr=False)


# ---- Terms and expressions ---------------------------------------------------------------------------


@value_class
class Variable(Node):
    """A variable; a blank node of a pattern is one whose name starts with ``_:``."""

    name: str

    @property
    def is_hidden(self) -> bool:
        """Whether ``SELECT *`` leaves it out."""
        return self.name.startswith("_:")


CHANGE: Final = Variable("_: change")
"""Where a pattern has this variable its solutions are changes: each comes with `COMES`, and goes with `GOES`.

What it has at an instant is a bag: what came until then, without what went.
"""


@value_class
class Constant(Node):
    """An IRI or a literal."""

    value: Encoded


@value_class
class Apply(Node):
    """An operator, built-in, cast or Prolog predicate on its arguments.

    ``function`` is one of ``&& || ! = != < > <= >= + - * / in`` (binary but for ``&& || ! in``),
    ``negate`` and ``plus`` (unary), the name of a built-in in capitals, or the IRI of a function.
    """

    function: str
    arguments: tuple[Expression, ...]


@value_class
class Exists(Node):
    """EXISTS: whether ``pattern`` has a solution that does not end after the one tested.

    In ``pattern`` the values of the one tested stand for its variables (SPARQL 1.1, section 18.6).
    """

    pattern: Pattern


Expression: TypeAlias = Variable | Constant | Apply | Exists
TermPattern: TypeAlias = Variable | Constant


# ---- Patterns ----------------------------------------------------------------------------------------

Sight: TypeAlias = "tuple[Expression, tuple[Pattern, ...]]"
"""An expression, and the patterns whose variables it sees."""


@value_class
class PatternNode(Node):
    """What every pattern says of itself.

    As said here it holds for an operator on one input that gives some of its solutions, and for a leaf.
    """

    INPUTS: ClassVar[tuple[str, ...]] = ()
    """The fields that hold the patterns directly below, or None."""
    IS_SCOPE: ClassVar[bool] = False
    """Variables of the patterns below are seen from outside as far as this one shows them."""
    IS_TIMED: ClassVar[bool] = False
    """All solutions have an interval: background alone gives none."""
    CHOOSES: ClassVar[str] = ""
    """How a query says it, where it chooses among solutions by itself, or has no partner."""

    @property
    def required(self) -> tuple[Pattern, ...]:
        """The patterns directly below of which each solution has one, with the same variables."""
        return () if self.IS_SCOPE else children(self)

    @property
    def binds(self) -> tuple[Variable, ...]:
        """The variables that get their values here, and not in a pattern below."""
        return ()

    @property
    def shows(self) -> tuple[Variable, ...]:
        """The variables in scope after it; some may be there more than once."""
        return (*_all_variables(self.required), *self.binds)

    @property
    def expressions(self) -> tuple[Sight, ...]:
        """The expressions that it evaluates on the solutions of the patterns below."""
        return ()


@value_class
class Unit(PatternNode):
    """The empty group: one timeless solution that binds nothing."""


@value_class
class Table(PatternNode):
    """VALUES: timeless solutions, row by row; None is UNDEF."""

    variables: tuple[Variable, ...]
    rows: tuple[tuple[Encoded | None, ...], ...]

    @property
    @override
    def binds(self) -> tuple[Variable, ...]:
        return self.variables


@value_class
class Lookup(PatternNode):
    """Timeless solutions that are no triples.

    One for each named graph of the background (that ``graph`` can be), or for each answer of a ``predicate``
    of the user's, ``arguments`` being those of the call.
    """

    graph: TermPattern | None
    predicate: str | None = None
    arguments: tuple[TermPattern, ...] = ()

    @property
    def terms(self) -> tuple[TermPattern, ...]:
        """What the solutions have values for, and constants."""
        return self.arguments if self.graph is None else (self.graph,)

    @property
    @override
    def binds(self) -> tuple[Variable, ...]:
        return _named(*self.terms)


@value_class
class Place(Node):
    """Where the occurrences that a pattern matches are from (docs/semantics.md#streams-and-elements).

    ``stream`` is None for any stream; ``name`` is that of a named element. ``element`` stands for the
    identity of the element, where all patterns of a group belong to one; those of a stream alone have none.
    ``background``: triples of the background match, too (FROM STREAM). With ``extent`` the interval of a
    solution is from when until when its occurrence is in that window: its life, without the end. With
    ``begins_at_once`` it begins when the occurrence ends, and ends then where it is never in the window.
    ``time`` has the milliseconds from 1970 to the end of the occurrence, ``began`` and ``ended`` have the
    microseconds to its start and its end. In a window of triples ``element`` stands for one that was sent;
    ``sent`` takes that alone, not what follows from it.
    """

    stream: TermPattern | None = None
    name: TermPattern | None = None
    element: Variable | None = None
    background: bool = False
    extent: Extent | None = None
    begins_at_once: bool = False
    time: Variable | None = None
    began: Variable | None = None
    ended: Variable | None = None
    sent: bool = False

    @property
    def of_triples(self) -> bool:
        """Whether each triple of the stream is an element by itself."""
        return isinstance(self.extent, CountExtent) and self.extent.triples

    @property
    def terms(self) -> tuple[TermPattern, ...]:
        """What stands for the stream, the name and the element, as far as the pattern asks for them."""
        return tuple(each for each in (self.stream, self.name, self.element) if each is not None)

    @property
    def times(self) -> tuple[Variable, ...]:
        """What stands for times of the occurrence, as far as the pattern asks for them."""
        return tuple(each for each in (self.time, self.began, self.ended) if each is not None)


@value_class
class TriplePattern(PatternNode):
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
        times = () if self.place is None else self.place.times
        return (*self.terms, *graph, *place, *times)

    @property
    @override
    def binds(self) -> tuple[Variable, ...]:
        return _named(*self.all_terms)


@value_class
class Pair(PatternNode):
    """Each compatible pair whose intervals lie as the operator says: it has the earlier start, the later end.

    Of an optional operator, with the ``condition`` true; else the other side alone. Of SEQ NEXT only what
    makes the ``condition`` true fits. Time functions in the condition speak of the interval of the optional
    side, or of the right one.
    ``anti`` (``passes/anti_joins.py``): only what is alone counts, so pairs need not be given.
    """

    INPUTS = ("left", "right")

    operator: Operator
    left: Pattern
    right: Pattern
    condition: Expression | None = None
    anti: bool = False

    def side(self, side: Side) -> Pattern:
        """The pattern on one side."""
        return self.left if side is Side.LEFT else self.right

    @property
    @override
    def required(self) -> tuple[Pattern, ...]:
        return tuple(self.side(each) for each in Side if self.operator.has(each))

    @property
    @override
    def shows(self) -> tuple[Variable, ...]:
        return _all_variables((self.left, self.right))

    @property
    @override
    def expressions(self) -> tuple[Sight, ...]:
        return _there((self.condition, (self.left, self.right)))


@value_class
class Union(PatternNode):
    """Either side."""

    INPUTS = ("left", "right")

    left: Pattern
    right: Pattern

    @property
    @override
    def required(self) -> tuple[Pattern, ...]:
        return ()

    @property
    @override
    def shows(self) -> tuple[Variable, ...]:
        return _all_variables((self.left, self.right))


@value_class
class Minus(PatternNode):
    """``A MINUS B``: A without what is compatible with a B that ends no later and shares a bound variable.

    Variables named in ``ignored`` do not count as shared: they are not the query's own.
    """

    INPUTS = ("left", "right")

    left: Pattern
    right: Pattern
    ignored: frozenset[Variable] = frozenset()

    @property
    @override
    def required(self) -> tuple[Pattern, ...]:
        return (self.left,)


@value_class
class Gap(PatternNode):
    """``A SEQ NOT {N} SEQ C``, ``A SEQ STRICT C``, ``NOT {N} FOR length SEQ C``: nothing between.

    With ``left``: the pairs of ``operator`` (SEQ or SEQ NEXT, with ``step`` as its condition) for which no
    solution of ``none`` that agrees and makes ``condition`` true starts after ``left`` has ended and ends
    before ``right`` starts. Without ``left``: the solutions of ``right`` for which none ends before their
    start and, with ``length``, no more than so many microseconds before it.

    ``word`` is how the query says it. docs/semantics.md#patterns.
    """

    INPUTS = ("left", "none", "right")
    IS_TIMED = True
    CHOOSES = "NOT or STRICT between two steps"

    left: Pattern | None
    none: Pattern
    right: Pattern
    operator: Operator
    step: Expression | None = None
    condition: Expression | None = None
    length: int | None = None
    word: str = "NOT"

    @property
    @override
    def required(self) -> tuple[Pattern, ...]:
        return (self.right,) if self.left is None else (self.left, self.right)

    @property
    @override
    def expressions(self) -> tuple[Sight, ...]:
        around = self.required
        return _there((self.step, around), (self.condition, (*around, self.none)))


@value_class
class Absence(PatternNode):
    """``A SEQ NOT {N} FOR length``: A, when nothing of ``none`` has come by its deadline; ends then.

    The deadline is ``length`` microseconds after the end of A (``from_start``: after its start; then A must
    have ended by it). A solution of ``none`` that agrees and makes ``condition`` true counts if it starts
    after the end of A and ends no later than the deadline. Without ``none`` nothing counts: ``A SEQ AFTER
    length``.
    """

    INPUTS = ("left", "none")
    IS_TIMED = True
    CHOOSES = "an absence, or AFTER,"

    left: Pattern
    none: Pattern | None
    condition: Expression | None
    length: int
    from_start: bool = False

    @property
    @override
    def required(self) -> tuple[Pattern, ...]:
        return (self.left,)

    @property
    @override
    def expressions(self) -> tuple[Sight, ...]:
        return _there((self.condition, children(self)))


@value_class
class Ticks(PatternNode):
    """``EVERY period``: a solution without bindings at each multiple of so many microseconds since 1970."""

    IS_TIMED = True
    CHOOSES = "EVERY"

    period: int


class RepeatMode(Enum):
    """Which later solutions extend a run of REPEAT."""

    ALL = "ALL"
    NEXT = "NEXT"
    STRICT = "STRICT"
    ANY = "ANY"


@value_class
class Repeat(PatternNode):
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

    INPUTS = ("left", "group", "then", "scope", "first_scope", "last_scope")
    IS_TIMED = True
    CHOOSES = "REPEAT"

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

    @property
    @override
    def required(self) -> tuple[Pattern, ...]:
        return tuple(each for each in (self.left, self.then) if each is not None)

    @property
    @override
    def binds(self) -> tuple[Variable, ...]:
        return tuple(each.variable for each in self.measures)

    @property
    @override
    def shows(self) -> tuple[Variable, ...]:
        before, after = (() if each is None else variables(each) for each in (self.left, self.then))
        return (*before, *self.shared, *self.binds, *after)

    @property
    @override
    def expressions(self) -> tuple[Sight, ...]:
        chosen = (self.group,) if self.left is None else (self.left, self.group)
        judged = (self,) if self.last_scope is None else (self, self.last_scope)
        return _there((self.condition, chosen), (self.then_condition, (self,)), (self.last_condition, judged))


@value_class
class Skip(PatternNode):
    """``SKIP PAST LAST`` or, with ``to_next``, ``SKIP TO NEXT`` among solutions that agree in ``keys``.

    Solutions count in the order of end, start and bindings. PAST LAST drops one that starts no later than
    the last occurrence of the last one given ended; TO NEXT gives of those with one start the ones that end
    first. ``ended`` is bound to the end of the last occurrence where solutions are known later.
    """

    INPUTS = ("pattern",)
    CHOOSES = "SKIP"

    pattern: Pattern
    keys: tuple[Variable, ...]
    to_next: bool
    ended: Variable | None = None


@value_class
class Closure(PatternNode):
    """A path ``P?``, ``P*`` or ``P+``: the set of (first, last, start, end) of the walks along ``pattern``.

    ``pattern`` binds ``first`` and ``last``, the ends of one step (and the graph, where that is a variable);
    ``subject`` and ``object`` are the ends of the path. A walk of no steps (``zero``) is timeless.
    SPARQL 1.1, section 18.4. ``alive``: the intervals are lives, and a walk has what those of its steps have
    in common.
    """

    INPUTS = ("pattern",)
    IS_SCOPE = True

    pattern: Pattern
    first: Variable
    last: Variable
    subject: TermPattern
    object: TermPattern
    zero: bool
    many: bool
    graph: TermPattern | None = None
    sources: tuple[str, ...] | None = None
    alive: bool = False

    @property
    @override
    def binds(self) -> tuple[Variable, ...]:
        return _named(self.subject, self.object, self.graph)


@value_class
class Filter(PatternNode):
    """The solutions for which ``condition`` is true: neither false nor an error."""

    INPUTS = ("pattern",)

    condition: Expression
    pattern: Pattern

    @property
    @override
    def expressions(self) -> tuple[Sight, ...]:
        return ((self.condition, (self.pattern,)),)


@value_class
class Extend(PatternNode):
    """BIND: ``variable`` gets the value of ``expression``, or stays unbound where that is an error."""

    INPUTS = ("pattern",)

    pattern: Pattern
    variable: Variable
    expression: Expression

    @property
    @override
    def binds(self) -> tuple[Variable, ...]:
        return (self.variable,)

    @property
    @override
    def expressions(self) -> tuple[Sight, ...]:
        return ((self.expression, (self.pattern,)),)


@value_class
class Aggregate(Node):
    """``variable := FUNCTION(argument)``; ``argument`` is None for ``COUNT(*)``."""

    variable: Variable
    function: str
    argument: Variable | None
    distinct: bool
    separator: str = " "


@value_class
class Group(PatternNode):
    """Aggregates over the solutions in ``window``: at each instant one row a group, at that instant.

    Without a window all solutions up to the instant count; of changes what is there
    then. Evaluated at each instant at which a solution
    arrives, or at each step of the window. SPARQL 1.1, section 18.5; docs/semantics.md#aggregates.
    """

    INPUTS = ("pattern",)
    IS_SCOPE = True

    pattern: Pattern
    keys: tuple[Variable, ...]
    aggregates: tuple[Aggregate, ...]
    window: Window | None

    @property
    @override
    def binds(self) -> tuple[Variable, ...]:
        return tuple(each.variable for each in self.aggregates)

    @property
    @override
    def shows(self) -> tuple[Variable, ...]:
        return (*self.keys, *self.binds, *((CHANGE,) if tells_changes(self.pattern) else ()))


@value_class
class OrderKey(Node):
    """One key of ORDER BY."""

    variable: Variable
    descending: bool


@value_class
class OrderBy(PatternNode):
    """The solutions of one instant in order: by ``keys``, then by start and bindings."""

    INPUTS = ("pattern",)

    pattern: Pattern
    keys: tuple[OrderKey, ...]


@value_class
class Slice(PatternNode):
    """Some of the solutions of one instant, in the order they come: OFFSET and LIMIT.

    Of changes either OFFSET or LIMIT, in the order of ``keys``.
    """

    INPUTS = ("pattern",)

    pattern: Pattern
    offset: int
    limit: int | None
    keys: tuple[OrderKey, ...] | None = None


@value_class
class Project(PatternNode):
    """The solutions restricted to ``variables``, in that order; a bag.

    ``closed``, under a policy: filters from outside are not pushed in, where they would choose. So are the
    braces of a group, with all their variables (docs/semantics.md, "Policies").
    """

    INPUTS = ("pattern",)
    IS_SCOPE = True

    pattern: Pattern
    variables: tuple[Variable, ...]
    closed: bool = False

    @property
    @override
    def shows(self) -> tuple[Variable, ...]:
        return self.variables


@value_class
class Distinct(PatternNode):
    """One of each (bindings, start, end)."""

    INPUTS = ("pattern",)

    pattern: Pattern


@value_class
class Chosen(PatternNode):
    """FIRST or, with ``last``, LAST: of the solutions of an instant that agree in ``keys`` those that end so.

    ``end`` and ``start`` are the variables with their times; of what ends together that which starts so.
    RSEP-QL, equations 5 and 6.
    """

    INPUTS = ("pattern",)
    CHOOSES = "FIRST or LAST"

    pattern: Pattern
    keys: tuple[Variable, ...]
    start: Variable
    end: Variable
    last: bool


@value_class
class Unused(PatternNode):
    """What is made of no triple that the MATCH of that number consumed at an evaluation before.

    ``triples`` are those that solutions are made of: element, subject, predicate and object. ``consumes``:
    here they are consumed. RSEP-QL, section 4.4.
    """

    INPUTS = ("pattern",)
    CHOOSES = "the consumption of events"

    pattern: Pattern
    match: int
    triples: tuple[tuple[TermPattern, ...], ...]
    consumes: bool = False


@value_class
class Snapshot(PatternNode):
    """At each instant of ``schedule`` what lives then, with that instant as its interval.

    The intervals of ``pattern`` are lives, from an instant until before another; what background alone gives
    has none, and is left out. A solution is there once, however many lives of it there are.

    ``always``: ``pattern`` stands for all elements of the streams, and there is a solution at each instant at
    which the query is evaluated, from the first element on, whatever windows hold then. ``newest``: only what
    belongs to so many elements of those that ``pattern`` has, or so many of its solutions.
    ``changes``: what begins to live then, and what lives no more, told apart by `CHANGE`; of
    ``always`` the first instant alone. The newest are told so only.
    """

    INPUTS = ("pattern",)
    IS_TIMED = True
    CHOOSES = "a window on a stream"

    pattern: Pattern
    schedule: Schedule
    always: bool = False
    newest: CountExtent | None = None
    changes: bool = False

    @property
    @override
    def binds(self) -> tuple[Variable, ...]:
        return (CHANGE,) if self.changes else ()


@value_class
class Changes(PatternNode):
    """Of the solutions at an instant of ``schedule`` those that were not there at the one before (ISTREAM).

    DSTREAM: those that were there and are no more; RSTREAM: all. As bags. With ``held`` only instants
    count at which a solution has a value for it. ``pattern`` has solutions of instants, or tells changes
    (`CHANGE`).
    """

    INPUTS = ("pattern",)
    IS_TIMED = True
    CHOOSES = "a window on a stream"

    pattern: Pattern
    to_stream: RelationToStream
    schedule: Schedule
    held: Variable | None = None

    @property
    @override
    def shows(self) -> tuple[Variable, ...]:
        return tuple(each for each in variables(self.pattern) if each != CHANGE)


Steps: TypeAlias = Gap | Absence | Repeat
Pattern: TypeAlias = (
    Unit | Table | Lookup | TriplePattern | Ticks
    | Closure | Filter | Extend | Group | OrderBy | Slice | Project | Distinct | Skip | Snapshot | Changes
    | Chosen | Unused | Pair | Union | Minus | Steps
)  # fmt: skip


# ---- Whole queries -----------------------------------------------------------------------------------


@value_class
class SelectQuery(Node):
    """``variables`` are the columns of its rows; ``ordered``: the rows of an instant come in an order.

    ``stream`` is what a registered query calls the stream of its rows, which no pattern reads.
    """

    pattern: Pattern
    variables: tuple[Variable, ...]
    ordered: bool = False
    stream: str | None = None


@value_class
class ConstructQuery(Node):
    """Each solution adds the template's triples to the stream, with the solution's interval.

    A template variable whose name starts with ``_:`` is a blank node, fresh for each solution. The triples
    go to ``stream``; None is the default stream.
    """

    pattern: Pattern
    template: tuple[TriplePattern, ...]
    stream: str | None = None


@value_class
class AskQuery(Node):
    """Whether there is a solution: ``true`` at each instant at which one arrives."""

    pattern: Pattern


@value_class
class DescribeQuery(Node):
    """Triples about resources: the solutions of ``pattern`` bind the terms of ``triple``."""

    pattern: Pattern
    triple: tuple[Variable, Variable, Variable]


Query: TypeAlias = SelectQuery | ConstructQuery | AskQuery | DescribeQuery


# ---- Questions ---------------------------------------------------------------------------------------


def children(pattern: PatternNode) -> tuple[Pattern, ...]:
    """The patterns directly below one; not those of EXISTS."""
    return tuple(each for _, each in parts(pattern))


def parts(pattern: PatternNode) -> tuple[tuple[str, Pattern], ...]:
    """The patterns directly below one, by the names of the fields that hold them."""
    found: list[tuple[str, Pattern | None]] = [(name, getattr(pattern, name)) for name in pattern.INPUTS]
    return tuple((name, each) for name, each in found if each is not None)


def map_children(pattern: Pattern, transform: Callable[[Pattern], Pattern]) -> Pattern:
    """``pattern`` with ``transform`` applied to the patterns directly below it."""
    below: dict[str, Pattern] = {name: transform(each) for name, each in parts(pattern)}
    return replace(pattern, **below) if below else pattern  # type: ignore[arg-type]


@pattern_fact
def variables(pattern: PatternNode) -> tuple[Variable, ...]:
    """The variables in scope after ``pattern``, each once, in order of appearance."""
    return tuple(dict.fromkeys(pattern.shows))


def united(patterns: Iterable[Pattern], span: Span) -> Pattern:
    """What any of some patterns gives."""
    return reduce(lambda left, right: Union(left, right, span=span), patterns)


def tells_changes(pattern: Pattern) -> bool:
    """Whether solutions of ``pattern`` are changes."""
    return CHANGE in variables(pattern)


def _all_variables(patterns: Iterable[Pattern]) -> tuple[Variable, ...]:
    return tuple(each for pattern in patterns for each in variables(pattern))


def _named(*terms: TermPattern | None) -> tuple[Variable, ...]:
    return tuple(term for term in terms if isinstance(term, Variable))


def _there(*sights: tuple[Expression | None, tuple[Pattern, ...]]) -> tuple[Sight, ...]:
    return tuple((expression, seen) for expression, seen in sights if expression is not None)


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
    if pattern.IS_SCOPE:
        return found
    own = (expression_variables(each) for each, _ in pattern.expressions)
    return found.union(*own, *map(mentioned_variables, children(pattern)))


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
