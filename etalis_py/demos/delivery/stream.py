"""What happens in a simulated day as an event stream, in the form the engine reads.

Columns ``start`` and ``end`` (equal; microseconds since the epoch, UTC), ``s``, ``p``, ``o`` (N-Triples)::

    <...:s0123> :status :Closed .      :status :Open .      :speed 10 .      :flow :Free .
    <...:a3> :leavesFor <...:a3-leg7> ; :at <...:j0412> ; :asksFor <...:a3-leg7> ; :reaches <...:a3-leg7> .
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from etalis_py.core.vocabulary import XSD_DECIMAL, XSD_INTEGER
from etalis_py.demos.delivery.names import iri

if TYPE_CHECKING:
    import pyarrow as pa

    from etalis_py.demos.delivery.simulate import Message

__all__ = ["in_instants", "to_events"]


def to_events(messages: Sequence[Message]) -> pa.Table:
    """The messages, which are in order of time, as a table."""
    import pyarrow as pa

    time = [message[0] for message in messages]
    return pa.table(
        {
            "start": pa.array(time, pa.int64()),
            "end": pa.array(time, pa.int64()),
            "s": pa.array([f"<{iri(message[1])}>" for message in messages], pa.string()),
            "p": pa.array([f"<{iri(message[2])}>" for message in messages], pa.string()),
            "o": pa.array([_object(message[3]) for message in messages], pa.string()),
        }
    )


def in_instants(messages: Sequence[Message]) -> Iterator[Sequence[Message]]:
    """The messages of each instant."""
    begin = 0
    for place in range(1, len(messages) + 1):
        if place == len(messages) or messages[place][0] != messages[begin][0]:
            yield messages[begin:place]
            begin = place


def _object(value: str | int | float) -> str:
    if isinstance(value, float):
        return f'"{Decimal(repr(value)):f}"^^<{XSD_DECIMAL}>'
    return f'"{value}"^^<{XSD_INTEGER}>' if isinstance(value, int) else f"<{iri(value)}>"
