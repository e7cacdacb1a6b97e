"""docs/gallery.md: its pictures are those of its answers (test_readme.py runs its commands).

``python -m tests.test_gallery`` draws them.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import etalis_py

PAGE = Path(__file__).resolve().parents[1] / "docs" / "gallery.md"
TEXT = PAGE.read_text(encoding="utf-8")
FILES: Mapping[str, str] = dict(
    re.findall(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
)
COMMANDS: Mapping[str, str] = {
    re.findall(r"(\w+)\.rq", command)[-1]: command
    for command in re.findall(r"^\$ etalis run (.*)$", TEXT, re.MULTILINE)
}


def picture(name: str, folder: Path) -> str:
    """What the answers of a recipe look like; ``name`` is that of its last query."""
    for file, text in FILES.items():
        (folder / file).write_text(text, encoding="utf-8")
    queries, _, options = COMMANDS[name].partition(" --stream ")
    stream, mapping, *background = re.sub(r"--\w+ ", "", options).split()
    with etalis_py.Engine([str(folder / each) for each in background]) as engine:
        for query in queries.split():
            engine.register((folder / query).read_text(encoding="utf-8"), name=query.removesuffix(".rq"))
        from etalis_py.engine.run import send_events

        for _ in send_events(engine, folder / stream, map=folder / mapping):
            pass
        engine.finish()
        return engine.matches().timeline().svg()


def pictures() -> Iterator[tuple[str, str]]:
    yield from re.findall(r"^!\[(.+)\]\(gallery/(\w+)\.svg\)$", TEXT, re.MULTILINE)


def test_each_recipe_has_data_a_mapping_a_query_and_a_picture() -> None:
    assert len(COMMANDS) == 10
    assert [name for _, name in pictures()] == list(COMMANDS)
    assert len(re.findall(r"^## \d+\. ", TEXT, re.MULTILINE)) == 10
    words = {word for command in COMMANDS.values() for word in command.split()}
    assert set(FILES) <= words


@pytest.mark.parametrize("name", COMMANDS)
def test_pictures_are_those_of_the_answers(name: str, tmp_path: Path) -> None:
    stored = PAGE.with_name("gallery") / f"{name}.svg"
    assert stored.read_text(encoding="utf-8") == picture(name, tmp_path), "python -m tests.test_gallery"


def draw() -> None:
    """Draw all pictures anew."""
    PAGE.with_name("gallery").mkdir(exist_ok=True)
    for name in COMMANDS:
        with tempfile.TemporaryDirectory() as folder:
            PAGE.with_name("gallery").joinpath(f"{name}.svg").write_text(
                picture(name, Path(folder)), encoding="utf-8"
            )


if __name__ == "__main__":
    os.chdir(PAGE.parent)
    draw()
