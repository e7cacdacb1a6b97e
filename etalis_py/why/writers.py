"""Answers with what they are made of: what ``etalis run --why`` writes.

As text there is a tree for each answer, which stands on top of it; in NDJSON each line has one more key,
``"why"``. With a folder each answer has a picture in it, too, named by its query and a number.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

from etalis_py.core.errors import RunTimeError, UsageError
from etalis_py.engine.answer_columns import Answers
from etalis_py.engine.matches import Match
from etalis_py.results.base import Writer
from etalis_py.results.blocks import AnswerBlocks
from etalis_py.results.ndjson_writer import NdjsonWriter
from etalis_py.why.deliveries import TracedMatch
from etalis_py.why.text import legible
from etalis_py.why.tree import Why

__all__ = ["why_writer"]

Ask = Callable[[Match], Why]
"""``Engine.why``."""


def why_writer(
    chosen: str,
    file: BinaryIO,
    why: Ask,
    names: Collection[str],
    queries: Sequence[str],
    pictures: str | None,
) -> Writer:
    """The writer for a result format, which tells of the answers of ``names``, some of the ``queries``.

    Raises:
        UsageError: EP505, a name of no query; EP526, the format cannot hold proofs; EP507, the folder for
            pictures cannot be made.
    """
    for name in names:
        if name not in queries:
            known = ", ".join(queries)
            raise UsageError("EP505", f"--why: there is no query {name!r}", hint=f"the queries are {known}")
    if chosen not in ("table", "ndjson"):
        raise UsageError(
            "EP526", f"{chosen} cannot hold why answers were given", hint="use --results table or ndjson"
        )
    gallery = None if pictures is None else _Gallery(pictures)
    return (_Trees if chosen == "table" else _Lines)(file, why, names, gallery)


class _Gallery:
    """The folder of pictures."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._counts: Counter[str] = Counter()
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror or str(error)
            raise UsageError(
                "EP507", f"pictures cannot be written to {folder}: {reason}", hint="choose another folder"
            ) from error

    def keep(self, why: Why) -> None:
        self._counts[why.query] += 1
        name = re.sub(r"[^\w\-]", "_", why.query)
        path = self._folder / f"{name}-{self._counts[why.query]}.svg"
        try:
            path.write_text(why.svg(), encoding="utf-8")
        except OSError as error:
            reason = error.strerror or str(error)
            raise RunTimeError(
                "EP304", f"the picture {path} cannot be written: {reason}", hint="choose another folder"
            ) from error


class _Trees(Writer):
    """A tree for each answer of the queries that are asked for, with an empty line between two, and how many
    there were.
    """

    def __init__(self, file: BinaryIO, why: Ask, names: Collection[str], gallery: _Gallery | None) -> None:
        super().__init__(file)
        self._why = why
        self._names = names
        self._gallery = gallery
        self._count = 0

    def write_all(self, matches: Iterable[Match]) -> None:
        """Write a tree for each match."""
        for match in matches:
            if match.query not in self._names:
                continue
            self._count += 1
            self._put(f"{self._text(match)}\n\n")

    def write_answers(self, answers: Answers) -> None:
        """Write a tree for each answer."""
        self.write_all(answers.matches())

    def _text(self, match: Match) -> str:
        if not isinstance(match, TracedMatch):  # that there was nothing has no proof
            return f"{match.query}: no"
        why = self._why(match)
        if self._gallery is not None:
            self._gallery.keep(why)
        return legible(str(why))

    def close(self) -> None:
        """Write how many answers there were."""
        total = {0: "no answers", 1: "1 answer"}.get(self._count, f"{self._count} answers")
        self._put(f"{total}\n")


class _Lines(NdjsonWriter):
    """The lines of NDJSON with one more key."""

    def __init__(self, file: BinaryIO, why: Ask, names: Collection[str], gallery: _Gallery | None) -> None:
        super().__init__(file)
        self._why = why
        self._names = names
        self._gallery = gallery

    def write_answers(self, answers: Answers) -> None:
        """Write a line for each answer."""
        self.write_all(answers.matches())

    def write_all(self, matches: Iterable[Match]) -> None:
        """Write a line for each match."""
        matches = list(matches)
        lines = AnswerBlocks.of_matches(matches).in_order(self._lines_of)
        self._put("".join(map(self._with_why, map(bytes.decode, lines), matches)))

    def _with_why(self, line: str, match: Match) -> str:
        if not isinstance(match, TracedMatch) or match.query not in self._names:
            return line
        why = self._why(match)
        if self._gallery is not None:
            self._gallery.keep(why)
        tree = {name: value for name, value in why.as_json().items() if name != "query"}
        return f'{line.removesuffix("}" + chr(10))}, "why": {json.dumps(tree, ensure_ascii=False)}}}\n'
