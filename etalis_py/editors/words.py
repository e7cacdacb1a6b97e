"""What is said of the words of the language, and how they are written.

``words.json`` is made from docs/language.md: what stands first under the heading of a word, with its drawing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from lark import Token

from etalis_py.compiler.format.words import is_keyword
from etalis_py.compiler.parse.grammar_table import grammar_words
from etalis_py.compiler.parse.spelling import spelled

__all__ = ["description", "keywords", "phrase_at"]

_LONGEST = 3


def keywords() -> list[str]:
    """All words of the language, as they are to be written."""
    return sorted({spelled(each) for each in grammar_words() if each[0].isalpha() and each != "a"})


def description(phrase: str) -> str | None:
    """What is said of one or several words, as Markdown."""
    return _descriptions().get(phrase.upper())


def phrase_at(tokens: Sequence[Token], index: int) -> tuple[str, int, int] | None:
    """The words of the language around a token that are described together, and the first and last of them.

    That is the longest such row of words; the word alone where no row is described.
    """
    for length in range(_LONGEST, 0, -1):
        for first in range(max(0, index - length + 1), index + 1):
            words = tokens[first : first + length]
            phrase = " ".join(each.upper() for each in words)
            if len(words) == length and all(map(is_keyword, words)) and phrase in _descriptions():
                return phrase, first, first + length - 1
    word = tokens[index].upper()
    near = next((each for each in _descriptions() if word in each.split()), None)
    return None if near is None or not is_keyword(tokens[index]) else (near, index, index)


@lru_cache(maxsize=1)
def _descriptions() -> Mapping[str, str]:
    found: dict[str, str] = json.loads(Path(__file__).with_name("words.json").read_text(encoding="utf-8"))
    return found
