"""What a SPAseq query is made of, as it is written; groups and templates are those of EP-SPARQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.syntax import Node
from etalis_py.compiler.parse.tree_base import Part

__all__ = ["Gpm", "Item", "Name", "Operator", "Separator", "Sequence", "SpaseqQuery", "Stream"]

Operator: TypeAlias = Literal["", "+", "?", "!"]


@dataclass(frozen=True, slots=True)
class Name(Node):
    """The name of a GPM or of a stream."""

    text: str


@dataclass(frozen=True, slots=True)
class Separator(Node):
    """``,`` strict contiguity, ``;`` skip till next, ``:`` skip till any."""

    mark: Literal[",", ";", ":"]


@dataclass(frozen=True, slots=True)
class Item(Node):
    """``A``, ``(A & B)`` or ``(A | B)``, with an operator behind it or none; ``joined`` says how."""

    names: tuple[Name, ...]
    joined: Literal["", "&", "|"] = ""
    operator: Operator = ""


@dataclass(frozen=True, slots=True)
class Sequence(Node):
    """``SEQ (A; B+, C)``: a separator in front of each item but the first, perhaps one behind the last."""

    items: tuple[Item, ...]
    separators: tuple[Separator, ...]


@dataclass(frozen=True, slots=True)
class Stream(Node):
    """``FROM STREAM name <iri>``."""

    name: Name
    iri: syntax.Iri


@dataclass(frozen=True, slots=True)
class Gpm(Node):
    """``DEFINE GPM name ON stream, stream { .. }``: a graph pattern that one event matches."""

    name: Name
    streams: tuple[Name, ...]
    group: syntax.Group


@dataclass(frozen=True, slots=True)
class SpaseqQuery(Node):
    """A query. ``head`` is the clause of SELECT or the template of CONSTRUCT, ``modifiers`` what ends it."""

    prologue: syntax.Prologue
    head: Part
    within: syntax.Within
    partition: tuple[syntax.Variable, ...]
    streams: tuple[Stream, ...]
    sequence: Sequence
    gpms: tuple[Gpm, ...]
    modifiers: syntax.Modifiers
    values: syntax.InlineData | None
