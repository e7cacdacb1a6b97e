"""The syntax tree of an EP-SPARQL query, as it was written.

Prefixes and IRIs are unresolved (``names.Names`` resolves them), collections and blank node property
lists are not yet triples, numbers keep their lexical form. Every node has a ``span`` into the query
text; it takes no part in ``==``, so that equal trees from different places are equal.

Does not say what a query means: that is ``algebra.py``.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal as OneOf
from typing import TypeAlias

from etalis_py.compiler.parse.dialect_names import DialectName
from etalis_py.compiler.parse.relation_to_stream import RelationToStream
from etalis_py.compiler.spans import Span
from etalis_py.core.value_class import value_class

__all__ = [
    "RDF_TYPE",
    "XSD",
    "Aggregate",
    "AggregateName",
    "AlternativePath",
    "And",
    "AnyNode",
    "Arithmetic",
    "ArithmeticOperator",
    "Ask",
    "BaseDeclaration",
    "Bind",
    "BlankNode",
    "BlankNodePropertyList",
    "BuiltInCall",
    "ChosenEvent",
    "Collection",
    "Combination",
    "Comparison",
    "ComparisonOperator",
    "Construct",
    "CountExtent",
    "DataRow",
    "DatasetClause",
    "Describe",
    "Duration",
    "EventChain",
    "EventDeclaration",
    "EventExpression",
    "EventName",
    "EventPattern",
    "Exists",
    "Expression",
    "ExpressionAs",
    "Filter",
    "FunctionCall",
    "GoalPattern",
    "GraphNode",
    "GraphPattern",
    "Group",
    "GroupElement",
    "InlineData",
    "InversePath",
    "Iri",
    "IriRef",
    "Landmark",
    "Length",
    "Literal",
    "MatchPattern",
    "Membership",
    "MinusPattern",
    "Modifiers",
    "Negated",
    "NegatedPropertySet",
    "Node",
    "NowExtent",
    "OptionalPattern",
    "Or",
    "OrderCondition",
    "PastExtent",
    "PastWindow",
    "Path",
    "Pragma",
    "PrefixDeclaration",
    "PrefixedName",
    "Prologue",
    "PropertyObjects",
    "Query",
    "QueryForm",
    "RangeWindow",
    "Registration",
    "Repeat",
    "RepeatedPath",
    "RowsWindow",
    "Select",
    "Selection",
    "SequencePath",
    "ServicePattern",
    "Skip",
    "Step",
    "StreamExtent",
    "StreamPattern",
    "StreamWindow",
    "SubjectTriples",
    "Term",
    "TimeExtent",
    "Timer",
    "TriplesBlock",
    "Unary",
    "Variable",
    "Window",
    "WindowPattern",
    "Within",
]

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
XSD = "http://www.w3.org/2001/XMLSchema#"


@value_class(kw_only=True)
class Node:
    """Base of all nodes; ``span`` is given by keyword."""

    span: Span = field(compare=False, repr=False)


# ---- Terms -------------------------------------------------------------------------------------------


@value_class
class IriRef(Node):
    """``<text>``, maybe relative. The keyword ``a`` is the IriRef of rdf:type with the span of the ``a``.

    So is a stream that CQELS 2 names by a word, with the span of that.
    """

    text: str


@value_class
class PrefixedName(Node):
    """``prefix:local`` with the backslash escapes of the local part undone; the prefix may be empty."""

    prefix: str
    local: str


@value_class
class Variable(Node):
    """``?name`` or ``$name``."""

    name: str


@value_class
class BlankNode(Node):
    """``_:label``, or ``[]`` with no label."""

    label: str | None


@value_class
class Literal(Node):
    """A literal, its string escapes undone.

    ``5``, ``+1.5``, ``1e3`` and ``true`` have the IriRef of their XSD datatype and the lexical form as
    written (sign included); plain ``"text"`` has neither datatype nor language. ``language`` is as written.
    """

    lexical: str
    datatype: Iri | None = None
    language: str | None = None


Iri: TypeAlias = IriRef | PrefixedName
Term: TypeAlias = IriRef | PrefixedName | Variable | BlankNode | Literal


# ---- Property paths ----------------------------------------------------------------------------------


@value_class
class InversePath(Node):
    """``^path``."""

    path: Path


@value_class
class SequencePath(Node):
    """``a / b / c``; at least two steps."""

    steps: tuple[Path, ...]


@value_class
class AlternativePath(Node):
    """``a | b | c``; at least two choices."""

    choices: tuple[Path, ...]


@value_class
class RepeatedPath(Node):
    """``path*``, ``path+`` or ``path?``."""

    path: Path
    times: OneOf["*", "+", "?"]


@value_class
class NegatedPropertySet(Node):
    """``!(a | ^b)``: members are IRIs and inverses of IRIs; ``!a`` has one member, ``!()`` none."""

    members: tuple[IriRef | PrefixedName | InversePath, ...]


Path: TypeAlias = (
    IriRef | PrefixedName | InversePath | SequencePath | AlternativePath | RepeatedPath | NegatedPropertySet
)


# ---- Triples -----------------------------------------------------------------------------------------


@value_class
class Collection(Node):
    """``(a b c)``; ``()`` (rdf:nil) has no items."""

    items: tuple[GraphNode, ...]


@value_class
class PropertyObjects(Node):
    """One verb with its objects: ``:p :a, :b``."""

    verb: Variable | Path
    objects: tuple[GraphNode, ...]


@value_class
class BlankNodePropertyList(Node):
    """``[ :p :a ; :q :b ]``; at least one property."""

    properties: tuple[PropertyObjects, ...]


@value_class
class SubjectTriples(Node):
    """One subject with its properties (TriplesSameSubject).

    ``properties`` is empty only where the subject is a BlankNodePropertyList or a Collection with items.
    """

    subject: GraphNode
    properties: tuple[PropertyObjects, ...]


@value_class
class TriplesBlock(Node):
    """Triples between two other elements of a group."""

    subjects: tuple[SubjectTriples, ...]


GraphNode: TypeAlias = (
    IriRef | PrefixedName | Variable | BlankNode | Literal | Collection | BlankNodePropertyList
)


# ---- Expressions -------------------------------------------------------------------------------------


@value_class
class Or(Node):
    """``a || b || c``; at least two operands."""

    operands: tuple[Expression, ...]


@value_class
class And(Node):
    """``a && b && c``; at least two operands."""

    operands: tuple[Expression, ...]


ComparisonOperator: TypeAlias = OneOf["=", "!=", "<", ">", "<=", ">="]
ArithmeticOperator: TypeAlias = OneOf["+", "-", "*", "/"]


@value_class
class Comparison(Node):
    """``left < right`` and the like."""

    operator: ComparisonOperator
    left: Expression
    right: Expression


@value_class
class Membership(Node):
    """``value IN (...)``, or ``value NOT IN (...)`` with ``negated``."""

    value: Expression
    choices: tuple[Expression, ...]
    negated: bool


@value_class
class Arithmetic(Node):
    """``left + right`` and the like. ``?x -1`` is Arithmetic("-", ?x, 1)."""

    operator: ArithmeticOperator
    left: Expression
    right: Expression


@value_class
class Unary(Node):
    """``!operand``, ``-operand`` or ``+operand``."""

    operator: OneOf["!", "-", "+"]
    operand: Expression


@value_class
class BuiltInCall(Node):
    """A built-in of SPARQL 1.1 section 17.4, one of the functions of time, or PREV.

    ``name`` is in capitals whatever the query wrote (``STRLEN``, ``SAMETERM``, ``GETDURATION``); ``URI`` is
    ``IRI``. The number of arguments is checked by the grammar.
    """

    name: str
    arguments: tuple[Expression, ...]


@value_class
class FunctionCall(Node):
    """A function or cast named by an IRI: ``xsd:integer(?x)``, ``prolog:near(?a, ?b)``."""

    function: Iri
    arguments: tuple[Expression, ...]
    distinct: bool = False


@value_class
class Exists(Node):
    """``EXISTS {...}``, or ``NOT EXISTS {...}`` with ``negated``."""

    group: Group
    negated: bool


AggregateName: TypeAlias = OneOf[
    "COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT", "FIRST", "LAST", "LIST"
]


@value_class
class Aggregate(Node):
    """``COUNT``, ``SUM``, ``MIN``, ``MAX``, ``AVG``, ``SAMPLE`` or ``GROUP_CONCAT``.

    Over the iterations of REPEAT also ``FIRST``, ``LAST`` and ``LIST``. ``argument`` is None for
    ``COUNT(*)``; ``separator`` is None where the query gives none.
    """

    name: AggregateName
    argument: Expression | None
    distinct: bool
    separator: str | None = None


Expression: TypeAlias = (
    IriRef
    | PrefixedName
    | Variable
    | Literal
    | Or
    | And
    | Comparison
    | Membership
    | Arithmetic
    | Unary
    | BuiltInCall
    | FunctionCall
    | Exists
    | Aggregate
)


@value_class
class ExpressionAs(Node):
    """``(expression AS ?variable)`` of SELECT and GROUP BY."""

    expression: Expression
    variable: Variable


# ---- Graph patterns ----------------------------------------------------------------------------------


@value_class
class Combination(Node):
    """``left OPERATOR right``; ``operator`` is the word in capitals: ``SEQ``, ``UNION``.

    ``selection`` is what stands behind a SEQ. All operators have one precedence and associate to the left.
    ``OPTIONAL`` stands here only where another combinator follows it: ``{A} OPTIONAL {B} SEQ {C}`` is
    Combination(SEQ, Combination(OPTIONAL, A, B), C). Any other OPTIONAL is an OptionalPattern, which
    applies to all that stands before it in its group, as in SPARQL.
    """

    operator: str
    left: Step | Combination
    right: Step
    selection: Selection | None = None


@value_class
class Selection(Node):
    """``NEXT``, ``STRICT``, ``STRICT PER ?x`` or ``STRICT AMONG {..}``: which later solutions count."""

    word: OneOf["NEXT", "STRICT"]
    per: tuple[Variable, ...] = ()
    among: Group | None = None


@value_class
class Repeat(Node):
    """``REPEAT low TO high mode PER ?x {..} MEASURES (..)``; ``high`` is None for any number.

    ``per`` may belong to STRICT (as the scope) and names the variables that all iterations share.
    """

    low: int
    high: int | None
    mode: OneOf["ALL", "NEXT", "ANY", "STRICT"]
    longest: bool
    among: Group | None
    per: tuple[Variable, ...]
    group: Group
    measures: tuple[ExpressionAs, ...]


@value_class
class Negated(Node):
    """``NOT {..}``, ``NOT {..} FOR length`` or ``NOT {..} FOR length FROM START``."""

    group: Group
    length: Duration | None = None
    from_start: bool = False


@value_class
class Timer(Node):
    """``EVERY period`` or ``AFTER period``."""

    word: OneOf["EVERY", "AFTER"]
    period: Duration


@value_class
class Within(Node):
    """``WITHIN length``; bounds the solutions of its whole group, as a FILTER does."""

    length: Duration


@value_class
class Group(Node):
    """``{ ... }``, its elements in the order they were written.

    A group that holds a sub-SELECT has that one Select as its only element. ``implied`` marks the group
    around ``WHERE {..} SEQ {..} FILTER(..)``, for which the query wrote no braces.
    """

    elements: tuple[GroupElement, ...]
    implied: bool = False


@value_class
class Filter(Node):
    """``FILTER expression``; applies to its whole group wherever it stands."""

    expression: Expression


@value_class
class Bind(Node):
    """``BIND(expression AS ?variable)``; applies to what stands before it in its group."""

    expression: Expression
    variable: Variable


@value_class
class DataRow(Node):
    """One row of VALUES; None is UNDEF."""

    values: tuple[IriRef | PrefixedName | Literal | None, ...]


@value_class
class GoalPattern(Node):
    """``prolog:near(?a, ?b)`` as a pattern: a solution for each answer of the user's predicate."""

    name: Iri
    arguments: tuple[Term, ...]


@value_class
class InlineData(Node):
    """``VALUES``; every row is as long as ``variables`` (checked by ``restrictions.py``)."""

    variables: tuple[Variable, ...]
    rows: tuple[DataRow, ...]


@value_class
class OptionalPattern(Node):
    """``OPTIONAL {...}``: the left side is all that stands before it in its group."""

    group: Group


@value_class
class MinusPattern(Node):
    """``MINUS {...}``: the left side is all that stands before it in its group."""

    group: Group


@value_class
class GraphPattern(Node):
    """``GRAPH name {...}``."""

    name: Variable | Iri
    group: Group


@value_class
class StreamPattern(Node):
    """``STREAM name {...}``, in CQELS ``STREAM name [RANGE length] {...}``.

    Without an ``extent`` it looks at the window of ``FROM STREAM name [...]``, where there is one.
    """

    name: Variable | Iri
    group: Group
    extent: StreamExtent | None = None


@value_class
class WindowPattern(Node):
    """``WINDOW name {...}``."""

    name: Variable | Iri
    group: Group


@value_class
class EventPattern(Node):
    """``EVENT {...}`` or ``EVENT stream {...}``."""

    stream: Variable | Iri | None
    group: Group


@value_class
class EventName(Node):
    """The name of an event that no ``EVENT ON`` declares: declared ones stand for what they say."""

    name: str


@value_class
class ChosenEvent(Node):
    """``FIRST E``, ``LAST E``."""

    word: OneOf["FIRST", "LAST"]
    event: EventExpression


@value_class
class EventChain(Node):
    """``E1 SEQ E2``, or with another combinator."""

    operator: str
    left: EventExpression
    right: EventExpression


@value_class
class FilteredEvent(Node):
    """``{ E FILTER (...) }``: those for which all ``conditions`` are true."""

    event: EventExpression
    conditions: tuple[Expression, ...]


EventExpression: TypeAlias = EventName | EventPattern | ChosenEvent | EventChain | FilteredEvent


@value_class
class MatchPattern(Node):
    """``MATCH {...}`` of RSEP-QL: events in windows.

    Those for which all ``conditions`` are true, which may speak of what ``bindings`` bind.
    """

    event: EventExpression
    bindings: tuple[Bind, ...] = ()
    conditions: tuple[Expression, ...] = ()


@value_class
class ServicePattern(Node):
    """``SERVICE [SILENT] endpoint {...}``."""

    endpoint: Variable | Iri
    group: Group
    silent: bool


@value_class
class Duration(Node):
    """An xsd:duration as written, e.g. ``PT1H15M``; its form is checked, its value is not taken."""

    lexical: str


@value_class
class RangeWindow(Node):
    """``WINDOW [RANGE width]`` or ``WINDOW [RANGE width STEP step]``."""

    width: Duration
    step: Duration | None


@value_class
class RowsWindow(Node):
    """``WINDOW [ROWS count]``; count is at least 1."""

    count: int


@value_class
class PastWindow(Node):
    """``WINDOW [NOW-begin TO NOW-end]``; None is NOW itself."""

    begin: Duration | None
    end: Duration | None


Window: TypeAlias = RangeWindow | RowsWindow | PastWindow


@value_class
class Length(Node):
    """``10s``, ``500ms``, ``5``: a number of some unit, as written; None is the unit of PRAGMA time-unit."""

    number: int
    unit: str | None


@value_class
class TimeExtent(Node):
    """``[RANGE width STEP step STARTING AT time WHOLE]``; a ``width`` of None is ``UNBOUNDED``, ``ALL``."""

    width: Duration | Length | None
    step: Duration | Length | None = None
    starting_at: Literal | None = None
    whole: bool = False


@value_class
class CountExtent(Node):
    """``[ELEMENTS count STEP step]`` or, of ``triples``, ``[TRIPLES count STEP step]``, both above zero."""

    count: int
    triples: bool
    step: int | None = None


@value_class
class Landmark(Node):
    """``[LND time]``."""

    begin: Literal


@value_class
class PastExtent(Node):
    """``[NOW-begin TO NOW-end STEP step]``; a ``begin`` or ``end`` of None is NOW itself."""

    begin: Duration | Length | None
    end: Duration | Length | None
    step: Duration | Length | None = None


@value_class
class NowExtent(Node):
    """``[NOW]``."""


StreamExtent: TypeAlias = TimeExtent | CountExtent | Landmark | PastExtent | NowExtent


@value_class
class Skip(Node):
    """``SKIP PAST LAST`` or, with ``to_next``, ``SKIP TO NEXT``; for each value of ``per`` by itself."""

    to_next: bool
    per: tuple[Variable, ...] = ()


@value_class
class OrderCondition(Node):
    """One key of ORDER BY."""

    expression: Expression
    descending: bool


@value_class
class AggregateClause(Node):
    """``AGGREGATE { (variable, aggregate, {keys}) FILTER(condition) }`` of C-SPARQL."""

    variable: Variable
    aggregate: Aggregate
    keys: tuple[Variable, ...]
    conditions: tuple[Filter, ...]


@value_class
class Modifiers(Node):
    """What follows WHERE. The span is empty (at the end of WHERE) if there is nothing."""

    aggregates: tuple[AggregateClause, ...] = ()
    group_by: tuple[Expression | ExpressionAs, ...] = ()
    having: tuple[Expression, ...] = ()
    window: Window | None = None
    skip: Skip | None = None
    order_by: tuple[OrderCondition, ...] = ()
    limit: int | None = None
    offset: int | None = None


# ---- Queries -----------------------------------------------------------------------------------------


@value_class
class BaseDeclaration(Node):
    """``BASE <iri>``."""

    iri: IriRef


@value_class
class PrefixDeclaration(Node):
    """``PREFIX prefix: <iri>``."""

    prefix: str
    iri: IriRef


@value_class
class Pragma(Node):
    """``PRAGMA name value``: ``name`` in small letters, ``value`` as text (quotes of a string taken off)."""

    name: str
    value: str


@value_class
class Prologue(Node):
    """Declarations in the order they were written: a BASE holds for what follows it."""

    declarations: tuple[BaseDeclaration | PrefixDeclaration | Pragma, ...]


@value_class
class DatasetClause(Node):
    """``FROM iri``, ``FROM NAMED iri`` or ``FROM STREAM iri``."""

    iri: Iri
    named: bool = False
    stream: bool = False


@value_class
class StreamWindow(Node):
    """A window on a stream: ``FROM NAMED WINDOW name ON stream [...]``, or without a name.

    ``word`` tells the spelling: ``WINDOW``, ``STREAM`` (C-SPARQL) or ``WIN`` (RSEP-QL).
    """

    stream: Iri
    extent: StreamExtent
    name: Iri | None
    word: OneOf["WINDOW", "STREAM", "WIN"]


@value_class
class EventDeclaration(Node):
    """``EVENT ON window {...} AS name``."""

    window: Iri
    group: Group
    name: str


@value_class
class Registration(Node):
    """``REGISTER RSTREAM name EVERY period STARTING AT time REPORT CLOSE NONEMPTY AS``.

    ``word`` may also be ``STREAM`` or ``QUERY``. A ``name`` that is a bare word is a text.
    """

    word: RelationToStream | OneOf["STREAM", "QUERY"]
    name: Iri | str
    every: Duration | Length | None = None
    starting_at: Literal | None = None
    report: OneOf["CLOSE", "CHANGE", "ARRIVAL"] | None = None
    nonempty: bool = False


@value_class
class Select(Node):
    """A SELECT query, or as an element of a group a sub-SELECT (which has no datasets).

    ``projection`` is None for ``SELECT *``.
    """

    duplicates: OneOf["DISTINCT", "REDUCED"] | None
    projection: tuple[Variable | ExpressionAs, ...] | None
    datasets: tuple[DatasetClause, ...]
    where: Group
    modifiers: Modifiers
    values: InlineData | None
    windows: tuple[StreamWindow, ...] = ()
    to_stream: RelationToStream | None = None
    events: tuple[EventDeclaration, ...] = ()


@value_class
class Construct(Node):
    """A CONSTRUCT query; in the ``short`` form the template is also the only TriplesBlock of ``where``.

    ``stream`` is where the triples go: None is the default stream.
    """

    template: tuple[SubjectTriples, ...]
    datasets: tuple[DatasetClause, ...]
    where: Group
    modifiers: Modifiers
    values: InlineData | None
    short: bool = False
    stream: Iri | None = None
    windows: tuple[StreamWindow, ...] = ()
    to_stream: RelationToStream | None = None
    events: tuple[EventDeclaration, ...] = ()


@value_class
class Ask(Node):
    """An ASK query."""

    datasets: tuple[DatasetClause, ...]
    where: Group
    modifiers: Modifiers
    values: InlineData | None
    windows: tuple[StreamWindow, ...] = ()
    events: tuple[EventDeclaration, ...] = ()


@value_class
class Describe(Node):
    """A DESCRIBE query; ``subjects`` is None for ``DESCRIBE *``, ``where`` None where it is left out."""

    subjects: tuple[Variable | Iri, ...] | None
    datasets: tuple[DatasetClause, ...]
    where: Group | None
    modifiers: Modifiers
    values: InlineData | None
    windows: tuple[StreamWindow, ...] = ()
    events: tuple[EventDeclaration, ...] = ()


Step: TypeAlias = Group | Repeat | Negated | Timer
"""What combinators stand between."""
GroupElement: TypeAlias = (
    TriplesBlock
    | Filter
    | Within
    | Bind
    | GoalPattern
    | InlineData
    | OptionalPattern
    | MinusPattern
    | GraphPattern
    | StreamPattern
    | WindowPattern
    | EventPattern
    | MatchPattern
    | ServicePattern
    | Step
    | Combination
    | Select
)
QueryForm: TypeAlias = Select | Construct | Ask | Describe


@value_class
class Query(Node):
    """One query: its prologue, its form and, of a windowed query, how it is registered.

    ``text`` is what the spans count in (the whole program where there are several queries), ``source`` its
    name for messages; ``spans.place_of(query.text, node.span, query.source)`` is the place of a node.
    """

    prologue: Prologue
    form: QueryForm
    registration: Registration | None = None
    dialect: DialectName | None = None
    """As the caller says; None where the text says it."""
    starting_at: int | None = None
    """When windows begin where the text does not say so, microseconds: as the caller says."""
    text: str = field(default="", compare=False, repr=False)
    source: str | None = field(default=None, compare=False, repr=False)


AnyNode: TypeAlias = (
    Query
    | QueryForm
    | Prologue
    | BaseDeclaration
    | PrefixDeclaration
    | Pragma
    | DatasetClause
    | StreamWindow
    | EventDeclaration
    | EventName
    | ChosenEvent
    | EventChain
    | FilteredEvent
    | Registration
    | StreamExtent
    | Length
    | Modifiers
    | AggregateClause
    | Window
    | Skip
    | Selection
    | Duration
    | OrderCondition
    | ExpressionAs
    | GroupElement
    | DataRow
    | SubjectTriples
    | PropertyObjects
    | GraphNode
    | Path
    | Expression
)
"""All that a query is made of."""
