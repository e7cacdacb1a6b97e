"""What docs/delivery.md shows of queries and rules stands in the files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from etalis_py.demos.delivery.names import HERE

PAGE = Path(__file__).resolve().parents[3] / "docs" / "delivery.md"
SHOWN = re.findall(r"^```text\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
SOURCES = "\n".join(path.read_text(encoding="utf-8") for path in sorted(HERE.glob("*.[rp][ql]")))


@pytest.mark.parametrize("text", [text for text in SHOWN if "WHERE" in text or "{" in text or ":-" in text])
def test_excerpts(text: str) -> None:
    assert text in SOURCES


def test_the_declarations_of_state() -> None:
    assert (HERE / "traffic.pl").read_text(encoding="utf-8") in PAGE.read_text(encoding="utf-8")
