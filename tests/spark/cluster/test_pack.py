"""``etalis pack``: what is in the archive, that it runs alone, and what cannot be packed."""

from __future__ import annotations

import json
import subprocess
import tarfile
from pathlib import Path

import pytest

from etalis_py.cli import main
from etalis_py.core.explanations import MESSAGES
from etalis_py.packing import PackError, pack
from etalis_py.packing.packages import required

GOLDEN = MESSAGES / "EP611.txt"
STREAM = "start,s,p,o\n1,<urn:a>,<urn:low>,<urn:b>\n2,<urn:a>,<urn:up>,<urn:b>\n"


@pytest.fixture(scope="module")
def unpacked(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("un packed")
    with tarfile.open(archive) as tar:
        tar.extractall(place)
    return place


@pytest.mark.slow
def test_it_runs_with_nothing_else_at_hand(unpacked: Path, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(STREAM)
    (tmp_path / "q.rq").write_text("SELECT ?x { { ?x <urn:low> ?a } SEQ { ?x <urn:up> ?b } }")
    command = [str(unpacked / "bin" / "etalis"), "run", "q.rq", "--stream", "s.csv"]
    for environment in ({}, {"PYTHONHOME": "/nowhere", "SWI_HOME_DIR": "/nowhere", "ETALIS_CACHE": "c"}):
        done = subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["bindings"] == {"x": {"type": "uri", "value": "urn:a"}}


@pytest.mark.slow
def test_what_is_in_it(unpacked: Path) -> None:
    assert sorted(each.name for each in unpacked.iterdir()) == [
        "bin", "cache", "etalis_py.json", "lib", "swipl",
    ]  # fmt: skip
    packages = {each.name for each in next(unpacked.rglob("etalis_py/spark_udfs")).parents[1].iterdir()}
    assert {"etalis_py", "janus_swi", "pandas", "pyarrow", "rdflib"} <= packages
    assert packages.isdisjoint({"compiler", "matplotlib", "pip", "py4j", "pyspark", "pytest", "rules"})
    assert any((unpacked / "cache" / "rules").glob("*.qlf"))
    assert not [each for each in unpacked.rglob("*") if each.is_symlink()]


def test_a_package_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PackError) as caught:
        pack(tmp_path / "a.tar.gz", ["no-such-package"])
    assert f"{caught.value}\n" == GOLDEN.read_text()
    assert list(tmp_path.iterdir()) == []


def test_a_package_brings_what_it_requires() -> None:
    assert "rich" in required()
    assert "packaging" not in required()
    assert "iniconfig" in required(["pytest"])


def test_where_it_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="cannot be made: No such file or directory"):
        pack(tmp_path / "no" / "a.tar.gz")


def test_the_name_of_no_archive(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pack", "--output", "a.zip"]) == 2
    assert "EP505 --output a.zip cannot be the name of an archive" in capsys.readouterr().err
