"""Runs a fuzzer for a while in a process of its own, and catches what it does not survive."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Finding", "Hunt", "hunt"]

PROJECT = Path(__file__).resolve().parents[2]
MOST_PROCESSOR_SECONDS = 60.0
"""What one input may take. Processor time, since the machine may be busy with other things."""
MOST_SILENT_SECONDS = 600.0
"""An input that takes so long and no processor time waits for something that will not come."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An input that was taken badly, and the last words of the process."""

    content: bytes
    words: str


@dataclass(frozen=True, slots=True)
class Hunt:
    """How many inputs were tried, and the one that was taken badly, if there was one."""

    tried: int
    finding: Finding | None


def hunt(fuzzer_class: str, seconds: float, seed: str) -> Hunt:
    """Let a fuzzer try inputs for so many seconds, or until one is taken badly.

    ``fuzzer_class`` is written as ``module:class``.
    """
    with tempfile.TemporaryDirectory(prefix="etalis-fuzz-") as folder:
        place = Path(folder)
        surroundings = {**os.environ, "XDG_CACHE_HOME": str(place / "cache"), "PYTHONFAULTHANDLER": "1"}
        with (place / "words").open("wb") as words:
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.fuzz.worker", fuzzer_class, seed, folder],
                cwd=PROJECT,
                env=surroundings,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=words,
                start_new_session=True,
            )
            try:
                tried, badly = _watch(process, seconds)
            finally:
                with suppress(ProcessLookupError):  # all have ended
                    os.killpg(process.pid, signal.SIGKILL)  # a compiler that it has begun goes, too
                process.wait()
        if badly is None:
            return Hunt(tried, None)
        said = (place / "words").read_text(errors="replace")
        content = (place / "input").read_bytes() if (place / "input").is_file() else b""
        return Hunt(tried, Finding(content, f"{badly}\n{said[-6000:]}"))


def _watch(process: subprocess.Popen[bytes], seconds: float) -> tuple[int, str | None]:
    """How many inputs the process tried, and how it failed, if it did. The first one is tried in any case."""
    assert process.stdout is not None
    os.set_blocking(process.stdout.fileno(), False)
    end = time.monotonic() + seconds
    tried, began, used = 0, time.monotonic(), _processor_seconds(process.pid)
    while tried == 0 or time.monotonic() < end:
        ready, _, _ = select.select([process.stdout], [], [], 0.5)
        if ready:
            said = process.stdout.read()
            if not said:
                return tried, f"the process ended with code {process.wait()}"
            tried += said.count(b"\n")
            began, used = time.monotonic(), _processor_seconds(process.pid)
        elif _processor_seconds(process.pid) - used > MOST_PROCESSOR_SECONDS:
            return tried, f"it took more than {MOST_PROCESSOR_SECONDS:.0f} s of the processor"
        elif time.monotonic() - began > MOST_SILENT_SECONDS:
            return tried, f"nothing happened for {MOST_SILENT_SECONDS:.0f} s"
    return tried, None


def _processor_seconds(process: int) -> float:
    """What a process and the children that it has waited for have used; 0 where it is gone."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
