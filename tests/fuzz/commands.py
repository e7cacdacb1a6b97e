"""Runs of ``etalis run`` that are stopped by a signal or a full disk, at random.

What is left is the beginning of what a whole run writes; after a signal it ends with a whole line.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path
from random import Random

__all__ = ["Commands"]

QUERY = """PREFIX : <urn:>
SELECT ?x ?a ?b WHERE { { ?x :p ?a } SEQ { ?x :q ?b } FILTER(getDURATION() < 'PT1S'^^xsd:duration) }
"""
MANY = 4000
ETALIS = (sys.executable, "-m", "etalis_py")
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -signal.SIGKILL}


class Commands:
    """An input is JSON: the form of the results, what stops the run, and when."""

    name = "commands"

    def make(self, random: Random) -> bytes:
        chosen = {
            "results": random.choice(("ndjson", "csv", "tsv")),
            "output": random.choice(("file", "pipe")),
            "rows": random.randrange(MANY),
            "stop": random.choice(("full disk", *(each.name for each in CODES))),
            "after": random.randrange(1, 200_000),
        }
        return json.dumps(chosen).encode()

    def check(self, content: bytes, folder: Path) -> None:
        chosen = json.loads(content)
        (folder / "q.rq").write_text(QUERY)
        whole = _whole(chosen["results"])
        left, code, said = _stopped(folder, **chosen)
        assert "Traceback" not in said, said
        assert whole.startswith(left), "it is not the beginning of what a whole run writes"
        assert left.endswith(b"\n") or not left, "the last line is not whole"
        if chosen["stop"] == "full disk":
            fits = chosen["output"] == "pipe" or left == whole
            assert (code, "EP304" in said) == ((0, False) if fits else (4, True)), said
        else:
            number = signal.Signals[chosen["stop"]]
            assert code in (0, CODES[number], -number), said  # killed by it, if Python was only beginning


def _stopped(
    folder: Path, results: str, output: str, rows: int, stop: str, after: int
) -> tuple[bytes, int, str]:
    """What the run left, its exit code, and what it said."""
    written = folder / "out"
    words = [*ETALIS, "run", "q.rq", "--stream", "-", "--stream-format", "ndjson", "--results", results]
    if output == "file":
        words += ["--output", written.name]
    full = stop == "full disk"

    def limit() -> None:
        if full:
            resource.setrlimit(resource.RLIMIT_FSIZE, (after, resource.RLIM_INFINITY))

    with (folder / "said").open("wb") as said, (folder / "piped").open("wb+") as piped:
        process = subprocess.Popen(
            words,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if full else piped,
            stderr=said,
            preexec_fn=limit,  # noqa: PLW1509 - no threads here
        )
        assert process.stdin is not None
        try:
            lines = _rows()
            if full:
                piped_out, _ = process.communicate(b"".join(lines))
            else:
                process.stdin.write(b"".join(lines[:rows]))
                process.stdin.flush()
                process.send_signal(signal.Signals[stop])
                process.stdin.close()
                process.wait()
                piped_out = (folder / "piped").read_bytes()
        except BrokenPipeError:
            process.wait()
            piped_out = (folder / "piped").read_bytes()
        finally:
            process.kill()
    left = (written.read_bytes() if written.exists() else b"") if output == "file" else piped_out
    return left, process.returncode, (folder / "said").read_text()


@cache
def _rows() -> list[bytes]:
    """Events of which every second one completes a pair."""
    return [
        json.dumps(
            {"start": 1000 * n, "s": f"<urn:s{n // 2}>", "p": f"<urn:{'pq'[n % 2]}>", "o": f'"{n}"'}
        ).encode()
        + b"\n"
        for n in range(MANY)
    ]


@cache
def _whole(results: str) -> bytes:
    """What a run writes that nothing stops."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "q.rq").write_text(QUERY)
        Path(folder, "events.ndjson").write_bytes(b"".join(_rows()))
        words = [*ETALIS, "run", "q.rq", "--stream", "events.ndjson", "--results", results]
        done = subprocess.run(words, cwd=folder, capture_output=True, check=True)
        return done.stdout
