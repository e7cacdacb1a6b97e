"""The algebra of EP-SPARQL, and what several stages ask of it.

The operators themselves are in ``algebra_nodes.py``; import them from here.
"""

from __future__ import annotations

from etalis_py.compiler.algebra_nodes import (
    TIME_FUNCTIONS,
    Aggregate,
    Apply,
    BinaryPattern,
    Closure,
    Constant,
    Distinct,
    EqualsJoin,
    EqualsOptional,
    Exists,
    Expression,
    Extend,
    Filter,
    GraphNames,
    Group,
    Join,
    Minus,
    Node,
    Optional,
    OptionalSeq,
    OrderBy,
    OrderKey,
    PairPattern,
    Pattern,
    Project,
    SeqJoin,
    Slice,
    Table,
    TermPattern,
    TriplePattern,
    Union,
    Unit,
    Variable,
)
from etalis_py.compiler.algebra_queries import AskQuery, ConstructQuery, DescribeQuery, Query, SelectQuery

__all__ = [
    "TIME_FUNCTIONS",
    "Aggregate",
    "Apply",
    "AskQuery",
    "BinaryPattern",
    "Closure",
    "Constant",
    "ConstructQuery",
    "DescribeQuery",
    "Distinct",
    "EqualsJoin",
    "EqualsOptional",
    "Exists",
    "Expression",
    "Extend",
    "Filter",
    "GraphNames",
    "Group",
    "Join",
    "Minus",
    "Node",
    "Optional",
    "OptionalSeq",
    "OrderBy",
    "OrderKey",
    "PairPattern",
    "Pattern",
    "Project",
    "Query",
    "SelectQuery",
    "SeqJoin",
    "Slice",
    "Table",
    "TermPattern",
    "TriplePattern",
    "Union",
    "Unit",
    "Variable",
    "conjoin",
    "conjuncts",
    "existence_tests",
    "expression_variables",
    "uses_time",
    "variables",
]


def variables(pattern: Pattern) -> tuple[Variable, ...]:
    """The variables in scope after ``pattern``, each once, in order of appearance."""
    match pattern:
        case Unit():
            found: list[Variable] = []
        case Table() | Project():
            found = list(pattern.variables)
        case GraphNames():
            found = _named(pattern.graph)
        case TriplePattern():
            found = _named(*pattern.terms, pattern.graph)
        case Closure():
            found = _named(pattern.subject, pattern.object, pattern.graph)
        case Filter() | Distinct() | OrderBy() | Slice():
            found = list(variables(pattern.pattern))
        case Group():
            found = [*pattern.keys, *(each.variable for each in pattern.aggregates)]
        case Minus():
            found = list(variables(pattern.left))
        case Extend():
            found = [*variables(pattern.pattern), pattern.variable]
        case _:
            found = [*variables(pattern.left), *variables(pattern.right)]
    return tuple(dict.fromkeys(found))


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
        case Exists():
            own = frozenset(variables(expression.pattern))
            return own if expression.condition is None else own | expression_variables(expression.condition)


def existence_tests(expression: Expression | None) -> tuple[Exists, ...]:
    """The EXISTS of an expression, each once, but those within their patterns."""
    match expression:
        case Exists():
            return (expression,)
        case Apply(arguments=arguments):
            return tuple(dict.fromkeys(test for each in arguments for test in existence_tests(each)))
        case _:
            return ()


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
