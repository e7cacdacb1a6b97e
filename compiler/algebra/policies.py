"""Selection and consumption policies: which of several partners a solution takes, and what answers use up.

``unrestricted`` gives all combinations. Under ``chronological`` and ``recent`` the solution that completes a
pair takes one partner, the earliest or the latest, and the occurrences of an answer are consumed
(docs/semantics.md#policies). What has no clean meaning then is refused here.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal, TypeAlias, cast, get_args

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Pattern
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.syntax_walk import walk
from etalis_py.compiler.refusals import QueryText

__all__ = [
    "POLICIES",
    "Policy",
    "PolicyName",
    "chooses",
    "leads_to_pair",
    "matches_events",
    "policy_of",
    "policy_of_pairs",
    "refuse_unclear",
]

PolicyName: TypeAlias = Literal["unrestricted", "chronological", "recent"]
"""Which combinations are answers: all, or of several partners the earliest or the latest, used once."""
POLICIES: Final[tuple[PolicyName, ...]] = get_args(PolicyName)


class Policy(Enum):
    """Which partner is taken."""

    CHRONOLOGICAL = "chronological"
    RECENT = "recent"


def policy_of(prologue: syntax.Prologue, default: PolicyName, text: QueryText) -> Policy | None:
    """The policy of a query: its own (``PRAGMA policy recent``) or the engine's; None for unrestricted.

    Raises:
        CompileError: EP204, no such policy, or two.
    """
    pragmas = [
        each for each in prologue.declarations if isinstance(each, syntax.Pragma) and each.name == "policy"
    ]
    for each in pragmas:
        if each.value not in POLICIES:
            message, hint = f"there is no policy {each.value!r}", f"a policy is {_listed()}"
            raise text.error("EP204", message, each.span, hint=hint)
        if each.value != pragmas[0].value:
            message, hint = "the query has another policy already", "a query has one policy"
            raise text.error("EP204", message, each.span, hint=hint)
    name = cast("PolicyName", pragmas[0].value) if pragmas else default
    return None if name == "unrestricted" else Policy(name)


def policy_of_pairs(query: syntax.Query, policy: Policy | None) -> Policy | None:
    """That by which pairs are chosen: none in a query with MATCH, which chooses by itself (`Windowed`)."""
    return None if matches_events(query) else policy


def matches_events(query: syntax.Query) -> bool:
    """Whether it has a MATCH."""
    return any(isinstance(each, syntax.MatchPattern) for each in walk(query.form))


def _listed() -> str:
    return f"{', '.join(POLICIES[:-1])} or {POLICIES[-1]}"


def leads_to_pair(pattern: Pattern) -> bool:
    """Whether filters above ``pattern`` judge the pairs of an operator: only filters and BIND are between."""
    while isinstance(pattern, algebra.Filter | algebra.Extend):
        pattern = pattern.pattern
    return isinstance(pattern, algebra.Pair)


def chooses(pattern: Pattern) -> bool:
    """Whether filters pushed into ``pattern`` may reach a pair and choose among its partners."""
    match pattern:
        case algebra.Filter() | algebra.Extend():
            return chooses(pattern.pattern)
        case algebra.Minus(left=left):
            return chooses(left)
        case algebra.Union(left=left, right=right):
            return chooses(left) or chooses(right)
        case algebra.Pair():
            return True
        case _:
            return False


# ---- what has no meaning under a policy ------------------------------------------------------------------


def refuse_unclear(query: algebra.Query, policy: Policy | None, text: QueryText, *, at_instant: bool) -> None:
    """Refuse what a policy gives no clean meaning to.

    Raises:
        CompileError: EP212.
    """
    if policy is None:
        return
    if at_instant:
        hint = "plain SPARQL has no policy; leave it out, or the time for all triples"
        raise _unclear(text, "a run at one instant", policy, query, hint)
    if isinstance(query, algebra.DescribeQuery):
        hint = "ask for the triples with CONSTRUCT"
        raise _unclear(text, "DESCRIBE, which asks for all triples of a resource,", policy, query, hint)
    top = query.pattern.pattern if isinstance(query.pattern, algebra.Distinct) else query.pattern
    _refuse_within(top, policy, text)


def _refuse_within(pattern: Pattern, policy: Policy, text: QueryText) -> None:
    match pattern:
        case algebra.Closure():
            hint = "a path of one step, or several in a row, can be used; so can UNION"
            raise _unclear(text, "a path with ?, * or +, which is a set of walks,", policy, pattern, hint)
        case _ if pattern.CHOOSES:
            hint = "ask for it without a policy; NEXT, STRICT and SKIP choose among matches, too"
            raise _unclear(text, pattern.CHOOSES, policy, pattern, hint)
        case algebra.Pair(operator=operator) if operator.next_only:
            hint = "leave out NEXT, or the policy"
            raise _unclear(text, "SEQ NEXT, which chooses by itself,", policy, pattern, hint)
        case algebra.Distinct():
            hint = "let the outermost SELECT be DISTINCT, without LIMIT"
            message = "DISTINCT anywhere but around the whole query"
            raise _unclear(text, message, policy, pattern, hint)
        case algebra.Minus(left=left):
            _refuse_within(left, policy, text)  # all combinations count in what is subtracted
        case _:
            for each in algebra.children(pattern):
                _refuse_within(each, policy, text)


def _unclear(text: QueryText, what: str, policy: Policy, node: algebra.Node, hint: str) -> Exception:
    message = f"{what} has no meaning under the policy {policy.value}"
    return text.error("EP212", message, node.span, hint=hint)
