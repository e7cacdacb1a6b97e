"""YAML as nodes that know their places, so that an error names a line and a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from etalis_py.core.errors import DataError, Place

__all__ = ["Node", "read_yaml", "text_of"]


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a YAML document: text, a list of nodes, or nodes by their keys."""

    value: str | list[Node] | dict[str, Node]
    source: str
    line: int
    column: int
    excerpt: str

    def error(self, code: str, message: str, hint: str | None = None) -> DataError:
        """What is wrong here."""
        place = Place(self.source, self.line, self.column, excerpt=self.excerpt)
        return DataError(code, message, place=place, hint=hint)

    @property
    def text(self) -> str:
        """The text. Raises DataError (EP433), if it is a list or has keys."""
        if isinstance(self.value, str):
            return self.value
        raise self.error(
            "EP433", f"text is expected here, not {self._kind}", "write it on one line, or in quotes"
        )

    @property
    def items(self) -> list[Node]:
        """The nodes of a list; a text or what has keys is a list of itself."""
        return self.value if isinstance(self.value, list) else [self]

    def keys(self, known: Sequence[str], what: str) -> dict[str, Node]:
        """The nodes by their keys.

        Raises:
            DataError: EP433, there are no keys, or one that is not known.
        """
        if not isinstance(self.value, dict):
            hint = f"its keys are {', '.join(known)}" if known else None
            raise self.error("EP433", f"keys are expected in {what}, not {self._kind}", hint)
        for key, node in self.value.items():
            if known and key not in known:
                near = get_close_matches(key, known, n=1)
                hint = f"{near[0]!r}?" if near else f"known are {', '.join(known)}"
                raise node.error("EP433", f"{key!r} is not a key of {what}", hint)
        return self.value

    @property
    def _kind(self) -> str:
        return "text" if isinstance(self.value, str) else "a list" if isinstance(self.value, list) else "keys"


def read_yaml(name: str, text: str) -> Node:
    """The document in a text, which is called so.

    Raises:
        DataError: EP432, it is not YAML.
    """
    import yaml

    lines = text.splitlines()
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(name) if mark is None else _place(name, lines, mark)
        hint = "indent with blanks, and put texts with : or # or { in quotes"
        message = f"this is not YAML: {error.problem or error.context}"
        raise DataError("EP432", message, place=place, hint=hint) from error
    except (yaml.YAMLError, RecursionError) as error:
        message = f"this is not YAML: {str(error).splitlines()[0]}"
        raise DataError("EP432", message, place=Place(name)) from error
    if root is None:
        hint = "a mapping has prefixes and mappings: see docs/data.md"
        raise DataError("EP432", "there is nothing in it", place=Place(name), hint=hint)
    return _Tree(name, lines).node(root)


_DEEPEST: Final = 50
_MOST: Final = 100_000
"""Nodes of a document; one that is named may stand in many places."""


class _Tree:
    """Makes the nodes of one document."""

    def __init__(self, name: str, lines: Sequence[str]) -> None:
        self._name = name
        self._lines = lines
        self._count = 0

    def node(self, found: Any, depth: int = 0) -> Node:
        import yaml

        place = self._place(found)
        self._count += 1
        if depth > _DEEPEST or self._count > _MOST:
            raise DataError("EP432", "it is nested too deeply, or has too many parts", place=place)
        value: str | list[Node] | dict[str, Node]
        if isinstance(found, yaml.ScalarNode):
            value = found.value
        elif isinstance(found, yaml.SequenceNode):
            value = [self.node(each, depth + 1) for each in found.value]
        else:
            value = self._pairs(found, depth)
        return _at(place, value)

    def _pairs(self, found: Any, depth: int) -> dict[str, Node]:
        import yaml

        pairs: dict[str, Node] = {}
        for key, each in found.value:
            place = self._place(key)
            if not isinstance(key, yaml.ScalarNode):
                raise DataError("EP433", "a key is text", place=place)
            if key.value in pairs:
                raise DataError("EP433", f"the key {key.value!r} is there twice", place=place)
            node = self.node(each, depth + 1)
            # What has keys of its own, or nothing, is where its key is.
            pairs[key.value] = (
                node if node.value and not isinstance(node.value, dict) else _at(place, node.value)
            )
        return pairs

    def _place(self, found: Any) -> Place:
        return _place(self._name, self._lines, found.start_mark)


def _at(place: Place, value: str | list[Node] | dict[str, Node]) -> Node:
    return Node(value, place.source or "", place.line or 1, place.column or 1, place.excerpt or "")


def _place(name: str, lines: Sequence[str], mark: Any) -> Place:
    line = lines[mark.line] if mark.line < len(lines) else ""
    excerpt = f"    {line}\n    {' ' * mark.column}^" if line.strip() else None
    return Place(name, mark.line + 1, mark.column + 1, excerpt=excerpt)


def text_of(name: str) -> str:
    """The text of a file. Raises DataError (EP431), if it cannot be read."""
    try:
        return Path(name).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"it is not UTF-8: byte 0x{error.object[error.start]:02X}"
        line = error.object.count(b"\n", 0, error.start) + 1
        hint = "convert it with: iconv -f LATIN1 -t UTF-8"
        raise DataError("EP431", message, place=Place(name, line), hint=hint) from error
    except OSError as error:
        reason = (
            "there is no such file" if isinstance(error, FileNotFoundError) else error.strerror or str(error)
        )
        hint = "check the path, and the permissions of the file"
        message = f"the mapping cannot be read: {reason}"
        raise DataError("EP431", message, place=Place(name), hint=hint) from error
