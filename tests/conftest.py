"""What all tests share: the folder of shared data, a Spark session, and bounded, repeatable random tests."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import hypothesis
import pytest

from etalis_py.provision.console import SetupError
from tests.quick_java import java_options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PROJECT = Path(__file__).resolve().parents[1]

# Random tests take the same examples every time; HYPOTHESIS_PROFILE=search looks for new ones, for longer.
hypothesis.settings.register_profile(
    "repeatable",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=100,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile("search", deadline=None, max_examples=5000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


class _OneNameOnly(MetaPathFinder):
    """Refuses the bare names of the folders: a module imported by two names has every class twice."""

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in ("compiler", "ontologies", "rules", "spark_udfs"):
            raise ImportError(f"{fullname} is imported as etalis_py.{fullname}")
        return None


sys.meta_path.insert(0, _OneNameOnly())

# What a shell runs in the background ignores Ctrl-C, and with nohup the end of the terminal: and so would the
# programs that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

_LATER = {
    **dict.fromkeys(("engine", "ontologies", "rules"), 1),
    **dict.fromkeys(("cli", "w3c"), 2),
    **dict.fromkeys(("benchmarks", "demos", "packaging", "spark"), 3),
}
"""Folders of tests that take longer than plain Python does, in the order they run."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run what is quick first, so that a plain mistake shows at once."""

    def rank(item: pytest.Item) -> tuple[bool, bool, int]:
        folder = item.path.relative_to(PROJECT / "tests").parts[0]
        marked = [item.get_closest_marker(name) is not None for name in ("spark", "slow")]
        return marked[0], marked[1], _LATER.get(folder, 0)

    items.sort(key=rank)


def pytest_collection_finish() -> None:
    """What is there now stays: nobody needs to look for garbage in it, nor as often as in a small program."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def _shared(folder: str) -> Path:
    place = Path(os.environ.get("ETALIS_SHARED", PROJECT.parent / "shared")) / folder
    if not place.is_dir():
        pytest.skip(f"{place} is not there; ETALIS_SHARED names the folder that holds data/ and w3c/")
    return place


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Recordings and ontologies that are too big for the checkout."""
    return _shared("data")


@pytest.fixture(scope="session")
def shared_w3c() -> Path:
    """The W3C's SPARQL test suites."""
    return _shared("w3c")


@pytest.fixture(scope="session")
def quick_java() -> None:
    """Java, with which all Spark of this process and of those it starts starts quickly."""
    try:
        options = java_options()
    except SetupError as error:
        give_up = pytest.fail if os.environ.get("CI") else pytest.skip
        give_up(str(error))
    os.environ["SPARK_SUBMIT_OPTS"] = f"{os.environ.get('SPARK_SUBMIT_OPTS', '')} {options}".lstrip()


@pytest.fixture(autouse=True)
def _java_for_spark(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("spark"):
        request.getfixturevalue("quick_java")


@pytest.fixture(scope="session")
def spark(quick_java: None) -> Iterator[SparkSession]:
    """One small local Spark for the process's whole run, reachable from this machine only."""
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "2g",
        # Workers look where Java was started, too, which may be any test's folder.
        "spark.executorEnv.PYTHONPATH": str(PROJECT),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.session.timeZone": "UTC",
    }
    builder = SparkSession.builder.master("local[2]").appName("etalis_py tests")
    session = builder.config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
