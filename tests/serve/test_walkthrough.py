"""What docs/serve.md tells a newcomer to do, word by word, at other ports.

Commands that stay (a server, a broker, whoever watches) run beside the others; what the page shows of them
has to come. The clients of mosquitto are scripts of the same names and arguments, for these may not be
installed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from tests.connectors.brokers import free_port, mosquitto
from tests.patience import PATIENCE

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "serve.md").read_text(encoding="utf-8")
STAYS = ("etalis serve", "curl -N", "mosquitto ", "mosquitto_sub")
CLIENTS = {
    "mosquitto_pub": "publish.single(given.t, given.m, qos=1, hostname='localhost', port={port})",
    "mosquitto_sub": "subscribe.callback(lambda _c, _u, m: print(m.payload.decode(), flush=True), given.t, "
    "hostname='localhost', port={port})",
}


def section(title: str) -> str:
    return DOCUMENT.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def blocks(text: str, kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command of the console blocks, and what the page shows of it."""
    for block in blocks(text, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            end = part.index("\nEND\n") + 5 if "<<END" in part else part.index("\n") + 1
            yield part[:end].strip(), part[end:].strip()


class Terminals:
    """The terminals of a reader, in a folder."""

    def __init__(self, folder: Path, port: int, broker: int = 0) -> None:
        self._folder = folder
        self._port = str(port)
        self._broker = str(broker)
        places = [str(folder), str(Path(sys.executable).parent), os.environ["PATH"]]
        self._environment = {**os.environ, "PATH": os.pathsep.join(places), "PYTHONUNBUFFERED": "1"}
        self._staying: list[subprocess.Popen[str]] = []
        self.seen: list[str] = []
        for name, call in CLIENTS.items():
            script = folder / name
            script.write_text(
                f"#!{sys.executable}\nimport argparse\nfrom paho.mqtt import publish, subscribe\n"
                "parser = argparse.ArgumentParser()\nparser.add_argument('-t')\nparser.add_argument('-m')\n"
                f"given = parser.parse_args()\n{call.format(port=broker)}\n"
            )
            script.chmod(0o755)

    def run(self, command: str, shown: str) -> None:
        """Type a command; what it prints has to be what is shown."""
        words = command.replace("8080", self._port).replace("localhost/", f"localhost:{self._broker}/")
        if not command.startswith(STAYS):
            done = subprocess.run(
                words, shell=True, cwd=self._folder, env=self._environment,
                capture_output=True, text=True, check=True,
            )  # fmt: skip
            assert done.stdout.strip() == shown
            return
        words += f" --port {self._port}" if command.startswith("etalis serve") else ""
        process = subprocess.Popen(
            f"exec {words}", shell=True, cwd=self._folder, env=self._environment,
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._staying.append(process)
        assert process.stdout is not None
        Thread(target=self.seen.extend, args=(process.stdout,), daemon=True).start()
        self.wait_for(shown)

    def wait_for(self, shown: str) -> None:
        """Until what is shown was seen."""
        end = time.monotonic() + PATIENCE
        while not self.has_seen(shown):
            assert time.monotonic() < end, (shown, self.seen)
            assert all(process.poll() is None for process in self._staying)
            time.sleep(0.05)

    def has_seen(self, shown: str) -> bool:
        """Whether a command that stays has printed it; "..." stands for any text."""
        pattern = re.escape(shown.replace("8080", self._port)).replace(re.escape("..."), ".*")
        return re.search(pattern, "".join(self.seen)) is not None

    def close(self) -> None:
        for process in reversed(self._staying):
            process.terminate()
            process.wait(PATIENCE)


@contextmanager
def terminals(folder: Path, broker: int = 0) -> Iterator[Terminals]:
    (folder / "warm.rq").write_text(blocks(section("From nothing to an alert"), "sparql")[0])
    opened = Terminals(folder, free_port(), broker)
    try:
        yield opened
    finally:
        opened.close()


def test_from_nothing_to_an_alert(tmp_path: Path) -> None:
    text = section("From nothing to an alert")
    with terminals(tmp_path) as reader:
        for command, shown in commands(text):
            if "/why" in command:
                (answer,) = (each for each in blocks(text, "console") if each.startswith("id: 1"))
                reader.wait_for(answer.strip())
            reader.run(command, shown)


def test_from_a_broker_to_an_alert(tmp_path: Path) -> None:
    pytest.importorskip("paho.mqtt.client", reason="paho is not installed")
    text = section("From a broker to an alert")
    (tmp_path / "readings.yml").write_text(blocks(text, "yaml")[0])
    with mosquitto(tmp_path) as port, terminals(tmp_path, port) as reader:
        typed = list(commands(text))
        assert [command.split()[0] for command, _ in typed] == [
            *("mosquitto", "etalis", "mosquitto_sub", "mosquitto_pub", "mosquitto_pub")
        ]
        alert = typed[2][1]
        reader.run(*typed[1])
        reader.run(typed[2][0], "")
        for _ in range(20):  # on a machine that is busy, some are late for the clock
            reader.run(*typed[3])
            time.sleep(1.1)  # the times of two messages have to be two
            reader.run(*typed[4])
            if reader.has_seen(alert):
                break
        reader.wait_for(alert)
