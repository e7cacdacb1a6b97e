"""What Tab adds to a command."""

from __future__ import annotations

from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from etalis_py.shell.completion import ShellCompleter
from etalis_py.shell.names import Names


@pytest.mark.parametrize(
    "typed",
    [":stream ev", ":stream urn:dock=ev", ":stream <urn:dock>=ev", ":load ev"],
)
def test_files(typed: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    completer = ShellCompleter(Names(), lambda: (), lambda: ())
    found = completer.get_completions(Document(typed), CompleteEvent())
    assert [(each.text, each.start_position) for each in found] == [("ents.csv", 0)]
