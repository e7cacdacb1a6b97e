"""``etalis demo tsunami``: arguments and what is said of bad ones."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import pytest

from etalis_py.core.errors import DataError, UsageError
from etalis_py.core.explanations import MESSAGES
from etalis_py.demos.tsunami import command


def arguments(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(words)


def test_defaults() -> None:
    chosen = arguments()
    assert (chosen.recordings, chosen.threshold, chosen.engine, chosen.seed) == ([], "30mm", "local", 1)


@pytest.mark.parametrize(
    ("text", "metres"), [("30mm", 0.03), (" 2.5 cm ", 0.025), (".5m", 0.5), ("1e1mm", 0.01)]
)
def test_lengths(text: str, metres: float) -> None:
    assert command.parse_length(text) == metres


@pytest.mark.parametrize("text", ["30", "mm", "0mm", "-3mm", "3 km", "nan m", "1e999m", ""])
def test_no_length(text: str) -> None:
    with pytest.raises(UsageError, match="EP541"):
        command.parse_length(text)


def no_unit() -> None:
    command.run(arguments("--threshold", "30"))


def a_file_in_the_way() -> None:
    Path("there").write_text("")
    command.run(arguments("--output", "there/out"))


def no_matplotlib() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("importlib.util.find_spec", lambda name: None if name == "matplotlib" else name)
        command.run(arguments())


@pytest.mark.parametrize(
    ("code", "trigger"), [("EP541", no_unit), ("EP542", a_file_in_the_way), ("EP543", no_matplotlib)]
)
def test_message(
    code: str, trigger: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        trigger()
    assert f"{caught.value}\n" == (MESSAGES / f"{code}.txt").read_text()


def test_a_missing_recording_is_bad_data(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="EP451"):
        command.run(arguments(str(tmp_path / "none.txt"), "--output", str(tmp_path)))
