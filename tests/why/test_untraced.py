"""Without a trace nothing is different: neither the rules nor what runs for an event."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from etalis_py.compiler.compile import compile_program
from etalis_py.compiler.plan.trace_plan import trace_plan
from etalis_py.core.errors import UsageError
from etalis_py.embedding import prolog
from etalis_py.engine.engine import Engine

ROOT = Path(__file__).parent.parent.parent
QUERIES = sorted((ROOT / "tests").glob("cases/*/query*.rq"))


def traced_predicates() -> list[str]:
    """What rules/tools/trace.pl gives to the rules of queries."""
    source = (ROOT / "rules" / "tools" / "trace.pl").read_text(encoding="utf-8")
    exports = source[: source.index("]).")]
    return re.findall(r"(\w+)/\d", exports)


@pytest.mark.parametrize("file", QUERIES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_untraced_rules_have_nothing_of_a_trace(file: Path) -> None:
    for plain in compile_program(file.read_text(encoding="utf-8"), name="q"):
        assert not [each for each in traced_predicates() if re.search(rf"\b{each}\(", plain.prolog)]
        traced = trace_plan(plain.plan)
        assert "pack_trace(" in compile_text(file, trace=True)
        assert plain.prolog == compile_text(file, trace=False)
        assert traced != plain.plan


def compile_text(file: Path, *, trace: bool) -> str:
    """The rules of the first query of a file."""
    return compile_program(file.read_text(encoding="utf-8"), name="q", trace=trace)[0].prolog


def test_engine_without_trace_has_no_part_of_it() -> None:
    with Engine() as engine:
        module = engine._module
        assert not prolog.holds("system", "import_module", module, "etalis_trace")


def test_untraced_answer_cannot_be_explained() -> None:
    with Engine() as engine:
        engine.register("SELECT ?x { ?x <urn:p> ?y }", name="q")
        engine.send_batch({"start": [1], "s": ["<urn:a>"], "p": ["<urn:p>"], "o": ["<urn:b>"]})
        engine.finish()
        [match] = engine.matches()
        with pytest.raises(UsageError, match="EP561"):
            engine.why(match)


def test_closed_engine_cannot_explain() -> None:
    with Engine(trace=True) as engine:
        engine.register("SELECT ?x { ?x <urn:p> ?y }", name="q")
        engine.send_batch({"start": [1], "s": ["<urn:a>"], "p": ["<urn:p>"], "o": ["<urn:b>"]})
    [match] = engine.matches()
    with pytest.raises(UsageError, match="EP561"):
        engine.why(match)
