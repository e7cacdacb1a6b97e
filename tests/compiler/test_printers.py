"""What explain shows, stage by stage, of the queries under golden/. UPDATE_GOLDEN=1 writes the texts anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from etalis_py.compiler.compile import compile_program
from etalis_py.compiler.explain.explain import STAGES, Stage, explain

GOLDEN = Path(__file__).resolve().parent / "golden"


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", ["fall", "agency", "count", "intervals", "streams"])
def test_stage(name: str, stage: Stage) -> None:
    queries = compile_program((GOLDEN / f"{name}.rq").read_text(encoding="utf-8"), name=name)
    text = "\n\n".join(explain(query, stage) for query in queries) + "\n"
    golden = GOLDEN / f"{name}.{stage}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
