"""The syntax tree of an EP-SPARQL query, as it was written.

Prefixes and IRIs are unresolved (``names.Names`` resolves them), collections and blank node property
lists are not yet triples, numbers keep their lexical form. Every node has a ``span`` into the query
text; it takes no part in ``==``, so that equal trees from different places are equal.

Terms, paths and triples are defined in ``syntax_triples.py``, expressions in ``syntax_expressions.py``;
import them all from here.
Does not say what a query means: that is ``algebra.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Literal as OneOf
from typing import TypeAlias

from etalis_py.compiler.syntax_expressions import (
    TIME_FUNCTIONS,
    Aggregate,
    And,
    Arithmetic,
    BuiltInCall,
    Comparison,
    Exists,
    Expression,
    ExpressionAs,
    FunctionCall,
    Membership,
    Or,
    Unary,
)
from etalis_py.compiler.syntax_triples import (
    RDF_TYPE,
    XSD,
    AlternativePath,
    BlankNode,
    BlankNodePropertyList,
    Collection,
    GraphNode,
    InversePath,
    Iri,
    IriRef,
    Literal,
    NegatedPropertySet,
    Node,
    Path,
    PrefixedName,
    PropertyObjects,
    RepeatedPath,
    SequencePath,
    SubjectTriples,
    Term,
    TriplesBlock,
    Variable,
)

__all__ = [
    "RDF_TYPE",
    "TIME_FUNCTIONS",
    "XSD",
    "Aggregate",
    "AlternativePath",
    "And",
    "Arithmetic",
    "Ask",
    "BaseDeclaration",
    "Bind",
    "BlankNode",
    "BlankNodePropertyList",
    "BuiltInCall",
    "Collection",
    "Combination",
    "Combinator",
    "Comparison",
    "Construct",
    "DataRow",
    "DatasetClause",
    "Describe",
    "Duration",
    "Exists",
    "Expression",
    "ExpressionAs",
    "Filter",
    "FunctionCall",
    "GraphNode",
    "GraphPattern",
    "Group",
    "GroupElement",
    "InlineData",
    "InversePath",
    "Iri",
    "IriRef",
    "Literal",
    "Membership",
    "MinusPattern",
    "Modifiers",
    "NegatedPropertySet",
    "Node",
    "OptionalPattern",
    "Or",
    "OrderCondition",
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
    "RepeatedPath",
    "RowsWindow",
    "Select",
    "SequencePath",
    "ServicePattern",
    "SubjectTriples",
    "Term",
    "TriplesBlock",
    "Unary",
    "Variable",
    "Window",
]


# ---- Graph patterns ----------------------------------------------------------------------------------


class Combinator(Enum):
    """The operators between two groups; all have one precedence and associate to the left."""

    SEQ = "SEQ"
    EQUALS = "EQUALS"
    OPTIONALSEQ = "OPTIONALSEQ"
    EQUALSOPTIONAL = "EQUALSOPTIONAL"
    UNION = "UNION"
    OPTIONAL = "OPTIONAL"


@dataclass(frozen=True, slots=True)
class Combination(Node):
    """``left OPERATOR right``.

    ``OPTIONAL`` stands here only where another combinator follows it: ``{A} OPTIONAL {B} SEQ {C}`` is
    Combination(SEQ, Combination(OPTIONAL, A, B), C). Any other OPTIONAL is an OptionalPattern, which
    applies to all that stands before it in its group, as in SPARQL.
    """

    operator: Combinator
    left: Group | Combination
    right: Group


@dataclass(frozen=True, slots=True)
class Group(Node):
    """``{ ... }``, its elements in the order they were written.

    A group that holds a sub-SELECT has that one Select as its only element. ``implied`` marks the group
    around ``WHERE {..} SEQ {..} FILTER(..)``, for which the query wrote no braces.
    """

    elements: tuple[GroupElement, ...]
    implied: bool = False


@dataclass(frozen=True, slots=True)
class Filter(Node):
    """``FILTER expression``; applies to its whole group wherever it stands."""

    expression: Expression


@dataclass(frozen=True, slots=True)
class Bind(Node):
    """``BIND(expression AS ?variable)``; applies to what stands before it in its group."""

    expression: Expression
    variable: Variable


@dataclass(frozen=True, slots=True)
class DataRow(Node):
    """One row of VALUES; None is UNDEF."""

    values: tuple[IriRef | PrefixedName | Literal | None, ...]


@dataclass(frozen=True, slots=True)
class InlineData(Node):
    """``VALUES``; every row is as long as ``variables`` (checked by ``restrictions.py``)."""

    variables: tuple[Variable, ...]
    rows: tuple[DataRow, ...]


@dataclass(frozen=True, slots=True)
class OptionalPattern(Node):
    """``OPTIONAL {...}``: the left side is all that stands before it in its group."""

    group: Group


@dataclass(frozen=True, slots=True)
class MinusPattern(Node):
    """``MINUS {...}``: the left side is all that stands before it in its group."""

    group: Group


@dataclass(frozen=True, slots=True)
class GraphPattern(Node):
    """``GRAPH name {...}``."""

    name: Variable | Iri
    group: Group


@dataclass(frozen=True, slots=True)
class ServicePattern(Node):
    """``SERVICE [SILENT] endpoint {...}``."""

    endpoint: Variable | Iri
    group: Group
    silent: bool


@dataclass(frozen=True, slots=True)
class Duration(Node):
    """An xsd:duration as written, e.g. ``PT1H15M``; its form is checked, its value is not taken."""

    lexical: str


@dataclass(frozen=True, slots=True)
class RangeWindow(Node):
    """``WINDOW [RANGE width]`` or ``WINDOW [RANGE width STEP step]``."""

    width: Duration
    step: Duration | None


@dataclass(frozen=True, slots=True)
class RowsWindow(Node):
    """``WINDOW [ROWS count]``; count is at least 1."""

    count: int


@dataclass(frozen=True, slots=True)
class PastWindow(Node):
    """``WINDOW [NOW-begin TO NOW-end]``; None is NOW itself."""

    begin: Duration | None
    end: Duration | None


Window: TypeAlias = RangeWindow | RowsWindow | PastWindow


@dataclass(frozen=True, slots=True)
class OrderCondition(Node):
    """One key of ORDER BY."""

    expression: Expression
    descending: bool


@dataclass(frozen=True, slots=True)
class Modifiers(Node):
    """What follows WHERE. The span is empty (at the end of WHERE) if there is nothing."""

    group_by: tuple[Expression | ExpressionAs, ...] = ()
    having: tuple[Expression, ...] = ()
    window: Window | None = None
    order_by: tuple[OrderCondition, ...] = ()
    limit: int | None = None
    offset: int | None = None


# ---- Queries -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BaseDeclaration(Node):
    """``BASE <iri>``."""

    iri: IriRef


@dataclass(frozen=True, slots=True)
class PrefixDeclaration(Node):
    """``PREFIX prefix: <iri>``."""

    prefix: str
    iri: IriRef


@dataclass(frozen=True, slots=True)
class Pragma(Node):
    """``PRAGMA name value``: ``name`` in small letters, ``value`` as text (quotes of a string taken off)."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Prologue(Node):
    """Declarations in the order they were written: a BASE holds for what follows it."""

    declarations: tuple[BaseDeclaration | PrefixDeclaration | Pragma, ...]


@dataclass(frozen=True, slots=True)
class DatasetClause(Node):
    """``FROM iri`` or ``FROM NAMED iri``."""

    iri: Iri
    named: bool


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Construct(Node):
    """A CONSTRUCT query; in the ``short`` form the template is also the only TriplesBlock of ``where``."""

    template: tuple[SubjectTriples, ...]
    datasets: tuple[DatasetClause, ...]
    where: Group
    modifiers: Modifiers
    values: InlineData | None
    short: bool = False


@dataclass(frozen=True, slots=True)
class Ask(Node):
    """An ASK query."""

    datasets: tuple[DatasetClause, ...]
    where: Group
    modifiers: Modifiers
    values: InlineData | None


@dataclass(frozen=True, slots=True)
class Describe(Node):
    """A DESCRIBE query; ``subjects`` is None for ``DESCRIBE *``, ``where`` None where it is left out."""

    subjects: tuple[Variable | Iri, ...] | None
    datasets: tuple[DatasetClause, ...]
    where: Group | None
    modifiers: Modifiers
    values: InlineData | None


GroupElement: TypeAlias = (
    TriplesBlock
    | Filter
    | Bind
    | InlineData
    | OptionalPattern
    | MinusPattern
    | GraphPattern
    | ServicePattern
    | Group
    | Combination
    | Select
)
QueryForm: TypeAlias = Select | Construct | Ask | Describe


@dataclass(frozen=True, slots=True)
class Query(Node):
    """One query: its prologue and its form.

    ``text`` is what the spans count in (the whole program where there are several queries), ``source`` its
    name for messages; ``spans.place_of(query.text, node.span, query.source)`` is the place of a node.
    """

    prologue: Prologue
    form: QueryForm
    text: str = field(default="", compare=False, repr=False)
    source: str | None = field(default=None, compare=False, repr=False)
