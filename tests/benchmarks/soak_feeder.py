"""Writes the stream of the soak test to standard output, from the block that a file names.

Run: python -m tests.benchmarks.soak_feeder PROGRESS [LAST]
The file is brought up to date after each block. A kill between the two has the block written again: what
reads it drops what is late, and a triple that comes twice at one instant is one.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.benchmarks.soak_stream import block, line

__all__ = ["main", "progress_of"]


def progress_of(path: Path) -> int:
    """How many blocks have been written for sure."""
    return int(path.read_bytes() or b"0")


def main() -> None:
    path = Path(sys.argv[1])
    last = int(sys.argv[2]) if len(sys.argv) > 2 else sys.maxsize
    number = progress_of(path)
    with path.open("r+b", buffering=0) as file:
        while number < last:
            os.write(sys.stdout.fileno(), "".join(map(line, block(number))).encode())
            number += 1
            os.pwrite(file.fileno(), b"%020d" % number, 0)


if __name__ == "__main__":
    main()
