"""The wheel works where the checkout is out of sight: in an environment of its own, with no swipl on PATH."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


def test_the_package_is_the_installed_one(run, installed: Path, tmp_path: Path) -> None:
    code = "import etalis_py, etalis_py.compiler as c; print(etalis_py.__file__, c.__file__, sep='\\n')"
    for file in run(installed / "python", ["-c", code], tmp_path).split():
        assert Path(file).is_relative_to(installed.parent)


def test_the_doctor_is_content(run, installed: Path, tmp_path: Path) -> None:
    code = "import sys; from etalis_py.doctor import main; sys.exit(main([]))"
    assert "ok       SWI-Prolog" in run(installed / "python", ["-c", code], tmp_path)
