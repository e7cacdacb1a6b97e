"""Sources and sinks of ``etalis serve`` and ``etalis run``, against real brokers."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from etalis_py.connectors import LostError, open_source
from etalis_py.core.times import parse_time
from tests.connectors.brokers import free_port, mosquitto, redis
from tests.connectors.pairs import EXPECTED, LAST, PAIRS, all_pairs, subjects
from tests.connectors.waiting import eventually
from tests.patience import PATIENCE
from tests.serve.servers import Running, lines, query_file, serving


@pytest.fixture
def mqtt(tmp_path: Path) -> Iterator[int]:
    pytest.importorskip("paho.mqtt", reason="etalis_py[mqtt] is not installed")
    folder = tmp_path / "mqtt"
    folder.mkdir()
    with mosquitto(folder) as port:
        yield port


@pytest.fixture
def redis_port(tmp_path: Path) -> Iterator[int]:
    pytest.importorskip("redis", reason="etalis_py[redis] is not installed")
    with redis(tmp_path) as port:
        yield port


def publish(port: int, events: list[tuple[int, str, str]], topic: str = "sensors/a") -> None:
    from paho.mqtt import publish as paho

    messages = [(topic, lines([each]), 1, False) for each in events]
    paho.multiple(messages, hostname="127.0.0.1", port=port)


def is_open(running: Running) -> bool:
    return all(each["state"] == "open" for each in running.get("/sources").json())


def test_mqtt_in_and_out(tmp_path: Path, mqtt: int) -> None:
    source, sink = f"mqtt://127.0.0.1:{mqtt}/sensors/+", f"mqtt://127.0.0.1:{mqtt}/answers"
    with serving(query_file(tmp_path), "--source", source, "--sink", sink) as running:
        eventually(lambda: is_open(running), bool)
        publish(mqtt, PAIRS)
        publish(mqtt, [LAST])
        assert eventually(lambda: subjects(running), all_pairs) == EXPECTED
        eventually(lambda: running.get("/sinks").json()[0]["delivered"], lambda upto: upto == 30)
        publish(mqtt, [(2000, "p", "low"), (2001, "p", "high"), (2002, "p", "low")])
        eventually(lambda: subjects(running), lambda found: len(found) == 31)
        received: list[bytes] = []
        _listen(
            mqtt,
            received,
            lambda: publish(mqtt, [(3000, "q", "low"), (3001, "q", "high"), (3002, "q", "low")]),
        )
        assert json.loads(received[0])["bindings"]["x"]["value"] == "urn:q"


def _listen(port: int, received: list[bytes], then: Callable[[], None]) -> None:
    import paho.mqtt.client as paho

    client = paho.Client(paho.CallbackAPIVersion.VERSION2)
    client.on_message = lambda _client, _data, message: received.append(message.payload)
    ready: list[bool] = []
    client.on_subscribe = lambda *_: ready.append(True)
    client.connect("127.0.0.1", port)
    client.subscribe("answers", 1)
    client.loop_start()
    try:
        eventually(lambda: ready, bool)
        then()
        eventually(lambda: received, bool)
    finally:
        client.loop_stop()


def test_mqtt_while_the_server_is_away_and_records_that_are_bad(tmp_path: Path, mqtt: int) -> None:
    from paho.mqtt import publish as paho

    bad, state = tmp_path / "bad.ndjson", tmp_path / "state"
    words = [query_file(tmp_path), "--state", state, "--bad", bad]
    words += ["--source", f"mqtt://127.0.0.1:{mqtt}/sensors/+"]
    with serving(*words) as running:
        eventually(lambda: is_open(running), bool)
        publish(mqtt, PAIRS[:20])
        eventually(lambda: running.get("/status").json()["events"], lambda count: count == 20)
        running.end(signal.SIGKILL)
    publish(mqtt, PAIRS[20:])  # the broker keeps them
    paho.single("sensors/a", b"not an event", 1, hostname="127.0.0.1", port=mqtt)
    publish(mqtt, [LAST])
    with serving(*words) as running:
        assert eventually(lambda: subjects(running), all_pairs) == EXPECTED
        eventually(bad.exists, bool)
        assert json.loads(bad.read_text())["record"] == "not an event"
        assert "etalis_bad_records_total 1.0" in running.get("/metrics").text


CLIENTS = {"mqtt": "paho.mqtt", "redis": "redis", "kafka": "aiokafka", "ws": "websockets", "http": "httpx"}


@pytest.mark.parametrize("scheme", CLIENTS)
def test_what_is_not_reached_is_not_open(scheme: str) -> None:
    """Nothing is given before, not even the word that it is open."""

    async def first() -> None:
        await anext(open_source(f"{scheme}://127.0.0.1:{free_port()}/events").messages({}))

    pytest.importorskip(CLIENTS[scheme], reason=f"etalis_py has no client of {scheme}")
    with pytest.raises(LostError):
        asyncio.run(first())


def test_mqtt_when_the_broker_comes_later(tmp_path: Path) -> None:
    pytest.importorskip("paho.mqtt", reason="etalis_py[mqtt] is not installed")
    port = free_port()
    with serving(query_file(tmp_path), "--source", f"mqtt://127.0.0.1:{port}/sensors/+") as running:
        eventually(lambda: running.get("/sources").json()[0]["state"], lambda state: state.startswith("lost"))
        with mosquitto(tmp_path, port):
            eventually(lambda: is_open(running), bool)
            publish(port, [*PAIRS, LAST])
            assert eventually(lambda: subjects(running), all_pairs) == EXPECTED


def test_mqtt_when_the_broker_is_killed_and_comes_again(tmp_path: Path) -> None:
    pytest.importorskip("paho.mqtt", reason="etalis_py[mqtt] is not installed")
    port = free_port()
    with serving(query_file(tmp_path), "--source", f"mqtt://127.0.0.1:{port}/sensors/+") as running:
        for some in (PAIRS[:20], [*PAIRS[20:], LAST]):
            with mosquitto(tmp_path, port):
                eventually(lambda: is_open(running), bool)
                publish(port, some)
                eventually(lambda: _clock(running), some[-1][0].__le__)
            eventually(lambda: is_open(running), lambda is_there: not is_there)
        assert subjects(running) == EXPECTED


def _clock(running: Running) -> int:
    clock = running.get("/status").json()["clock"]
    return -1 if clock is None else parse_time(clock)


def test_redis_with_kills(tmp_path: Path, redis_port: int) -> None:
    """Killed again and again, and each entry is taken once: the answers are those of no kill."""
    from redis import Redis

    client = Redis(port=redis_port)
    for event in (*PAIRS, LAST):
        client.xadd("events", {"event": lines([event])})
    words = [query_file(tmp_path), "--state", tmp_path / "state"]
    words += ["--source", f"redis://127.0.0.1:{redis_port}/events?from=start"]
    words += ["--sink", f"redis://127.0.0.1:{redis_port}/answers"]
    chance = random.Random(3)
    for _ in range(3):
        with serving(*words) as running:
            eventually(lambda: is_open(running), bool)
            eventually(
                lambda: running.get("/status").json()["answers"], lambda count: count >= chance.randint(0, 5)
            )
            running.end(signal.SIGKILL)
    with serving(*words) as running:
        assert eventually(lambda: subjects(running), all_pairs) == EXPECTED
        for event in ((2000, "p", "low"), (2001, "p", "high"), (2002, "p", "low")):
            client.xadd("events", {"event": lines([event])})
        eventually(lambda: subjects(running), lambda found: len(found) == 31)
        eventually(lambda: running.get("/sinks").json()[0]["delivered"], lambda upto: upto == 31)
    given = [
        json.loads(fields[b"answer"])["bindings"]["x"]["value"] for _, fields in client.xrange("answers")
    ]
    assert given[-1] == "urn:p"
    assert [each for n, each in enumerate(given) if each not in given[:n]] == [*EXPECTED, "urn:p"][
        -len(set(given)) :
    ]


def test_one_server_feeds_another(tmp_path: Path) -> None:
    """Answers of a CONSTRUCT go by HTTP and by WebSocket; another server reads them as they come."""
    with serving(query_file(tmp_path)) as last, serving() as first:
        first.post("/queries?name=low", "SELECT ?x { ?x <urn:is> 'low' }")
        sink = {"url": f"{last.address}/events"}
        assert first.client.put("/sinks/no-events", json=sink).status_code == 201
        first.send((1, "a", "low"), (2, "b", "low"))
        eventually(lambda: first.get("/sinks").json()[0]["state"], lambda state: "status 400" in state)


def test_server_sent_events_as_a_source(tmp_path: Path) -> None:
    with serving() as first:
        first.post("/queries?name=low", "SELECT ?x { ?x <urn:is> 'low' }")
        url = f"{first.address}/answers?after=0"
        mapping = tmp_path / "answers.yml"
        mapping.write_text(
            "mappings:\n  answer:\n    s: $(bindings.x.value)\n    time: $(end)\n"
            "    po:\n      - [urn:is, low]\n"
        )
        with serving(
            query_file(tmp_path, "SELECT ?x { ?x <urn:is> 'low' }"), "--source", url, f"map={mapping}"
        ) as second:
            eventually(lambda: is_open(second), bool)
            first.send((1, "a", "low"), (2, "b", "low"), (3, "c", "low"))
            assert eventually(lambda: subjects(second), bool) == ["urn:a"]


def test_run_follows_a_file(tmp_path: Path) -> None:
    events = tmp_path / "events.ndjson"
    events.write_bytes(lines(PAIRS[:4]))
    command = [sys.executable, "-m", "etalis_py", "run", query_file(tmp_path), "--stream", events, "--follow"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["bindings"]["x"]["value"] == "urn:n1"
        with events.open("ab") as file:
            file.write(lines(PAIRS[4:]))
        assert json.loads(process.stdout.readline())["bindings"]["x"]["value"] == "urn:n2"
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 143


def test_run_reads_mqtt(tmp_path: Path, mqtt: int) -> None:
    url = f"mqtt://127.0.0.1:{mqtt}/sensors/+?client=run"
    command = [sys.executable, "-m", "etalis_py", "run", query_file(tmp_path), "--stream", url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None

        end, number = time.monotonic() + PATIENCE, 1
        while not _readable(process.stdout):  # what comes before the session begins goes to nobody
            assert time.monotonic() < end
            publish(mqtt, [(number, "z", "low"), (number + 1, "z", "high"), (number + 2, "z", "mid")])
            number += 10
        assert json.loads(process.stdout.readline())["query"] == "rise"
        process.kill()


@pytest.mark.slow
def test_kafka_with_kills(tmp_path: Path) -> None:
    pytest.importorskip("aiokafka", reason="etalis_py[kafka] is not installed")
    pytest.importorskip("pyspark", reason="its tests fetch the broker")
    from tests.spark.sources.kafka_broker import broker

    with broker(tmp_path) as address:
        asyncio.run(_produce(address, "events", [lines([each]) for each in (*PAIRS, LAST)]))
        words = [query_file(tmp_path), "--state", tmp_path / "state"]
        words += ["--source", f"kafka://{address}/events?from=start", "--sink", f"kafka://{address}/answers"]
        for _ in range(2):
            with serving(*words) as running:
                eventually(lambda: running.get("/status").json()["clock"], bool)
                running.end(signal.SIGKILL)
        with serving(*words) as running:
            assert eventually(lambda: subjects(running), all_pairs) == EXPECTED
            eventually(lambda: running.get("/sinks").json()[0]["delivered"], lambda upto: upto == 30)


async def _produce(address: str, topic: str, bodies: list[bytes]) -> None:
    from aiokafka import AIOKafkaProducer

    async with AIOKafkaProducer(bootstrap_servers=address) as producer:
        for body in bodies:
            await producer.send_and_wait(topic, body, partition=0)


def _readable(file: Any) -> bool:
    import select

    return bool(select.select([file], [], [], 0.5)[0])
