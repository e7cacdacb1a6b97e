"""Reads a source on when its connection is lost."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from etalis_py.connectors.base import LostError, Message, Position, Source
from etalis_py.connectors.pauses import Pauses

__all__ = ["read_on"]

_log = logging.getLogger(__name__)


async def read_on(source: Source) -> AsyncGenerator[Sequence[Message], None]:
    """The messages of a source, which is read on where it is lost.

    Raises:
        UsageError: EP631, it is refused.
    """
    pauses = Pauses()
    known: dict[str, Position] = {}
    while True:
        try:
            async with aclosing(source.messages(known)) as found:
                async for messages in found:
                    if messages:
                        pauses.reset()
                    yield messages
                    for each in messages:
                        if each.origin is not None and each.number is not None:
                            known[each.origin] = Position(each.number, each.memory)
        except LostError as error:
            _log.warning("%s; trying again", error)
            await pauses.wait()
        else:
            return
