"""Random programs of chains of steps, over streams with ties and lasting events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import XSD_INTEGER
from tests.oracle.backgrounds import BACKGROUNDS
from tests.oracle.chooser import Chooser
from tests.oracle.examples import Example, Place, arrivals
from tests.oracle.group_texts import TriplePattern
from tests.oracle.solutions import Occurrence
from tests.oracle.step_texts import ALL_STEPS, StepWriter
from tests.oracle.vocabulary import ENTITIES, MADE, PREDICATES, PROLOGUE, SECOND, written

__all__ = ["make_step_example", "step_stream"]

LAST_SECOND = 8
_NUMBERS: tuple[Encoded, ...] = tuple((each, XSD_INTEGER) for each in (1, 1, 2, 2, 3))
_FAVOURITES: Mapping[str, Encoded] = MappingProxyType(
    {"?x": ENTITIES[0], "?y": _NUMBERS[0], "?z": _NUMBERS[2]}
)


def make_step_example(choice: Chooser, steps: Sequence[str] = ALL_STEPS) -> Example:
    """A program of one to three queries over a stream of up to 16 occurrences."""
    makes = choice.rarely(3)
    writers = [StepWriter(choice, steps, fed=makes) for _ in range(1 + makes + choice.rarely(4))]
    in_streams = choice.rarely(5)
    queries = [
        _query(writer, makes=makes and not number, of_stream=in_streams and choice.rarely(2))
        for number, writer in enumerate(writers)
    ]
    order = step_stream(choice, [pattern for writer in writers for pattern in writer.patterns])
    places: list[Place] = [(choice.choose((None, "urn:s")), None) for _ in order] if in_streams else []
    background = choice.number(0, len(BACKGROUNDS) - 1) if choice.rarely(4) else None
    arriving = arrivals(choice, order, places, with_heartbeats=True)
    return Example(tuple(queries), arriving, background, entails=not choice.rarely(4))


def _query(writer: StepWriter, *, makes: bool, of_stream: bool) -> str:
    text, known = writer.chain(0)
    if writer.rarely(8):
        group, more = writer.group(1)
        text, known = f"{text} {group}", list(dict.fromkeys([*known, *more]))
    if known and writer.rarely(6):
        text += f" FILTER ({writer.condition(known)})"
    if writer.rarely(8):
        text += f" WITHIN {writer.length()}"
    streams = "FROM STREAM :s " if of_stream else ""
    where = f"{streams}WHERE {{ {text} }}{_skip(writer, known) if writer.rarely(5) else ''}"
    if makes:
        subject, target = (f"?{writer.choose(known)}" if known else ":a" for _ in range(2))
        predicate = writer.choose((*MADE[:1] * 2, *PREDICATES[:2]))
        return f"{PROLOGUE}CONSTRUCT {{ {subject} {written(predicate)} {target} }} {where}"
    return f"{PROLOGUE}SELECT {'DISTINCT ' * writer.rarely(8)}* {where}"


def _skip(writer: StepWriter, known: Sequence[str]) -> str:
    per = f" PER ?{writer.choose(known)}" if known and writer.rarely(2) else ""
    return f" SKIP {writer.choose(('PAST LAST', 'TO NEXT'))}{per}"


def step_stream(
    choice: Chooser, patterns: Sequence[TriplePattern], *, lasting: bool = True, tied: bool = True
) -> list[Occurrence]:
    """Instances of the patterns in order of their ends, most of one subject, with small numbers."""
    found: list[Occurrence] = []
    free = list(range(LAST_SECOND + 1))
    for _ in range(choice.choose((6, 9, 12, 14, 16, 16, 16))):
        if not tied and not free:
            break
        end = choice.choose(free)
        if not tied:
            free.remove(end)
        start = choice.number(0, end) if lasting and choice.rarely(4) else end
        subject, predicate, target = choice.choose((*patterns, ("?x", PREDICATES[0], "?y")))
        triple = (_subject(choice, subject), str(predicate), _target(choice, target))
        found.append((triple, (start * SECOND, end * SECOND)))
    found.sort(key=lambda each: each[1][1])
    return found


def _subject(choice: Chooser, term: Encoded) -> str:
    return (
        term if isinstance(term, str) and term[0] != "?" else choice.choose((*ENTITIES[:1] * 6, ENTITIES[1]))
    )


def _target(choice: Chooser, term: Encoded) -> Encoded:
    """Variables of the query mostly have a value of their own, those of one iteration any small number."""
    if not isinstance(term, str) or term[0] != "?":
        return term
    favourite = _FAVOURITES.get(term)
    if favourite is not None and not choice.rarely(4):
        return favourite
    return choice.choose(_NUMBERS)
