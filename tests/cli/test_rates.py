"""``--rates``: told, read, counted; the answers are the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import PREFIX, ndjson
from tests.cli.test_standard_input import event, patience  # noqa: F401 - a fixture
from tests.patience import PATIENCE

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "association.md").read_text(encoding="utf-8")
CHAIN = PREFIX + "SELECT * { { ?x ex:p ?a } SEQ { ?x ex:q ?b } SEQ { ?x ex:r ?c } }\n"
OFTEN, RARELY = "ex:p=100,ex:q=100,ex:r=0.1", "ex:p=0.1,ex:q=100,ex:r=100"


def rows(count: int = 40) -> list[tuple[int, str, str, str]]:
    steps = "pq" * count
    kinds = ["r" if number % 10 == 9 else steps[number] for number in range(count)]
    return [
        (number, "<http://example.org/a>", f"<http://example.org/{kind}>", f'"{number}"')
        for number, kind in enumerate(kinds)
    ]


@pytest.fixture
def chain(folder: Path) -> Path:
    (folder / "chain.rq").write_text(CHAIN)
    (folder / "stream.ndjson").write_text(ndjson(rows()))
    return folder


@pytest.mark.parametrize("rates", ["measure", "measure:5", "stream.ndjson", OFTEN, RARELY])
def test_answers_are_the_same(chain: Path, etalis, rates: str) -> None:
    as_written = etalis("run chain.rq --stream stream.ndjson")
    done = etalis("run chain.rq --stream stream.ndjson --rates", rates)
    assert (done.code, done.out) == (0, as_written.out)
    assert done.answers


@pytest.mark.parametrize(
    ("rates", "chosen"),
    [(OFTEN, "right  1 SEQ (2 SEQ 3)"), (RARELY, "left   (1 SEQ 2) SEQ 3"), ("stream.ndjson", "left")],
)
def test_explain_shows_what_was_chosen(chain: Path, etalis, rates: str, chosen: str) -> None:
    text = etalis("explain chain.rq --stage plan --rates", rates).out.decode()
    [line] = (line for line in text.splitlines() if line.endswith("chosen"))
    assert line.strip().startswith(chosen)


def test_explain_says_what_is_not_known(chain: Path, etalis) -> None:
    text = etalis("explain chain.rq --stage plan --rates", "ex:p=1, <http://example.org/q>=2").out.decode()
    assert "3: ?x ex:r ?c  at a rate that is not known\n  as written\n" in text


def test_a_file_of_rates(chain: Path, etalis) -> None:
    (chain / "rates.csv").write_text("event,rate,subjects,objects\nex:p,100,5,\nex:q,100,5,7\nex:r,.1,,\n")
    text = etalis("explain chain.rq --stage plan --rates rates.csv").out.decode()
    assert "1: ?x ex:p ?a  100 a second" in text
    assert "chosen" in text


def test_of_what_queries_make_nothing_is_known(chain: Path, etalis) -> None:
    (chain / "make.rq").write_text(PREFIX + "CONSTRUCT { ?x ex:r ?y } WHERE { ?x ex:s ?y }\n")
    text = etalis("explain chain.rq make.rq --stage plan --rates stream.ndjson").out.decode()
    assert "3: ?x ex:r ?c  at a rate that is not known" in text


def test_verbose_runs_tell_the_order(chain: Path, etalis) -> None:
    done = etalis("run chain.rq --stream stream.ndjson --verbose --rates measure")
    assert "chain: order of SEQ in line 2" in done.err


def test_what_comes_before_damage_is_answered(chain: Path, etalis) -> None:
    (chain / "damaged.ndjson").write_text(ndjson(rows()) + "{\n")
    plain = etalis("run chain.rq --stream damaged.ndjson")
    counted = etalis("run chain.rq --stream damaged.ndjson --rates measure")
    assert (counted.code, counted.out, counted.err) == (plain.code, plain.out, plain.err)
    assert plain.code == 3


def test_bad_queries_are_told_of_before_anything_is_read(chain: Path, etalis) -> None:
    (chain / "bad.rq").write_text("SELECT * { ?x :p ?y }")
    done = etalis("run bad.rq --stream - --stream-format ndjson --rates measure")
    assert (done.code, done.err.split()[0]) == (2, "EP106")


def test_nobody_waits_for_the_events_that_are_counted(chain: Path, start, patience) -> None:  # noqa: F811
    process = start("run chain.rq --stream - --stream-format ndjson --rates measure:1000")
    patience(process)
    events = [event(number, "a", kind) for number, kind in enumerate("pqrp", 1)]
    process.stdin.write(b"".join(events))
    process.stdin.flush()
    assert b'"x"' in process.stdout.readline()  # the input is still open
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("explain chain.rq --rates measure", "EP505"),
        ("explain chain.rq --rates ex:p", "EP505"),
        ("explain chain.rq --rates ex:p=0", "EP505"),
        ("explain chain.rq --rates other:p=1", "EP505"),
        ("explain chain.rq --rates bad.csv", "EP505"),
        ("run chain.rq --stream stream.ndjson --rates measure:0", "EP505"),
        ("run chain.rq --stream stream.ndjson --rates ex:p=1 --engine spark", "EP506"),
    ],
)
def test_what_cannot_be_read(chain: Path, etalis, words: str, code: str) -> None:
    (chain / "bad.csv").write_text("event,rate\nex:p,often\n")
    done = etalis(words)
    assert (done.code, done.err.split()[0]) == (2, code)


def test_the_example_of_the_page(folder: Path, etalis) -> None:
    [(name, query)] = re.findall(r"^```sparql (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (folder / name).write_text(query)
    [(command, shown)] = re.findall(r"^\$ etalis ([^\n]*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert etalis(command).out.decode() == shown
