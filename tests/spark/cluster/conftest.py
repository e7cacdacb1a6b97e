"""One archive for all tests, and a small cluster whose workers have it and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from etalis_py.cli import main
from etalis_py.packing import archive as packing
from etalis_py.provision.java import lead_spark_to_java
from tests.patience import PATIENCE

SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "512m",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "4",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
DRIVER = Path(__file__).with_name("driver.py")
ONTOLOGY = "<urn:up> <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> <urn:high> .\n"
DEATHS = """
dies_always('urn:7') :- !, kill('$PPID').
dies_always(_).
dies_once(X) :- not_yet(X, once), !, kill('$PPID').
dies_once(_).
dies_with_executor(X) :-
    not_yet(X, executor),
    !,
    kill('$(cut -d" " -f4 /proc/$(cut -d" " -f4 /proc/$PPID/stat)/stat)').
dies_with_executor(_).
not_yet('urn:7', Name) :-
    atomic_list_concat(['FOLDER/', Name], Mark),
    \\+ exists_file(Mark),
    open(Mark, write, Out),
    close(Out).
kill(Process) :- atom_concat('kill -9 ', Process, Command), shell(Command).
"""

Cluster = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``etalis pack`` makes here, but larger, as it takes half the time."""
    made = tmp_path_factory.mktemp("packed") / "etalis_py.tar.gz"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "_LEVEL", 1)
        assert main(["pack", "--output", str(made)]) == 0
    return made


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a machine that has Java, and of Python and SWI-Prolog nothing but the system's."""
    lead_spark_to_java()
    home = tmp_path_factory.mktemp("home")
    return {"PATH": "/usr/bin:/bin", "HOME": str(home), "JAVA_HOME": os.environ["JAVA_HOME"]}


@pytest.fixture(scope="session")
def cluster(archive: Path, bare: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Cluster:
    """Runs jobs of driver.py by name, all in one cluster, and gives what each told."""

    def run(*names: str) -> dict[str, Any]:
        folder = tmp_path_factory.mktemp("cluster")
        (folder / "o.ttl").write_text(ONTOLOGY)
        (folder / "deaths.pl").write_text(DEATHS.replace("FOLDER", str(folder)))
        (folder / "etalis_py.tar.gz").symlink_to(archive)
        settings = " ".join(f"--conf {name}={value}" for name, value in SETTINGS.items())
        environment = {
            **bare,
            "PYSPARK_SUBMIT_ARGS": f"--master local-cluster[2,1,2048] {settings} pyspark-shell",
            "SPARK_HOME": str(_spark_home(folder)),
            "SPARK_LOCAL_DIRS": str(folder),
            "SPARK_LOCAL_IP": "127.0.0.1",
        }
        command = [sys.executable, str(DRIVER), str(folder), *names]
        done = subprocess.run(
            command,
            env=environment,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return {name: json.loads((folder / f"{name}.json").read_text()) for name in names}

    return run


def _spark_home(folder: Path) -> Path:
    """The installed Spark as another folder, below which executors work: the archive is unpacked there."""
    import pyspark

    home = folder / "spark"
    home.mkdir()
    for entry in Path(pyspark.__file__).parent.iterdir():
        if entry.name != "work":
            (home / entry.name).symlink_to(entry)
    return home
