"""A query that runs in the unpacked archive before it is packed, with nothing of this machine at hand.

It shows that the archive is whole: what it loads must lie in it. And it leaves the compiled rules and
bytecode there, which each worker then finds.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from etalis_py.packing.libraries import is_of_the_system
from etalis_py.packing.problems import PackError

__all__ = ["try_out"]

_TRIAL: Final = """
import json, sys
import pyarrow, pandas
from etalis_py import Engine
from etalis_py.spark_udfs.execution import worker
from etalis_py.spark_udfs import detect
with open("o.ttl", "w") as file:
    file.write("<urn:c> <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> <urn:b> .")
with Engine(["o.ttl"]) as engine:
    engine.register(
        "SELECT * { { ?x <urn:a> ?y } SEQ { ?x <urn:b> ?z FILTER(REGEX(SHA256(MD5(STR(?z))), '^.+$')) } }"
    )
    engine.send_batch(pyarrow.table({
        "start": [1, 2], "s": ["<urn:s>"] * 2, "p": ["<urn:a>", "<urn:c>"], "o": ['"x"'] * 2
    }))
    engine.finish()
    count = len(list(engine.matches()))
with open("/proc/self/maps") as maps:
    files = sorted({line.split(maxsplit=5)[5].strip() for line in maps if ".so" in line})
print(json.dumps({"count": count, "files": files}))
"""


def try_out(root: Path) -> None:
    """Run it. Raises PackError where it does not work, or needs a file of this machine."""
    command = [str(root / "bin" / "python"), "-c", _TRIAL]
    with TemporaryDirectory() as folder:
        done = subprocess.run(
            command, env={"PATH": "/nonexistent"}, cwd=folder, capture_output=True, text=True, check=False
        )
    if done.returncode:
        said = done.stderr.strip() or f"it ended with {done.returncode}"
        raise PackError("EP611", f"the packed Python does not work:\n{said}")
    report = json.loads(done.stdout.splitlines()[-1])
    if report["count"] != 1:
        raise PackError("EP611", "the packed engine does not give the right answer")
    place = str(root.resolve())
    strange = [
        file
        for file in report["files"]
        if not file.startswith(place) and not is_of_the_system(Path(file).name)
    ]
    if strange:
        raise PackError("EP611", f"the packed Python uses files of this machine: {', '.join(strange)}")
