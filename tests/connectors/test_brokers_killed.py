"""Brokers that are killed while events and answers flow, and started again: nothing is lost or doubled."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import pytest

from tests.connectors.brokers import free_port, redis
from tests.connectors.pairs import subjects
from tests.connectors.waiting import eventually
from tests.patience import PATIENCE
from tests.serve.servers import Running, lines, query_file, serving

COUNT = 200
EVENTS = [(2 * n + k, f"n{n}", ("low", "high")[k]) for n in range(1, COUNT + 1) for k in (0, 1)]
EVENTS.append((2 * COUNT + 10, "end", "low"))
EXPECTED = [f"urn:n{n}" for n in range(1, COUNT + 1)]


class Redis:
    """Its streams, and how to start it again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self.url = f"redis://127.0.0.1:{self._port}"

    @contextmanager
    def started(self) -> Iterator[None]:
        with redis(self._folder, self._port):
            yield

    def send(self, bodies: Sequence[bytes]) -> None:
        """Those that it has not yet, until it is killed."""
        from redis import Redis as Client
        from redis.exceptions import RedisError

        with suppress(RedisError), Client(port=self._port) as client:
            for body in bodies[cast(int, client.xlen("events")) :]:
                client.xadd("events", {"event": body})

    def answers(self) -> list[list[bytes]]:
        """Those of each partition."""
        from redis import Redis as Client

        with Client(port=self._port) as client:
            entries: Any = client.xrange("answers")
            return [[fields[b"answer"] for _, fields in entries]]


class Kafka:
    """One partition of its topics, and how to start it again."""

    def __init__(self, folder: Path) -> None:
        from tests.spark.sources.kafka_broker import Broker

        self._broker = Broker(folder)
        self.url = f"kafka://{self._broker.address}"

    def started(self) -> AbstractContextManager[None]:
        return self._broker.started()

    def send(self, bodies: Sequence[bytes]) -> None:
        """Those that it has not yet, until it is killed."""
        from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
        from aiokafka.errors import KafkaError

        partition = TopicPartition("events", 0)
        servers = {"bootstrap_servers": self._broker.address, "request_timeout_ms": 10_000}

        async def send() -> None:
            async with AIOKafkaConsumer("events", **servers) as consumer:
                count = (await consumer.end_offsets([partition]))[partition]
            async with AIOKafkaProducer(**servers) as producer:
                for body in bodies[count:]:
                    await producer.send_and_wait("events", body, partition=0)

        with suppress(KafkaError):
            asyncio.run(send())

    def answers(self) -> list[list[bytes]]:
        """Those of each partition."""
        from aiokafka import AIOKafkaConsumer

        async def read() -> list[list[bytes]]:
            found: dict[Any, list[bytes]] = {}
            async with AIOKafkaConsumer(
                "answers", bootstrap_servers=self._broker.address, auto_offset_reset="earliest"
            ) as consumer:
                ends = await consumer.end_offsets(consumer.assignment())
                while sum(map(len, found.values())) < sum(ends.values()):
                    for partition, some in (await consumer.getmany(timeout_ms=500)).items():
                        found.setdefault(partition, []).extend(each.value for each in some)
            return list(found.values())

        return asyncio.run(read())


KINDS = [pytest.param(Redis, "redis", id="redis")]
KINDS += [pytest.param(Kafka, "aiokafka", id="kafka", marks=pytest.mark.long)]


@pytest.mark.parametrize(("kind", "package"), KINDS)
def test_a_broker_that_is_killed_while_events_flow(
    tmp_path: Path, kind: Callable[[Path], Redis | Kafka], package: str
) -> None:
    """Twice, amid what is sent and read. While it is away the server tells so, and tries again."""
    pytest.importorskip(package, reason=f"etalis_py has no client of {package}")
    if kind is Kafka:
        pytest.importorskip("pyspark", reason="its tests fetch the broker")
    broker = kind(tmp_path)
    words = [query_file(tmp_path), "--state", tmp_path / "state"]
    words += ["--source", f"{broker.url}/events?from=start", "--sink", f"{broker.url}/answers"]
    bodies = [lines([each]) for each in EVENTS]
    with broker.started():
        broker.send(bodies[:1])
    with serving(*words) as running:
        for taken in (COUNT // 2, COUNT):
            with broker.started():
                sending = threading.Thread(target=broker.send, args=(bodies,))
                sending.start()
                eventually(lambda: running.get("/status").json()["events"], taken.__lt__)
            eventually(lambda: _state(running, "sources"), lambda state: state.startswith("lost"))
            sending.join(PATIENCE)
        with broker.started():
            broker.send(bodies)
            assert eventually(lambda: subjects(running), lambda found: len(found) >= COUNT) == EXPECTED
            eventually(lambda: running.get("/sinks").json()[0]["delivered"], COUNT.__eq__)
            parts = broker.answers()
        assert running.get("/status").json()["events"] == len(EVENTS)
    given = [[json.loads(each)["bindings"]["x"]["value"] for each in part] for part in parts]
    places = [[EXPECTED.index(each) for each in dict.fromkeys(part)] for part in given]
    assert all(each == sorted(each) for each in places)  # in order, the first time that each is sent
    assert {each for part in places for each in part} == set(range(COUNT))


def _state(running: Running, kind: str) -> str:
    state: str = running.get(f"/{kind}").json()[0]["state"]
    return state
