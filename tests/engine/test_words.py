"""Words that a reader numbers cross to the rules once; answers do not depend on what becomes of them."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from etalis_py import Engine, Match
from etalis_py.core.terms import encode_ntriples
from etalis_py.texts import words
from etalis_py.texts.library import text_library
from tests.engine.test_native_answers import XSD, in_prolog

QUERY = "SELECT * { { ?x <urn:p> ?a } SEQ { ?x <urn:q> ?b } }"
LATER = "SELECT * { ?x <urn:q> ?b }"
KNOWN = 'SELECT * { ?x <urn:q> ?b VALUES ?b { 7 -7 0 7.5 -0.25 "7" "" "7.5" } }'
NUMBERS = ("0", "7", "-7", "7.5", "-0.25", "100000000000000000", "0.00000000000000001", "123456789.123456789")
OTHER_NUMBERS = (
    "-0",
    "07",
    "+7",
    "7.",
    ".5",
    "0.0",
    "-0.0",
    "7.50",
    "1e3",
    "",
    "-",
    ".",
    "1000000000000000000",
)
TEXTS = ("", "7", "7.5", "a b", "é", "\t", "\x7f", r"a\n", r"\u00e9", "^^", "'", "<urn:a>")
TYPES = ("integer", "decimal", "int", "double", "string", "integers")


def term(chance: random.Random) -> str:
    number = chance.randrange(60)
    integer = f'"{number}"^^<{XSD}integer>'
    text = chance.choice((*NUMBERS, *OTHER_NUMBERS, *TEXTS))
    literal = f'"{text}"' + chance.choice(["", "@en", *(f"^^<{XSD}{each}>" for each in TYPES)])
    return chance.choice(
        [f"<urn:o{number}>", f"_:o{number}", f'"{number}"', integer, f"<urn:\\u00e9{number}>", literal]
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
        engine.register(KNOWN, name="known")
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
    assert {each.query for each in found} == {"pairs", "known", "later"}


@pytest.mark.parametrize("datatype", ["", *(f"^^<{XSD}{each}>" for each in TYPES)])
@pytest.mark.parametrize("text", [*NUMBERS, *OTHER_NUMBERS, *TEXTS])
def test_a_literal_is_the_same_whoever_reads_it(text: str, datatype: str) -> None:
    literal = f'"{text}"{datatype}'
    rows = pa.table({"start": [1], "s": ["<urn:s>"], "p": ["<urn:q>"], "o": [literal]})
    with Engine() as engine:
        engine.register(LATER)
        engine.send_batch(rows)
        engine.finish()
        (found,) = engine.matches()
    assert found.values[1] == encode_ntriples(literal)


def test_plain_literals_are_made_when_somebody_looks() -> None:
    library = text_library()
    assert library is not None
    table = words.Words(library)
    plain = [f'"7"^^<{XSD}integer>', f'"-7.5"^^<{XSD}decimal>', '"a b"']
    others = [f'"07"^^<{XSD}integer>', f'"7.50"^^<{XSD}decimal>', '"é"', "_:b"]
    asked: list[str] = []

    def read(texts: list[str]) -> list[str]:
        asked.extend(texts)
        return texts

    array = pa.array([*plain, *others])
    _, bounds, data = array.buffers()
    table.places(words.Texts(bounds.address, data.address, data.size), len(array))
    table.read_new(read, literals=True)
    assert asked == others == table.others(0)
    assert table.made == [*map(encode_ntriples, plain), *others]


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
