"""The sources of an engine, and the sinks of its answers: a task each, which tries again where one is lost.

What a source gives is fed as any other body is. Where it can be read again, each body carries how far it was
read, so that after a kill it goes on there, and takes nothing twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from itertools import groupby
from typing import Any, Final

from etalis_py.connectors import Known, LostError, Message, Source, open_sink, open_source
from etalis_py.connectors.pauses import Pauses
from etalis_py.core.errors import EtalisError
from etalis_py.serve.commands import Command, Deliver, Feed, OpenSink, OpenSource
from etalis_py.serve.host import Host
from etalis_py.serve.readers import Readers
from etalis_py.serve.refused import Refused
from etalis_py.serve.work_queue import Full

__all__ = ["Connections"]

_log = logging.getLogger(__name__)
_AT_ONCE: Final = 100
_BUSY: Final = 0.05
"""Seconds until what did not fit is tried again: meanwhile nothing more is read."""
_JOINED: Final = ("ndjson", "nquads")
"""Formats whose bodies can be put one behind the other."""


class Connections:
    """Those of one engine. ``refused`` takes records that are no events; ``states`` tells how each does."""

    def __init__(self, host: Host, readers: Readers, refused: Refused) -> None:
        self._host = host
        self._readers = readers
        self._refused = refused
        self._tasks: dict[tuple[str, str], tuple[OpenSource | OpenSink, asyncio.Task[None]]] = {}
        self.states: dict[tuple[str, str], str] = {}
        self.refresh()

    def refresh(self) -> None:
        """Begin with those that are new, end those that are gone or have changed."""
        wanted: dict[tuple[str, str], OpenSource | OpenSink] = {
            **{("source", name): each for name, each in self._host.sources.items()},
            **{("sink", name): each for name, each in self._host.sinks.items()},
        }
        for key, (link, task) in list(self._tasks.items()):
            if key not in wanted or _identity(wanted[key]) != _identity(link):
                task.cancel()
                del self._tasks[key], self.states[key]
        for key, link in wanted.items():
            if key not in self._tasks:
                self.states[key] = "connecting"
                work = self._read(link) if isinstance(link, OpenSource) else self._write(link)
                self._tasks[key] = link, asyncio.create_task(work)

    def try_again(self) -> None:
        """Begin once more with those that have ended."""
        for key, (_, task) in list(self._tasks.items()):
            if task.done():
                del self._tasks[key]
        self.refresh()

    async def close(self) -> None:
        """End all."""
        tasks = [task for _, task in self._tasks.values()]
        self._tasks.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _keeps_trying(self, key: tuple[str, str], work: Callable[[Pauses], Awaitable[None]]) -> None:
        pauses = Pauses()
        while True:
            try:
                await work(pauses)
            except LostError as error:
                if not self._is_wanted(key):  # it was to end just when it was lost
                    return
                self.states[key] = f"lost: {error}"
                _log.warning("%s %s: %s; trying again", *key, error)
                await pauses.wait()
            except EtalisError as error:
                self.states[key] = f"refused: {error.message}"
                _log.error("%s %s: %s", *key, error)
                return
            except Exception as error:  # noqa: BLE001 - a fault of a client's, which may be none the next time
                self.states[key] = f"lost: {error!r}"
                _log.exception("%s %s; trying again", *key)
                await pauses.wait()
            else:
                self.states[key] = "ended"
                return

    def _is_wanted(self, key: tuple[str, str]) -> bool:
        return key in self._tasks and self._tasks[key][1] is asyncio.current_task()

    # ---- sources ----------------------------------------------------------------------------------------

    async def _read(self, connect: OpenSource) -> None:
        key = ("source", connect.name)
        source: Source | None = None

        async def read(pauses: Pauses) -> None:
            nonlocal source
            source = source or open_source(connect.url)
            async with aclosing(source.messages(self._known(connect))) as found:
                async for messages in found:
                    self.states[key] = "open"
                    if messages:
                        pauses.reset()
                        await self._take(connect, messages)

        await self._keeps_trying(key, read)

    def _known(self, connect: OpenSource) -> Known:
        """How far each origin was read."""
        before = _producer(connect, "")
        known = self._host.positions
        return {name.removeprefix(before): each for name, each in known.items() if name.startswith(before)}

    async def _take(self, connect: OpenSource, messages: Sequence[Message]) -> None:
        for _, group in groupby(messages, key=lambda each: each.origin):
            some = list(group)
            joined = connect.format in _JOINED and connect.mapping is None
            for part in [some] if joined else [[each] for each in some]:
                await self._feed(connect, part)
            for each in some:
                if each.confirm is not None:
                    await each.confirm()

    async def _feed(self, connect: OpenSource, messages: Sequence[Message]) -> None:
        """Feed messages of one origin in one command; where records are bad, the others of them."""
        body, last = b"\n".join(each.body for each in messages), messages[-1]
        try:
            await self._do(_feed_of(connect, body, last))
        except EtalisError as error:
            if self._host.failure is not None:
                raise
            good = await asyncio.to_thread(self._without_bad, connect, messages, error)
            await self._do(_feed_of(connect, good, last))

    def _without_bad(self, connect: OpenSource, messages: Sequence[Message], error: EtalisError) -> bytes:
        """What is left of bodies without records that are no events; nothing if there are none of these."""
        good, count = [], self._refused.count
        for message in messages:
            head, records = message.records()
            parts = []
            for record in records:
                try:
                    self._host.check(_feed_of(connect, head + record))
                except EtalisError as wrong:
                    self._refused.add(connect.name, wrong, record)
                else:
                    parts.append(record)
            good += [head + b"".join(parts)] if parts else []
        if self._refused.count > count:
            return b"\n".join(good)
        self._refused.add(connect.name, error, b"\n".join(each.body for each in messages))
        return b""

    async def _do(self, command: Command) -> Any:
        while True:
            try:
                return await asyncio.wrap_future(self._host.do(command))
            except Full:
                await asyncio.sleep(_BUSY)

    # ---- sinks ------------------------------------------------------------------------------------------

    async def _write(self, sink: OpenSink) -> None:
        key = ("sink", sink.name)
        after = sink.after

        async def write(pauses: Pauses) -> None:
            nonlocal after
            async with open_sink(sink.url) as opened:
                self.states[key] = "open"
                while True:
                    found = self._host.answers.read(after, frozenset(sink.queries), _AT_ONCE)
                    if found.lost:
                        _log.warning(
                            "sink %s: %s answers are gone before they were taken", sink.name, found.lost
                        )
                    if found.answers:
                        numbers = found.answers[0].number, found.answers[-1].number
                        await opened.send([each.line for each in found.answers], numbers)
                        pauses.reset()
                    if found.upto > after:
                        after = found.upto
                        await self._do(Deliver(sink.name, after))
                    elif self._readers.is_closed:  # the server ends, or the engine goes
                        return
                    else:
                        await self._readers.wait(after)

        await self._keeps_trying(key, write)


def _identity(link: OpenSource | OpenSink) -> tuple[object, ...]:
    """What makes it another connection: not how far it has come."""
    if isinstance(link, OpenSink):
        return link.url, link.queries
    return link.url, link.format, link.stream, link.mapping, link.time_unit


def _feed_of(connect: OpenSource, body: bytes, upto: Message | None = None) -> Feed:
    """The command that feeds a body, which ends with a message."""
    given = body, connect.format, connect.stream, connect.mapping, connect.time_unit
    if upto is None or upto.origin is None or upto.number is None:
        return Feed(*given)
    return Feed(*given, _producer(connect, upto.origin), upto.number, upto.memory)


def _producer(connect: OpenSource, origin: str) -> str:
    return f"source {connect.name}: {origin}"
