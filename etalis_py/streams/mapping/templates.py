"""Templates of YARRRML, ``ex:sensor/$(id)``: text, and references to the values of a record."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from etalis_py.streams.mapping.yaml_nodes import Node

__all__ = ["Template"]

_PART: Final = re.compile(r"\$\(((?:[^()\\]|\\.)*)\)|\\([()$\\])|([^$\\]+|.)", re.DOTALL)
_BROKEN: Final = re.compile(r"(?<!\\)\$\((?!(?:[^()\\]|\\.)*\))")


@dataclass(frozen=True, slots=True)
class Template:
    """Texts and references in turn: ``texts`` has one more than ``references``."""

    texts: tuple[str, ...]
    references: tuple[str, ...]

    @classmethod
    def of(cls, node: Node, text: str | None = None) -> Template:
        r"""Read a template; ``\(``, ``\)`` and ``\$`` stand for the characters.

        Raises:
            DataError: EP433, a reference is not closed or has no name; EP434, it has ``[*]`` or is of a join.
        """
        text = node.text if text is None else text
        if _BROKEN.search(text):
            raise node.error("EP433", f"a reference in {text!r} is not closed", "write $(name)")
        texts, references = [""], []
        for reference, escaped, plain in (match.groups() for match in _PART.finditer(text)):
            if reference is None:
                texts[-1] += escaped or plain
                continue
            name = re.sub(r"\\(.)", r"\1", reference).strip()
            if not name:
                raise node.error("EP433", "a reference without a name", "write $(name)")
            if "[*]" in name or ".." in name:
                hint = "name one of them: $(tags[0]); or give each its row"
                raise node.error("EP434", f"$({name}) is all of a list", hint)
            references.append(name)
            texts.append("")
        return cls(tuple(texts), tuple(references))

    @property
    def is_reference(self) -> bool:
        """Whether it is one reference and nothing more."""
        return self.texts == ("", "")

    def filled(self, values: tuple[str, ...]) -> str:
        """The text with values in the place of the references."""
        pieces = [self.texts[0]]
        for value, text in zip(values, self.texts[1:], strict=True):
            pieces += value, text
        return "".join(pieces)
