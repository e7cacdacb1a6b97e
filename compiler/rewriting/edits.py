"""Changes to a text, by their places in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from etalis_py.compiler.spans import Span

__all__ = ["Edits"]


@dataclass(slots=True)
class Edits:
    """What is put in the place of parts of ``text``; parts do not overlap."""

    text: str
    _edits: list[tuple[int, int, str]] = field(default_factory=list)

    def replace(self, span: Span, new: str) -> None:
        """Put ``new`` in the place of what stands there."""
        self._edits.append((span.start, span.end, new))

    def insert(self, place: int, new: str) -> None:
        """Put ``new`` before the character at ``place``, behind what was put there before."""
        self._edits.append((place, place, new))

    def remove(self, span: Span) -> None:
        """Take out what stands there, and a line that is empty then."""
        start, end = span.start, span.end
        while self.text[end : end + 1] in (" ", "\t"):
            end += 1
        if self.text[end : end + 1] == "\n":
            start = len(self.text[:start].rstrip(" \t"))
            if start == 0 or self.text[start - 1] == "\n":
                end += 1
        self._edits.append((start, end, ""))

    def done(self) -> str:
        """The text with all changes."""
        parts, last = [], 0
        for start, end, new in sorted(self._edits, key=lambda edit: edit[:2]):
            parts += [self.text[last:start], new]
            last = end
        return "".join((*parts, self.text[last:]))
