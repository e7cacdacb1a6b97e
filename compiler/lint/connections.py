"""Parts of a pattern that have nothing to do with each other, so that each goes with each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Constant, Expression, Pattern, Variable
from etalis_py.compiler.lint.findings import Finding, Subject
from etalis_py.compiler.lint.nearest import nearest
from etalis_py.compiler.spans import Span
from etalis_py.core.terms import Encoded
from etalis_py.core.value_class import value_class
from etalis_py.core.vocabulary import RDF_TYPE

__all__ = ["unconnected_parts", "useless_minus"]

_HINT: Final = (
    "let them share a variable, or compare their variables in a FILTER; if every combination is "
    "meant, say so: # etalis: ignore EW08"
)


@value_class
class _Part:
    """A part that a solution has: its variables, and the resources that it names.

    ``is_link``: it has no solutions of its own, and says how those of others fit together.
    """

    span: Span
    names: frozenset[object]
    is_link: bool = False


def unconnected_parts(subject: Subject) -> Iterator[Finding]:
    """EW08: parts of a join or a SEQ that share no variable or resource, and are compared in no filter."""
    if subject.query.plan.policy is not None:
        return  # it takes one partner, whichever that is
    inside: set[int] = set()
    for pattern, outer in subject.scopes.patterns:
        if id(pattern) in inside:
            continue
        parts = [*_parts(pattern, inside, subject), _Part(pattern.span, frozenset(outer), is_link=True)]
        named = [each for each in parts if not each.is_link and _has_variables(each)]
        alone = _second_of_two(named, parts)
        if alone is not None:
            message = f"{subject.written(alone.span)} shares no variable with what comes before it"
            yield Finding("EW08", message, alone.span, _hint(alone, named))


def _hint(alone: _Part, named: list[_Part]) -> str:
    """How the part may be meant: perhaps one of its variables is another one with a slip in its name."""
    parts = Counter(name for each in named for name in _variables(each))
    for name in _variables(alone):
        near = nearest(name, parts, short_words=True)
        if near is not None:
            slip, meant = (near, name) if parts[near] < parts[name] else (name, near)
            return f"did you mean ?{meant} instead of ?{slip}? If not, {_HINT}"
    return _HINT


def _variables(part: _Part) -> list[str]:
    """Their names, in the order of the text."""
    shown = (each for each in part.names if isinstance(each, Variable) and not each.is_hidden)
    return [each.name for each in sorted(shown, key=lambda each: (each.span.start, each.name))]


def _has_variables(part: _Part) -> bool:
    """Whether it has variables but blank nodes: what has none is a mere condition on the time."""
    return any(isinstance(each, Variable) and not each.is_hidden for each in part.names)


def _second_of_two(named: list[_Part], parts: list[_Part]) -> _Part | None:
    """The first part that nothing connects with the first of all."""
    if len(named) < 2:
        return None
    reached, rest = set(named[0].names), list(parts)
    while True:
        touching = [each for each in rest if each.names & reached]
        if not touching:
            break
        rest = [each for each in rest if not each.names & reached]
        reached.update(*(each.names for each in touching))
    return next((each for each in named if not each.names & reached), None)


def _parts(pattern: Pattern, inside: set[int], subject: Subject) -> Iterator[_Part]:
    """What the solutions of a pattern are joined from, and what connects it; notes what it goes through."""
    todo = [pattern]
    while todo:
        current = todo.pop()
        inside.add(id(current))
        yield from _links(current, subject)
        joined = _joined(current)
        todo += reversed(joined)
        if not joined and isinstance(current, algebra.TriplePattern):
            yield _Part(current.span, frozenset(_names(current)))
        elif not joined and algebra.children(current) and current is not pattern:
            inside.discard(id(current))  # it is looked at by itself
            yield _Part(current.span, frozenset(subject.scopes.seen(current)) | _ends(current))


def _joined(pattern: Pattern) -> tuple[Pattern, ...]:
    """The patterns whose solutions make up those of ``pattern``; none if it is a part by itself."""
    match pattern:
        case algebra.OrderBy() | algebra.Slice() | algebra.Skip() | algebra.Repeat():
            return ()
        case algebra.Pair():
            return algebra.children(pattern)
        case _:
            return pattern.required


def _links(pattern: Pattern, subject: Subject) -> Iterator[_Part]:
    """What a pattern says of how the parts around it fit together."""
    match pattern:
        case algebra.Extend(variable=variable, expression=expression):
            names = {variable, *algebra.expression_variables(expression)}
            if algebra.uses_time(expression):  # the times of all that stands before it
                names.update(subject.scopes.seen(pattern))
            yield _Part(pattern.span, frozenset(names), is_link=True)
        case algebra.Table() | algebra.Lookup():
            yield _Part(pattern.span, frozenset(algebra.variables(pattern)), is_link=True)
        case _:
            yield from (_link(expression) for expression, _ in pattern.expressions)


def _link(expression: Expression) -> _Part:
    return _Part(expression.span, frozenset(algebra.expression_variables(expression)), is_link=True)


def _names(pattern: algebra.TriplePattern) -> Iterator[object]:
    """Variables, and resources but classes and properties: what two parts may be about."""
    for term in pattern.all_terms:
        if isinstance(term, Variable):
            yield term
    yield from _resource(pattern.subject)
    if pattern.predicate != Constant(RDF_TYPE):
        yield from _resource(pattern.object)


def _ends(pattern: Pattern) -> frozenset[Encoded]:
    if not isinstance(pattern, algebra.Closure):
        return frozenset()
    return frozenset((*_resource(pattern.subject), *_resource(pattern.object)))


def _resource(term: object) -> tuple[Encoded, ...]:
    return (term.value,) if isinstance(term, Constant) and isinstance(term.value, str) else ()


def useless_minus(subject: Subject) -> Iterator[Finding]:
    """EW09: a MINUS whose sides share no variable."""
    for pattern, _ in subject.scopes.patterns:
        if isinstance(pattern, algebra.Minus):
            left, right = subject.scopes.seen(pattern.left), subject.scopes.seen(pattern.right)
            shared = (left.keys() & right.keys()) - pattern.ignored
            if not shared:
                message = "this MINUS removes nothing: its group shares no variable with what comes before it"
                hint = (
                    "let them share one, or write FILTER NOT EXISTS { ... } if any match of the group "
                    "should count"
                )
                yield Finding("EW09", message, pattern.right.span, hint)
