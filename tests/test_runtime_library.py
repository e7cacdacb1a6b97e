"""The rules compiled in the cache: what their name says, or not there."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import as_file, files
from pathlib import Path

from tests.patience import PATIENCE


def test_sources_that_change_while_they_are_compiled_are_not_kept(tmp_path: Path) -> None:
    """Under their name every process with the first sources would load the second."""
    kept = tmp_path / "0123456789abcdef.qlf"
    with as_file(files("etalis_py.rules")) as sources:
        command = [sys.executable, "-m", "etalis_py.embedding.runtime_library", str(sources), str(kept)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []
