"""Random queries with an optional or subtracted side, and conditions that say how old a partner may be.

Chains of instants are longer than the windows, so that what is forgotten would be missed.
"""

from __future__ import annotations

from tests.oracle.backgrounds import BACKGROUNDS
from tests.oracle.chooser import Chooser
from tests.oracle.examples import Advance, Example, Send, Step
from tests.oracle.query_texts import TriplePattern
from tests.oracle.solutions import Occurrence
from tests.oracle.vocabulary import ENTITIES, PREDICATES, PROLOGUE, SECOND, written

__all__ = ["make_optional_example"]

_LAST_SECOND = 10
_FAVOURITES = {"?x": "urn:a", "?y": "urn:b", "?z": "urn:b", "?v": "urn:b", "?w": "urn:b"}
_OPERATORS = ("OPTIONAL", "OPTIONALSEQ", "EQUALSOPTIONAL", "OPTIONAL", "OPTIONALSEQ", "EXISTS", "MINUS")


def make_optional_example(choice: Chooser) -> Example:
    """One query, over a stream of up to 24 occurrences."""
    writer = _OptionalWriter(choice)
    text = writer.between() if choice.rarely(3) else writer.optional()
    background = choice.number(0, len(BACKGROUNDS) - 1) if choice.rarely(6) else None
    return Example((PROLOGUE + text,), _steps(choice, writer.patterns), background, entails=True)


class _OptionalWriter:
    def __init__(self, choice: Chooser) -> None:
        self._choice = choice
        self.patterns: list[TriplePattern] = []

    def optional(self) -> str:
        """A kept side, an optional one, and what is said of both."""
        kept = self._kept()
        operator = self._choice.choose(_OPERATORS)
        optional = self._optional_side()
        match operator:
            case "EXISTS":
                negation = self._choice.choose(("NOT ", "NOT ", ""))
                body = f"{kept} FILTER {negation}EXISTS {{ {optional} }}"
            case "OPTIONALSEQ":
                body = f"{{ {{ {optional} }} OPTIONALSEQ {{ {kept} }} }}"
            case _:
                body = f"{{ {{ {kept} }} {operator} {{ {optional} }} }}"
        bound = " BIND(1 AS ?one)" if self._choice.rarely(5) else ""
        return f"SELECT * WHERE {{ {body}{bound} {self._above(('v', 'v', 'w', 'y'))} }}"

    def between(self) -> str:
        """A pair without a third between them; sometimes with sides that are not quite alike."""
        first, last = self._triple("xyz"), self._triple("xyz")
        between = self._choice.choose((first, last, self._triple("xv"), self._triple("xvw")))
        if between in (first, last):
            between = between.replace("?y", "?v").replace("?z", "?w")
        again = [each if not self._choice.rarely(6) else self._triple("xyz") for each in (first, last)]
        started = first
        if self._choice.rarely(3):
            started = f"{{ {first} }} EQUALS {{ {self._triple('xyz')} }}"
        elif self._choice.rarely(5):
            started = f"{first} FILTER({self._value_condition()})"
        tail = f"{{ {between} }} SEQ {{ {again[1]} }}"
        inner = f"{{ {again[0]} }} SEQ " + (f"{{ {tail} }}" if self._choice.rarely(3) else tail)
        outer = f"{{ {{ {started} }} SEQ {{ {last} }} }}"
        above = self._above(("v", "v", "v", "w"))
        return f"SELECT * WHERE {{ {{ {outer} EQUALSOPTIONAL {{ {inner} }} }} {above} }}"

    def _above(self, unbound: tuple[str, ...]) -> str:
        parts = []
        if not self._choice.rarely(4):
            parts.append(f"!BOUND(?{self._choice.choose(unbound)})")
        if not self._choice.rarely(3):
            parts.append(f'getDURATION() < "PT{self._choice.number(1, 4)}S"^^xsd:duration')
        if self._choice.rarely(5):
            parts.append(self._value_condition())
        if not parts:
            return ""
        joined = f"FILTER({' && '.join(parts)})"
        return joined if self._choice.rarely(2) else " ".join(f"FILTER({each})" for each in parts)

    def _kept(self) -> str:
        body = self._triple("xyz")
        if self._choice.rarely(4):
            operator = self._choice.choose(("SEQ", "UNION", "EQUALS"))
            body = f"{{ {{ {body} }} {operator} {{ {self._triple('xyz')} }} }}"
        if self._choice.rarely(6):
            body += f" OPTIONAL {{ {self._triple('xv')} }}"
        return f"{body} BIND(getENDTIME() AS ?now) BIND(getSTARTTIME() AS ?then)"

    def _optional_side(self) -> str:
        body = self._triple("xyvw")
        if self._choice.rarely(4):
            body += f" . {self._triple('xvw')}"
        elif self._choice.rarely(6):
            body += f" OPTIONAL {{ {self._triple('xyw')} }}"
        filters = [self._condition() for _ in range(self._choice.choose((0, 0, 1, 1, 2)))]
        return body + "".join(f" FILTER({each})" for each in filters)

    def _condition(self) -> str:
        if self._choice.rarely(3):
            return self._value_condition()
        time = self._choice.choose(("getSTARTTIME()", "getENDTIME()"))
        length = f'"PT{self._choice.number(1, 3)}S"^^xsd:dayTimeDuration'
        return self._choice.choose(
            (
                f"{time} > ?now - {length}",
                f"{time} >= ?now - {length}",
                f"?now - {time} < {length}",
                f"?now - {length} < {time}",
                f"{time} {self._choice.choose(('<', '<=', '>', '>='))} ?then - {length}",
                f"?then {self._choice.choose(('<', '<=', '>', '>=', '='))} {time}",
                f"{time} < ?now",
                f"getDURATION() < {length}",
            )
        )

    def _value_condition(self) -> str:
        one, other = (f"?{self._choice.choose('xyzvw')}" for _ in range(2))
        return self._choice.choose((f"{one} != {other}", f"{one} = {other}", f"BOUND({one})", f"{one} != :c"))

    def _triple(self, names: str) -> str:
        subject = "?x" if not self._choice.rarely(5) else f"?{self._choice.choose(names)}"
        target = f"?{self._choice.choose(names[1:])}"
        predicate = self._choice.choose(PREDICATES)
        self.patterns.append((subject, predicate, target))
        return f"{subject} {written(predicate)} {target}"


def _steps(choice: Chooser, patterns: list[TriplePattern]) -> tuple[Step, ...]:
    """Instances of the patterns, most with the favourite value of each variable."""
    occurrences: list[Occurrence] = []
    for _ in range(choice.number(12, 24)):
        end = choice.number(0, _LAST_SECOND)
        start = choice.number(0, end) if choice.rarely(5) else end
        subject, predicate, target = (
            choice.choose(ENTITIES) if choice.rarely(6) else _FAVOURITES.get(str(term), term)
            for term in choice.choose(patterns)
        )
        triple = (str(subject), str(predicate) if predicate in PREDICATES else PREDICATES[0], target)
        occurrences.append((triple, (start * SECOND, end * SECOND)))
    occurrences.sort(key=lambda each: each[1][1])
    cut = choice.number(0, len(occurrences))
    before, after = tuple(occurrences[:cut]), tuple(occurrences[cut:])
    if not before or not choice.rarely(3):
        return (Send(before), Send(after))
    return (Send(before), Advance(before[-1][1][1]), Send(after))
