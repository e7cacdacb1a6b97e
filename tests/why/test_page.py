"""docs/why.md: its pictures are those of its example. ``UPDATE_GOLDEN=1`` draws them anew."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from etalis_py.engine.engine import Engine
from etalis_py.streams import open_streams
from etalis_py.why.plan_svg import plan_svg

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "why.md").read_text(encoding="utf-8")


def drawn(folder: Path) -> dict[str, str]:
    """The pictures by their file names."""
    for name, text in re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", PAGE, re.DOTALL):
        (folder / name).write_text(text, encoding="utf-8")
    with Engine([folder / "goods.ttl"], trace=True) as engine:
        engine.register((folder / "warm.rq").read_text(encoding="utf-8"), name="warm")
        for batch in open_streams([str(folder / "boxes.csv")]):
            engine.send_encoded(batch)
        engine.finish()
        [match] = engine.matches()
        proof = engine.why(match).svg()
    with Engine([folder / "goods.ttl"]) as engine:
        engine.register((folder / "warm.rq").read_text(encoding="utf-8"), name="warm")
        plan = plan_svg([engine.query("warm")], engine.knowledge.triggers)
    return {"why.svg": proof, "plan.svg": plan}


@pytest.mark.parametrize("name", ["why.svg", "plan.svg"])
def test_pictures_are_current(name: str, tmp_path: Path) -> None:
    picture = drawn(tmp_path)[name]
    if os.environ.get("UPDATE_GOLDEN"):
        (DOCS / name).write_text(picture, encoding="utf-8")
    assert f"]({name})" in PAGE
    assert (DOCS / name).read_text(encoding="utf-8") == picture
