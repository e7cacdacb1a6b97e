"""``--threads``: the output is that of one thread; what it does not go with is refused."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.cli.conftest import Etalis

SEQ = """PREFIX : <urn:> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
SELECT ?x ?y { { ?x :p ?y } SEQ { ?x :q ?z } FILTER(getDURATION() < "PT20S"^^xsd:duration) }"""


@pytest.fixture
def program(folder: Path) -> Path:
    """The current folder, with seq.rq, count.rq and s.csv, whose last row is late."""
    chance = random.Random(5)
    times = (f"1970-01-01T00:{n // 60:02}:{n % 60:02}Z" for n in [*range(300), 7])
    rows = [f"{time},<urn:s{chance.randrange(9)}>,<urn:{chance.choice('pq')}>,<urn:o>" for time in times]
    (folder / "s.csv").write_text("\n".join(["start,s,p,o", *rows, ""]))
    (folder / "seq.rq").write_text(SEQ)
    (folder / "count.rq").write_text("SELECT (COUNT(*) AS ?n) { ?x <urn:p> ?y }")
    return folder


@pytest.mark.parametrize(("late", "code"), [("error", 3), ("drop", 0), ("10min", 0)])
def test_the_output_is_the_same(program: Path, etalis: Etalis, late: str, code: int) -> None:
    line = f"run seq.rq --stream s.csv --on-late {late}"
    alone = etalis(line)
    assert (alone.code, len(alone.answers) > 20) == (code, True)
    assert etalis(f"{line} --threads 3") == alone


def test_a_run_that_is_kept(program: Path, etalis: Etalis) -> None:
    line = "run seq.rq --stream s.csv --on-late drop --threads 2 --output out.csv --state kept"
    assert etalis(line).code == 0
    whole = (program / "out.csv").read_text()
    assert etalis(f"{line.replace('--threads 2', '--threads 3')}").code == 2
    with (program / "s.csv").open("a") as stream:
        stream.write("1970-01-01T00:05:01Z,<urn:s1>,<urn:q>,<urn:o>\n")
    assert etalis(line).code == 0
    assert (program / "out.csv").read_text().startswith(whole)
    assert len((program / "out.csv").read_text()) > len(whole)


def test_how_the_work_is_shared(program: Path, etalis: Etalis) -> None:
    shared = etalis("explain seq.rq --stage threads").out.decode()
    assert shared.splitlines()[:2] == ["several threads may share the work:", "  dealt out by ?x"]
    alone = etalis("explain seq.rq count.rq --stage threads").out.decode()
    assert alone.splitlines()[0] == "one thread does all the work:"
    assert "  count, line 1: an aggregate" in alone


@pytest.mark.parametrize(
    ("words", "code"),
    [("--threads 0", "EP505"), ("--threads 65", "EP505"), ("--threads 2 --engine spark", "EP506")],
)
def test_what_is_refused(program: Path, etalis: Etalis, words: str, code: str) -> None:
    done = etalis(f"run seq.rq --stream s.csv {words}")
    assert (done.code, done.err.split()[0]) == (2, code)
