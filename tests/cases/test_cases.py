"""Small streams whose answers were worked out by hand: a folder each, drawn and explained in ``about.md``.

A folder holds ``query*.rq``, ``stream.csv``, perhaps ``background.ttl``, and ``expected.ndjson``: what
``etalis run query*.rq --stream stream.csv --results ndjson`` prints. Every way to run a program is in ENGINES
and must print the same.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from etalis_py.engine import Engine
from etalis_py.results import open_writer
from etalis_py.streams import open_streams

CASES = sorted(file.parent for file in Path(__file__).parent.glob("*/about.md"))


def run_locally(case: Path) -> str:
    """The answers as NDJSON."""
    background = case / "background.ttl"
    with Engine([str(background)] if background.exists() else ()) as engine:
        for file in sorted(case.glob("query*.rq")):
            engine.register(file.read_text(encoding="utf-8"), name=file.stem, source=str(file))
        for batch in open_streams([str(case / "stream.csv")]):
            engine.send_encoded(batch)
        engine.finish()
        output = io.BytesIO()
        with open_writer("ndjson", output) as writer:
            writer.write_all(engine.matches())
    return output.getvalue().decode("utf-8")


ENGINES: dict[str, Callable[[Path], str]] = {"local": run_locally}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Path, engine: str) -> None:
    expected = (case / "expected.ndjson").read_text(encoding="utf-8")
    assert _without_labels(ENGINES[engine](case)) == _without_labels(expected)


def _without_labels(lines: str) -> list[str]:
    """What a new blank node is called means nothing."""
    return re.sub(r'("type": "bnode", "value": )"\w+"', r'\1"b"', lines).splitlines()
