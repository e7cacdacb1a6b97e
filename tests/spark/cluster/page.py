"""The programs in docs/spark-cluster.md."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "spark-cluster.md"


def block(word: str) -> str:
    """The one with a word in it."""
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    (found,) = (each for each in blocks if word in each)
    return found
