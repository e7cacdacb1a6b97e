"""A wheel holds what the tree holds, no more and no less."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

pytestmark = pytest.mark.slow

PLACES = {name: f"etalis_py/{name}" for name in ("compiler", "ontologies", "rules", "spark_udfs")}
"""Where the folders beside ``etalis_py/`` lie in the wheel."""


def files_of(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def expected_files(tree: Path) -> set[str]:
    return {
        str(PurePosixPath(PLACES.get(folder, folder)) / path.relative_to(tree / folder).as_posix())
        for folder in ("etalis_py", *PLACES)
        for path in (tree / folder).rglob("*")
        if path.is_file()
    }


def test_wheel_and_tree(wheel: Path, tree: Path) -> None:
    left_out = expected_files(tree) - files_of(wheel)
    assert not left_out, "name their suffix in pyproject.toml, or put an __init__.py into their folder"
    assert not files_of(wheel) - expected_files(tree)


@pytest.mark.filterwarnings("ignore:Python 3.14 will:DeprecationWarning")
def test_source_archive_and_wheel(build, wheel: Path, tree: Path, tmp_path: Path) -> None:
    archive = build("sdist", tree, tmp_path / "sdist")
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path / "unpacked")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    assert files_of(build("wheel", unpacked, tmp_path / "wheel")) == files_of(wheel)
