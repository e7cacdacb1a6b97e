"""docs/language.md: its examples print what they show, its functions have their values, nothing is left out.

A fenced block whose first line names a file (```sparql seq.rq) is that file, which all of its commands see.
A line "$ etalis ..." of a console block is a command, what follows is what it prints on a terminal. In the
tables of expressions the first column is a call and the second its value.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from etalis_py.cli import main
from etalis_py.compiler.algebra.functions import FUNCTIONS
from etalis_py.core.vocabulary import XSD

PROJECT = Path(__file__).resolve().parents[1]
PAGE = (PROJECT / "docs" / "language.md").read_text(encoding="utf-8")

FILES = re.findall(r"^```\w+ (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = [
    (command, printed)
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for command, printed in re.findall(r"^\$ etalis (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
]
CALLS = re.findall(r"^\| `([^`]+)` +\| `([^`]+)` +\|", PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("language")
    for name, text in FILES:
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def run(words: list[str], capfd: pytest.CaptureFixture[str]) -> str:
    """What a command prints."""
    main(words)
    out, err = capfd.readouterr()
    return out + err


@pytest.mark.parametrize(("command", "printed"), COMMANDS, ids=[command for command, _ in COMMANDS])
def test_commands_print_what_is_shown(
    command: str, printed: str, files: Path, monkeypatch: pytest.MonkeyPatch, capfd
) -> None:
    monkeypatch.chdir(files)
    words = command.split()
    as_on_terminal = words[0] == "run" and "--results" not in words
    shown = run([*words, "--results", "table"] if as_on_terminal else words, capfd)
    assert "\n".join(line.rstrip() for line in shown.splitlines()) + "\n" == printed


def test_functions_have_the_values_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.nt").write_text("<ex:a> <ex:b> <ex:c> .\n")
    calls, values = zip(*CALLS, strict=True)
    columns = [cell.replace("\\|", "|").replace("unbound", "?nothing") for cell in calls + values]
    named = "\n".join(f"({cell} AS ?v{number})" for number, cell in enumerate(columns))
    Path("calls.rq").write_text(f"PREFIX : <ex:>\nSELECT {named} WHERE {{ :a :b :c }}", encoding="utf-8")
    command = "run calls.rq --stream one.nt --at 2026-03-02T08:00:00Z --results tsv"
    printed = run(command.split(), capfd)
    terms = printed.splitlines()[1].split("\t")
    found = dict(zip(calls, terms, strict=False))
    assert found == dict(zip(calls, terms[len(calls) :], strict=True))


def test_each_file_is_used() -> None:
    names = [name for name, _ in FILES]
    assert len(set(names)) == len(names)
    words = {word.rpartition("=")[2] for command, _ in COMMANDS for word in command.split()}
    words |= {f"{word.partition(':')[0]}.py" for word in words}  # of --functions
    assert [name for name in names if name not in words] == []


def test_each_keyword_is_told_of() -> None:
    grammar = (PROJECT / "compiler" / "parse" / "grammar.lark").read_text(encoding="utf-8")
    keywords = {word.lower() for word in re.findall(r'"([A-Z][A-Z0-9_]+)"i', grammar)} | {"pragma", "undef"}
    page = PAGE.lower()
    assert sorted(word for word in keywords if not re.search(rf"\b{word}\b", page)) == []


def test_each_cast_is_told_of() -> None:
    casts = {name.removeprefix(XSD) for name in FUNCTIONS if name.startswith(XSD)}
    assert sorted(name for name in casts if not re.search(rf"\b{name}\b", PAGE)) == []
