"""SPAseq texts to syntax trees of EP-SPARQL, with remarks on what is odd in them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import cast

import lark

from etalis_py.compiler.languages.remarks import ReadQuery
from etalis_py.compiler.languages.spaseq.syntax import SpaseqQuery
from etalis_py.compiler.languages.spaseq.tokens import spaseq_tokens
from etalis_py.compiler.languages.spaseq.translate import translated
from etalis_py.compiler.languages.spaseq.tree import SpaseqBuilder
from etalis_py.compiler.parse.escapes import decode_codepoints
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.grammar_table import GRAMMAR, load_parser, words_of
from etalis_py.compiler.parse.parser import checked
from etalis_py.compiler.parse.reading import read_tokens, up_to_separator
from etalis_py.compiler.parse.tokens import tokenize

__all__ = ["read_spaseq"]


def read_spaseq(text: str, source: str | None = None) -> list[ReadQuery]:
    """The queries of a SPAseq text, which are separated by ``;;``.

    Raises:
        QuerySyntaxError: EP101 to EP122, one of them is not SPAseq, or there is none.
    """
    try:
        return [_read(each, text, source) for each in _parsed(text)]
    except Fault as fault:
        raise fault.error(text, source) from None


def _read(query: SpaseqQuery, text: str, source: str | None) -> ReadQuery:
    read = translated(query, text, source)
    return ReadQuery(checked(read.query, text, source), read.remarks)


def _parsed(text: str) -> Iterator[SpaseqQuery]:
    words = words_of(_parser())
    tokens = spaseq_tokens(tokenize(decode_codepoints(text), words), words)
    found = False
    for first in tokens:
        if first == ";":
            continue
        found = True
        yield cast("SpaseqQuery", read_tokens(_parser(), up_to_separator(chain([first], tokens), text), text))
    if not found:
        read_tokens(_parser(), [], text)


@lru_cache(maxsize=1)
def _parser() -> lark.Lark:
    own = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return load_parser(own + GRAMMAR.read_text(encoding="utf-8"), "spaseq", SpaseqBuilder())
