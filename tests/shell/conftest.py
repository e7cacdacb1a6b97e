"""Runs ``etalis shell`` with input that is not typed, in a folder with small files."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from etalis_py.cli import main

GOODS = """@prefix : <urn:cold:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Fish rdfs:subClassOf :Chilled . :frozen rdfs:subPropertyOf :cooled . :box1 a :Fish .
"""
EVENTS = """start,s,p,o
1970-01-01T00:00:10Z,<urn:cold:box1>,<urn:cold:unloaded>,<urn:cold:dock>
1970-01-01T00:00:20Z,<urn:cold:box2>,<urn:cold:unloaded>,<urn:cold:dock>
1970-01-01T00:00:30Z,<urn:cold:box1>,<urn:cold:frozen>,<urn:cold:freezer>
"""
WARM = """PREFIX : <urn:cold:>
SELECT ?box ?place WHERE { { ?box :unloaded ?dock } SEQ { ?box :cooled ?place } }
"""
RULES = "double(X, Y) :- Y is 2 * X.\nloop :- loop.\n"


@dataclass(frozen=True)
class Ran:
    out: list[str]
    err: str


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (
        ("goods.ttl", GOODS), ("events.csv", EVENTS), ("warm.rq", WARM), ("mine.pl", RULES),
    ):  # fmt: skip
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def shell(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Ran]:
    """Runs a session in this process; test_documentation.py starts one of its own."""
    monkeypatch.chdir(folder)

    def run(text: str, *options: str, code: int = 0) -> Ran:
        capfd.readouterr()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", TextIOWrapper(BytesIO(text.encode()), encoding="utf-8"))
            found = main(["shell", *options])
        out, err = capfd.readouterr()
        assert found == code, err
        assert "Traceback" not in err
        return Ran(out.splitlines(), err)

    return run
