"""The algebra of EP-SPARQL: what a query means, names resolved.

The operators are those of DESIGN section 4 (EP-SPARQL paper, section 3; SPARQL 1.1, section 18). A
solution is a mapping with an interval; background alone gives solutions without one ("timeless", the
neutral element of min and max), which pass through joins but never are an answer.

Does not say how solutions are found: that is ``plan.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from etalis_py.compiler.spans import Span
from etalis_py.terms import Encoded

__all__ = [
    "TIME_FUNCTIONS",
    "Apply",
    "BinaryPattern",
    "Constant",
    "ConstructQuery",
    "Distinct",
    "EqualsJoin",
    "EqualsOptional",
    "Expression",
    "Extend",
    "Filter",
    "Join",
    "Node",
    "Optional",
    "OptionalSeq",
    "PairPattern",
    "Pattern",
    "Project",
    "Query",
    "SelectQuery",
    "SeqJoin",
    "TriplePattern",
    "Union",
    "Unit",
    "Variable",
    "conjoin",
    "conjuncts",
    "expression_variables",
    "uses_time",
    "variables",
]


@dataclass(frozen=True, slots=True)
class Node:
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


Expression: TypeAlias = Variable | Constant | Apply
TermPattern: TypeAlias = Variable | Constant

TIME_FUNCTIONS = frozenset({"GETDURATION", "GETSTARTTIME", "GETENDTIME"})


# ---- Patterns ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Unit(Node):
    """The empty group: one timeless solution that binds nothing."""


@dataclass(frozen=True, slots=True)
class TriplePattern(Node):
    """Matched by occurrences of the stream and by triples of the background."""

    subject: TermPattern
    predicate: TermPattern
    object: TermPattern

    @property
    def terms(self) -> tuple[TermPattern, TermPattern, TermPattern]:
        """Subject, predicate and object."""
        return (self.subject, self.predicate, self.object)


@dataclass(frozen=True, slots=True)
class Join(Node):
    """Any compatible pair; start is the earlier start, end the later end."""

    left: Pattern
    right: Pattern


@dataclass(frozen=True, slots=True)
class SeqJoin(Node):
    """``A SEQ B``: compatible, and A ends before B starts."""

    left: Pattern
    right: Pattern


@dataclass(frozen=True, slots=True)
class EqualsJoin(Node):
    """``A EQUALS B``: compatible, with the same start and the same end."""

    left: Pattern
    right: Pattern


@dataclass(frozen=True, slots=True)
class Union(Node):
    """Either side."""

    left: Pattern
    right: Pattern


@dataclass(frozen=True, slots=True)
class Optional(Node):
    """``A OPTIONAL B``: each pair with B.end <= A.end and the condition true; else A alone.

    Time functions in ``condition`` (here and in the two below) speak of the optional side's interval.
    """

    left: Pattern
    right: Pattern
    condition: Expression | None


@dataclass(frozen=True, slots=True)
class OptionalSeq(Node):
    """``A OPTIONALSEQ B``: each pair of ``A SEQ B`` with the condition true; else **B** alone."""

    left: Pattern
    right: Pattern
    condition: Expression | None


@dataclass(frozen=True, slots=True)
class EqualsOptional(Node):
    """``A EQUALSOPTIONAL B``: each pair of ``A EQUALS B`` with the condition true; else A alone."""

    left: Pattern
    right: Pattern
    condition: Expression | None


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
class Project(Node):
    """The solutions restricted to ``variables``, in that order; a bag."""

    pattern: Pattern
    variables: tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class Distinct(Node):
    """One of each (bindings, start, end)."""

    pattern: Pattern


PairPattern: TypeAlias = Join | SeqJoin | EqualsJoin | Optional | OptionalSeq | EqualsOptional
BinaryPattern: TypeAlias = PairPattern | Union
Pattern: TypeAlias = (
    Unit
    | TriplePattern
    | Join
    | SeqJoin
    | EqualsJoin
    | Union
    | Optional
    | OptionalSeq
    | EqualsOptional
    | Filter
    | Extend
    | Project
    | Distinct
)


# ---- Queries -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SelectQuery(Node):
    """``pattern`` is a Project or a Distinct of one."""

    pattern: Pattern
    variables: tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class ConstructQuery(Node):
    """Each solution adds the template's triples to the stream, with the solution's interval.

    A template variable whose name starts with ``_:`` is a blank node, fresh for each solution.
    """

    pattern: Pattern
    template: tuple[TriplePattern, ...]


Query: TypeAlias = SelectQuery | ConstructQuery


# ---- Questions asked by several stages ---------------------------------------------------------------


def variables(pattern: Pattern) -> tuple[Variable, ...]:
    """The variables in scope after ``pattern``, each once, in order of appearance."""
    match pattern:
        case Unit():
            found: list[Variable] = []
        case TriplePattern():
            found = [term for term in pattern.terms if isinstance(term, Variable)]
        case Filter() | Distinct():
            found = list(variables(pattern.pattern))
        case Extend():
            found = [*variables(pattern.pattern), pattern.variable]
        case Project():
            found = list(pattern.variables)
        case _:
            found = [*variables(pattern.left), *variables(pattern.right)]
    return tuple(dict.fromkeys(found))


def expression_variables(expression: Expression) -> frozenset[Variable]:
    """All variables that ``expression`` mentions."""
    match expression:
        case Variable():
            return frozenset({expression})
        case Constant():
            return frozenset()
        case Apply():
            return frozenset().union(*(expression_variables(each) for each in expression.arguments))


def uses_time(expression: Expression) -> bool:
    """Whether the value depends on the interval of the solution."""
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
