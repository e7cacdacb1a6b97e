"""What the editor says of words is what docs/language.md says."""

from __future__ import annotations

import json

from etalis_py.compiler.algebra.functions import FUNCTIONS
from etalis_py.compiler.algebra.operators import JOIN, OPERATORS
from etalis_py.editors.words import description, keywords
from tests.editors.words import WORDS, words


def test_words_are_those_of_the_page() -> None:
    assert json.loads(WORDS.read_text(encoding="utf-8")) == words(), "python -m tests.editors.words"


def test_every_operator_has_its_drawing() -> None:
    said = [description(each.word) for each in OPERATORS if each is not JOIN]
    assert [text for text in said if text is None or "```text" not in text] == []


def test_functions_are_described() -> None:
    names = {each for each in map(str.upper, keywords()) if each in FUNCTIONS}
    assert sorted(each for each in names if description(each) is None) == []
