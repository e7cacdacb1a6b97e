"""Each error code has one golden message, and stands in the documentation."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

from etalis_py.core.explanations import CODES, MESSAGES, explanations

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
FOLDERS = ("etalis_py", "compiler", "ontologies", "spark_udfs", "rules")


def test_each_code_has_its_message() -> None:
    golden = {path.stem: path.read_text(encoding="utf-8") for path in MESSAGES.iterdir()}
    assert sorted(golden) == sorted(CODES)
    for code, text in golden.items():
        assert text.startswith(f"{code} ")
        assert text.endswith("\n")


def test_each_code_says_how_to_fix_it() -> None:
    assert [each.code for each in explanations() if not (each.remedy or "\nhint: " in each.message)] == []


def test_each_message_has_its_test() -> None:
    files = [path for kind in ("py", "txt") for path in (PROJECT / "tests").rglob(f"*.{kind}")]
    tests = "".join(path.read_text(encoding="utf-8") for path in files)
    assert [code for code in CODES if code not in tests] == []


def test_each_code_is_raised_somewhere() -> None:
    sources = [path for name in FOLDERS for path in (PROJECT / name).rglob("*.p[yl]")]
    text = "".join(
        path.read_text(encoding="utf-8")
        for path in sources
        if path.name not in ("error_codes.py", "explanations.py")
    )
    raised = set(re.findall(r"\b(?:EP[0-9]{3}|EW[0-9]{2})\b", text))
    assert sorted(set(CODES) - raised) == []


def test_the_documentation_is_in_step() -> None:
    page = runpy.run_path(str(HERE / "page.py"))
    assert page["PAGE"].read_text(encoding="utf-8") == page["error_page"](), "run python tests/errors/page.py"
