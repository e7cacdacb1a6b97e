"""Where a statement ends, and what kind it is. Does not understand it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from etalis_py.shell.command_table import COMMANDS, WORDS

__all__ = ["WITH_QUERY", "Kind", "Statement", "is_complete", "read_statement"]

Kind: TypeAlias = Literal["nothing", "command", "bare", "question", "query"]

WITH_QUERY: Final = frozenset({"query", "run"})
"""Commands that a query follows, on as many lines as it takes."""

_END: Final = ";;"
_match_command = re.compile(r":([A-Za-z]\w*|\?)(?=\s|\Z)").match
_match_comments = re.compile(r"(?:[ \t]*(?:[#%][^\n]*)?(?:\n|\Z))*").match
_ends_question = re.compile(r"\.[ \t]*(?:%[^\n]*)?\Z").search


@dataclass(frozen=True, slots=True)
class Statement:
    """What was typed, without the mark of its end: its kind, the name of a command, the text after that.

    ``bare`` is a command without its colon.
    """

    kind: Kind
    text: str
    command: str = ""


def is_complete(lines: Sequence[str]) -> bool:
    """Whether no further line belongs to the statement that these lines (without their ends) begin.

    >>> is_complete(["?- member(X, [1])."]), is_complete(["SELECT * {"]), is_complete([":help"])
    (True, False, True)
    """
    if not lines or not lines[-1].strip() or lines[-1].rstrip().endswith(_END):
        return True
    begun = _without_comments("\n".join(lines))
    if _meant(begun) or _bare_command(begun):
        return True
    if begun.startswith(":"):
        command = _match_command(begun)
        return command is None or command[1] not in WITH_QUERY
    return begun.startswith("?-") and bool(_ends_question(begun))


def read_statement(text: str) -> Statement:
    """What a complete statement is.

    >>> read_statement("?- p(X).")
    Statement(kind='question', text='p(X).', command='')
    >>> read_statement(":send a b c")
    Statement(kind='command', text='a b c', command='send')
    >>> read_statement("exit;")
    Statement(kind='command', text='', command='quit')
    """
    begun = _without_comments(text).strip()
    if meant := _meant(begun):
        return Statement("command", "", meant)
    if _bare_command(begun):
        return Statement("bare", begun)
    if begun.startswith("?-"):
        return Statement("question", begun[2:].strip().removesuffix(_END).rstrip())
    command = _match_command(begun)
    if command is not None:
        return Statement("command", _without_end(begun[command.end() :]), command[1])
    if begun.startswith(":"):  # no query does
        return Statement("command", "", begun[1:].strip())
    query = _without_end(begun)
    return Statement("query" if query else "nothing", query)


def _meant(text: str) -> str:
    """The command that a word alone means."""
    return WORDS.get(text.strip().rstrip(";.()").strip().lower(), "")


def _bare_command(text: str) -> bool:
    """Whether it is a command without its colon; no query begins so."""
    return any(word in COMMANDS for word in text.split(maxsplit=1)[:1])


def _without_end(text: str) -> str:
    return text.strip().removesuffix(_END).rstrip()


def _without_comments(text: str) -> str:
    match = _match_comments(text)
    return text[match.end() :].lstrip() if match else text.lstrip()
