"""The tree builder's part for SPAseq (grammar.lark of this folder)."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final, Literal, cast

from lark import Token

from etalis_py.compiler.languages.spaseq.syntax import (
    Gpm,
    Item,
    Name,
    Operator,
    Separator,
    Sequence,
    SpaseqQuery,
    Stream,
)
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.grammar_table import TreeBuilder
from etalis_py.compiler.parse.tree_base import Children, Part, count_of, nodes, only, span_of
from etalis_py.compiler.parse.tree_queries import modifiers_of

__all__ = ["SpaseqBuilder"]

_UNITS: Final = MappingProxyType({"SECONDS": "S", "MINUTES": "M", "HOURS": "H"})
_OPERATORS: Final[tuple[Operator, ...]] = ("+", "?", "!")
_NONE: Final[Operator] = ""


class SpaseqBuilder(TreeBuilder):
    """Makes the node of every rule of SPAseq, and those of EP-SPARQL below it."""

    def spaseq(self, children: Children) -> SpaseqQuery:
        """One query."""
        found = [child for child in children if isinstance(child, Part)]
        partition = tuple(each for part in found if part.kind == "partition" for each in part.value)
        parts = {part.kind: part for part in found if part.kind != "partition"}
        head = parts.pop("select", None) or parts.pop("template")
        prologue, within = only(children, syntax.Prologue), only(children, syntax.Within)
        sequence = only(children, Sequence)
        assert prologue is not None
        assert within is not None
        assert sequence is not None
        modifiers, values = modifiers_of(list(parts.values()), span_of(children).end)
        return SpaseqQuery(
            prologue, head, within, partition, nodes(children, Stream), sequence,
            nodes(children, Gpm), modifiers, values, span=head.span.to(span_of(children)),
        )  # fmt: skip

    def spaseq_template(self, children: Children) -> Part:
        """``CONSTRUCT { triples }``."""
        template = cast("Part", children[-1])
        return Part("template", template.value, span_of(children))

    def within_clause(self, children: Children) -> syntax.Within:
        """``WITHIN 30 MINUTES``."""
        number, unit = count_of(children[1]), _UNITS[str(children[2]).upper()]
        span = span_of(children[1:])
        return syntax.Within(syntax.Duration(f"PT{number}{unit}", span=span), span=span_of(children))

    def partition_clause(self, children: Children) -> Part:
        """``PARTITION BY (?x, ?y)``."""
        return Part("partition", nodes(children, syntax.Variable), span_of(children))

    def from_stream(self, children: Children) -> Stream:
        """``FROM STREAM name <iri>``."""
        name, iri = nodes(children, syntax.Node)
        return Stream(cast("Name", name), cast("syntax.Iri", iri), span=span_of(children))

    def sequence(self, children: Children) -> Sequence:
        """``SEQ (A; B+, C)``."""
        return Sequence(nodes(children, Item), nodes(children, Separator), span=span_of(children))

    def separator(self, children: Children) -> Separator:
        """``,`` or ``;`` or ``:``."""
        return Separator(cast('Literal[",", ";", ":"]', str(children[0])), span=span_of(children))

    def item(self, children: Children) -> Item:
        """A GPM or several, with an operator."""
        last = children[-1]
        operator = next((each for each in _OPERATORS if isinstance(last, Token) and each == last), _NONE)
        match next(child for child in children if not isinstance(child, Token)):
            case Part(value=(names, joined)):
                pass
            case name:
                names, joined = (name,), ""
        return Item(names, joined, operator, span=span_of(children))

    def gpm_conjunction(self, children: Children) -> Part:
        """``(A & B)``."""
        return Part("names", (nodes(children, Name), "&"), span_of(children))

    def gpm_disjunction(self, children: Children) -> Part:
        """``(A | B)``."""
        return Part("names", (nodes(children, Name), "|"), span_of(children))

    def gpm(self, children: Children) -> Gpm:
        """``DEFINE GPM A ON S1 { .. }``."""
        name, *streams = nodes(children, Name)
        group = only(children, syntax.Group)
        assert group is not None
        return Gpm(name, tuple(streams), group, span=span_of(children))

    def gpm_name(self, children: Children) -> Name:
        """The name of a GPM or of a stream."""
        return Name(str(children[0]), span=span_of(children))
