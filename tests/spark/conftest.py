"""Streams for Spark tests, and the command line on both engines."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from etalis_py.cli import main

XSD = "http://www.w3.org/2001/XMLSchema#"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def integer(number: int) -> str:
    return f'"{number}"^^<{XSD}integer>'


@dataclass(frozen=True)
class Done:
    """What a run left; labels of new blank nodes are the same."""

    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], spark: object
) -> Callable[[str], tuple[Done, Done]]:
    """Runs a command line here and on Spark, in the folder ``tmp_path``."""
    monkeypatch.chdir(tmp_path)

    def run(line: str) -> Done:
        capfdbinary.readouterr()
        code = main(line.split())
        out, err = (text.decode() for text in capfdbinary.readouterr())
        return Done(code, re.sub(r'("bnode", "value": )"[^"]*"', r'\1"b"', out), err)

    return lambda line: (run(line), run(f"{line} --engine spark"))


def random_csv(seed: int, count: int, *, things: int = 8, predicates: str = "pqrt") -> str:
    """Events about a few things; several share an instant, some last, some come twice."""
    choice = Random(seed)
    lines = ["start,end,s,p,o"]
    end = 0
    for _ in range(count):
        end += choice.choice((0, 0, 1, 1, 3))
        start = end - choice.choice((0, 0, 0, 2))
        s, o = (f"<urn:{choice.randrange(things)}>" for _ in range(2))
        p = choice.choice(predicates)
        if p == "t":
            p, o = TYPE, choice.choice(("<urn:C>", "<urn:D>", "<urn:E>"))
        else:
            p, o = f"<urn:{p}>", choice.choice((o, o, integer(choice.randrange(4))))
        quoted = o.replace('"', '""')
        lines.append(f'{max(start, 0)},{end},{s},{p},"{quoted}"')
    return "\n".join([*lines, ""])
