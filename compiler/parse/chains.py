"""Which steps can follow one another in a chain: NOT, AFTER and EVERY have their places.

What can be seen in the text alone; what the patterns of the steps bind is the business of
``restrictions.py``.
"""

from __future__ import annotations

from typing import NamedTuple

from typing_extensions import assert_never

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.spans import Span

__all__ = ["Link", "check_chain", "links"]


class Link(NamedTuple):
    """One step of a chain, with the operator and its selection that lead to it; the first has none."""

    operator: str
    selection: syntax.Selection | None
    step: syntax.Step
    span: Span


def links(chain: syntax.Combination | syntax.Step) -> list[Link]:
    """The steps of a chain, from the left."""
    found: list[Link] = []
    while isinstance(chain, syntax.Combination):
        found.append(Link(chain.operator, chain.selection, chain.right, chain.span))
        chain = chain.left
    found.append(Link("", None, chain, chain.span))
    return found[::-1]


def check_chain(chain: syntax.Combination | syntax.Step) -> None:
    """Refuse NOT, AFTER and REPEAT ALL where they cannot stand.

    Raises:
        Fault: EP118, EP120.
    """
    steps = links(chain)
    for place, link in enumerate(steps):
        following = steps[place + 1] if place + 1 < len(steps) else None
        match link.step:
            case syntax.Negated():
                _check_negated(link, following)
            case syntax.Timer(word="AFTER"):
                if link.operator != "SEQ" or link.selection is not None:
                    hint = "write { ... } SEQ AFTER PT10M: ten minutes after the end of what stands before"
                    raise Fault("EP118", "AFTER can only stand behind SEQ", link.step.span, hint)
            case syntax.Repeat(mode="ALL") if link.selection is not None:
                word = link.selection.word
                hint = f"write SEQ REPEAT {{ ... }}, or SEQ {word} REPEAT {word} {{ ... }}"
                message = f"SEQ {word} leads to one solution, and REPEAT ALL takes all that there are"
                raise Fault("EP118", message, link.step.span, hint)
            case syntax.Group() | syntax.Repeat() | syntax.Timer():
                pass
            case _:
                assert_never(link.step)


def _check_negated(link: Link, following: Link | None) -> None:
    negated = link.step
    assert isinstance(negated, syntax.Negated)
    is_first = not link.operator
    if not is_first and (link.operator != "SEQ" or link.selection is not None):
        hint = "write { ... } SEQ NOT { ... } SEQ { ... }"
        raise Fault("EP118", "NOT can only stand behind SEQ, or first", negated.span, hint)
    if negated.from_start and is_first:
        hint = "FROM START counts from the start of what stands before: { ... } SEQ NOT { ... } FOR PT30M"
        raise Fault("EP118", "NOT with FROM START cannot stand first", negated.span, hint)
    if negated.length is not None and not is_first:
        return
    if following is None:
        if negated.length is not None:
            hint = "write { ... } SEQ NOT { ... } FOR PT30M, or NOT { ... } FOR PT30M SEQ { ... }"
            raise Fault("EP118", "NOT needs a step before it or after it", negated.span, hint)
        hint = "say for how long: NOT { ... } FOR PT30M; or what follows: NOT { ... } SEQ { ... }"
        raise Fault("EP120", "NOT at the end of a chain needs FOR", negated.span, hint)
    is_last_seq = following.operator == "SEQ" and isinstance(following.step, syntax.Group)
    if not is_last_seq or (is_first and following.selection is not None):
        hint = "write NOT { ... } SEQ { ... }"
        message = "NOT without FOR is followed by SEQ and a group in braces"
        if negated.length is not None:
            message = "NOT that stands first is followed by SEQ and a group in braces"
        raise Fault("EP118", message, negated.span, hint)
