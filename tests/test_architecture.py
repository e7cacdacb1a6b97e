"""docs/architecture.md: its picture is that of the imports, and what the project cites exists."""

from __future__ import annotations

import re

import pytest

from tests.architecture import COMPILER, HOUSE, PICTURE, Panel, architecture_svg
from tests.conftest import PROJECT
from tests.test_layout import HOUSE as FOLDERS
from tests.test_layout import PIPELINE
from tests.test_readme import anchors

FOLDERS_THAT_CITE = ("compiler", "etalis_py", "ontologies", "rules", "spark_udfs", "tests")
SUFFIXES = {".py", ".pl", ".plt", ".lark", ".c", ".md"}


def citations() -> list[tuple[str, str, str]]:
    """Who cites which heading of which page, as pages below ``docs/``."""
    return [
        (str(path.relative_to(PROJECT)), page, heading)
        for folder in FOLDERS_THAT_CITE
        for path in sorted((PROJECT / folder).rglob("*"))
        if path.suffix in SUFFIXES
        for page, heading in re.findall(r"docs/([\w-]+\.md)#([\w-]+)", path.read_text(encoding="utf-8"))
    ]


def test_the_picture_is_current() -> None:
    assert PICTURE.read_text(encoding="utf-8") == architecture_svg(), "python -m tests.architecture"


@pytest.mark.parametrize(("panel", "folders"), [(HOUSE, FOLDERS), (COMPILER, PIPELINE)])
def test_every_folder_is_in_the_picture(panel: Panel, folders: tuple[str, ...]) -> None:
    assert set(panel.boxes) == set(folders) - {"__main__"}


def test_every_citation_leads_to_a_heading() -> None:
    cited = citations()
    assert {"architecture.md", "semantics.md"} <= {page for _, page, _ in cited}
    known = {page: anchors(PROJECT / "docs" / page) for _, page, _ in cited}
    assert [each for each in cited if each[2] not in known[each[1]]] == []


def test_nothing_cites_a_page_that_a_reader_cannot_open() -> None:
    texts = [
        path
        for folder in (*FOLDERS_THAT_CITE, "docs")
        for path in (PROJECT / folder).rglob("*")
        if path.suffix in SUFFIXES and re.search(r"\bDESIGN\b", path.read_text(encoding="utf-8"))
    ]
    assert [path.name for path in texts if path.name != "test_architecture.py"] == []
