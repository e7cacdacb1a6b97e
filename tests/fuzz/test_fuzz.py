"""Up to half a minute of fuzzing with the same inputs every time; ``make fuzz`` looks for new ones."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from tests.effort import tries
from tests.fuzz.fuzzers import FUZZERS
from tests.fuzz.hunt import hunt

SECONDS = tries(30)


@pytest.mark.random
@pytest.mark.slow
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", FUZZERS)
def test_nothing_is_taken_badly(name: str) -> None:
    result = hunt(FUZZERS[name], SECONDS / len(FUZZERS), "make test")
    assert result.finding is None, f"{result.finding}"
    assert result.tried


class Dying:
    """Takes three inputs and dies of the next one."""

    name = "dying"

    def __init__(self) -> None:
        self._made = 0

    def make(self, _random: Random) -> bytes:
        self._made += 1
        return str(self._made).encode()

    def check(self, content: bytes, _folder: Path) -> None:
        if content == b"4":
            os.abort()


def test_what_is_found_is_told() -> None:
    result = hunt("tests.fuzz.test_fuzz:Dying", 60, "any")
    assert result.finding is not None
    assert result.finding.content == b"4"
    assert "ended with code -6" in result.finding.words
