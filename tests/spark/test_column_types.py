"""Typed shortcuts: which values fit which columns."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from math import inf, isnan
from typing import Any

import pytest

from etalis_py.core.column_types import column_types
from etalis_py.core.errors import UsageError
from etalis_py.core.terms import encode_ntriples, lexical_form
from etalis_py.embedding.answer_values import encoded_value
from etalis_py.spark_udfs.execution.term_columns import term_column
from tests.spark.conftest import XSD


def read(kind: str, *texts: str | None) -> list[Any]:
    """What a column of a type holds; a text without quotes is that of a number or a boolean."""
    types = column_types({"x": kind}, ["x"])
    values = [None if text is None else raw(text) for text in texts]
    return term_column(values, types["x"]).to_pylist()  # type: ignore[no-any-return]


def raw(text: str) -> Any:
    """A term as an answer has it: see `Answers.values`."""
    term = encode_ntriples(text.replace("^^", f"^^<{XSD}") + ">" * ("^^" in text))
    if isinstance(term, str):
        return term
    usual = len(term) == 2 and term[1] in (f"{XSD}integer", f"{XSD}double") and not isinstance(term[0], str)
    if usual:
        return term[0]
    value = list(term[0]) if isinstance(term[0], tuple) else term[0]
    return [value, *term[1:]]


def test_numbers() -> None:
    texts = (
        '"7"^^integer',
        '"7.5"^^decimal',
        '"07"^^integer',
        '"1.5E0"^^double',
        '"x"^^integer',
        "<urn:a>",
        None,
    )
    assert read("double", *texts) == [7.0, 7.5, 7.0, 1.5, None, None, None]
    assert read("bigint", *texts) == [7, None, 7, None, None, None, None]
    assert read("string", *texts) == ["7", "7.5", "07", "1.5E0", "x", "urn:a", None]
    assert read("decimal(3,1)", *texts) == [*map(Decimal, ("7.0", "7.5", "7.0", "1.5")), None, None, None]
    assert read("tinyint", '"127"^^integer', '"128"^^integer', '"-128"^^int', '"5.0"^^decimal') == [
        127, None, -128, 5,
    ]  # fmt: skip
    assert read("bigint", f'"{2**63}"^^integer', '"-1"^^integer') == [None, -1]
    assert read("bigint", '"1"^^integer', '"2"^^integer') == [1, 2]


def test_numbers_without_an_end() -> None:
    texts = (
        '"INF"^^double',
        '"NaN"^^double',
        '"1.0E300"^^double',
        f'"1{"0" * 400}"^^integer',
        '"true"^^boolean',
    )
    whole, none, great, *others = read("double", *texts)
    assert (whole, isnan(none), great, others) == (inf, True, 1e300, [None, None])
    assert read("float", *texts)[2:] == [None, None, None]
    for kind in ("int", "decimal(38,2)"):
        assert read(kind, *texts) == [None] * 5
    assert repr(read("double", '"-0.0E0"^^double', '"0.0E0"^^double')) == "[-0.0, 0.0]"
    assert isnan(read("double", '"NaN"^^double')[0])


def test_decimals_are_rounded_as_spark_does() -> None:
    texts = (
        '"2.345"^^decimal',
        '"-2.345"^^decimal',
        '"2.3449"^^decimal',
        '"0.1E0"^^double',
        '"100"^^integer',
    )
    found = read("decimal(4, 2)", *texts)
    assert found == [Decimal("2.35"), Decimal("-2.35"), Decimal("2.34"), Decimal("0.10"), None]
    assert read("decimal(2)", '"99.4"^^decimal', '"99.5"^^decimal') == [Decimal(99), None]


def test_other_types() -> None:
    texts = (
        '"true"^^boolean', '"0"^^boolean', '"2011-03-11T05:46:23.5Z"^^dateTime', '"2011-03-11+09:00"^^date',
        '"PT1H"^^duration', '"P1M"^^duration', '"-P1DT0.5S"^^dayTimeDuration', '"2011-02-30"^^date', "_:b",
        '"true"', '"hi"@en',
    )  # fmt: skip
    time = datetime(2011, 3, 11, 5, 46, 23, 500_000, tzinfo=timezone.utc)
    nothing = [None] * 11
    assert read("boolean", *texts) == [True, False, *nothing[2:]]
    assert read("timestamp", *texts) == [None, None, time, *nothing[3:]]
    assert read("date", *texts) == [*nothing[:3], date(2011, 3, 11), *nothing[4:]]
    days = [timedelta(hours=1), None, -timedelta(days=1, seconds=0.5)]
    assert read("INTERVAL day  to second", *texts) == [*nothing[:4], *days, *nothing[7:]]
    assert read("string", *texts)[-3:] == ["_:b", "true", "hi"]


def test_structs_of_all_kinds() -> None:
    """Columns of one kind, which Arrow makes by itself, and mixed ones say the same."""
    texts = (
        "<urn:a>",
        "_:b",
        '"7"^^integer',
        '"1.5E0"^^double',
        '"-0.0E0"^^double',
        '"0.0E0"^^double',
        '"x"@en',
    )
    for chosen in (texts, texts[:1], texts[:2], texts[2:3], texts[3:6], texts[:1] * 3):
        values = [raw(text) for text in chosen]
        column = term_column(values, None).to_pylist()
        for value, found in zip(values, column, strict=True):
            text, datatype, language = lexical_form(value if isinstance(value, str) else encoded_value(value))
            kind = "literal" if datatype or language else "bnode" if text[:2] == "_:" else "uri"
            text = text[2:] if kind == "bnode" else text
            assert found == {"type": kind, "value": text, "datatype": datatype, "lang": language}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"prise": "double"}, r"EP509 columns: no query selects a variable 'prise'\nhint: 'price'\?"),
        ({"?price": "double"}, r"variable '\?price'\nhint: 'price'\?"),
        ({"price": "doubel"}, r"EP509 .*'doubel' of 'price' is none .*\nhint: 'double'\?"),
        (
            {"price": "decimal(39,2)"},
            r"'decimal\(39,2\)'.*\n.*known are tinyint, .*decimal\(precision, scale\)",
        ),
        ({"price": "decimal(2,3)"}, "EP509"),
        ({"price": "array<int>"}, "EP509"),
        ({"price": 5}, "EP509"),
    ],
)
def test_what_cannot_be_is_said(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        column_types(columns, ["share", "price"])
