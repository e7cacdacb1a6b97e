"""The commands of a notebook, and what its cells show."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from etalis_py import DataError, Engine, EtalisError, QuerySyntaxError, UsageError

InteractiveShell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell

PREFIX = "PREFIX : <urn:cold:>\n"
WARM = PREFIX + "SELECT ?box ?place { { ?box :unloaded ?dock } SEQ { ?box :cooled ?place } }"
GOODS = """@prefix : <urn:cold:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Fish rdfs:subClassOf :Chilled . :frozen rdfs:subPropertyOf :cooled .
"""
EVENTS = """start,s,p,o
1970-01-01T00:00:10Z,<urn:cold:box1>,<urn:cold:unloaded>,<urn:cold:dock>
1970-01-01T00:00:20Z,<urn:cold:box2>,<urn:cold:unloaded>,<urn:cold:dock>
1970-01-01T00:00:30Z,<urn:cold:box1>,<urn:cold:frozen>,<urn:cold:freezer>
"""


class Cells:
    """Runs cells as a notebook does; an error is raised."""

    def __init__(self) -> None:
        self.shell = InteractiveShell()
        self("%load_ext etalis_py")

    def __call__(self, cell: str) -> Any:
        done = self.shell.run_cell(cell)
        done.raise_error()
        return done.result

    def __getitem__(self, name: str) -> Any:
        return self.shell.user_ns[name]


@pytest.fixture
def cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cells]:
    monkeypatch.chdir(tmp_path)
    Path("goods.ttl").write_text(GOODS)
    Path("events.csv").write_text(EVENTS)
    cells = Cells()
    yield cells
    if "engine" in cells.shell.user_ns:
        cells["engine"].discard()
    cells.shell.cleanup()


def test_one_cell_from_a_query_to_its_matches(cells: Cells) -> None:
    cells("%etalis --background goods.ttl")
    found = cells(f"%%epsparql warm --events events.csv -o found\n{WARM}")
    assert cells["found"] is found
    [match] = found
    assert match.encoded == {"box": "urn:cold:box1", "place": "urn:cold:freezer"}
    html = found._repr_html_()
    assert "<caption>1 match of warm</caption>" in html
    assert '<td><span title="urn:cold:box1">:box1</span></td>' in html
    assert "rdfs7: :frozen rdfs:subPropertyOf :cooled" in str(cells("engine.why(found[0])"))
    assert cells("engine.why(found[0])")._repr_svg_().startswith("<svg ")
    assert ":box1" in cells("found.timeline()")._repr_svg_()
    assert str(cells("found.timeline()")).startswith("box=:box1  place=:freezer  ├")


def test_an_engine_that_goes_on(cells: Cells, capsys: pytest.CaptureFixture[str]) -> None:
    cells("%etalis --background goods.ttl")
    cells(f"%%epsparql warm\n{WARM}")
    assert capsys.readouterr().out.endswith("warm: registered\n")
    cells.shell.user_ns["table"] = pd.read_csv("events.csv").iloc[:2]
    assert len(cells("%events table --open")) == 0
    shown = cells("engine")._repr_html_()
    assert "<caption>Engine: it is 1970-01-01T00:00:20Z</caption>" in shown
    assert "<td>warm</td><td>1</td><td><code>PREFIX : &lt;urn:cold:&gt; SELECT ?box" in shown
    cells.shell.user_ns["table"] = pd.read_csv("events.csv").iloc[2:]
    assert [each.encoded["box"] for each in cells("%events table")] == ["urn:cold:box1"]
    plan = cells("engine.explain()")
    assert str(plan).startswith("answers ?box ?place\n└─ SEQ on ?box; goals wait for ever")
    assert plan._repr_svg_().startswith("<svg ")
    cells("%etalis")
    assert cells("engine").query_names == ()


def test_questions(cells: Cells) -> None:
    cells("%etalis --background goods.ttl")
    found = cells("%%prolog --most 1\nrdfs_subclass_of(Class, 'urn:cold:Chilled'), dif(X, Y).")
    assert not found.is_all
    assert "<caption>1 answer, and there are more</caption>" in found._repr_html_()
    assert "<th>constraints</th>" in found._repr_html_()
    assert cells("%%prolog\nfail.")._repr_html_() == (
        '<table class="dataframe"><caption>false</caption><thead><tr></tr></thead><tbody></tbody></table>'
    )


@pytest.mark.parametrize(
    ("cell", "kind", "shown"),
    [
        ("%%epsparql\nSELECT ?x { ?x :p ?y }", QuerySyntaxError, "EP106"),
        ("%%epsparql -o found\nSELECT ?x { ?x ?p ?y }", UsageError, "-o needs --events"),
        ("%%epsparql --evens a.csv\nSELECT ?x { ?x ?p ?y }", UsageError, "did you mean --events?"),
        ("%events none.csv", DataError, "EP401"),
        ("%etalis --background none.ttl", DataError, "EP421"),
        ("%etalis --background 'none.ttl", UsageError, "EP501"),
        ("%%prolog\nrdfs_subclass_off(A, B)", EtalisError, "did you mean rdfs_subclass_of"),
    ],
)
def test_errors_are_a_message_and_no_traceback(
    cells: Cells, cell: str, kind: type[EtalisError], shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(kind):
        cells(cell)
    out = capsys.readouterr().out
    assert shown in out
    assert "Traceback" not in out
    assert len(out.splitlines()) <= 6


def test_an_error_of_a_call_says_which_line_called(cells: Cells, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(QuerySyntaxError):
        cells("from etalis_py import Engine\nother = Engine()\nother.register('SELECT ?x {')")
    assert "line 3: other.register('SELECT ?x {')" in capsys.readouterr().out
    cells["other"].discard()


def test_what_is_shown_is_escaped_and_short() -> None:
    with Engine() as engine:
        engine.register("SELECT * { ?x <urn:is> ?y }", name="a")
        engine.register("ASK { ?x <urn:is> ?y }", name="b")
        count = 30
        engine.send_batch(
            {
                "start": range(count),
                "s": ["<urn:a>"] * count,
                "p": ["<urn:is>"] * count,
                "o": ['"<b>"'] * count,
            }
        )
        engine.finish()
        found = engine.matches()
        html = found._repr_html_()
    assert html.count("<tr>") == 21
    assert "60 matches of a, b, the first 20" in html
    assert "<b>" not in html.replace("<tbody>", "")
    assert engine._repr_html_() == "<p>Engine: closed</p>"
