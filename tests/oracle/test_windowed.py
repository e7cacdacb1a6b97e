"""The oracle of windowed queries on cases worked out by hand, and the definition of windows against it."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from etalis_py.compiler.algebra.stream_windows import Landmark, PastExtent, TimeExtent
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.parser import parse
from tests.oracle.extents import holds
from tests.oracle.solutions import Placed, Triple
from tests.oracle.windowed import _Dialect, _window, evaluations, rows_given

PREFIX = "PREFIX : <urn:>\n"
S = "urn:S"


def triple(text: str) -> Triple:
    s, p, o = (f"urn:{each}" for each in text.split())
    return s, p, o


def stream(*elements: tuple[int, str], name: str = S) -> frozenset[Placed]:
    """Elements at a time each, of triples with commas between them."""
    return frozenset(
        Placed(triple(each), (time, time), name) for time, texts in elements for each in texts.split(", ")
    )


# Figure 1 of RSEP-QL, section 2; a microsecond for a second.
#
#   2:{a1 p b1}   4:{a2 p b2}   6:{b1 q c1, b2 q c2}   8:{a3 p b3, b2 q c2}   10:{b1 q c1}
FIGURE_1 = stream(
    (2, "a1 p b1"), (4, "a2 p b2"), (6, "b1 q c1, b2 q c2"), (8, "a3 p b3, b2 q c2"), (10, "b1 q c1")
)


def us(number: int) -> str:
    return f"PT{number / 10**6:.6f}S"


def found(text: str, placed: frozenset[Placed], pragma: str = "", **options: bool) -> dict[int, list[str]]:
    """The values of the rows that are given, by instant."""
    query = parse(f"{pragma}\n{PREFIX}{text}")
    given = rows_given(query, evaluations(query, placed, **options))
    return {
        time: sorted(
            " ".join(str(value).removeprefix("urn:") for _, value in sorted(row)) for row in rows.elements()
        )
        for time, rows in given
    }


def test_a_window_holds_what_ended_within_its_range() -> None:
    """RANGE 5 at 12 holds 8 and 10; the snapshot is the union of their graphs.

    8--------10-----12
       (7 .. 12]
    """
    text = (
        f"SELECT ?x ?y FROM NAMED WINDOW :w ON :S [RANGE {us(5)} STEP {us(4)}] {{ WINDOW :w {{ ?x :p ?y }} }}"
    )
    assert found(text, FIGURE_1)[12] == ["a3 b3"]


def test_a_window_with_steps_closes_at_multiples_of_the_step() -> None:
    text = f"SELECT ?x FROM NAMED WINDOW :w ON :S [RANGE {us(4)} STEP {us(4)}] {{ WINDOW :w {{ ?x :p ?y }} }}"
    assert found(text, FIGURE_1) == {4: ["a1", "a2"], 8: ["a3"]}


def test_a_window_that_starts_at_a_time_closes_a_range_later() -> None:
    """STARTING AT 3: (3, 7] closes at 7, (5, 9] at 9; what ended at 2 is in none."""
    extent = f"RANGE {us(4)} STEP {us(2)} STARTING AT 3"
    text = f"SELECT ?x FROM NAMED WINDOW :w ON :S [{extent}] {{ WINDOW :w {{ ?x :p ?y }} }}"
    assert found(text, FIGURE_1) == {7: ["a2"], 9: ["a3"], 11: ["a3"]}


def test_what_changes_is_known_when_it_comes_and_when_it_goes() -> None:
    """RANGE 3 without steps: each of a1, a2, a3 is there for three microseconds.

    2===4=|=7   8===|
    """
    text = f"SELECT DSTREAM ?x FROM NAMED WINDOW :w ON :S [RANGE {us(3)}] {{ WINDOW :w {{ ?x :p ?y }} }}"
    assert found(text, FIGURE_1) == {5: ["a1"], 7: ["a2"], 11: ["a3"]}
    assert found(text.replace("DSTREAM", "ISTREAM"), FIGURE_1) == {2: ["a1"], 4: ["a2"], 8: ["a3"]}


def test_no_last_window_is_lost() -> None:
    """One element: it is in the windows that close at 10 and at 20, and the one of 30 is empty."""
    text = f"ASK FROM NAMED WINDOW :w ON :S [RANGE {us(20)} STEP {us(10)}] {{ WINDOW :w {{ ?x :p ?y }} }}"
    query = parse(PREFIX + text)
    seen = [
        (each.time, "true" in str(each.rows).lower()) for each in evaluations(query, stream((3, "a p b")))
    ]
    assert seen == [(10, True), (20, True), (30, False)]


def test_silence_is_told_by_windows_of_the_past() -> None:
    """A payment, and five microseconds later no confirmation: told though nothing happens.

    1:pays(a)   2:pays(b)   4:confirms(b)          a is due at 6, b at 7
    """
    placed = stream((1, "a pays x"), (2, "b pays x"), (4, "b confirms x"))
    due = f"[NOW-{us(6)} TO NOW-{us(5)}]"
    text = f"""SELECT ISTREAM ?x FROM NAMED WINDOW :due ON :S {due}
        FROM NAMED WINDOW :near ON :S [RANGE {us(6)}]
        {{ WINDOW :due {{ ?x :pays ?y }} FILTER NOT EXISTS {{ WINDOW :near {{ ?x :confirms ?y }} }} }}"""
    assert found(text, placed) == {6: ["a"]}


def test_rows_that_are_given_add_up() -> None:
    """R(t) = (R(t-) - D(t)) + I(t), as bags."""
    chance = Random(3)
    for _ in range(20):
        elements = [
            (chance.randrange(1, 20), f"a{chance.randrange(3)} p b{chance.randrange(3)}") for _ in range(8)
        ]
        extent = f"RANGE {us(chance.randrange(1, 9))} STEP {us(chance.randrange(1, 5))}"
        text = f"SELECT RSTREAM ?x FROM NAMED WINDOW :w ON :S [{extent}] {{ WINDOW :w {{ ?x :p ?y }} }}"
        of_kind = {}
        for kind in ("RSTREAM", "ISTREAM", "DSTREAM"):
            query = parse(PREFIX + text.replace("RSTREAM", kind))
            all_of_it = list(evaluations(query, stream(*elements)))
            of_kind[kind] = dict(rows_given(query, all_of_it))
        before: Counter[object] = Counter()
        for each in all_of_it:
            now, new, gone = (
                of_kind[kind].get(each.time, Counter()) for kind in ("RSTREAM", "ISTREAM", "DSTREAM")
            )
            assert now == (before - gone) + new
            before = now


# ---- what windows hold ------------------------------------------------------------------------------------


@pytest.mark.parametrize("moving", [False, True])
def test_a_window_of_the_algebra_holds_what_one_of_the_text_does(moving: bool) -> None:
    chance = Random(int(moving))
    for _ in range(300):
        width, step = chance.randint(1, 9), chance.choice([None, 1, 2, 3, 5, 12])
        origin, whole = chance.choice([None, chance.randint(0, 8)]), chance.random() < 0.3
        end = chance.randint(-6, 14)
        start = end - chance.choice([0, 0, 1, 3])
        for extent, written in (
            (
                TimeExtent(width, step, origin, whole=whole, moving=moving),
                _written(width, step, origin, whole=whole),
            ),
            (Landmark(3), "LND 3"),
            (PastExtent(width + 2, width), f"NOW-{us(width + 2)} TO NOW-{us(width)}"),
        ):
            query = parse(f"{PREFIX} SELECT * FROM NAMED WINDOW :w ON :S [{written}] {{ }}")
            placed = frozenset([Placed(triple("a p b"), (start, end), S)])
            window: syntax.StreamWindow = query.form.windows[0]
            contents = _window("w", S, window.extent, placed, _Dialect(), moving=moving).contents
            for time in range(-12, 45):
                assert holds(extent, time, start, end) == bool(contents(time)), (extent, start, end, time)


def _written(width: int, step: int | None, origin: int | None, *, whole: bool) -> str:
    return " ".join(
        [
            f"RANGE {us(width)}",
            "" if step is None else f"STEP {us(step)}",
            "" if origin is None else f"STARTING AT {origin}",
            "WHOLE" if whole else "",
        ]
    )
