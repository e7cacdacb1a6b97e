"""Words that a reader numbers cross to the rules once; answers do not depend on what becomes of them."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from etalis_py import Engine, Match
from etalis_py.texts import words
from tests.engine.test_native_answers import XSD, in_prolog

QUERY = "SELECT * { { ?x <urn:p> ?a } SEQ { ?x <urn:q> ?b } }"
LATER = "SELECT * { ?x <urn:q> ?b }"


def term(chance: random.Random) -> str:
    number = chance.randrange(60)
    integer = f'"{number}"^^<{XSD}integer>'
    return chance.choice(
        [f"<urn:o{number}>", f"_:o{number}", f'"{number}"', integer, f"<urn:\\u00e9{number}>"]
    )


def table(chance: random.Random, first: int, rows: int, scale: int) -> pa.Table:
    """Times are multiples of 1,000 microseconds, in the unit that is so many of them."""
    times = sorted(first + chance.randrange(rows) for _ in range(rows))
    return pa.table(
        {
            "start": [time * 1_000 // scale for time in times],
            "s": [
                chance.choice([f"<urn:s{chance.randrange(60)}>", f"_:s{chance.randrange(9)}"]) for _ in times
            ],
            "p": [chance.choice(["<urn:p>", "<urn:q>", "<urn:r>"]) for _ in times],
            "o": [term(chance) for _ in times],
        }
    )


def answers(chance: random.Random) -> list[Match]:
    """Of two readers in turn, whose words are forgotten now and then, and a query that comes in between."""
    with Engine() as engine:
        engine.register(QUERY, name="pairs")
        for number in range(12):
            if number == 6:
                engine.register(LATER, name="later")
            unit = chance.choice(["us", "ms"])
            part = table(chance, 400 * number, chance.choice([1, 5, 300]), 1 if unit == "us" else 1_000)
            engine.send_batch(part, time_unit=unit)
        engine.finish()
        return list(engine.matches())


@pytest.mark.parametrize("most", [1, 40, 100_000])
def test_forgotten_words_change_nothing(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_MOST_WORDS", most)
    found = answers(random.Random(5))
    with in_prolog():
        assert answers(random.Random(5)) == found
    assert len(found) > 500
    assert {each.query for each in found} == {"pairs", "later"}
