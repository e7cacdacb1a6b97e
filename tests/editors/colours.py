"""As much of what TextMate does with a grammar as our grammars need: the scopes of each character."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

_Pattern: TypeAlias = dict[str, Any]


def scopes(grammar: _Pattern, text: str) -> list[str]:
    """The innermost scope of each character; that of the grammar where no pattern matches."""
    found: list[str] = []
    opened: _Pattern | None = None
    for line in text.splitlines(keepends=True):
        colours = [grammar["scopeName"]] * len(line)
        place = 0
        while place <= len(line):
            patterns = grammar["patterns"] if opened is None else opened.get("patterns", [])
            best = _first(patterns, line, place)
            end = None if opened is None else re.compile(opened["end"]).search(line, place)
            if opened is not None and (best is None or (end is not None and end.start() <= best[1].start())):
                stop = len(line) if end is None else end.end()
                colours[place:stop] = [opened["name"]] * (stop - place)
                place = stop
                if end is None:
                    break
                opened = None
                if place >= len(line.rstrip("\n")):
                    break
                continue
            if best is None:
                break
            pattern, match = best
            if opened is not None:
                colours[place : match.start()] = [opened["name"]] * (match.start() - place)
            for start, stop, name in _coloured(pattern, match):
                colours[start:stop] = [name] * (stop - start)
            if "begin" in pattern:
                opened = pattern
            place = match.end() if match.end() > place or "begin" in pattern else match.end() + 1
        found += colours
    return found


def _first(
    patterns: list[dict[str, Any]], line: str, place: int
) -> tuple[dict[str, Any], re.Match[str]] | None:
    """The pattern that matches first, and of those at one place the first."""
    matches = (
        (each, re.compile(each.get("match") or each["begin"]).search(line, place)) for each in patterns
    )
    found = [(each, match) for each, match in matches if match is not None]
    return min(found, key=lambda each: each[1].start(), default=None)


def _coloured(pattern: _Pattern, match: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    if "name" in pattern:
        yield *match.span(), pattern["name"]
    for number, each in pattern.get("captures", {}).items():
        if match[int(number)] is not None:
            yield *match.span(int(number)), each["name"]
