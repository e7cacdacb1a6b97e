"""Servers that tests start on 127.0.0.1, and end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.patience import PATIENCE

RISE = "SELECT ?x { ?x <urn:is> 'low' } SEQ { ?x <urn:is> 'high' }"
NDJSON = {"Content-Type": "application/x-ndjson"}


@dataclass
class Running:
    """A server in a process of its own; what it says on standard error is in ``log``."""

    process: subprocess.Popen[str]
    client: httpx.Client
    log: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        return str(self.client.base_url).rstrip("/")

    def get(self, path: str, **options: Any) -> Any:
        return self.client.get(path, **options)

    def post(self, path: str, content: Any = b"", **options: Any) -> Any:
        return self.client.post(path, content=content, **options)

    def send(self, *events: tuple[int, str, str], **options: Any) -> Any:
        """Send events: their time, subject and what it is."""
        headers = {**NDJSON, **options.pop("headers", {})}
        return self.post("/events", lines(events), headers=headers, **options)

    def answers(self, **options: Any) -> list[dict[str, Any]]:
        text = self.get("/answers", params={"most": 10000, **options}).text
        return [json.loads(line) for line in text.splitlines()]

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, and wait for the end; the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


def lines(events: Sequence[tuple[int, str, str]]) -> bytes:
    """Events as NDJSON."""
    rows = [
        {"start": time, "s": f"<urn:{who}>", "p": "<urn:is>", "o": f'"{what}"'} for time, who, what in events
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@contextmanager
def serving(*words: object, token: str | None = None) -> Iterator[Running]:
    """A server with these words of a command line, at a free port."""
    pytest.importorskip("uvicorn", reason="etalis_py[serve] is not installed")
    command = [sys.executable, "-m", "etalis_py", "serve", "--port", "0", *map(str, words)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        log: list[str] = []
        assert process.stdout is not None
        assert process.stderr is not None
        reading = threading.Thread(target=log.extend, args=(process.stderr,), daemon=True)
        reading.start()
        try:
            first = process.stdout.readline()
            if not first.startswith("serving at "):
                process.wait(PATIENCE)
                reading.join(PATIENCE)
                raise AssertionError(f"the server did not start: {''.join(log)}")
            headers = {} if token is None else {"Authorization": f"Bearer {token}"}
            address = first.removeprefix("serving at ").strip()
            with httpx.Client(base_url=address, timeout=PATIENCE, headers=headers, trust_env=False) as client:
                yield Running(process, client, log)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait(PATIENCE)


def query_file(folder: Path, text: str = RISE, name: str = "rise") -> Path:
    """A query in a file."""
    path = folder / f"{name}.rq"
    path.write_text(text)
    return path
