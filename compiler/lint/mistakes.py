"""All errors of a text, not only the first: what ``etalis check`` shows.

Only used when a query was refused. Each query of the text, each clause, each prefix and each call is looked
at by itself, so that one error does not hide another.
"""

from __future__ import annotations

from collections.abc import Iterator

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.policies import PolicyName
from etalis_py.compiler.algebra.translate import translate
from etalis_py.compiler.algebra.translate_expressions import ExpressionTranslator
from etalis_py.compiler.compile import compile_program
from etalis_py.compiler.languages.language_names import LanguageName
from etalis_py.compiler.languages.languages import in_dialect, language_of
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.names import Names
from etalis_py.compiler.parse.parser import parse_each
from etalis_py.compiler.parse.restrictions import restriction_faults
from etalis_py.compiler.parse.syntax_walk import check_depth, walk
from etalis_py.compiler.refusals import QueryText
from etalis_py.core.errors import QueryError, QuerySyntaxError

__all__ = ["all_errors"]


def all_errors(
    text: str,
    *,
    source: str | None = None,
    base: str | None = None,
    policy: PolicyName = "unrestricted",
    language: LanguageName | None = None,
) -> list[QueryError]:
    """What is wrong with the queries of a text, in the order of the text; none if it can be compiled."""
    found: dict[tuple[object, ...], QueryError] = {}
    language = language or language_of(text, source)
    errors = _first_error(text, source, base, policy, language)
    if language not in ("spaseq", "etalis"):
        errors = _errors(text, source, base, policy, language)
    for error in errors:
        place = error.place
        key = (error.code, None if place is None else (place.line, place.column))
        found.setdefault(key, error)
    return sorted(found.values(), key=_position)


def _position(error: QueryError) -> tuple[int, int]:
    place = error.place
    return (0, 0) if place is None else (place.line or 0, place.column or 0)


def _errors(
    text: str, source: str | None, base: str | None, policy: PolicyName, language: LanguageName
) -> Iterator[QueryError]:
    found: list[QueryError]
    for parsed in in_dialect(parse_each(text, source), language):
        if isinstance(parsed, QuerySyntaxError):
            yield parsed
            continue
        try:
            check_depth(parsed)
        except Fault as fault:
            yield fault.error(text, source)
            continue
        query_text = QueryText(text, source, base)
        found = [fault.error(text, source) for fault in restriction_faults(parsed)]
        found += _of_names_and_calls(parsed, query_text)
        yield from found
        if not found:
            try:
                translate(parsed, query_text)
            except QueryError as error:
                yield error
    yield from _first_error(text, source, base, policy, language)


def _first_error(
    text: str, source: str | None, base: str | None, policy: PolicyName, language: LanguageName
) -> Iterator[QueryError]:
    """What a text is refused with."""
    try:
        compile_program(text, name="query", source=source, base=base, policy=policy, language=language)
    except QueryError as error:
        yield error


def _of_names_and_calls(query: syntax.Query, text: QueryText) -> Iterator[QueryError]:
    """Prefixes that are not declared, each once, and calls that cannot be."""
    try:
        names = Names(query.prologue, text=text.text, source=text.source, base=text.base)
    except QueryError as error:
        yield error
        return
    undeclared: set[str] = set()
    calls = []
    for node in walk(query):
        if isinstance(node, syntax.PrefixedName) and node.prefix not in undeclared:
            try:
                names.resolve(node)
            except QueryError as error:
                undeclared.add(node.prefix)
                yield error
        elif isinstance(node, (syntax.FunctionCall, syntax.BuiltInCall)):
            calls.append(node)
    if undeclared:
        return  # what a call of such a name is cannot be said
    expressions = ExpressionTranslator(text, names)
    expressions.group = lambda group: algebra.Unit(span=group.span)
    for call in calls:
        try:
            with expressions.aggregates(lambda aggregate: algebra.Variable("_:", span=aggregate.span)):
                expressions.translate(call)
        except QueryError as error:
            yield error
