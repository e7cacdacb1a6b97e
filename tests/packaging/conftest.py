"""Builds the distributions once for all packaging tests, without a network."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.patience import PATIENCE

PROJECT = Path(__file__).resolve().parents[2]

FOLDERS = ("etalis_py", "compiler", "ontologies", "rules", "spark_udfs")

_BUILD = "import sys; from setuptools import build_meta as b; getattr(b, sys.argv[1])(sys.argv[2])"

Build = Callable[[str, Path, Path], Path]
Run = Callable[[Path, Sequence[str], Path], str]


@pytest.fixture(scope="session")
def build() -> Build:
    """A function of (``wheel`` or ``sdist``, tree, new folder) that builds with our setuptools."""

    def build_in(kind: str, tree: Path, target: Path) -> Path:
        target.mkdir()
        command = [sys.executable, "-c", _BUILD, f"build_{kind}", str(target)]
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        (built,) = target.iterdir()
        return built

    return build_in


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what is built, so that building leaves nothing in the checkout."""
    copy = tmp_path_factory.mktemp("packaging") / "tree"
    for name in FOLDERS:
        shutil.copytree(PROJECT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "*.qlf"))
    for path in PROJECT.iterdir():
        if path.is_file() and not path.name.startswith("."):
            shutil.copy(path, copy)
    return copy


@pytest.fixture(scope="session")
def wheel(build: Build, tree: Path) -> Path:
    return build("wheel", tree, tree.parent / "wheel")


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``bin`` folder of a new environment with the wheel, and our dependencies."""
    place = tmp_path_factory.mktemp("installed") / "env"
    venv.create(place, with_pip=False)
    python = place / "bin" / "python"
    options = ("--no-deps", "--no-index", "--quiet", "--disable-pip-version-check")
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", *options, str(wheel)]
    subprocess.run(command, check=True)
    asked = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    (Path(asked.stdout.strip()) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return place / "bin"


@pytest.fixture(scope="session")
def run() -> Run:
    """A function of (program, words, folder) that gives what it prints, in a bare environment."""

    def run_in(program: Path, words: Sequence[str], folder: Path) -> str:
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}
        done = subprocess.run(
            [program, *words],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run_in
