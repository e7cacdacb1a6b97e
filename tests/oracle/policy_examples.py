"""Random examples in which there is much to choose among: few keys, few predicates, many pairs."""

from __future__ import annotations

from dataclasses import dataclass

from etalis_py.core.vocabulary import XSD_INTEGER
from tests.oracle.chooser import Chooser
from tests.oracle.policy_parts import Policy
from tests.oracle.solutions import Occurrence
from tests.oracle.vocabulary import SECOND

__all__ = ["PolicyExample", "make_policy_example"]

LAST_SECOND = 7
MOST_OCCURRENCES = 18
COMBINATORS = (
    *("SEQ", "SEQ", "SEQ", "SEQ", "SEQ", "EQUALS", "OPTIONAL", "OPTIONAL", "OPTIONALSEQ", "OPTIONALSEQ"),
    *("EQUALSOPTIONAL", ".", ".", ".", ".", "UNION", "UNION"),
    *("MEETS", "OVERLAPS", "STARTS", "DURING", "FINISHES", "PAR"),
)


@dataclass(frozen=True)
class PolicyExample:
    """A query with its policy, and the batches in which a stream arrives.

    ``maker`` is perhaps a CONSTRUCT query that adds to the stream.
    """

    query: str
    policy: Policy
    maker: str | None
    batches: tuple[tuple[Occurrence, ...], ...]

    @property
    def stream(self) -> frozenset[Occurrence]:
        """All that comes."""
        return frozenset(each for batch in self.batches for each in batch)


def make_policy_example(choice: Chooser) -> PolicyExample:
    """One query, two in a few examples."""
    policy: Policy = choice.choose(("chronological", "recent"))
    writer = _Writer(choice)
    maker = None
    if choice.rarely(5):
        maker = f"CONSTRUCT {{ ?x <urn:b> ?i }} WHERE {writer.group(1)}"
    return PolicyExample(writer.question(), policy, maker, _batches(choice))


class _Writer:
    """Subjects are mostly ``?x``; objects are mostly variables of their own."""

    def __init__(self, choice: Chooser) -> None:
        self._choice = choice
        self._count = 0

    def question(self) -> str:
        """A SELECT or an ASK."""
        shapes = (self._any, self._any, self._chain, self._optional, self._judged_later)
        group, known = self._choice.choose(shapes)()
        if self._choice.rarely(10):
            return f"ASK {group}"
        columns = self._choice.choose(("*", "*", "*", "?x", f"?{known[0]}", f"DISTINCT ?{known[-1]}"))
        return f"SELECT {columns} {group}"

    def _any(self) -> tuple[str, list[str]]:
        return self._group(self._choice.choose((1, 2, 2, 3)))

    def _chain(self) -> tuple[str, list[str]]:
        """Three parts within a window."""
        parts, names = [], []
        for predicate in "abc":
            names.append(self._new())
            parts.append(f"{{ ?x <urn:{predicate}> ?{names[-1]} }}")
        first, second = (self._choice.choose(("SEQ", "SEQ", "", "OPTIONALSEQ")) for _ in range(2))
        window = f'FILTER (getDURATION() <= "PT{self._choice.number(1, 4)}S"^^xsd:duration)'
        if self._choice.rarely(2):
            return f"{{ {parts[0]} {first} {{ {parts[1]} {second} {parts[2]} }} {window} }}", names
        return f"{{ {{ {parts[0]} {first} {parts[1]} }} {second} {parts[2]} {window} }}", names

    def _optional(self) -> tuple[str, list[str]]:
        """An optional operator with a filter that refuses some of its pairs."""
        left, known = self._group(0)
        right, more = self._group(self._choice.number(0, 1))
        operator = self._choice.choose(("OPTIONAL", "OPTIONALSEQ", "EQUALSOPTIONAL"))
        one, other = f"?{known[0]}", f"?{more[0]}"
        condition = self._choice.choose(
            (f"!BOUND({other}) || {other} > {one}", f"COALESCE({other}, 3) > 1", f"{one} != {other}")
        )
        return f"{{ {left} {operator} {right} FILTER ({condition}) }}", [*known, *more]

    def _judged_later(self) -> tuple[str, list[str]]:
        """A filter that judges what inner braces chose, or would choose there if these were not."""
        inner, known = self._group(1)
        condition = f"?{known[0]} {self._choice.choose(('!=', '<', '>'))} {self._choice.number(1, 3)}"
        if self._choice.rarely(3):
            return f"{{ {inner} FILTER ({condition}) }}", known
        right, more = self._group(0)
        combinator = self._choice.choose(("SEQ", "SEQ", "", "UNION", "OPTIONAL"))
        return f"{{ {inner} {combinator} {right} FILTER ({condition}) }}", [*known, *more]

    def group(self, depth: int) -> str:
        """A group in braces."""
        return self._group(depth)[0]

    def _group(self, depth: int) -> tuple[str, list[str]]:
        """A group in braces, and the variables that may be bound after it."""
        choice = self._choice
        if not depth:
            inside, known = self._pattern()
        else:
            inside, known = self._combined(depth - 1)
        if choice.rarely(12):
            inside += f" MINUS {self.group(0)}"
        if choice.rarely(10):
            inside += f" BIND (?{choice.choose(known)} + 1 AS ?{self._new()})"
        for _ in range(choice.choose((0, 0, 0, 1, 2))):
            inside += f" FILTER ({self._condition(known)})"
        return f"{{ {inside} }}", known

    def _combined(self, depth: int) -> tuple[str, list[str]]:
        choice = self._choice
        left, known = self._group(depth)
        right, more = self._group(choice.number(0, depth))
        combinator = choice.choose(COMBINATORS)
        between = " " if combinator == "." else f" {combinator} "
        return f"{left}{between}{right}", [*known, *more]

    def _new(self) -> str:
        self._count += 1
        return f"v{self._count}"

    def _pattern(self) -> tuple[str, list[str]]:
        choice = self._choice
        subject = choice.choose(("?x", "?x", "?x", "?x", "?y", "<urn:s1>"))
        predicate = choice.choose(("<urn:a>", "<urn:b>", "<urn:c>"))
        name = choice.choose(("i", self._new())) if choice.rarely(3) else self._new()
        target = "1" if choice.rarely(8) else f"?{name}"
        return f"{subject} {predicate} {target} .", [name]

    def _condition(self, known: list[str]) -> str:
        choice = self._choice
        one, other = (f"?{choice.choose(known)}" for _ in range(2))
        seconds = choice.number(1, 5)
        if choice.rarely(10):
            return f"{choice.choose(('', 'NOT '))}EXISTS {self.group(choice.number(0, 1))}"
        return choice.choose(
            (
                f"{one} <= {other}",
                f"{one} != {other}",
                f"{one} < 3",
                f"!BOUND({one}) || {other} > 1",
                f'getDURATION() < "PT{seconds}S"^^xsd:duration',
                f'getDURATION() <= "PT{seconds}S"^^xsd:duration',
                f'getDURATION() > "PT{seconds}S"^^xsd:duration',
                "getSTARTTIME() != getENDTIME()",
            )
        )


def _batches(choice: Chooser) -> tuple[tuple[Occurrence, ...], ...]:
    """In order of ends, any order within an instant; some occurrences come again at a later time."""
    stream: list[Occurrence] = []
    for _ in range(choice.number(6, MOST_OCCURRENCES)):
        end = choice.number(0, LAST_SECOND)
        start = choice.number(0, end) if choice.rarely(4) else end
        subject = choice.choose(("urn:s1", "urn:s1", "urn:s2"))
        predicate = choice.choose(("urn:a", "urn:b", "urn:c"))
        triple = (subject, predicate, (choice.number(1, 3), XSD_INTEGER))
        stream.append((triple, (start * SECOND, end * SECOND)))
    stream.sort(key=lambda occurrence: occurrence[1][1])
    cut = choice.number(0, len(stream))
    return tuple(stream[:cut]), tuple(stream[cut:])
