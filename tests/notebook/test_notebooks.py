"""The notebooks of docs/notebooks run, and give what is stored in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.notebook.running import NOTEBOOKS, outputs_of, shown, stored

pytest.importorskip("IPython")

PAGE = (PROJECT / "docs" / "notebook.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "path",
    [pytest.param(each, marks=[pytest.mark.spark] * (each.stem == "spark")) for each in NOTEBOOKS],
    ids=lambda path: path.stem,
)
def test_cells_give_what_is_stored(path: Path, request: pytest.FixtureRequest) -> None:
    if path.stem == "spark":  # that of all tests: one that begins in the notebook's folder would lose it
        request.getfixturevalue("spark")
    for cell, outputs in zip(stored(path), outputs_of(path), strict=True):
        assert shown(outputs) == shown(cell["outputs"]), "".join(cell["source"])


def test_each_notebook_is_told_of() -> None:
    assert {f"notebooks/{path.name}" for path in NOTEBOOKS} == {
        each for each in (part.partition(")")[0] for part in PAGE.split("](")) if each.endswith(".ipynb")
    }


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_of_the_format(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({each["id"] for each in notebook["cells"]}) == len(notebook["cells"])
    assert notebook["cells"][0]["cell_type"] == "markdown"
