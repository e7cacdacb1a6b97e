"""What happens to elements that come too late.

end of the elements, in order of arrival:   1   3   2   4   (s)
^ late: the instant 3 has begun
"""  # fmt: skip

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROWS = ((1, "low"), (3, "high"), (2, "low"), (4, "high"))


@pytest.fixture(autouse=True)
def stream(folder: Path) -> None:
    rows = [
        {
            "start": f"1970-01-01T00:00:0{end}Z",
            "s": "<urn:a>",
            "p": f"<http://example.org/{name}>",
            "o": f'"{end}"',
        }
        for end, name in ROWS
    ]
    (folder / "s.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "q.rq").write_text(
        "PREFIX ex: <http://example.org/> SELECT ?a ?b WHERE { { ?x ex:low ?a } SEQ { ?x ex:high ?b } }"
    )


def test_it_is_an_error_and_the_answers_before_it_stay(etalis) -> None:
    done = etalis("run q.rq --stream s.ndjson")
    assert done.code == 3
    assert done.err.startswith("EP413 s.ndjson, row 3: ")
    assert done.found == [("1", "3")]


def test_it_can_be_dropped_and_is_told_of(etalis) -> None:
    done = etalis("run q.rq --stream s.ndjson --on-late drop")
    assert (done.code, done.found) == (0, [("1", "3"), ("1", "4")])
    assert done.err == "warning: 1 element came too late and was dropped\n"
    assert etalis("run q.rq --stream s.ndjson --on-late drop --quiet").err == ""


@pytest.mark.parametrize("delay", ["1s", "1000ms", "PT1S", "P1D", "2min"])
def test_it_is_put_in_its_place_within_a_delay(etalis, delay: str) -> None:
    done = etalis(f"run q.rq --stream s.ndjson --on-late {delay}")
    assert (done.code, done.err) == (0, "")
    assert done.found == [("1", "3"), ("2", "3"), ("1", "4"), ("2", "4")]


def test_later_than_the_delay_is_an_error(etalis) -> None:
    done = etalis("run q.rq --stream s.ndjson --on-late 999ms")
    assert done.code == 3
    assert done.err.startswith("EP413 s.ndjson, row 3: ")
    assert "00:00:02Z comes too late: one that ends at 1970-01-01T00:00:03Z came before it" in done.err


@pytest.mark.parametrize("delay", ["never", "5", "-5s", "P1M", "PT0S", "5 s"])
def test_a_delay_that_is_none(etalis, delay: str) -> None:
    done = etalis("run q.rq --stream s.ndjson --on-late", delay)
    assert (done.code, done.err.split()[0]) == (2, "EP501" if delay == "-5s" else "EP505")
