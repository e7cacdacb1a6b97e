"""``etalis explain EP413``: what a code means, from the table that docs/errors.md is made from."""

from __future__ import annotations

import pytest

from etalis_py.cli import main
from etalis_py.core.explanations import CODES, explanation


def test_a_code_has_meaning_example_and_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "ep413", "EP109"]) == 0
    assert capsys.readouterr().out == (
        "EP413: an element that comes too late\n\n"
        "For example:\n\n"
        "  EP413 events.csv, row 2: an element that ends at 2011-03-11T05:46:22Z comes too late: a later one "
        "came before it\n\n"
        "To fix it:\n\n"
        "  sort the stream by end time; or drop such elements with --on-late drop, or wait for them with a "
        "(longer) duration as --on-late\n\n"
        "EP109: a number that is too large\n\n"
        "For example:\n\n"
        "  EP109 query.rq, line 1, column 44: a number can have at most 18 digits here\n"
        "  SELECT ?x WHERE { ?x a <urn:Storm> } LIMIT 99999999999999999999\n"
        "                                             ^^^^^^^^^^^^^^^^^^^^\n\n"
        "To fix it:\n\n"
        "  write a smaller number\n"
    )


@pytest.mark.parametrize("code", CODES)
def test_every_code_can_be_explained(code: str) -> None:
    text = str(explanation(code))
    assert text.startswith(f"{code}: {CODES[code]}\n")
    assert text.rpartition("To fix it:\n\n  ")[2].strip()


@pytest.mark.parametrize(("words", "said"), [(["EP999"], "no code EP999"), (["EP413", "q.rq"], "q.rq")])
def test_what_is_no_code(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *words]) == 2
    assert said in capsys.readouterr().err
