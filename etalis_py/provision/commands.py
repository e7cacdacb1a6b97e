"""Running other programs: quietly for a probe, into a log with a sign of life for a long step."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from etalis_py.provision.console import say

__all__ = ["CommandError", "output_of", "run_logged"]

SIGN_OF_LIFE = 30.0
"""Seconds between two signs of life of a long step."""

LOG_TAIL = 15
"""Lines of the log shown when a step fails."""


class CommandError(Exception):
    """A program ended with an error; the text is the end of what it printed."""


def output_of(
    command: Sequence[str], *, timeout: float = 60, env: Mapping[str, str] | None = None
) -> str | None:
    r"""What a program prints on both outputs, or ``None`` where it is missing, fails or hangs.

    >>> output_of(["sh", "-c", "echo hello"])
    'hello\n'
    >>> output_of(["no-such-program"]) is None
    True
    """
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=timeout,
            env=None if env is None else dict(env),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode(errors="replace") if done.returncode == 0 else None


def run_logged(
    command: Sequence[str], log: Path, *, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> None:
    """Run a long step, its output appended to ``log``; ``env`` is added to the environment.

    Raises ``CommandError`` with the end of the log where the program fails or is missing.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        output.write(f"$ {' '.join(command)}\n".encode())
        output.flush()
        begin = output.tell()
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=cwd,
                env={**os.environ, **(env or {})},
            )
        except OSError as error:
            raise CommandError(str(error)) from error
        with process:
            status = _wait(process, Path(command[0]).name)
    if status != 0:
        printed = log.read_bytes()[begin:].decode(errors="replace")
        tail = printed.splitlines()[-LOG_TAIL:]
        raise CommandError("\n".join(f"    | {line}" for line in tail))


def _wait(process: subprocess.Popen[bytes], name: str) -> int:
    begin = time.monotonic()
    try:
        while True:
            try:
                return process.wait(timeout=SIGN_OF_LIFE)
            except subprocess.TimeoutExpired:
                say(f"    {name} is still running after {time.monotonic() - begin:.0f} s")
    except BaseException:
        process.terminate()
        raise
