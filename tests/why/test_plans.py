"""Pictures of plans: every operator of every worked query is in them, and they can be read."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from etalis_py.cli import main
from etalis_py.compiler.compile import compile_program
from etalis_py.compiler.plan.plan import walk
from etalis_py.why.plan_mermaid import plan_mermaid
from etalis_py.why.plan_svg import plan_svg

QUERIES = sorted((Path(__file__).parent.parent / "cases").glob("*/query*.rq"))
QUERY = """SELECT * { { ?box <urn:in> ?dock } SEQ { ?box <urn:out> ?place }
                      FILTER (getDURATION() < "PT1H"^^xsd:duration) }"""


@pytest.mark.parametrize("file", QUERIES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_each_operator_is_drawn(file: Path) -> None:
    queries = compile_program(file.read_text(encoding="utf-8"), name="q")
    text = "".join(ElementTree.fromstring(plan_svg(queries)).itertext())
    chart = plan_mermaid(queries)
    for query in queries:
        for node in walk(query.plan.root):
            assert node.name in text
            assert chart.count(f"\n    {node.name}[") >= 1
    assert chart.count("-->") >= len(queries)
    for line in chart.splitlines():  # nothing of a query is syntax of the chart
        for label in re.findall(r'\["(.*)"\]', line):
            assert not set('"<>&|{}()') & set(label.replace("<br/>", "")), line


def test_what_the_rules_know() -> None:
    text = " ".join(ElementTree.fromstring(plan_svg(compile_program(QUERY, name="stay"))).itertext())
    for wanted in (
        "stay: answers",
        "joins on ?box",
        "window below 1 hour",
        "rules: goal insertion, checking",
        "goals in q1_seq_3_left, kept while the window is below 1 hour",
        "on Spark: one stage, events dealt out by ?box",
        "on Spark dealt out by its subject",
    ):
        assert wanted in text


def test_no_key() -> None:
    chart = plan_mermaid(compile_program("SELECT * { { ?a <urn:p> ?b } SEQ { ?c <urn:p> ?d } }", name="q"))
    assert "on Spark: one partition, since there is no join key<br/>q, line 1:" in chart


@pytest.mark.parametrize(("option", "start"), [("--svg", "<svg "), ("--mermaid", "flowchart BT\n")])
def test_command(option: str, start: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "stay.rq").write_text(QUERY)
    assert main(["explain", str(tmp_path / "stay.rq"), option]) == 0
    assert capfd.readouterr().out.startswith(start)


def test_only_plans_have_pictures(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "stay.rq").write_text(QUERY)
    assert main(["explain", str(tmp_path / "stay.rq"), "--svg", "--stage", "rules"]) == 2
    assert capfd.readouterr().err.startswith("EP501 there is no picture of the stage rules")
