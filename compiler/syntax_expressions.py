"""The syntax tree's expressions, as they were written.

Import the names from ``syntax.py``, which has the rules that hold for all nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias
from typing import Literal as OneOf

from etalis_py.compiler.syntax_triples import Iri, IriRef, Literal, Node, PrefixedName, Variable

if TYPE_CHECKING:
    from etalis_py.compiler.syntax import Group

TIME_FUNCTIONS = frozenset({"GETDURATION", "GETSTARTTIME", "GETENDTIME"})


@dataclass(frozen=True, slots=True)
class Or(Node):
    """``a || b || c``; at least two operands."""

    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class And(Node):
    """``a && b && c``; at least two operands."""

    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Comparison(Node):
    """``left < right`` and its kin."""

    operator: OneOf["=", "!=", "<", ">", "<=", ">="]
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Membership(Node):
    """``value IN (...)``, or ``value NOT IN (...)`` with ``negated``."""

    value: Expression
    choices: tuple[Expression, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class Arithmetic(Node):
    """``left + right`` and its kin. ``?x -1`` is Arithmetic("-", ?x, 1)."""

    operator: OneOf["+", "-", "*", "/"]
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """``!operand``, ``-operand`` or ``+operand``."""

    operator: OneOf["!", "-", "+"]
    operand: Expression


@dataclass(frozen=True, slots=True)
class BuiltInCall(Node):
    """A built-in of SPARQL 1.1 section 17.4, or one of TIME_FUNCTIONS.

    ``name`` is in capitals whatever the query wrote (``STRLEN``, ``SAMETERM``, ``GETDURATION``); ``URI`` is
    ``IRI``. The number of arguments is checked by the grammar.
    """

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class FunctionCall(Node):
    """A function or cast named by an IRI: ``xsd:integer(?x)``, ``prolog:near(?a, ?b)``."""

    function: Iri
    arguments: tuple[Expression, ...]
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Exists(Node):
    """``EXISTS {...}``, or ``NOT EXISTS {...}`` with ``negated``."""

    group: Group
    negated: bool


@dataclass(frozen=True, slots=True)
class Aggregate(Node):
    """``COUNT``, ``SUM``, ``MIN``, ``MAX``, ``AVG``, ``SAMPLE`` or ``GROUP_CONCAT``.

    ``argument`` is None for ``COUNT(*)``; ``separator`` is None where the query gives none.
    """

    name: OneOf["COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT"]
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


@dataclass(frozen=True, slots=True)
class ExpressionAs(Node):
    """``(expression AS ?variable)`` of SELECT and GROUP BY."""

    expression: Expression
    variable: Variable
