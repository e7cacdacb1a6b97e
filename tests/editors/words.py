"""Writes what the editor says of words, words.json, from docs/language.md: python -m tests.editors.words."""

from __future__ import annotations

import json
import re

from tests.conftest import PROJECT

PAGE = PROJECT / "docs" / "language.md"
WORDS = PROJECT / "etalis_py" / "editors" / "words.json"
_SECTION = re.compile(r"^###? (.+)\n((?:(?!^##).*\n)*)", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_ROW = re.compile(r"^\| `((?:[^`\\]|\\.)+)` \| (`(?:[^`\\]|\\.)+`|) \| ?(.*?) ?\|$", re.MULTILINE)


def words() -> dict[str, str]:
    """What is said of each word, or of some in a row, as Markdown."""
    text = PAGE.read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for title, body in _SECTION.findall(text):
        for word in re.split(r", ", title):
            if re.fullmatch(r"[A-Z ]+", word):
                found.setdefault(word, f"**{word}**\n\n{_beginning(body)}")
    for call, value, note in _ROW.findall(text):
        for name in re.findall(r"\b([A-Za-z_]\w+)\(", call + note):
            parts = [f"`{call}` is {value}" if value else f"`{call}`", note.replace("\\|", "|")]
            found.setdefault(name.upper(), ": ".join(filter(None, parts)))
    return dict(sorted(found.items()))


def _beginning(body: str) -> str:
    """The first paragraph of a section, and its drawing if it has one."""
    paragraph = _LINK.sub(r"\1", body.strip().partition("\n\n")[0])
    drawing = re.search(r"```text\n.*?\n```", body, re.DOTALL)
    return paragraph if drawing is None else f"{paragraph}\n\n{drawing[0]}"


if __name__ == "__main__":
    WORDS.write_text(json.dumps(words(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
