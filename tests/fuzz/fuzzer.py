"""What a fuzzer is: something that makes inputs at random, and tells whether the engine takes them well."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Protocol

__all__ = ["CORPUS", "Fuzzer"]

CORPUS = Path(__file__).resolve().parent / "corpus"
"""A folder for each fuzzer, with inputs that once were taken badly: they are tried first, every time."""


class Fuzzer(Protocol):
    """``name`` is also that of its folder of the corpus."""

    name: str

    def make(self, random: Random, /) -> bytes:
        """An input, which depends on ``random`` alone."""

    def check(self, content: bytes, folder: Path, /) -> None:
        """Try an input; ``folder`` is empty and may be written to.

        Raises:
            Exception: any at all is a finding, and so is a process that dies or does not come to an end.
        """
