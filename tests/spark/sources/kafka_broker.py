"""A Kafka broker on 127.0.0.1 for tests, and the jars of Spark's connector, both from Maven Central.

They are fetched with Ivy, which PySpark brings along, into the user's cache.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark
import pytest

from etalis_py.core.cache import cache_folder
from etalis_py.provision.java import lead_spark_to_java
from etalis_py.provision.places import locked
from tests.patience import PATIENCE

BROKER = [("org.apache.kafka", "kafka_2.13", "4.1.0", "true")]
SPARK = "org.apache.spark"
SQL, TOKENS = "spark-sql-kafka-0-10_2.13", "spark-token-provider-kafka-0-10_2.13"
REST = [
    ("org.apache.kafka", "kafka-clients", "3.9.1", "false"),
    ("org.apache.commons", "commons-pool2", "2.12.1", "false"),
]
CONNECTORS = [
    [(SPARK, SQL, pyspark.__version__, "false"), (SPARK, TOKENS, pyspark.__version__, "false"), *REST],
    # Where Maven Central does not have that of this Spark: parts that work with it, too.
    [(SPARK, SQL, "4.2.0", "false"), (SPARK, TOKENS, "4.1.0-preview1", "false"), *REST],
]


def connector() -> list[Path]:
    """The jars of Spark's connector; the test is skipped where there are none."""
    reason = ""
    for modules in CONNECTORS:
        jars, reason = _fetch(modules)
        if jars:
            return jars
    pytest.skip(f"Spark's connector to Kafka cannot be had: {reason}")


@contextmanager
def broker(folder: Path) -> Iterator[str]:
    """A broker while the context lasts, and where it listens; the test is skipped where there is none."""
    kafka = Broker(folder)
    with kafka.started():
        yield kafka.address


class Broker:
    """A broker that can be started again and again, where it was and with what it had.

    The test is skipped where there is none.
    """

    def __init__(self, folder: Path) -> None:
        jars, reason = _fetch(BROKER)
        if not jars:
            pytest.skip(f"Kafka cannot be had: {reason}")
        self._port, other = _free_ports(2)
        self.address = f"127.0.0.1:{self._port}"
        settings = {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.voters": f"1@127.0.0.1:{other}",
            "listeners": f"PLAINTEXT://{self.address},CONTROLLER://127.0.0.1:{other}",
            "advertised.listeners": f"PLAINTEXT://{self.address}",
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            "log.dirs": str(folder / "log"),
            "num.partitions": "2",
            "offsets.topic.replication.factor": "1",
            "offsets.topic.num.partitions": "1",
        }
        self._folder, self._said = folder, folder / "server.properties"
        self._said.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        self._java = [_java(), "-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp", os.pathsep.join(map(str, jars))]
        made = ["kafka.tools.StorageTool", "format", "-t", "AAAAAAAAAAAAAAAAAAAAAQ", "-c", str(self._said)]
        subprocess.run([*self._java, *made], check=True, capture_output=True, timeout=PATIENCE)

    @contextmanager
    def started(self) -> Iterator[None]:
        """It listens while the context lasts, and is killed at its end."""
        with (self._folder / "broker.log").open("ab") as log:
            process = subprocess.Popen([*self._java, "kafka.Kafka", str(self._said)], stdout=log, stderr=log)
            try:
                _wait_for(self._port, process)
                yield
            finally:
                process.kill()
                process.wait(timeout=PATIENCE)


def _fetch(modules: list[tuple[str, str, str, str]]) -> tuple[list[Path], str]:
    """The jars of some modules, or none and why: org, name, version, and whether with what they need."""
    name = "-".join(f"{module}-{version}" for _, module, version, _ in modules[:2])
    cache = cache_folder() / "test-jars"
    target, ivy = cache / name, Path(pyspark.__file__).parent / "jars"
    with locked(cache):
        if not (target / "done").exists():
            target.mkdir(exist_ok=True)
            wanted = "".join(
                f'<dependency org="{org}" name="{module}" rev="{version}" transitive="{with_more}"/>'
                for org, module, version, with_more in modules
            )
            head = '<ivy-module version="2.0"><info organisation="tests" module="kafka"/>'
            (target / "ivy.xml").write_text(
                f'{head}<dependencies defaultconf="default">{wanted}</dependencies></ivy-module>'
            )
            classes = os.pathsep.join(
                str(path) for kind in ("ivy", "commons-cli") for path in ivy.glob(f"{kind}-*.jar")
            )
            said = ["-cache", str(cache / "ivy"), "-ivy", str(target / "ivy.xml"), "-confs", "default"]
            said += ["-retrieve", f"{target}/[artifact]-[revision].[ext]"]
            command = [_java(), "-cp", classes, "org.apache.ivy.Main", *said]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
            except subprocess.TimeoutExpired:
                return [], "Maven Central does not answer"
            if done.returncode or "UNRESOLVED" in done.stdout + done.stderr:
                lines = (done.stdout + done.stderr).splitlines()
                return [], next(
                    (line.strip() for line in lines if "not found" in line), "Ivy cannot fetch it"
                )
            (target / "done").write_text("")
    return sorted(target.glob("*.jar")), ""


def _java() -> str:
    return str(lead_spark_to_java().home / "bin" / "java")


def _free_ports(count: int) -> list[int]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in held]
    for each in held:
        each.close()
    return ports


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    """Until it listens: a connection is what tells."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    pytest.fail("the broker does not start; its words are in broker.log")
