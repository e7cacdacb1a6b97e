"""Arrow tables of events for the suite: point events, 1 ms apart, made the same way every time."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from tests.benchmarks.kernel import PREFIX

__all__ = ["STEP", "bursts", "duration", "events", "integer", "iri", "one_step", "scaled", "whole_window"]

STEP = 1_000
"""Microseconds from one event to the next."""
_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
_STEPS = "pqr"


def iri(name: str) -> str:
    """A name under the suite's prefix, in N-Triples syntax."""
    return f"<{PREFIX}{name}>"


def integer(value: int) -> str:
    """An xsd:integer in N-Triples syntax."""
    return f'"{value}"^^<{_INTEGER}>'


def duration(microseconds: int) -> str:
    """An xsd:duration as a query has it."""
    return f'"PT{microseconds // 1_000_000}.{microseconds % 1_000_000:06}S"^^xsd:duration'


def scaled(size: int, count: int) -> int:
    """So many live goals or events in a window; fewer for a run that is only to show that it works."""
    return size if count >= 1_000 else max(1, min(size, count))


def whole_window(size: int, count: int) -> int:
    """At least as many events as a window has, so that what is done once a window is in the measure."""
    return max(size, count) if count >= 1_000 else count


def events(
    subjects: Sequence[str], predicates: Sequence[str], objects: Sequence[str], first: int = 0
) -> pa.Table:
    """A table of N-Triples terms; the first event is number ``first``."""
    return pa.table(
        {
            "start": pa.array(range(first * STEP, (first + len(subjects)) * STEP, STEP), pa.int64()),
            "s": subjects,
            "p": predicates,
            "o": objects,
        }
    )


def bursts(count: int, steps: int, live: int, keys: int) -> pa.Table:
    """``live`` first steps, then as many second ones (and third ones), and again; keys come round in turn.

    With three steps the second one hands over to another key: ``k5 :q m5``, ``m5 :r ...``.
    """
    subjects, predicates, objects = [], [], []
    for number in range(count):
        block, within = divmod(number, live * steps)
        step, place = divmod(within, live)
        key = (block * live + place) % keys
        subjects.append(iri(f"m{key}" if step == 2 else f"k{key}"))
        predicates.append(iri(_STEPS[step]))
        objects.append(iri(f"m{key}") if step == 1 and steps == 3 else integer(number % 1000))
    return events(subjects, predicates, objects)


def one_step(
    count: int, step: str, keys: int, first: int, letter: str = "k", values: int = 1_000
) -> pa.Table:
    """``count`` events of one step only, with keys and values in turn; the first is number ``first`` of the
    stream.
    """
    subjects = [iri(f"{letter}{number % keys}") for number in range(count)]
    objects = [integer(number % values) for number in range(count)]
    return events(subjects, [iri(step)] * count, objects, first)
