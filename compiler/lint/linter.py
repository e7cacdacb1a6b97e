"""Runs all checks over a query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.lint.bindings import similar_variables, unbound_variables
from etalis_py.compiler.lint.bounds import contradictory_bounds
from etalis_py.compiler.lint.comparisons import fixed_comparisons, ill_formed_literals, months
from etalis_py.compiler.lint.connections import unconnected_parts, useless_minus
from etalis_py.compiler.lint.findings import Check, Finding, Subject, Vocabulary
from etalis_py.compiler.lint.growth import endless_aggregates, endless_waiting
from etalis_py.compiler.lint.ignoring import Ignored
from etalis_py.compiler.lint.names import unknown_names
from etalis_py.compiler.lint.scopes import Scopes
from etalis_py.compiler.lint.windows import unseen_windows
from etalis_py.compiler.spans import place_of
from etalis_py.core.errors import EtalisWarning
from etalis_py.core.value_class import value_class

__all__ = ["ALL_CHECKS", "CHECKS", "GROWTH_CHECKS", "lint", "lint_program"]

CHECKS: Final[tuple[Check, ...]] = (
    fixed_comparisons,
    ill_formed_literals,
    months,
    contradictory_bounds,
    unbound_variables,
    similar_variables,
    unconnected_parts,
    useless_minus,
    unknown_names,
    unseen_windows,
)
"""Mistakes, however a query is run."""

GROWTH_CHECKS: Final[tuple[Check, ...]] = (endless_waiting, endless_aggregates)
"""What matters on a stream without an end."""

ALL_CHECKS: Final = (*CHECKS, *GROWTH_CHECKS)

_LONGEST: Final = 50_000
"""A text of more characters was written by a program, and is not looked at."""


@value_class
class _NoVocabulary:
    """Nothing is known of names."""

    def near(self, iri: str, *, is_class: bool) -> str | None:  # noqa: ARG002 - it never knows one
        """No name."""
        return None


def lint(
    query: CompiledQuery,
    vocabulary: Vocabulary | None = None,
    *,
    at_instant: bool = False,
    checks: Sequence[Check] = CHECKS,
) -> list[Finding]:
    """What is probably not meant in a query, in the order of its text.

    A query says itself what to ignore (``ignoring.py``).
    """
    if len(query.text.text) > _LONGEST:
        return []
    subject = Subject(query, Scopes(query.meaning.pattern), vocabulary or _NoVocabulary(), at_instant)
    ignored = Ignored(query.text.text)
    found = [each for check in checks for each in check(subject)]
    if checks is not GROWTH_CHECKS:
        found += [Finding(each.code, each.message, each.span, each.hint) for each in query.remarks]
    found = [each for each in found if not ignored.covers(each)]
    return sorted(dict.fromkeys(found), key=lambda each: (each.span.start, each.code))


def lint_program(
    queries: Sequence[CompiledQuery],
    vocabulary: Vocabulary | None = None,
    *,
    at_instant: bool = False,
    checks: Sequence[Check] = CHECKS,
) -> list[EtalisWarning]:
    """The findings of the queries of one text as warnings with their places."""
    if not queries:
        return []
    text = queries[0].text
    found = [] if checks is GROWTH_CHECKS else [*Ignored(text.text).unknown()]
    for each in queries:
        found += lint(each, vocabulary, at_instant=at_instant, checks=checks)
    return list(_warnings(found, text.text, text.source))


def _warnings(found: Iterable[Finding], text: str, source: str | None) -> Iterator[EtalisWarning]:
    for each in found:
        yield EtalisWarning(each.code, each.message, place=place_of(text, each.span, source), hint=each.hint)
