"""Real brokers that tests start on 127.0.0.1, and end; skipped with a reason where they are absent."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.patience import PATIENCE


def free_port() -> int:
    """A port that nobody has, a moment ago."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


@contextmanager
def started(command: Sequence[str], port: int) -> Iterator[subprocess.Popen[bytes]]:
    """A program, when it listens."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            end = time.monotonic() + PATIENCE
            while True:
                with socket.socket() as trial:
                    if trial.connect_ex(("127.0.0.1", port)) == 0:
                        break
                assert process.poll() is None, f"{command[0]} has ended"
                assert time.monotonic() < end
                time.sleep(0.05)
            yield process
        finally:
            process.kill()


@contextmanager
def mosquitto(folder: Path, port: int | None = None) -> Iterator[int]:
    """An MQTT broker that keeps its sessions in a folder; its port."""
    program = shutil.which("mosquitto", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    if program is None:
        pytest.skip("mosquitto is not installed")
    port = port or free_port()
    settings = folder / "mosquitto.conf"
    settings.write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence true\nautosave_interval 1\n"
        f"persistence_location {folder}/\nuser {_user()}\n"
    )
    with started([program, "-c", str(settings)], port):
        yield port


def _user() -> str:
    import getpass

    return getpass.getuser()


@contextmanager
def redis(folder: Path, port: int | None = None) -> Iterator[int]:
    """A Redis that has each entry on the disk of a folder before it says so; its port."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed")
    port = port or free_port()
    words = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "yes", "--appendfsync", "always"]
    with started([program, "--port", str(port), *words, "--dir", str(folder)], port):
        yield port
