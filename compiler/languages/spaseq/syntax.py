"""What a SPAseq query is made of, as it is written; groups and templates are those of EP-SPARQL."""

from __future__ import annotations

from typing import Literal, TypeAlias

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.syntax import Node
from etalis_py.compiler.parse.tree_base import Part
from etalis_py.core.value_class import value_class

__all__ = ["Gpm", "Item", "Name", "Operator", "Separator", "Sequence", "SpaseqQuery", "Stream"]

Operator: TypeAlias = Literal["", "+", "?", "!"]


@value_class
class Name(Node):
    """The name of a GPM or of a stream."""

    text: str


@value_class
class Separator(Node):
    """``,`` strict contiguity, ``;`` skip till next, ``:`` skip till any."""

    mark: Literal[",", ";", ":"]


@value_class
class Item(Node):
    """``A``, ``(A & B)`` or ``(A | B)``, with an operator behind it or none; ``joined`` says how."""

    names: tuple[Name, ...]
    joined: Literal["", "&", "|"] = ""
    operator: Operator = ""


@value_class
class Sequence(Node):
    """``SEQ (A; B+, C)``: a separator in front of each item but the first, perhaps one behind the last."""

    items: tuple[Item, ...]
    separators: tuple[Separator, ...]


@value_class
class Stream(Node):
    """``FROM STREAM name <iri>``."""

    name: Name
    iri: syntax.Iri


@value_class
class Gpm(Node):
    """``DEFINE GPM name ON stream, stream { .. }``: a graph pattern that one event matches."""

    name: Name
    streams: tuple[Name, ...]
    group: syntax.Group


@value_class
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
