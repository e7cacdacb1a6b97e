"""The page of promises names tests that there are."""

from __future__ import annotations

import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
PAGE = (PROJECT / "docs" / "reliability.md").read_text(encoding="utf-8")


def test_the_tests_exist() -> None:
    named = re.findall(r"tests/[\w/]+\.py", PAGE)
    assert len(named) > 30
    assert [each for each in named if not (PROJECT / each).is_file()] == []


def test_the_functions_exist() -> None:
    for file, function in re.findall(r"(tests/[\w/]+\.py)\*? \(`(test_\w+)`\)", PAGE):
        assert f"def {function}(" in (PROJECT / file).read_text(encoding="utf-8")


def test_what_has_a_long_form() -> None:
    for file in re.findall(r"\*(tests/[\w/]+/test_\w+\.py)\*", PAGE):
        if "fuzz" not in file:
            assert "mark.long" in (PROJECT / file).read_text(encoding="utf-8"), file
