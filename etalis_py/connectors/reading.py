"""Reads a source on when its connection is lost."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing

from etalis_py.connectors.base import LostError, Message, Source
from etalis_py.connectors.pauses import Pauses

__all__ = ["read_on"]

_log = logging.getLogger(__name__)


async def read_on(source: Source, known: Mapping[str, int]) -> AsyncGenerator[Sequence[Message], None]:
    """The messages of a source, which is tried again where it is lost; ``known`` may grow meanwhile.

    Raises:
        UsageError: EP631, it is refused.
    """
    pauses = Pauses()
    while True:
        try:
            async with aclosing(source.messages(known)) as found:
                async for messages in found:
                    if messages:
                        pauses.reset()
                    yield messages
        except LostError as error:
            _log.warning("%s; trying again", error)
            await pauses.wait()
        else:
            return
