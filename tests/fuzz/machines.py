"""Programs whose rules run without Prolog, with it, and now with it and now without: answers are the same.

In between, the state moves to another engine.
"""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from random import Random
from typing import Any

from etalis_py.core.errors import QueryError, RunTimeError
from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from tests.engine.counting import in_prolog
from tests.fuzz.calls import background_files, take
from tests.oracle.checking import nameless
from tests.oracle.chooser import Chooser
from tests.oracle.examples import Example, make_example
from tests.oracle.running import open_engine, tally

__all__ = ["Machines"]

OPERATORS = ("ASK", "EXISTS", "GROUP BY", "MINUS")
"""What may run without Prolog."""
POLICIES = ("unrestricted", "unrestricted", "chronological", "recent")


class Machines:
    """An input is the seed of a program and its stream."""

    name = "machines"

    def make(self, random: Random) -> bytes:
        return str(random.getrandbits(64)).encode()

    def check(self, content: bytes, folder: Path) -> None:
        random = Random(content)
        operators = frozenset(random.sample(OPERATORS, random.choice((0, 1, 1, 2))))
        example = make_example(Chooser(random.randint), operators)
        files = background_files(folder)
        options = {
            "policy": random.choice(POLICIES),
            "max_derivations": 1000,
            "share": random.randrange(4) > 0,
        }
        try:
            with in_prolog():
                expected = _found(example, files, options)
        except QueryError:
            return
        except RunTimeError as error:
            if error.code != "EP302":
                raise
            return
        assert _found(example, files, options) == expected
        assert _found(example, files, options, random) == expected


def _found(
    example: Example, files: list[Path], options: dict[str, Any], random: Random | None = None
) -> list[list[Counter[object]]]:
    """What each step gives. With ``random``, Prolog runs some steps, and engines follow one another."""
    found = []
    engine = open_engine(example, files, **options)
    try:
        for step in example.steps:
            with in_prolog() if random and random.randrange(2) else nullcontext():
                take(engine, step)
                found.append(_counted(list(engine.matches()), example))
            if random and random.randrange(3) == 0:
                engine = _moved(engine, open_engine(example, files, **options))
        engine.finish()
        found.append(_counted(list(engine.matches()), example))
    finally:
        engine.discard()
    return found


def _moved(engine: Engine, other: Engine) -> Engine:
    try:
        other.restore([engine.snapshot()])
    finally:
        engine.discard()
    return other


def _counted(matches: list[Match], example: Example) -> list[Counter[object]]:
    return [Counter(nameless(each)) for each in tally(matches, len(example.queries))]
