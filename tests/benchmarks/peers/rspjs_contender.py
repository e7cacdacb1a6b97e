"""rsp-js as a contender: RSP-QL in JavaScript, installed once by npm into the user's cache, and run by Node.

It evaluates a window when an element comes after its close, and of several the newest alone: elements have to
come in each step. Its windows are closed-open, and their closings multiples of the step.
"""

from __future__ import annotations

import shutil
import subprocess

import pyarrow as pa

from tests.benchmarks.peers.builds import built_folder
from tests.benchmarks.peers.java_program import served
from tests.benchmarks.peers.place import Place
from tests.benchmarks.workload import Contender, Unavailable

__all__ = ["rspjs"]

OLDEST = (20, 15)
"""The first Node with a CRC-32."""
INSTALL = ("install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock")


def rspjs(place: Place, table: pa.Table, query: str, *variables: str) -> Contender:
    """A query of RSP-QL as rsp-js reads it, line by line; the values of ``variables`` are an answer.

    Raises:
        Unavailable: there is no Node or no npm, or npm cannot install the package.
    """
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None or _version(node) < OLDEST:
        raise Unavailable(f"there is no Node {'.'.join(map(str, OLDEST))} or newer with npm")
    program = built_folder("rspjs", "npm", [npm, *INSTALL]) / "peer.js"
    text = place.new_file("rspql")
    text.write_text(query, encoding="utf-8")
    shown = ",".join(variables)
    return served(place, lambda: [node, str(program), str(place.write_events(table)), str(text), shown])


def _version(node: str) -> tuple[int, ...]:
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in said.strip().removeprefix("v").split(".")[:2])
