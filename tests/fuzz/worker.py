"""The process in which a fuzzer runs, so that the one that watches it outlives whatever it finds.

Each line of its output says that it begins with one more input; the file ``input`` of its folder holds it.
"""

from __future__ import annotations

import logging
import resource
import sys
import tempfile
import warnings
from collections.abc import Iterator
from importlib import import_module
from itertools import count
from pathlib import Path
from random import Random

from etalis_py.core.errors import EtalisWarning
from tests.fuzz.fuzzer import CORPUS, Fuzzer
from tests.sanitizers import IS_SANITIZED

__all__ = ["inputs"]

MOST_MEMORY = 8 << 30


def inputs(fuzzer: Fuzzer, seed: str) -> Iterator[bytes]:
    """First those that are kept, then new ones without end."""
    for path in sorted((CORPUS / fuzzer.name).glob("*.input")):
        yield path.read_bytes()
    for number in count():
        yield fuzzer.make(Random(f"{fuzzer.name} {seed} {number}"))


def _work(fuzzer_class: str, seed: str, place: Path) -> None:
    module, _, class_name = fuzzer_class.partition(":")
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore", EtalisWarning)
    fuzzer: Fuzzer = getattr(import_module(module), class_name)()
    for content in inputs(fuzzer, seed):
        (place / "input").write_bytes(content)
        print("next", flush=True)
        with tempfile.TemporaryDirectory(dir=place) as folder:
            fuzzer.check(content, Path(folder))


if __name__ == "__main__":
    if not IS_SANITIZED:  # what looks for errors reserves terabytes
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _work(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
