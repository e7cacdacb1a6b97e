"""A session for this machine says an error once, and no stack trace of Java's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from etalis_py.spark_udfs.session.java_log import few_words
from tests.patience import PATIENCE

OPTIONS = "SPARK_SUBMIT_OPTS"
DRIVER = """
from etalis_py.core.errors import DataError
from etalis_py.spark_udfs import detect, local_session, project_errors
rows = [(1, "box", "<urn:p>", "<urn:b>")]
events = local_session("test").createDataFrame(rows, "start long, s string, p string, o string")
try:
    with project_errors():
        detect(events, "SELECT * { ?x <urn:p> ?y }").write.parquet("answers")
except DataError as error:
    print(error)
"""


@pytest.mark.spark
def test_no_stack_trace(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DRIVER],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stdout.startswith("EP407 events: column 's'"), done.stderr
    assert "\tat " not in done.stderr
    assert "Traceback" not in done.stderr
    assert "EP407" not in done.stderr


def test_options_stay_what_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_CONF_DIR", raising=False)
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setenv(OPTIONS, "-Dfirst=1")
    with few_words():
        assert os.environ[OPTIONS].startswith("-Dfirst=1 -Dlog4j2.configurationFile=file:///")
    assert os.environ[OPTIONS] == "-Dfirst=1"
    monkeypatch.delenv(OPTIONS)
    with few_words():
        assert OPTIONS in os.environ
    assert OPTIONS not in os.environ


def test_settings_of_the_user_are_heeded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "log4j2.properties").write_text("rootLogger.level = warn\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.delenv(OPTIONS, raising=False)
    with few_words():
        assert OPTIONS not in os.environ
