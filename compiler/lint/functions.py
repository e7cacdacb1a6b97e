"""Extension functions that nobody registered."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from difflib import get_close_matches
from functools import partial

from etalis_py.compiler.algebra.functions import FUNCTIONS
from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.lint.findings import Check, Finding, Subject
from etalis_py.compiler.rules.prolog_terms import Atom, Compound, Term
from etalis_py.compiler.spans import Span

__all__ = ["unknown_functions"]


def unknown_functions(known: Collection[str]) -> Check:
    """The check for functions that are not ``known``: their value is an error (SPARQL 1.1, 17.6)."""
    return partial(_unknown, known)


def _unknown(known: Collection[str], subject: Subject) -> Iterator[Finding]:
    for iri, span in _called(subject.query).items():
        if iri in known:
            continue
        casts = [each for each in FUNCTIONS if ":" in each]
        near = get_close_matches(iri, [*known, *casts], n=1, cutoff=0.8)
        hint = f"there is <{near[0]}>" if near else "Engine(functions={iri: f}) or --functions registers one"
        yield Finding("EW50", f"nobody registered the function <{iri}>: its value is an error", span, hint)


def _called(query: CompiledQuery) -> dict[str, Span]:
    """The IRI of each function, and the operator in whose rule it stands first."""
    found: dict[str, Span] = {}
    for rule in query.rules.rules:
        for iri in _calls(rule.body):
            found.setdefault(iri, rule.span)
    return found


def _calls(goal: Term) -> Iterator[str]:
    """In the order of the text; without recursion, as a thousand conditions are one goal within the other."""
    todo = [goal]
    while todo:
        match todo.pop():
            case Compound(functor="call_function", arguments=(Atom(name=iri), arguments, _)):
                yield iri
                todo.append(arguments)
            case Compound(arguments=parts):
                todo += reversed(parts)
            case _:
                pass
