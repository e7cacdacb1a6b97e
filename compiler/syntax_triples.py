"""The syntax tree's lower half: terms, property paths and triples, as they were written.

Import the names from ``syntax.py``, which has the upper half and the rules that hold for all nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import TypeAlias

from etalis_py.compiler.spans import Span

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
XSD = "http://www.w3.org/2001/XMLSchema#"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Base of all nodes; ``span`` is given by keyword."""

    span: Span = field(compare=False, repr=False)


# ---- Terms -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IriRef(Node):
    """``<text>``, maybe relative. The keyword ``a`` is the IriRef of rdf:type with the span of the ``a``."""

    text: str


@dataclass(frozen=True, slots=True)
class PrefixedName(Node):
    """``prefix:local`` with the backslash escapes of the local part undone; the prefix may be empty."""

    prefix: str
    local: str


@dataclass(frozen=True, slots=True)
class Variable(Node):
    """``?name`` or ``$name``."""

    name: str


@dataclass(frozen=True, slots=True)
class BlankNode(Node):
    """``_:label``, or ``[]`` with no label."""

    label: str | None


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """A literal, its string escapes undone.

    ``5``, ``+1.5``, ``1e3`` and ``true`` have the IriRef of their XSD datatype and the lexical form as
    written (sign included); plain ``"text"`` has neither datatype nor language. ``language`` is as written.
    """

    lexical: str
    datatype: Iri | None = None
    language: str | None = None


Iri: TypeAlias = IriRef | PrefixedName
Term: TypeAlias = IriRef | PrefixedName | Variable | BlankNode | Literal


# ---- Property paths ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InversePath(Node):
    """``^path``."""

    path: Path


@dataclass(frozen=True, slots=True)
class SequencePath(Node):
    """``a / b / c``; at least two steps."""

    steps: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class AlternativePath(Node):
    """``a | b | c``; at least two choices."""

    choices: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class RepeatedPath(Node):
    """``path*``, ``path+`` or ``path?``."""

    path: Path
    times: OneOf["*", "+", "?"]


@dataclass(frozen=True, slots=True)
class NegatedPropertySet(Node):
    """``!(a | ^b)``: members are IRIs and inverses of IRIs; ``!a`` has one member, ``!()`` none."""

    members: tuple[IriRef | PrefixedName | InversePath, ...]


Path: TypeAlias = (
    IriRef | PrefixedName | InversePath | SequencePath | AlternativePath | RepeatedPath | NegatedPropertySet
)


# ---- Triples -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Collection(Node):
    """``(a b c)``; ``()`` (rdf:nil) has no items."""

    items: tuple[GraphNode, ...]


@dataclass(frozen=True, slots=True)
class PropertyObjects(Node):
    """One verb with its objects: ``:p :a, :b``."""

    verb: Variable | Path
    objects: tuple[GraphNode, ...]


@dataclass(frozen=True, slots=True)
class BlankNodePropertyList(Node):
    """``[ :p :a ; :q :b ]``; at least one property."""

    properties: tuple[PropertyObjects, ...]


@dataclass(frozen=True, slots=True)
class SubjectTriples(Node):
    """One subject with its properties (TriplesSameSubject).

    ``properties`` is empty only where the subject is a BlankNodePropertyList or a Collection with items.
    """

    subject: GraphNode
    properties: tuple[PropertyObjects, ...]


@dataclass(frozen=True, slots=True)
class TriplesBlock(Node):
    """Triples between two other elements of a group."""

    subjects: tuple[SubjectTriples, ...]


GraphNode: TypeAlias = (
    IriRef | PrefixedName | Variable | BlankNode | Literal | Collection | BlankNodePropertyList
)
