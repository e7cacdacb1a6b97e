"""What a session answers to those who do not know its commands, and what it tells of itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest


@pytest.mark.parametrize("typed", ["help", "HELP", "?", "help;", "help()", ":?", ":h", "?- help."])
def test_help_is_given(typed: str, shell: Callable[..., Any]) -> None:
    assert "  :why N [FILE.svg]" in "\n".join(shell(f"{typed}\n").out)


@pytest.mark.parametrize(
    "typed", ["exit", "quit", "bye", "q", ":exit", ":q", "exit();", "?- halt.", "?- exit."]
)
def test_the_session_ends(typed: str, shell: Callable[..., Any]) -> None:
    assert shell(f"{typed}\n?- X = 1.\n").out == []


def test_a_command_without_its_colon_ends_with_its_line(shell: Callable[..., Any]) -> None:
    ran = shell("stream events.csv\n?- X = 1.\n")
    assert "hint: did you mean :stream events.csv?" in ran.err
    assert ran.out == ["X = 1."]


def test_words_within_a_query_are_its_own(shell: Callable[..., Any]) -> None:
    ran = shell("SELECT ?help\n{ ?help <urn:cold:unloaded> ?y }\n;;\n:stream events.csv\n")
    assert ran.out[1] == "[1]  query  1970-01-01T00:00:10Z  help=<urn:cold:box1>"


def test_what_went_in_and_came_out(shell: Callable[..., Any]) -> None:
    ran = shell(
        ":stats\n:stream events.csv\n:send <urn:cold:box3> <urn:cold:unloaded> 5 1970-01-01T00:00:40Z\n"
        ":advance\n:stats\n",
        "warm.rq", "--background", "goods.ttl",
    )  # fmt: skip
    assert ran.out[1:3] == ["0 events, nothing has happened yet", "  warm  0 answers, 0 goals waiting"]
    assert ran.out[-3:-1] == [
        "4 events, the newest at 1970-01-01T00:00:40.000001Z",
        "  warm  1 answer, 3 goals waiting",
    ]
    assert ran.out[-1].startswith("memory ")


def test_answers_on_a_line_of_time(
    shell: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("LINES", "50")
    ran = shell(
        ":plot\n:stream events.csv\n:advance\n:plot\n:plot found.svg\n",
        "warm.rq",
        "--background",
        "goods.ttl",
    )
    assert "EP505 :plot: there is no answer yet" in ran.err
    bar, times, note = ran.out[-3:]
    assert bar.startswith("box=:box1  place=:freezer  ├─")
    assert bar.endswith("─┤")
    assert times.split() == ["1970-01-01T00:00:10Z", "..30Z"]
    assert note == "% found.svg: a picture of 1 answer"
    picture = ElementTree.parse(folder / "found.svg").getroot()
    assert "box=:box1" in "".join(picture.itertext())
