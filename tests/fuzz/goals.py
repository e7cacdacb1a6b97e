"""Stores of goals beside lists of their rows (``tests/rules/goals.plt``): what comes, goes and is found."""

from __future__ import annotations

from pathlib import Path
from random import Random

from etalis_py.embedding import prolog

__all__ = ["Goals"]

MODEL = Path(__file__).resolve().parents[1] / "rules" / "goals.plt"
STEPS = 300


class Goals:
    """An input is the seed of what is done."""

    name = "goals"

    def __init__(self) -> None:
        prolog.load_runtime()
        prolog.do("user", "consult", str(MODEL))

    def make(self, random: Random) -> bytes:
        return str(random.getrandbits(32)).encode()

    def check(self, content: bytes, _folder: Path) -> None:
        prolog.do("test_goals", "random_life", int(content), STEPS)
