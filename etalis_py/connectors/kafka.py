"""Kafka, by aiokafka: the origin of a message is its partition, its number the offset."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from typing import Final

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.errors import KafkaError

from etalis_py.connectors.address import Address
from etalis_py.connectors.base import MOST_AT_ONCE, Known, LostError, Message, Sink, Source

__all__ = ["sink", "source"]

_WAIT: Final = 500
"""Milliseconds."""
_PATIENCE: Final = 10_000
"""Milliseconds in which a broker has to answer."""
_QUIET: Final = 5.0
"""Seconds in which nothing comes before the broker is asked whether it is there."""


def source(address: Address) -> Source:
    """All partitions of a topic, ``from`` their end or their start where nothing is known."""
    return _KafkaSource(address)


def sink(address: Address) -> Sink:
    """A message a line."""
    return _KafkaSink(address)


def _servers(address: Address) -> str:
    return f"{address.host}:{address.port or 9092}"


async def _stop(consumer: AIOKafkaConsumer) -> None:
    """Stop it. Where its broker is gone it stops with the end of a task of its own, before its client."""
    stopping = asyncio.ensure_future(consumer.stop())
    await asyncio.wait([stopping])
    if stopping.cancelled():
        await consumer._client.close()  # noqa: SLF001 - nobody else does
    else:
        stopping.exception()  # of a connection that is given up


class _KafkaSource(Source):
    def __init__(self, address: Address) -> None:
        super().__init__(address)
        address.check(["from"])
        self._from_start = address.option("from", "end", ("start", "end")) == "start"
        self._topic = address.name("topic")

    async def messages(self, known: Known) -> AsyncGenerator[Sequence[Message], None]:
        consumer = AIOKafkaConsumer(
            self._topic,
            bootstrap_servers=_servers(self.address),
            enable_auto_commit=False,
            request_timeout_ms=_PATIENCE,
            auto_offset_reset="earliest",
            isolation_level="read_committed",
        )
        try:
            await consumer.start()
            ends = await self._begin(consumer, known)
            yield []
            if ends:
                yield ends
            heard = time.monotonic()
            while True:
                found = await consumer.getmany(timeout_ms=_WAIT, max_records=MOST_AT_ONCE)
                if found:
                    heard = time.monotonic()
                elif time.monotonic() - heard > _QUIET:  # the client says nothing of a broker that is gone
                    await consumer.topics()
                    heard = time.monotonic()
                for partition, records in found.items():
                    origin = self._origin(partition.partition)
                    yield [Message(each.value or b"", origin, each.offset) for each in records]
        except (KafkaError, OSError) as error:
            raise LostError(f"{self.address}: {error}") from error
        finally:
            await _stop(consumer)

    async def _begin(self, consumer: AIOKafkaConsumer, known: Known) -> list[Message]:
        """Go to where each partition is to be read on; the ends at which some are."""
        partitions = sorted(consumer.assignment(), key=lambda each: each.partition)
        if not partitions:
            raise LostError(f"{self.address}: there is no topic {self._topic!r}")
        newest = await consumer.end_offsets(partitions)
        ends = []
        for partition in partitions:
            origin = self._origin(partition.partition)
            if origin in known:
                following = known[origin].number + 1
                if following > newest[partition]:
                    message = f"partition {partition.partition} has no message {following - 1} any more"
                    raise LostError(f"{self.address}: {message}; if the topic is new, name the source anew")
                consumer.seek(partition, following)
            elif self._from_start:
                await consumer.seek_to_beginning(partition)
            else:
                consumer.seek(partition, newest[partition])
                ends.append(Message(b"", origin, newest[partition] - 1))
        return ends

    def _origin(self, partition: int) -> str:
        return f"{_servers(self.address)}/{self._topic}/{partition}"


class _KafkaSink(Sink):
    async def open(self) -> None:
        self.address.check(())
        self._topic = self.address.name("topic")
        self._producer = AIOKafkaProducer(  # an idempotent one would try for ever, and could not be closed
            bootstrap_servers=_servers(self.address), acks="all", request_timeout_ms=_PATIENCE
        )
        try:
            await self._producer.start()
        except (KafkaError, OSError) as error:
            with suppress(KafkaError, OSError):
                await self._producer.stop()
            raise LostError(f"{self.address}: {error}") from error

    async def send(self, lines: Sequence[bytes], numbers: tuple[int, int]) -> None:
        try:
            first = numbers[0]
            sent = [
                await self._producer.send(
                    self._topic, line, headers=[("etalis-answers", f"{first}-{numbers[1]}".encode())]
                )
                for line in lines
            ]
            for each in sent:
                await each
        except (KafkaError, OSError) as error:
            raise LostError(f"{self.address}: {error}") from error

    async def close(self) -> None:
        with suppress(KafkaError, OSError):
            await self._producer.stop()
