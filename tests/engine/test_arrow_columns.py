"""Columns of Arrow: answers do not depend on the form of the texts; a dictionary has each term once."""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction
from itertools import accumulate

import pyarrow as pa
import pytest

from etalis_py import DataError, Engine, UsageError
from etalis_py.core.terms import ntriples
from etalis_py.embedding.cells import (
    ATOM,
    DECIMAL,
    DOUBLE,
    INTEGER,
    OTHER,
    QUOTIENT,
    UNBOUND,
    Cells,
    Decimals,
)
from etalis_py.embedding.coding import different_cells, different_decimals, quoted_iris
from etalis_py.embedding.names import NameTable

QUERY = "SELECT * { { ?x <urn:p> ?a } SEQ { ?x <urn:q> ?b } }"
INTEGER_TYPE = "http://www.w3.org/2001/XMLSchema#integer"
TEXT = pa.string()
WORDS = [
    "<urn:a>",
    "<urn:p>",
    "<urn:q>",
    '"7"',
    f'"7"^^<{INTEGER_TYPE}>',
    "_:b",
    '"\\u00e9"',
    '"two\\nlines"',
]


def events(rows: int = 300) -> pa.Table:
    chance = random.Random(8)
    return pa.table(
        {
            "start": list(range(rows)),
            "s": [chance.choice(["<urn:a>", "_:b", "<urn:unusual>"]) for _ in range(rows)],
            "p": [chance.choice(["<urn:p>", "<urn:q>"]) for _ in range(rows)],
            "o": [chance.choice(WORDS) for _ in range(rows)],
        }
    )


def answers(*batches: pa.Table | pa.RecordBatch) -> list[str]:
    with Engine(policy="recent") as engine:
        engine.register(QUERY)
        for batch in batches:
            engine.send_batch(batch)
        engine.finish()
        return list(map(repr, engine.matches()))


def with_texts(table: pa.Table, form: Callable[[pa.Array], pa.Array]) -> pa.Table:
    """The same table with its columns of text in another form."""
    for place, name in enumerate(table.column_names):
        if name != "start":
            table = table.set_column(place, name, form(table.column(name).combine_chunks()))
    return table


def coded(index: pa.DataType, text: pa.DataType = TEXT) -> Callable[[pa.Array], pa.Array]:
    return lambda column: column.dictionary_encode().cast(pa.dictionary(index, text))


def with_waste(column: pa.Array) -> pa.Array:
    """A dictionary with entries that nobody uses, one of them no term, and each used one twice."""
    found = column.dictionary_encode()
    size = len(found.dictionary)
    texts = pa.array(["no term", *found.dictionary.to_pylist(), *found.dictionary.to_pylist()])
    indices = [1 + code + size * (row % 2) for row, code in enumerate(found.indices.to_pylist())]
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), texts)


def sliced_dictionary(column: pa.Array) -> pa.Array:
    found = column.dictionary_encode()
    texts = pa.concat_arrays([pa.array(["before"]), found.dictionary])[1:]
    return pa.DictionaryArray.from_arrays(found.indices, texts)


FORMS = {
    **{
        str(index): coded(index)
        for index in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint32(), pa.uint64())
    },
    "large": lambda column: column.cast(pa.large_string()),
    "view": lambda column: column.cast(pa.string_view()),
    "coded-large": coded(pa.int32(), pa.large_string()),
    "waste": with_waste,
    "sliced": sliced_dictionary,
}


@pytest.mark.parametrize("form", FORMS)
def test_answers_are_the_same_in_each_form(form: str) -> None:
    table = events()
    expected = answers(table)
    assert len(expected) > 50
    other = with_texts(table, FORMS[form])
    assert answers(other) == expected
    assert answers(*other.to_batches(max_chunksize=37)) == expected  # slices of one dictionary
    assert answers(other.slice(0, 0), other.slice(0, 100), other.slice(100)) == expected
    parts = [with_texts(table.slice(first, 50), FORMS[form]) for first in range(0, 300, 50)]
    assert answers(*parts) == expected  # dictionaries of their own
    assert answers(pa.concat_tables(parts)) == expected  # several chunks


@pytest.mark.parametrize("missing", ["indices", "dictionary"])
def test_a_missing_text_is_a_bad_row(missing: str) -> None:
    indices, texts = [0, 1, None if missing == "indices" else 2], ["<urn:a>", "<urn:b>", None]
    column = pa.DictionaryArray.from_arrays(pa.array(indices, pa.int8()), pa.array(texts, pa.string()))
    with Engine() as engine:
        engine.register("SELECT * { ?x <urn:p> ?a }")
        with pytest.raises(DataError, match="EP407") as caught:
            engine.send_batch(pa.table({"start": [1, 2, 3], "s": column, "p": ["<urn:p>"] * 3, "o": column}))
        assert caught.value.place is not None
        assert caught.value.place.row == 3
        engine.finish()
        assert len(engine.matches()) == 2


def strings(bounds: list[int], data: bytes) -> pa.Array:
    return pa.Array.from_buffers(
        pa.string(), len(bounds) - 1, [None, pa.py_buffer(array("i", bounds)), pa.py_buffer(data)]
    )


MALFORMED = {
    "beyond": strings([0, 4_000, 14], b"<urn:a><urn:b>"),
    "backwards": strings([0, 9, 7], b"<urn:a><urn:b>"),
    "before": strings([0, -9, 14], b"<urn:a><urn:b>"),
    **{
        f"index {index}": pa.DictionaryArray.from_arrays(
            pa.array([0, index], pa.int32()), ["<urn:a>", "<urn:b>"], safe=False
        )
        for index in (-1, 2)
    },
    "dictionary": pa.DictionaryArray.from_arrays(
        pa.array([0, 1], pa.int32()), strings([0, 4_000, 14], b"<urn:a><urn:b>")
    ),
}


@pytest.mark.parametrize("how", MALFORMED)
def test_a_malformed_array_is_refused(how: str) -> None:
    with Engine() as engine:
        engine.register("SELECT * { ?x ?p ?a }")
        batch = {"start": [1, 2], "s": ["<urn:a>"] * 2, "p": ["<urn:p>"] * 2}
        with pytest.raises(UsageError, match="EP504"):
            engine.send_batch(pa.table(batch | {"o": MALFORMED[how]}))
        engine.send_batch(pa.table(batch | {"o": ['"1"', '"2"']}))
        engine.finish()
        assert len(engine.matches()) == 2


def test_each_different_cell_has_a_number() -> None:
    chance = random.Random(4)
    with Engine():  # the library is loaded
        for rows, spread in ((0, 1), (1, 1), (9, 3), (5_000, 3_000), (5_000, 10)):
            kinds = bytes(chance.choice([ATOM, INTEGER, DOUBLE, OTHER, UNBOUND]) for _ in range(3 * rows))
            data = array("q", [chance.randrange(-spread, spread) for _ in kinds])
            for place in range(3):
                found, different = different_cells(Cells(kinds, data), place, 3)
                found.validate(full=True)
                pairs = list(zip(kinds[place::3], data[place::3], strict=True))
                expected = list(dict.fromkeys(pair for pair in pairs if pair[0] != UNBOUND))
                assert list(zip(different.kinds, different.data, strict=True)) == expected
                places = [None if pair[0] == UNBOUND else expected.index(pair) for pair in pairs]
                assert found.to_pylist() == places


def test_each_different_decimal_has_a_number() -> None:
    chance = random.Random(6)
    with Engine():  # the library is loaded
        for rows, spread in ((0, 1), (1, 1), (9, 3), (5_000, 3_000), (5_000, 10)):
            texts = [
                f"{chance.randrange(spread)}.{chance.choice(['5', '333333333333333333'])}"
                for _ in range(rows)
            ]
            ends = array("i", accumulate(map(len, texts), initial=0))
            places = [chance.randrange(rows) for _ in texts]
            decimals = Decimals(ends, "".join(texts).encode())
            for order in (range(rows), places, places[: rows // 2]):
                cells = Cells(bytes([DECIMAL]) * len(order), array("q", order), decimals=decimals)
                column = different_decimals(cells, "^^<urn:t>")
                column.validate(full=True)
                expected = [f'"{texts[place]}"^^<urn:t>' for place in order]
                assert column.to_pylist() == expected
                assert column.dictionary.to_pylist() == list(dict.fromkeys(expected))


def test_a_quotient_is_a_decimal_of_18_places() -> None:
    chance, context = random.Random(8), Context(prec=60)
    downs = [*range(1, 40), 1000, 1 << 17, (1 << 18) - 1, 1 << 18]
    ups = [0, 1, 2, 5, 7, (1 << 45) - 1, *(chance.randrange(1 << 45) for _ in range(20))]
    pairs = [(sign * up, down) for up in ups for down in downs for sign in (1, -1)]
    data = array("q", [up << 18 | down - 1 for up, down in pairs])
    expected = [
        context.quantize(context.divide(Decimal(up), down), Decimal("1e-18")).normalize(context)
        for up, down in pairs
    ]
    texts = [format(context.add(each, 0), "f") for each in expected]
    cells = Cells(bytes([QUOTIENT]) * len(data), data)
    assert [Fraction(text) for text in texts] == [value for value, _ in cells]
    with Engine():  # the library is loaded
        column = different_decimals(cells, "^^<urn:t>")
    column.validate(full=True)
    assert column.to_pylist() == [f'"{text}"^^<urn:t>' for text in texts]
    assert len(column.dictionary) == len(set(texts))


def test_decimals_of_both_kinds_are_told_apart_by_their_texts() -> None:
    decimals = Decimals(array("i", [0, 3, 4]), b"0.57")
    kinds, data = bytes([DECIMAL, QUOTIENT, QUOTIENT, DECIMAL]), array("q", [0, 7 << 18, 1 << 18 | 1, 1])
    cells = Cells(kinds, data, decimals=decimals)
    with Engine():  # the library is loaded
        column = different_decimals(cells, "")
    assert column.to_pylist() == ['"0.5"', '"7"', '"0.5"', '"7"']
    assert column.dictionary.to_pylist() == ['"0.5"', '"7"']


def test_a_column_of_several_kinds_has_each_term_once() -> None:
    values = ["<urn:a>", f'"1"^^<{INTEGER_TYPE}>', '"1"', '"x"@en', "_:b", '"0.5"^^<urn:t>']
    rows = [values[number % len(values)] for number in range(60)]
    with Engine() as engine:
        engine.register("SELECT ?o ?none { ?x <urn:p> ?o OPTIONAL { ?x <urn:q> ?none } }", name="all")
        columns = {"s": ["<urn:s>"] * 60, "p": ["<urn:p>"] * 60, "o": rows}
        engine.send_batch(pa.table({"start": list(range(60)), **columns}))
        engine.finish()
        table = engine.table("all")
    assert table["o"].to_pylist() == rows
    assert table["o"].combine_chunks().dictionary.to_pylist() == values
    assert table["none"].null_count == 60


def test_iris_are_put_in_brackets() -> None:
    plain = ["urn:a", "urn:é", "urn:日本", "urn:a_:b", "u"]
    others = ["_:b", *(f"urn:{each}" for each in ' <>"{}|^`\\\n\x01')]
    names = NameTable()
    for some in (plain[:2], plain[2:], others):
        texts = [each.encode() + b"\0" for each in some]
        ends = accumulate([names.size, *map(len, texts)])
        names.add(b"".join(texts), array("q", list(ends)[1:]).tobytes())
    assert list(names) == [*plain, *others]
    places = array("q", reversed(range(len(plain))))
    quoted = quoted_iris(names, places)
    assert quoted is not None
    assert quoted.to_pylist() == list(map(ntriples, reversed(plain)))
    of_others = range(len(plain), len(names))
    assert [each for each in of_others if quoted_iris(names, array("q", [*places, each])) is not None] == []


def test_names_with_any_characters() -> None:
    """Texts of Prolog's have one byte a character or four, and may have NULs."""
    names = ["urn:a", "urn:é", "urn:日本", "urn:\U0001f600", "urn:n\0n", "urn:b"]
    texts = [name.replace("\0", "\\u0000") for name in names]
    with Engine() as engine:
        engine.register("SELECT ?s ?n { ?s <urn:p> ?n }", name="all")
        for first in (0, 3):
            own = texts[first : first + 3]
            columns = {"s": ["<urn:s>"] * 3, "p": ["<urn:p>"] * 3, "o": [f"<{each}>" for each in own]}
            engine.send_batch(pa.table({"start": range(first, first + 3), **columns}))
        engine.finish()
        answers = engine.answers()
        engine.send_batch(pa.table({"start": range(10, 13), **columns}))
        engine.finish()
        written = engine.table("all")["n"].to_pylist()
    assert list(answers.values)[1::2] == names
    assert written == [ntriples(each) for each in names[3:]]
