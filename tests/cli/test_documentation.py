"""docs/command-line.md: its examples run, and it tells of each option."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from etalis_py.cli import main
from etalis_py.cli.arguments import COMMANDS, Parser

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^\$ etalis (.*)\n((?:(?!\$ |```).*\n)*)", PAGE, re.MULTILINE)


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    for name, kind in [("fall.rq", "sparql"), ("prices.csv", "csv")]:
        text = re.search(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
        assert text is not None
        (folder / name).write_text(text[1], encoding="utf-8")
    count = re.search(r"`count.rq` is `(.*?)`", PAGE)
    assert count is not None
    (folder / "count.rq").write_text(count[1], encoding="utf-8")


@pytest.mark.parametrize(("line", "shown"), EXAMPLES, ids=[line for line, _ in EXAMPLES])
def test_examples(line: str, shown: str, capfd) -> None:
    assert main(line.split()) == 0
    out, err = capfd.readouterr()
    assert (_without_times(out), err) == (_without_times(shown), "")


def _without_times(text: str) -> str:
    """A profile without what differs from run to run: times, and how wide they make the columns."""
    if "own ms" not in text:
        return text
    masked = re.sub(r"\d[\d,]*\.\d+%?", "TIME", text)
    dearest = re.sub(r"(most time of an operator: TIME).*", r"\1", masked)
    return re.sub(r"─+", "─", re.sub(r"(?<=\S) +", " ", dearest))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 8


@pytest.mark.parametrize("command", COMMANDS)
def test_each_option_is_told_of(command: str) -> None:
    parser = Parser()
    import_module(COMMANDS[command].module).add_arguments(parser)
    options = [name for name in parser._option_string_actions if name.startswith("--")]
    assert [name for name in options if name != "--help" and name not in PAGE] == []
    assert f"etalis {command}" in PAGE
