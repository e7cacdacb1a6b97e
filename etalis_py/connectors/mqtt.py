"""MQTT 5, by paho, with QoS 1 and a session that lasts: what is taken is confirmed to the broker."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from typing import Any, Final

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from etalis_py.connectors.address import Address
from etalis_py.connectors.base import MOST_AT_ONCE, Known, LostError, Message, Sink, Source
from etalis_py.core.errors import UsageError

__all__ = ["sink", "source"]

_OPTIONS: Final = ("client",)
_PATIENCE: Final = 10.0
_LASTS: Final = 7 * 24 * 3600
"""Seconds for which the broker keeps messages of a client that is away."""
_QOS: Final = 1


def source(address: Address) -> Source:
    """Messages of a topic; ``client`` is the name under which the broker knows who takes them."""
    return _MqttSource(address)


def sink(address: Address) -> Sink:
    """A message a line."""
    return _MqttSink(address)


class _Connection:
    """A client of paho's, whose callbacks come to the event loop."""

    def __init__(self, address: Address, client: str, *, manual_ack: bool) -> None:
        address.check(_OPTIONS)
        self._address = address
        self._loop = asyncio.get_running_loop()
        self._connected: asyncio.Future[Any] = self._loop.create_future()
        self.received: asyncio.Queue[paho.MQTTMessage | None] = asyncio.Queue()
        self.client = paho.Client(
            CallbackAPIVersion.VERSION2, client_id=client, protocol=paho.MQTTv5, manual_ack=manual_ack
        )
        self.client.on_connect = self._on_connect
        self.client.on_connect_fail = lambda _client, _data: self._soon(self._unreached)
        self.client.on_disconnect = self._on_disconnect
        self.client.on_message = lambda _client, _data, message: self._soon(self.received.put_nowait, message)
        self.client.on_subscribe = lambda _client, _data, _mid, codes, _properties: self._soon(
            self._subscribed, codes
        )
        self._subscription: asyncio.Future[Any] = self._loop.create_future()
        if address.user is not None:
            self.client.username_pw_set(address.user, address.password)
        if address.scheme == "mqtts":
            self.client.tls_set_context(ssl.create_default_context())

    def _soon(self, call: Any, *values: Any) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(call, *values)

    def _on_connect(self, _client: Any, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        self._soon(_set, self._connected, reason)

    def _on_disconnect(self, _client: Any, _data: Any, _flags: Any, _reason: Any, _properties: Any) -> None:
        self._soon(self.received.put_nowait, None)

    def _unreached(self) -> None:
        if not self._connected.done():
            self._connected.set_exception(LostError(f"{self._address} cannot be reached"))

    def _subscribed(self, codes: Any) -> None:
        _set(self._subscription, codes)

    async def open(self) -> None:
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        properties.SessionExpiryInterval = _LASTS
        properties.ReceiveMaximum = MOST_AT_ONCE
        port = self._address.port or (8883 if self._address.scheme == "mqtts" else 1883)
        connect = self.client.connect_async
        try:
            connect(self._address.host, port, clean_start=False, properties=properties)
            self.client.reconnect_on_failure = False  # type: ignore[attr-defined]
            self.client.loop_start()
            reason = await asyncio.wait_for(self._connected, _PATIENCE)
        except (OSError, ValueError, asyncio.TimeoutError) as error:
            raise LostError(f"{self._address}: {str(error) or 'no answer'}") from error
        if reason.is_failure:
            message = f"{self._address} refuses the connection: {reason}"
            if reason.getName() in ("Not authorized", "Bad user name or password", "Banned"):
                raise UsageError("EP631", message)
            raise LostError(message)

    async def subscribe(self, topic: str) -> None:
        self.client.subscribe(topic, _QOS)
        try:
            codes = await asyncio.wait_for(self._subscription, _PATIENCE)
        except asyncio.TimeoutError as error:
            raise LostError(f"{self._address}: no answer") from error
        if any(code.is_failure for code in codes):
            raise UsageError("EP631", f"{self._address} refuses the topic {topic!r}: {codes[0]}")

    async def close(self) -> None:
        self.client.disconnect()
        await asyncio.to_thread(self.client.loop_stop)


def _set(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)


class _MqttSource(Source):
    async def messages(self, known: Known) -> AsyncGenerator[Sequence[Message], None]:  # noqa: ARG002
        topic = self.address.name("topic")
        client = self.address.option("client", f"etalis-{topic.replace('/', '-').replace('#', 'all')}")
        connection = _Connection(self.address, client, manual_ack=True)
        try:
            await connection.open()
            await connection.subscribe(topic)
            yield []
            while True:
                some = [await connection.received.get()]
                while not connection.received.empty() and len(some) < MOST_AT_ONCE:
                    some.append(connection.received.get_nowait())
                taken = [each for each in some if each is not None]
                if taken:
                    yield [_message(connection, each) for each in taken]
                if len(taken) < len(some):
                    raise LostError(f"{self.address}: the connection is lost")
        finally:
            await connection.close()


def _message(connection: _Connection, message: paho.MQTTMessage) -> Message:
    async def confirm() -> None:
        connection.client.ack(message.mid, message.qos)

    return Message(bytes(message.payload), confirm=confirm)


class _MqttSink(Sink):
    async def open(self) -> None:
        self._topic = self.address.name("topic")
        name = self.address.option("client", f"etalis-to-{self._topic.replace('/', '-')}")
        self._connection = _Connection(self.address, name, manual_ack=False)
        try:
            await self._connection.open()
        except BaseException:
            await self._connection.close()
            raise

    async def send(self, lines: Sequence[bytes], numbers: tuple[int, int]) -> None:  # noqa: ARG002
        sent = [self._connection.client.publish(self._topic, line, _QOS) for line in lines]
        try:
            await asyncio.to_thread(_wait_for_all, sent)
        except (RuntimeError, ValueError) as error:
            raise LostError(f"{self.address}: {error}") from error

    async def close(self) -> None:
        await self._connection.close()


def _wait_for_all(sent: Sequence[paho.MQTTMessageInfo]) -> None:
    for each in sent:
        each.wait_for_publish(_PATIENCE)
        if not each.is_published():
            raise RuntimeError("the broker does not confirm")
