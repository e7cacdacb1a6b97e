"""Variables that have no value where they are used, and those that may be another one's slip of the pen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Expression, Variable
from etalis_py.compiler.lint.findings import Finding, Subject
from etalis_py.compiler.lint.nearest import nearest
from etalis_py.compiler.lint.scopes import each_part
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.syntax_walk import walk
from etalis_py.compiler.spans import Span

__all__ = ["similar_variables", "unbound_variables"]

_VARIABLE = re.compile(r"[?$](\w+)")
"""Quicker than the syntax tree, and enough to see that no name is like another one."""


def unbound_variables(subject: Subject) -> Iterator[Finding]:
    """EW06: a variable that is used where nothing can give it a value."""
    bound = _bound(subject)
    reported: set[tuple[str, int]] = set()
    for variable, span, use in _unbound(subject):
        if variable.is_hidden or (variable.name, span.start) in reported:
            continue
        reported.add((variable.name, span.start))
        if variable.name in bound:
            message = f"?{variable.name} has no value here: {use}"
            hint = "a FILTER or BIND sees the variables within its own braces, and BIND only those before it"
            yield Finding("EW06", message, span, hint)
        else:
            near = nearest(variable.name, bound)
            message = f"?{variable.name} is bound nowhere: {use}"
            hint = f"did you mean ?{near}?" if near else "no triple pattern, BIND or VALUES gives it a value"
            yield Finding("EW06", message, span, hint)


def _bound(subject: Subject) -> set[str]:
    """The names that get a value somewhere."""
    return {each.name for pattern, _ in subject.scopes.patterns for each in pattern.binds}


def _unbound(subject: Subject) -> Iterator[tuple[Variable, Span, str]]:
    for tested in subject.scopes.tested:
        use = (
            "a comparison with it is never true"
            if tested.is_filter
            else "anything computed from it is an error"
        )
        for variable in _named(tested.expression):
            if variable not in tested.seen:
                yield variable, variable.span, use
    seen = subject.scopes.seen
    for pattern, outer in subject.scopes.patterns:
        if isinstance(pattern, algebra.Project):
            yield from _missing(
                pattern.variables, {**outer, **seen(pattern.pattern)}, "its column stays empty"
            )
        elif isinstance(pattern, algebra.Group):
            inner = seen(pattern.pattern)
            yield from _missing(pattern.keys, inner, "it separates no groups")
            arguments = (each.argument for each in pattern.aggregates if each.argument is not None)
            yield from _missing(arguments, inner, "there is nothing to aggregate")
    meaning = subject.query.meaning
    if isinstance(meaning, algebra.ConstructQuery):
        known = seen(meaning.pattern)
        for triple in meaning.template:
            terms = (each for each in triple.terms if isinstance(each, Variable))
            yield from _missing(terms, known, "no triple is made with it")


def _missing(
    variables: Iterable[Variable], known: Iterable[Variable], use: str
) -> Iterator[tuple[Variable, Span, str]]:
    names = set(known)
    return ((each, each.span, use) for each in variables if each not in names)


def _named(expression: Expression) -> Iterator[Variable]:
    return (each for each in each_part(expression) if isinstance(each, Variable))


def similar_variables(subject: Subject) -> Iterator[Finding]:
    """EW07: a variable that stands in one place only, where another one is written nearly the same."""
    span = subject.query.syntax.span
    counts = Counter(_VARIABLE.findall(subject.query.text.text, span.start, span.end))
    common = {name for name, count in counts.items() if count > 1}
    single = (name for name, count in counts.items() if count == 1)
    meant = {name: near for name in single if (near := nearest(name, common)) is not None}
    if not meant:
        return
    bound = _bound(subject)  # what is bound nowhere is already reported
    for each in walk(subject.query.syntax.form):
        if isinstance(each, syntax.Variable) and each.name in bound and each.name in meant:
            message = f"?{each.name} appears only here, so it matches any value"
            yield Finding("EW07", message, each.span, f"did you mean ?{meant[each.name]}?")
