"""Random chains of SEQ: three to five groups, bracketed in any way, with filters in the braces."""

from __future__ import annotations

from tests.oracle.backgrounds import BACKGROUNDS
from tests.oracle.chooser import Chooser
from tests.oracle.examples import Example, Send
from tests.oracle.query_texts import TriplePattern
from tests.oracle.solutions import Occurrence
from tests.oracle.vocabulary import ENTITIES, PREDICATES, PROLOGUE, SECOND, VARIABLES, written

__all__ = ["make_chain_example"]

_LAST_SECOND = 8
_FAVOURITES = {"?x": "urn:a", "?y": "urn:a", "?z": "urn:b"}
_TIMED = ('getDURATION() < "PT4S"^^xsd:duration', 'getDURATION() <= "PT2S"^^xsd:duration')


def make_chain_example(choice: Chooser) -> Example:
    """A query with one chain, which may be joined with more, over a stream of up to 20 occurrences."""
    writer = _ChainWriter(choice)
    body = writer.chain(choice.choose((3, 3, 3, 4, 4, 5)))
    if choice.rarely(4):
        body = f"{body} {writer.group()} {writer.group()}"
    if choice.rarely(3):
        body = f"{body} FILTER({writer.condition()})"
    background = choice.number(0, len(BACKGROUNDS) - 1) if choice.rarely(4) else None
    steps = _steps(choice, writer.patterns)
    return Example((f"{PROLOGUE}SELECT * WHERE {{ {body} }}",), steps, background, entails=True)


class _ChainWriter:
    def __init__(self, choice: Chooser) -> None:
        self._choice = choice
        self.patterns: list[TriplePattern] = []

    def chain(self, size: int) -> str:
        """Groups with SEQ between them; some in braces of their own."""
        if size == 1:
            return self.group()
        cut = self._choice.number(1, size - 1)
        left, right = self.chain(cut), self.chain(size - cut)
        if cut > 1 and self._choice.rarely(2):
            left = self._braced(left)
        if size - cut > 1:
            right = self._braced(right)
        return f"{left} SEQ {right}"

    def _braced(self, body: str) -> str:
        return f"{{ {body}{f' FILTER({self.condition()})' if self._choice.rarely(3) else ''} }}"

    def group(self) -> str:
        """Triples, mostly one."""
        triples = " . ".join(self._triple() for _ in range(self._choice.choose((1, 1, 1, 1, 1, 1, 2, 3))))
        optional = f" OPTIONAL {{ {self._triple()} }}" if self._choice.rarely(12) else ""
        return f"{{ {triples}{optional} }}"

    def _triple(self) -> str:
        subject, target = (f"?{self._choice.choose(VARIABLES)}" for _ in range(2))
        predicate = self._choice.choose(PREDICATES)
        self.patterns.append((subject, predicate, target))
        return f"{subject} {written(predicate)} {target}"

    def condition(self) -> str:
        """Of a group; one in three speaks of its interval."""
        if self._choice.rarely(3):
            return self._choice.choose(_TIMED)
        one, other = (f"?{self._choice.choose(VARIABLES)}" for _ in range(2))
        return self._choice.choose((f"{one} != {other}", "?x = ?y", f"bound({one})", f"{one} != :c"))


def _steps(choice: Chooser, patterns: list[TriplePattern]) -> tuple[Send, ...]:
    """Instances of the patterns, most with the favourite value of each variable."""
    occurrences: list[Occurrence] = []
    for _ in range(choice.number(16, 20)):
        end = choice.number(0, _LAST_SECOND)
        start = choice.number(0, end) if choice.rarely(8) else end
        subject, predicate, target = (
            choice.choose(ENTITIES) if choice.rarely(8) else _FAVOURITES.get(str(term), term)
            for term in choice.choose(patterns)
        )
        triple = (str(subject), str(predicate) if predicate in PREDICATES else PREDICATES[0], target)
        occurrences.append((triple, (start * SECOND, end * SECOND)))
    occurrences.sort(key=lambda each: each[1][1])
    cut = choice.number(0, len(occurrences))
    return (Send(tuple(occurrences[:cut])), Send(tuple(occurrences[cut:])))
