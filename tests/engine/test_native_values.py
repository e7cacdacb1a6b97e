"""Comparisons and arithmetic that run without Prolog give what Prolog gives."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from etalis_py import Engine
from tests.engine.counting import in_prolog

XSD = "http://www.w3.org/2001/XMLSchema#"
QUERY = f"""PREFIX : <urn:> PREFIX xsd: <{XSD}> SELECT ?x ?y
  (?x + ?y AS ?sum) (?x - ?y AS ?difference) (?x * ?y AS ?product) (?x / ?y AS ?quotient)
  (-?x AS ?minus) (+?x AS ?plus) (?x = ?y AS ?same) (?x != ?y AS ?other) (?x < ?y AS ?less)
  (?x <= ?y AS ?most) (sameTerm(?x, ?y) AS ?term) (IF(?x, "yes", "no") AS ?truth) (?x + 1 < ?y * 0.1 AS ?both)
  (getDURATION() AS ?long) (getSTARTTIME() AS ?start) (getENDTIME() - "PT1S"^^xsd:dayTimeDuration AS ?before)
WHERE {{ ?s :left ?x . ?s :right ?y }}"""
NUMBERS = {
    "integer": "0 1 -1 7 01 +3 1152921504606846975 1152921504606846976 -1152921504606846976"
    " 9223372036854775808 9007199254740993 16777217 99999999999999999999999999999999999999999 x",
    "decimal": "0.0 1.0 2.5 -2.50 0.1 3.33 0.000000000000000001 12345678901234567890.123456789 .5 1e3",
    "double": "0.0E0 -0.0E0 1.0E0 1 0.1 2.5E0 1.0E300 -1.0E300 1.0E-300 5.0E-324 INF -INF NaN"
    " 9007199254740992 x",
    "float": "0.0E0 -0.0E0 1.0E0 0.1 16777216 3.4E38 1.0E-45 INF NaN",
    "byte": "5 -7 200",
    "unsignedInt": "4294967295",
    "boolean": "true false 1 maybe",
    "string": "'' a b é z 10",
    "dateTime": "2011-03-01T00:00:00Z 2011-03-01T01:00:00+01:00 2011-03-01T00:00:00"
    " 3000-01-01T00:00:00Z 400000-01-01T00:00:00Z soon",
    "date": "2011-03-01 2011-03-02Z",
    "duration": "PT0S PT1M PT60S P1M P1MT1S -P1D P999999999D",
    "dayTimeDuration": "P1D PT24H -PT1S",
    "yearMonthDuration": "P1Y P12M",
    "unheardOf": "a b",
}


def terms() -> Iterator[str]:
    for name, texts in NUMBERS.items():
        for text in texts.split():
            yield f'"{text.strip(chr(39))}"^^<{XSD}{name}>'
    yield from ('"a"@en', '"b"@en', '""@en', '"a"@de', "<urn:a>", "<urn:b>", "_:n")


def random_number(chance: random.Random) -> str:
    digits = "".join(chance.choice("0123456789") for _ in range(chance.choice([1, 2, 5, 16, 18, 19, 36])))
    sign = chance.choice(["", "-"])
    kind = chance.choice(["integer", "decimal", "double", "float"])
    if kind == "integer":
        return f'"{sign}{int(digits)}"^^<{XSD}integer>'
    fraction = "".join(chance.choice("05123") for _ in range(chance.choice([1, 2, 9, 18, 20])))
    exponent = "" if kind == "decimal" else f"E{chance.choice([0, 1, -3, 20, -30])}"
    return f'"{sign}{digits}.{fraction}{exponent}"^^<{XSD}{kind}>'


def answers(left: list[str], right: list[str]) -> list[str]:
    with Engine() as engine:
        engine.register(QUERY)
        rows = [(n, "left", x) for n, x in enumerate(left)] + [(n, "right", y) for n, y in enumerate(right)]
        s, p, o = zip(*((f"<urn:{n}>", f"<urn:{side}>", term) for n, side, term in rows), strict=True)
        engine.send_batch({"start": list(range(len(rows))), "s": list(s), "p": list(p), "o": list(o)})
        engine.finish()
        return list(map(repr, engine.matches()))


def test_all_pairs_of_many_kinds() -> None:
    every = list(terms())
    left = [x for x in every for _ in every]
    found = answers(left, every * len(every))
    with in_prolog():
        assert answers(left, every * len(every)) == found
    assert len(found) == len(every) ** 2


@pytest.mark.parametrize("seed", range(3))
def test_random_numbers(seed: int) -> None:
    chance = random.Random(seed)
    left, right = ([random_number(chance) for _ in range(1_000)] for _ in range(2))
    found = answers(left, right)
    with in_prolog():
        assert answers(left, right) == found
    assert len(found) == 1_000


def test_quotients_of_small_and_large_divisors() -> None:
    chance = random.Random(8)
    divisors = [*range(1, 41), 125, 640, 5**8, *(2**18 + n for n in (-1, 0, 1)), 2**19, 10**18, 2**62]
    pairs = [
        (chance.randrange(-(1 << bits), 1 << bits), sign * divisor)
        for divisor in divisors
        for bits in (4, 12, 40, 62, 66)
        for sign in (1, -1)
    ]
    left, right = ([f'"{n}"^^<{XSD}integer>' for n in side] for side in zip(*pairs, strict=True))
    found = answers(left, right)
    with in_prolog():
        assert answers(left, right) == found
    assert len(found) == len(pairs)


@pytest.mark.parametrize("order", ["?x", "DESC(?x)", "?s DESC(?x)"])
@pytest.mark.parametrize("slice_", ["LIMIT 4", "OFFSET 4"])
def test_the_first_rows_of_a_window(order: str, slice_: str) -> None:
    """Terms of all kinds come and go: what is first, and what makes room for it, is the same."""
    values = list(terms()) * 2
    random.Random(7).shuffle(values)
    query = """PREFIX : <urn:> SELECT ISTREAM ?s ?x FROM NAMED WINDOW :w ON :s [RANGE 30ms]
        WHERE { WINDOW :w { ?s :p ?x } }"""
    count = len(values)
    columns = {
        "start": [1000 * n for n in range(count)],
        "s": [f"<urn:{n % 3}>" for n in range(count)],
        "p": ["<urn:p>"] * count,
        "o": values,
        "stream": ["<urn:s>"] * count,
    }

    def rows() -> list[str]:
        with Engine() as engine:
            engine.register(f"{query} ORDER BY {order} {slice_}")
            engine.send_batch(columns)
            engine.finish()
            return list(map(repr, engine.matches()))

    found = rows()
    with in_prolog():
        assert rows() == found
    assert len(found) > count / 10
