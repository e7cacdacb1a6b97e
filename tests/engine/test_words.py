"""Words that a reader numbers cross to the rules once; answers do not depend on what becomes of them."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from etalis_py import Engine, Match
from etalis_py.texts import words
from etalis_py.texts.library import text_library
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


@pytest.mark.parametrize("forgets", [False, True])
def test_texts_of_names_are_made_when_somebody_looks(forgets: bool) -> None:
    library = text_library()
    assert library is not None
    table = words.Words(library)
    batches = []
    for column in (["<urn:a>", "<urn:b>"], ["<urn:c>", "<urn:a>"], ["<urn:é>", "7"], ["7", "<urn:d>"]):
        array = pa.array(column)
        _, bounds, data = array.buffers()
        table.begin_batch()
        places = table.places(words.Texts(bounds.address, data.address, data.size), len(array))
        first = len(table.kinds(0))
        table.read_new(lambda texts: [f"read {text}" for text in texts])
        assert table.texts(first).count(b"\n") == len(table.kinds(first))
        batches.append((table.of_batch(), places))
    if forgets:
        table.forget()
    looked = [batch.at(reversed(places)) for batch, places in batches]
    assert looked == [["urn:b", "urn:a"], ["urn:a", "urn:c"], ["read 7", "urn:é"], ["urn:d", "read 7"]]
