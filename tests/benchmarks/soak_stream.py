"""The stream of the soak test, and its answers by hand. A block can be made without those before it."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["BLOCK", "PAIRS", "SUMS", "Answer", "Event", "block", "expected", "line"]

BLOCK = 16
"""Events that are written at once: no more bytes than a pipe takes whole (4,096), so no kill cuts a line."""
STEP = 1_000
"""Microseconds from one event to the next."""
_KEYS = 500
_WINDOW = 1_500 * STEP
_ROWS = 100
_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
PREFIX = "urn:soak:"

PAIRS = f"""PREFIX : <{PREFIX}>
SELECT ?x ?a ?b {{ {{ ?x :p ?a }} SEQ {{ ?x :q ?b }} FILTER(getDURATION() < "PT1.5S"^^xsd:duration) }}"""
SUMS = f"PREFIX : <{PREFIX}> SELECT (SUM(?b) AS ?sum) WHERE {{ ?x :q ?b }} WINDOW [ROWS {_ROWS}]"


class Event(NamedTuple):
    """An event; times in microseconds. A ``p`` has a text as object that no other event has."""

    start: int
    end: int
    key: int
    step: str
    value: int


class Answer(NamedTuple):
    """An answer: the number of the event that brings it about, start, end and values, in their order."""

    event: int
    start: int
    end: int
    values: tuple[str, ...]


def block(number: int) -> list[Event]:
    """The events of one block; one in eight takes some time."""
    chance = random.Random(number)
    events = []
    for end in range(number * BLOCK * STEP, (number + 1) * BLOCK * STEP, STEP):
        start = end - chance.randrange(1, 20) * STEP if chance.random() < 0.125 else end
        events.append(
            Event(start, end, chance.randrange(_KEYS), "pq"[chance.randrange(2)], chance.randrange(1000))
        )
    return events


def line(event: Event) -> str:
    """An event as a line of NDJSON."""
    value = f'\\"reading at {event.end}\\"' if event.step == "p" else f'\\"{event.value}\\"^^<{_INTEGER}>'
    return (
        f'{{"start": {event.start}, "end": {event.end}, "s": "<{PREFIX}k{event.key}>", '
        f'"p": "<{PREFIX}{event.step}>", "o": "{value}"}}\n'
    )


def expected(query: str) -> Iterator[Answer]:
    """The answers of ``pairs`` or ``sums``, by hand, without an end."""
    number = 0
    first: dict[int, deque[Event]] = {}
    newest: deque[int] = deque(maxlen=_ROWS)
    while True:
        for place, event in enumerate(block(number)):
            if query == "sums":
                if event.step == "q":
                    newest.append(event.value)
                    yield Answer(number * BLOCK + place, event.end, event.end, (str(sum(newest)),))
                continue
            waiting = first.setdefault(event.key, deque())
            if event.step == "p":
                waiting.append(event)
                continue
            while waiting and event.end - waiting[0].end >= _WINDOW:
                waiting.popleft()
            pairs = sorted(
                (each.start, f"reading at {each.end}")
                for each in waiting
                if each.end < event.start and event.end - each.start < _WINDOW
            )
            for start, text in pairs:
                values = (f"{PREFIX}k{event.key}", text, str(event.value))
                yield Answer(number * BLOCK + place, start, event.end, values)
        number += 1
