"""Completion: commands, files, keywords, prefixes, names of the loaded data, predicates of Prolog."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document

from etalis_py.editors.words import keywords
from etalis_py.shell.command_table import COMMANDS
from etalis_py.shell.names import Names

__all__ = ["ShellCompleter"]

MOST: Final = 200
_find_command = re.compile(r"\s*:([A-Za-z]*)\Z").match
_find_argument = re.compile(r"\s*:([A-Za-z]+)\s+(.*)\Z", re.DOTALL).match
_find_word = re.compile(r"(<[^<>\s]*|[?$]?[\w.\-]*:?[\w.\-]*)\Z").search


class ShellCompleter(Completer):
    """Completes what stands before the cursor.

    ``predicates`` gives the names of Prolog predicates, ``queries`` those of the queries.
    """

    def __init__(
        self, names: Names, predicates: Callable[[], Iterable[str]], queries: Callable[[], Iterable[str]]
    ) -> None:
        self._names = names
        self._predicates = predicates
        self._queries = queries
        self._paths = PathCompleter(expanduser=True)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """The completions at the cursor."""
        before = document.text_before_cursor
        command = _find_command(before)
        if command is not None:
            yield from _matching(command[1], ((name, each.help) for name, each in COMMANDS.items()))
            return
        argument = _find_argument(before)
        if argument is not None and argument[1] in COMMANDS:
            found = COMMANDS[argument[1]]
            if found.files:
                name, _, file = argument[2].rpartition("=")
                path = file if argument[1] == "stream" and ":" in name else argument[2]
                yield from self._paths.get_completions(Document(path), complete_event)
                return
            if argument[1] in ("goals", "explain", "lars", "drop", "unregister", "stats"):
                yield from _matching(argument[2], ((name, "query") for name in self._queries()))
                return
            if argument[1] == "help":
                yield from _matching(argument[2], ((name, each.help) for name, each in COMMANDS.items()))
                return
        match = _find_word(before)
        word = match[0] if match else ""
        if word:
            yield from _matching(
                word, self._words(word, is_question=before.lstrip().startswith("?-"), text=before)
            )

    def _words(self, word: str, *, is_question: bool, text: str) -> Iterator[tuple[str, str]]:
        prefix, colon, _ = word.partition(":")
        if word.startswith("<"):
            yield from ((f"<{iri}>", "") for iri in sorted(self._names.iris))
        elif word[0] in "?$":
            yield from ((each, "variable") for each in sorted(set(re.findall(r"[?$]\w+", text)) - {word}))
        elif colon:
            namespace = self._names.prefixes.get(prefix)
            if namespace is not None:
                for iri in sorted(self._names.iris):
                    if iri.startswith(namespace) and re.fullmatch(r"[\w.\-]+", iri[len(namespace) :]):
                        yield f"{prefix}:{iri[len(namespace) :]}", ""
        else:
            if is_question:
                yield from ((f"{each}(", "predicate") for each in self._predicates())
            else:
                yield from ((each, "") for each in keywords())
            yield from ((f"{each}:", iri) for each, iri in sorted(self._names.prefixes.items()) if each)


def _matching(begun: str, words: Iterable[tuple[str, str]]) -> Iterator[Completion]:
    count = 0
    for word, meaning in words:
        if word.lower().startswith(begun.lower()):
            yield Completion(word, -len(begun), display_meta=meaning[:60])
            count += 1
            if count >= MOST:
                return
