"""The syntax tree as indented text, for ``etalis explain --stage syntax``.

One line a node: its class, then what it holds that is not a node. Names of fields stand before nodes where a
class has several; a term takes one line and is written as in a query.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.syntax import Node
from etalis_py.compiler.spans import Span

__all__ = ["print_syntax", "print_term"]


def print_syntax(query: Node) -> str:
    """The tree of a query or of any part of it.

    >>> from etalis_py.compiler.parse.parser import parse
    >>> print(print_syntax(parse("ASK { ?x a <urn:Storm> }").form.where))
    Group
      TriplesBlock
        SubjectTriples
          subject: ?x
          PropertyObjects
            verb: <http://www.w3.org/1999/02/22-rdf-syntax-ns#type>
            <urn:Storm>
    """
    return "\n".join(f"{'  ' * depth}{line}" for depth, line in _lines(query))


def print_term(term: syntax.Term) -> str:
    """A term as a query writes it.

    >>> from etalis_py.compiler.spans import Span
    >>> print_term(syntax.Literal("hi", language="en", span=Span(0, 0)))
    '"hi"@en'
    """
    match term:
        case syntax.IriRef(text=text):
            return f"<{text}>"
        case syntax.PrefixedName(prefix=prefix, local=local):
            return f"{prefix}:{local}"
        case syntax.Variable(name=name):
            return f"?{name}"
        case syntax.BlankNode(label=label):
            return "[]" if label is None else f"_:{label}"
        case syntax.Literal(lexical=lexical, datatype=datatype, language=language):
            if isinstance(datatype, syntax.IriRef) and _is_bare(lexical, datatype.text):
                return lexical
            suffix = "" if language is None else f"@{language}"
            return f"{_quoted(lexical)}{suffix}{'' if datatype is None else f'^^{print_term(datatype)}'}"


def _lines(root: Node) -> Iterator[tuple[int, str]]:
    """Depth and text of every line, without recursion."""
    stack: list[tuple[int, str, Node]] = [(0, "", root)]
    while stack:
        depth, label, node = stack.pop()
        if isinstance(node, syntax.Term):
            yield depth, label + print_term(node)
        elif isinstance(node, syntax.DataRow):
            values = " ".join("UNDEF" if value is None else print_term(value) for value in node.values)
            yield depth, f"{label}DataRow {values}".rstrip()
        else:
            yield depth, label + _head(node)
            stack.extend(reversed([(depth + 1, below, child) for below, child in _labelled(node)]))


def _head(node: Node) -> str:
    """The class of a node, with its values that are not nodes."""
    words = [type(node).__name__]
    for name in _field_names(node):
        value = getattr(node, name)
        if isinstance(value, Node):
            continue
        match value:
            case tuple() | None | False:
                pass
            case True:
                words.append(name)
            case str(text) if name == "operator" and text.isalpha():
                words.append(text)
            case str(text) if " " in text or not text:
                words.append(f"{name}={_quoted(text)}")
            case _:
                words.append(f"{name}={value}")
    return " ".join(words)


def _labelled(node: Node) -> Iterator[tuple[str, Node]]:
    """The nodes below, with the names of their fields where these say something."""
    names = _field_names(node)
    lists = [name for name in names if isinstance(getattr(node, name), tuple)]
    for name in names:
        value: Any = getattr(node, name)
        if isinstance(value, tuple):
            yield from ((f"{name}: " if len(lists) > 1 else "", each) for each in value)
        elif isinstance(value, Node) and value not in _LEFT_OUT:
            yield f"{name}: ", value


def _field_names(node: Node) -> list[str]:
    return [field.name for field in fields(node) if field.compare]


def _is_bare(lexical: str, datatype: str) -> bool:
    """Whether a literal can be written without quotes and datatype: 5, -1.5, 1e3, true."""
    form = _BARE.get(datatype.removeprefix(syntax.XSD))
    return form is not None and re.fullmatch(form, lexical) is not None


def _quoted(text: str) -> str:
    """A string with its escapes, on one line."""
    escaped = "".join(_ESCAPES.get(character, character) for character in text)
    return f'"{escaped}"'


_ESCAPES = MappingProxyType({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_BARE = MappingProxyType(
    {
        "integer": r"[+-]?[0-9]+",
        "decimal": r"[+-]?[0-9]*\.[0-9]+",
        "double": r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+",
        "boolean": "true|false",
    }
)
_NOWHERE = Span(0, 0)
_LEFT_OUT = (syntax.Modifiers(span=_NOWHERE), syntax.Prologue((), span=_NOWHERE))
"""Said only where the query has some."""
