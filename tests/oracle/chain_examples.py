"""Random chains of SEQ: three to five groups, bracketed in any way, with filters in the braces."""

from __future__ import annotations

from tests.oracle.backgrounds import BACKGROUNDS
from tests.oracle.chooser import Chooser
from tests.oracle.examples import Example, Send
from tests.oracle.solutions import Occurrence
from tests.oracle.vocabulary import PREDICATES, PROLOGUE, SECOND, VARIABLES, written

__all__ = ["make_chain_example"]

_TERMS = ("urn:a", "urn:a", "urn:a", "urn:b")
_TIMED = ('getDURATION() < "PT3S"^^xsd:duration', 'getDURATION() <= "PT2S"^^xsd:duration')


def make_chain_example(choice: Chooser) -> Example:
    """A query with one chain, or with two that are joined, over a stream of up to 16 occurrences."""
    body = _chain(choice, choice.choose((3, 3, 4, 5)), 0)
    if choice.rarely(4):
        body = f"{body} {_group(choice)} {_group(choice)}"
    if choice.rarely(3):
        body = f"{body} FILTER({_condition(choice)})"
    background = choice.number(0, len(BACKGROUNDS) - 1) if choice.rarely(4) else None
    return Example((f"{PROLOGUE}SELECT * WHERE {{ {body} }}",), _steps(choice), background, entails=True)


def _chain(choice: Chooser, size: int, depth: int) -> str:
    """Groups with SEQ between them; some in braces of their own."""
    if size == 1:
        return _group(choice)
    cut = choice.number(1, size - 1)
    left, right = _chain(choice, cut, depth + 1), _chain(choice, size - cut, depth + 1)
    if cut > 1 and choice.rarely(2):
        left = _braced(choice, left)
    if size - cut > 1:
        right = _braced(choice, right)
    return f"{left} SEQ {right}"


def _braced(choice: Chooser, body: str) -> str:
    return f"{{ {body}{f' FILTER({_condition(choice)})' if choice.rarely(3) else ''} }}"


def _group(choice: Chooser) -> str:
    triples = " . ".join(_triple(choice) for _ in range(choice.choose((1, 1, 1, 2, 3))))
    optional = f" OPTIONAL {{ {_triple(choice)} }}" if choice.rarely(8) else ""
    return f"{{ {triples}{optional} }}"


def _triple(choice: Chooser) -> str:
    subject, target = (f"?{choice.choose(VARIABLES)}" for _ in range(2))
    return f"{subject} {written(choice.choose(PREDICATES))} {target}"


def _condition(choice: Chooser) -> str:
    if choice.rarely(2):
        return choice.choose(_TIMED)
    one, other = (f"?{choice.choose(VARIABLES)}" for _ in range(2))
    return choice.choose((f"{one} = {other}", f"{one} != {other}", f"bound({one})", f"{one} = :a"))


def _steps(choice: Chooser) -> tuple[Send, ...]:
    occurrences: list[Occurrence] = []
    for _ in range(choice.number(8, 16)):
        end = choice.number(0, 6)
        start = choice.number(0, end) if choice.rarely(6) else end
        triple = (choice.choose(_TERMS), choice.choose(PREDICATES), choice.choose(_TERMS))
        occurrences.append((triple, (start * SECOND, end * SECOND)))
    occurrences.sort(key=lambda each: each[1][1])
    cut = choice.number(0, len(occurrences))
    return (Send(tuple(occurrences[:cut])), Send(tuple(occurrences[cut:])))
