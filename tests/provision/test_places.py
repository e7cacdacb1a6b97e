"""Where the cache is, and a user who can have none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from etalis_py.core.cache import cache_folder

ASK = """
from etalis_py import Engine
with Engine() as engine:
    engine.register("ASK { ?x <urn:p> ?y }")
    engine.send_batch({"start": [1], "s": ["<urn:a>"], "p": ["<urn:p>"], "o": ["<urn:b>"]})
    engine.finish()
    print(len(list(engine.matches())))
"""


def test_the_chosen_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("ETALIS_CACHE", raising=False)
    assert cache_folder() == tmp_path / "etalis_py"
    monkeypatch.setenv("ETALIS_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"


def test_relative_folders_do_not_count(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ETALIS_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for odd in ("", "cache", "./cache", "../x"):
        monkeypatch.setenv("XDG_CACHE_HOME", odd)
        assert cache_folder() == tmp_path / ".cache" / "etalis_py"
    monkeypatch.setenv("HOME", "")
    assert cache_folder() == Path(os.devnull) / "etalis_py"


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("HOME", "ETALIS_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)

    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    with pytest.raises(OSError, match="Not a directory"):
        cache_folder().mkdir(parents=True)
    code = "from pathlib import Path\ndef gone():\n    raise RuntimeError\nPath.home = gone\n" + ASK
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("1\n", 0), done.stderr
