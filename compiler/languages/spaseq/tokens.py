"""From the tokens of EP-SPARQL to those of SPAseq: names of GPMs and streams, and what SEQ's brackets hold.

There ``A:B`` is two names with a separator. A name may be a keyword of SPARQL, or look like a duration.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from lark import Token

from etalis_py.compiler.parse.tokens import WORD

__all__ = ["spaseq_tokens"]

_NAME = re.compile(r"[^\W\d]\w*")
_PARTS = re.compile(r":|[^:]+")


def spaseq_tokens(tokens: Iterable[Token], words: Mapping[str, str]) -> Iterator[Token]:
    """The tokens of a SPAseq query; ``words`` are its keywords and punctuation marks."""
    depth, in_list, before = 0, False, ""
    for each in tokens:
        is_name = before in ("GPM", "ON", "STREAM") or (in_list and before == "COMMA")
        if depth:
            depth += (each == "(") - (each == ")")
            yield from _of_sequence(each, words)
        else:
            depth = before == "SEQ" and each == "("
            yield _as_name(each) if is_name else each
        in_list = each.type == "ON" or (in_list and (is_name or each.type == "COMMA"))
        before = each.type


def _of_sequence(token: Token, words: Mapping[str, str]) -> Iterator[Token]:
    if token in words and not _NAME.fullmatch(token):
        yield Token.new_borrow_pos(words[token], token, token)
        return
    assert token.start_pos is not None
    for part in _PARTS.finditer(token):
        start, end = token.start_pos + part.start(), token.start_pos + part.end()
        kind = words[":"] if part[0] == ":" else token.type
        yield _as_name(Token(kind, part[0], start_pos=start, end_pos=end))


def _as_name(token: Token) -> Token:
    return Token.new_borrow_pos(WORD, token, token) if _NAME.fullmatch(token) else token
