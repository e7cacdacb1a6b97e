"""The commands that begin with ``:``, with their help. What they do is in ``commands``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["COMMANDS", "WORDS", "Command"]


@dataclass(frozen=True, slots=True)
class Command:
    """What it takes, and what it does in one line."""

    takes: str
    help: str
    files: bool = False
    """Whether it takes the name of a file, for completion."""


COMMANDS: Final[Mapping[str, Command]] = {
    "load": Command(
        "FILE", "queries (.rq, .spaseq), background, rules (.pl); any other: statements", files=True
    ),
    "stream": Command(
        "[IRI=]FILE [SPEED]",
        "send the events of a file, to a stream with an IRI; 60x: an hour's in a minute",
        files=True,
    ),
    "send": Command("S P O [START [END]]", "send one event; without a time it happens now"),
    "advance": Command("[TIME]", "close instants: the open one, those before a time, or the next +5min"),
    "query": Command("NAME QUERY", "register a query under a name"),
    "run": Command("QUERY", "run a query once, as SPARQL, over background and recent events"),
    "queries": Command("", "the queries that are registered"),
    "goals": Command("[QUERY]", "what the engine waits for"),
    "why": Command(
        "N [FILE.svg]", "what answer [N] is made of, as text or picture; :why QUERY: why it has none"
    ),
    "plot": Command("[FILE.svg]", "the answers on a line of time, as text or picture", files=True),
    "stats": Command("", "events, answers and goals so far, and the memory of the process"),
    "explain": Command("[QUERY]", "the plan of a query"),
    "lars": Command("[QUERY]", "the query as rules of LARS, with window operators"),
    "unregister": Command("QUERY", "remove a query from the engine as it runs"),
    "drop": Command("QUERY", "forget a query, as if it had never been there"),
    "policy": Command("[POLICY]", "unrestricted, chronological or recent, for queries from now on"),
    "prefix": Command("[P: <IRI>]", "declare a prefix for queries, questions, :send; or show all"),
    "replay": Command("", "run the stream again, so that new queries see all of it"),
    "restart": Command("", "start again, with the same files and queries"),
    "save": Command("FILE", "write the statements of the session; :load repeats them", files=True),
    "clear": Command("", "empty the terminal"),
    "help": Command("[COMMAND]", "this"),
    "quit": Command("", "end the session, as Ctrl-D does"),
}

WORDS: Final[Mapping[str, str]] = {
    "help": "help", "h": "help", "?": "help", "man": "help", "quit": "quit", "exit": "quit", "bye": "quit",
    "q": "quit", "clear": "clear", "cls": "clear",
}  # fmt: skip
"""What people type who do not know the commands yet, alone on a line, and the command that it means."""
