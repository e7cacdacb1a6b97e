"""etalis agree: push and pull, two dialects, two queries; the example is the paper's (sections 2 and 5)."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from etalis_py import UsageError, agree

INTEGER = "^^<http://www.w3.org/2001/XMLSchema#integer>"
COUPONS = f"""\
start,stream,s,p,o
10,<urn:coupons>,<urn:a>,<urn:offers>,<urn:c1>
10,<urn:coupons>,<urn:c1>,<urn:on>,<urn:mbt>
10,<urn:coupons>,<urn:c1>,<urn:reduce>,"\""30""{INTEGER}"
15,<urn:coupons>,<urn:b>,<urn:offers>,<urn:c2>
15,<urn:coupons>,<urn:c2>,<urn:on>,<urn:rayban>
15,<urn:coupons>,<urn:c2>,<urn:reduce>,"\""25""{INTEGER}"
18,<urn:locations>,<urn:claire>,<urn:isNear>,<urn:a>
18,<urn:locations>,<urn:claire>,<urn:isNear>,<urn:b>
"""
DAY = "1970-01-01T00:00:"
CQELS = """\
SELECT ?e
WHERE {
  STREAM <urn:coupons> [RANGE 30s] {
    ?e <urn:offers> ?coupon . ?coupon <urn:reduce> ?percent ; <urn:on> ?product
  }
  STREAM <urn:locations> [RANGE 5s] { ?user <urn:isNear> ?e }
  ?product <urn:g_classify> ?gender
  FILTER (?percent >= 20 && ?gender != 1)
}
"""


@pytest.fixture
def coupons(folder: Path) -> Path:
    (folder / "c.csv").write_text(COUPONS)
    (folder / "p.ttl").write_text("<urn:mbt> <urn:g_classify> 1 . <urn:rayban> <urn:g_classify> 0 .")
    (folder / "c.rq").write_text(CQELS)
    return folder


OPTIONS = "--stream c.csv --time-unit s --background p.ttl"


@pytest.mark.parametrize(
    ("period", "lines"),
    [
        ("5s", ["(5,10] agree", "(10,15] agree", "(15,20] agree", "they agree in 3 intervals"]),
        (
            "12s",
            [
                "(0,12] agree",
                "(12,24] push-only ?e=<urn:b> (left at 23)",
                "they differ in 1 of 2 intervals, first at 24",
            ],
        ),
        (
            "PT12S",
            [
                "(1970-01-01T00:00:00Z,1970-01-01T00:00:12Z] agree",
                f"({DAY}12Z,{DAY}24Z] push-only ?e=<urn:b> (left at {DAY}23Z)",
                "they differ in 1 of 2 intervals, first at 1970-01-01T00:00:24Z",
            ],
        ),
        (
            "2s",
            [
                "(8,10] agree",
                "(14,16] agree",
                "(16,18] agree",
                "(18,20] pull-only ?e=<urn:b> (no arrival)",
                "(20,22] pull-only ?e=<urn:b> (no arrival)",
                "they differ in 2 of 5 intervals, first at 20",
            ],
        ),
    ],
)
def test_push_and_pull(etalis, coupons: Path, period: str, lines: list[str]) -> None:
    done = etalis(f"agree c.rq {OPTIONS} --period {period}")
    assert (done.code, done.err) == (0, "")
    assert done.out.decode().splitlines() == lines


@pytest.mark.parametrize(
    "given",
    [
        "SELECT ISTREAM ?e",
        "REGISTER DSTREAM <o> REPORT CHANGE AS SELECT ?e",
        "REGISTER QUERY q EVERY 7s AS SELECT ?e",
    ],
)
def test_when_it_says_it_is_evaluated_does_not_count(etalis, coupons: Path, given: str) -> None:
    window = "FROM NAMED WINDOW <w> ON <urn:locations> [RANGE 5s]"
    (coupons / "q.rq").write_text(f"{given} {window} {{ WINDOW <w> {{ ?u <urn:isNear> ?e }} }}")
    lines = etalis(f"agree q.rq {OPTIONS} --period 6s").out.decode().splitlines()
    assert lines == ["(6,12] agree", "(12,18] agree", "they agree in 2 intervals"]


def test_windows_with_steps_are_looked_at_as_they_last_closed(etalis, coupons: Path) -> None:
    """The window that closes at 20 holds both; nothing comes while it is the last."""
    window = "FROM NAMED WINDOW <w> ON <urn:locations> [RANGE 4s STEP 4s]"
    (coupons / "q.rq").write_text(f"SELECT ?e {window} {{ WINDOW <w> {{ ?u <urn:isNear> ?e }} }}")
    lines = etalis(f"agree q.rq {OPTIONS} --period 4s").out.decode().splitlines()
    why = "came after the last arrival"
    both = f"pull-only ?e=<urn:a> ({why}); pull-only ?e=<urn:b> ({why})"
    assert lines[-2:] == [f"(16,20] {both}", "they differ in 1 of 3 intervals, first at 20"]


def test_two_queries(etalis, coupons: Path) -> None:
    (coupons / "longer.rq").write_text(CQELS.replace("SELECT ?e", "SELECT RSTREAM ?e").replace("5s", "1s"))
    (coupons / "c.rq").write_text(CQELS.replace("SELECT ?e", "SELECT RSTREAM ?e"))
    more = COUPONS + "20,<urn:locations>,<urn:claire>,<urn:isNear>,<urn:c>\n"
    (coupons / "c.csv").write_text(more)
    lines = etalis(f"agree c.rq longer.rq {OPTIONS}").out.decode().splitlines()
    assert lines == [
        "at 1970-01-01T00:00:20Z c-only ?e=<urn:b>",
        "they differ in 1 of 2 instants, first at 1970-01-01T00:00:20Z",
    ]
    lines = etalis(f"agree c.rq longer.rq {OPTIONS} --period 20s").out.decode().splitlines()
    assert lines == ["(0,20] agree", "they agree in 1 interval"]


def test_two_dialects(etalis, coupons: Path) -> None:
    window = "FROM STREAM <urn:locations> [RANGE 6s STEP 6s]"
    (coupons / "c.rq").write_text(f"SELECT ?e {window} {{ ?u <urn:isNear> ?e FILTER (?e = <urn:a>) }}")
    lines = etalis(f"agree c.rq --dialects csparql rspql {OPTIONS} --period 1s").out.decode().splitlines()
    assert lines == [
        "(9,10] agree",
        "(14,15] agree",
        "(17,18] rspql-only ?e=<urn:a>",
        "(23,24] csparql-only ?e=<urn:a>",
        "they differ in 2 of 4 intervals, first at 18",
    ]


def test_a_query_of_events_beside_one_of_windows(etalis, coupons: Path) -> None:
    (coupons / "events.rq").write_text("SELECT ?e { STREAM <urn:locations> { ?u <urn:isNear> ?e } }")
    (coupons / "c.rq").write_text("SELECT ?e { STREAM <urn:locations> [NOW] { ?u <urn:isNear> ?e } }")
    assert etalis(f"agree c.rq events.rq {OPTIONS}").out.decode() == "they agree at 1 instant\n"


def test_the_background_may_have_what_windows_ask_for(etalis, coupons: Path) -> None:
    (coupons / "p.ttl").write_text("<urn:mbt> <urn:g_classify> 1 . <urn:x> <urn:isNear> <urn:y> .")
    out = etalis(f"agree c.rq {OPTIONS} --period 5s").out.decode()
    assert "note: the background can match ?user <urn:isNear> ?e, too" in out


def test_a_construct(etalis, coupons: Path) -> None:
    window = "FROM NAMED WINDOW <w> ON <urn:locations> [RANGE 5s] { WINDOW <w> { ?u <urn:isNear> ?e } }"
    (coupons / "c.rq").write_text(f"REGISTER STREAM <o> AS CONSTRUCT {{ ?e <urn:has> ?u }} {window}")
    lines = etalis(f"agree c.rq {OPTIONS} --period 12s").out.decode().splitlines()
    assert lines[1].startswith("(12,24] push-only ?s=<urn:a> ?p=<urn:has> ?o=<urn:claire> (left at 23); push")
    (coupons / "c.rq").write_text(f"CONSTRUCT STREAM <o> {{ ?e <urn:has> ?u }} {window}")
    done = etalis(f"agree c.rq {OPTIONS} --period 12s")
    assert (done.code, done.err[:5]) == (2, "EP222")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("c.rq", "EP501"),
        ("c.rq events.rq more.rq", "EP501"),
        ("c.rq events.rq --dialects csparql rspql", "EP501"),
        ("events.rq --period 5s", "EP222"),
        ("c.rq --period soon", "EP505"),
    ],
)
def test_what_cannot_be_compared(etalis, coupons: Path, words: str, code: str) -> None:
    for name in ("events.rq", "more.rq"):
        (coupons / name).write_text("SELECT ?e { ?u <urn:isNear> ?e }")
    done = etalis(f"agree {words} {OPTIONS}")
    assert done.code == 2
    assert done.err.startswith(code)


def test_in_python(coupons: Path) -> None:
    files = {"background": coupons / "p.ttl", "time_unit": "s"}
    found = agree(CQELS, coupons / "c.csv", timedelta(seconds=12), **files)
    assert not found.agrees
    assert [(each.end, [one.side for one in each.differences]) for each in found.said] == [
        (12_000_000, []),
        (24_000_000, ["push"]),
    ]
    assert agree(CQELS, [coupons / "c.csv"], "5s", **files).agrees
    assert agree(CQELS, str(coupons / "c.csv"), other=CQELS.replace("30s", "8s"), **files).agrees
    for period in (None, timedelta(0)):
        with pytest.raises(UsageError):
            agree(CQELS, coupons / "c.csv", period, **files)
