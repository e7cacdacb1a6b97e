"""The one printer of association choices: rates of the operands, and what each order would cost."""

from __future__ import annotations

from collections.abc import Sequence

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Pattern
from etalis_py.compiler.algebra.operators import JOIN
from etalis_py.compiler.association.association import Tree
from etalis_py.compiler.association.choice import OrderChoice
from etalis_py.compiler.explain.readable import Readable, window_text
from etalis_py.compiler.refusals import QueryText

__all__ = ["orders_text"]


def orders_text(choices: Sequence[OrderChoice], readable: Readable, text: QueryText) -> str:
    """What was chosen for each chain of a query; empty without a chain."""
    return "\n\n".join(_choice(each, readable, text) for each in choices)


def _choice(choice: OrderChoice, readable: Readable, text: QueryText) -> str:
    chain = choice.chain
    operator = "SEQ" if chain.in_sequence else "the join"
    lines = [f"order of {operator} in line {text.line_of(chain.span)}, window {window_text(chain.window)}:"]
    operands = [_pattern(each, readable) for each in chain.operands]
    width = max(map(len, operands))
    for number, (operand, rate) in enumerate(zip(operands, choice.rates, strict=True), start=1):
        rate_text = "at a rate that is not known" if rate is None else f"{_number(rate)} a second"
        lines.append(f"  {number}: {operand.ljust(width)}  {rate_text}")
    if not choice.alternatives:
        return "\n".join([*lines, "  as written"])
    trees = [_tree(each.tree, chain.in_sequence) for each in choice.alternatives]
    names = max(len(each.name) for each in choice.alternatives)
    width = max(map(len, trees))
    for each, tree in zip(choice.alternatives, trees, strict=True):
        mark = ", chosen" if each.tree == choice.chosen else ""
        cost = f"costs {_number(each.cost)} steps a second{mark}"
        lines.append(f"  {each.name.ljust(names)}  {tree.ljust(width)}  {cost}")
    return "\n".join(lines)


def _tree(tree: Tree, in_sequence: bool, inner: bool = False) -> str:
    if isinstance(tree, int):
        return str(tree + 1)
    text = (" SEQ " if in_sequence else " . ").join(_tree(each, in_sequence, True) for each in tree)
    return f"({text})" if inner else text


def _pattern(pattern: Pattern, readable: Readable) -> str:
    """A pattern in one line, without its filters."""
    match pattern:
        case algebra.TriplePattern():
            return readable.triple(pattern)
        case algebra.Closure():
            return readable.path(pattern)
        case algebra.Filter():
            return f"{_pattern(pattern.pattern, readable)} FILTER"
        case algebra.Pair(operator=operator):
            return _sides(pattern, "." if operator is JOIN else operator.word, readable)
        case algebra.Union() | algebra.Minus():
            return _sides(pattern, type(pattern).__name__.upper(), readable)
        case _:
            name, below = type(pattern).__name__, algebra.children(pattern)
            return f"{name} of {_pattern(below[0], readable)}" if len(below) == 1 else name


def _sides(pattern: algebra.Pair | algebra.Union | algebra.Minus, word: str, readable: Readable) -> str:
    return f"{_side(pattern.left, readable)} {word} {_side(pattern.right, readable)}"


def _side(pattern: Pattern, readable: Readable) -> str:
    text = _pattern(pattern, readable)
    is_join = isinstance(pattern, algebra.Pair) and pattern.operator is JOIN
    return text if is_join or isinstance(pattern, algebra.TriplePattern) else f"{{ {text} }}"


def _number(value: float) -> str:
    """Three digits.

    >>> _number(12345.6), _number(0.01234), _number(3.0), _number(2.5e9)
    ('12,346', '0.0123', '3', '2.5e+09')
    """
    if 1_000 <= value < 1_000_000_000:
        return f"{value:,.0f}"
    return f"{value:.3g}"
