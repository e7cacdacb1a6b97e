"""Triples written as Prolog facts, in the form that ``rules/background_compile.pl`` reads.

Whatever a literal or an IRI holds, reading the line gives back that text and nothing else: a quote, a
backslash or a control character is always written as an escape.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from fractions import Fraction
from typing import IO, Any, Final

from etalis_py.errors import DataError, Place
from etalis_py.literals import Encoded, LiteralValue, encode_literal
from etalis_py.ontologies.triples import Term, Triple
from etalis_py.vocabulary import XSD_STRING

__all__ = ["FactWriter", "atom_text", "term_text"]

_find_unsafe = re.compile(r"""["'\\\x00-\x1f\x7f-\x9f\u2028\u2029]""").search
_replace_unsafe = re.compile(r"""["'\\\x00-\x1f\x7f-\x9f\u2028\u2029]""").sub
_STRING_TYPE: Final = f",'{XSD_STRING}')"
_DEFAULT: Final = "DefaultGraph"


class FactWriter:
    """Writes the triples of any number of files to one text, each triple once.

    A triple's line is compared by its hash, to need little memory; the few that look like one before are
    written as ``again(...)``, and Prolog looks.
    """

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self._numbers: dict[str, int] = {}
        self._seen: set[int] = set()
        self._graph_numbers: dict[tuple[str, str], int] = {}
        self._graphs: set[str] = set()
        self._files = 0
        self.count = 0
        """Triples that were written, those with the mark that they may be repetitions included."""
        self.uses_base = False
        """Whether some IRI is a ``file:`` IRI: then the meaning depends on where the file lies."""

    def write(self, triples: Iterable[Triple], name: str) -> int:
        """Write the triples of one file; its blank nodes get labels no other file has.

        Those of a named graph are written for the graph as well. Returns how many there were.
        Raises DataError EP427 for a term the engine has no form for.
        """
        blank = _BlankNodes(self._files)
        self._files += 1
        seen, count = self._seen, 0
        subject, subject_text = None, ""
        for s, p, o, graph in triples:
            count += 1
            if s != subject:
                subject, subject_text = s, _node_text(s, blank, name)
            number = self._numbers.get(p.value) or self._enter(p.value)
            object_text = _object_text(o, blank, name)
            line = f"t({number},{subject_text},{object_text}).\n"
            if "'file:" in line:
                self.uses_base = True
            key = hash(line)
            if key in seen:
                line = "again" + line[1:]
            else:
                seen.add(key)
            self._out.write(line)
            if type(graph).__name__ != _DEFAULT:
                self._write_named(_node_text(graph, blank, name), p.value, f"{subject_text},{object_text}")
        self.count += count
        return count

    def enter_graph(self, graph: str) -> None:
        """There is a named graph, though it may have no triples."""
        self._enter_graph(atom_text(graph))

    def write_graph(self, graph: str, triples: Iterable[Triple], name: str) -> None:
        """Write the triples of one file as a named graph's, and as nothing else.

        Raises DataError: EP427 for a term the engine has no form for, EP429 if the file has graphs itself.
        """
        blank = _BlankNodes(self._files)
        self._files += 1
        graph_text = atom_text(graph)
        for s, p, o, inner in triples:
            if type(inner).__name__ != _DEFAULT:
                raise DataError(
                    "EP429",
                    f"the file is to be the graph <{graph}>, and has the named graph {inner} itself",
                    place=Place(source=name),
                    hint="--background takes files with named graphs",
                )
            self._write_named(
                graph_text, p.value, f"{_node_text(s, blank, name)},{_object_text(o, blank, name)}"
            )

    def _enter(self, predicate: str) -> int:
        number = self._numbers[predicate] = len(self._numbers) + 1
        if predicate.startswith("file:"):
            self.uses_base = True
        self._out.write(f"predicate({number},{atom_text(predicate)}).\n")
        return number

    def _enter_graph(self, graph: str) -> None:
        if graph not in self._graphs:
            self._graphs.add(graph)
            if graph.startswith("'file:"):
                self.uses_base = True
            self._out.write(f"graph({graph}).\n")

    def _write_named(self, graph: str, predicate: str, rest: str) -> None:
        number = self._graph_numbers.get((graph, predicate))
        if number is None:
            self._enter_graph(graph)
            number = self._graph_numbers[graph, predicate] = len(self._graph_numbers) + 1
            if predicate.startswith("file:"):
                self.uses_base = True
            self._out.write(f"graph_predicate({number},{graph},{atom_text(predicate)}).\n")
        line = f"g({number},{rest}).\n"
        if "'file:" in line:
            self.uses_base = True
        key = hash(line)
        if key in self._seen:
            line = "g_again" + line[1:]
        else:
            self._seen.add(key)
        self._out.write(line)


class _BlankNodes(dict[str, str]):
    """Labels of one file as atoms, numbered as they come: the same file gives the same text."""

    def __init__(self, file: int) -> None:
        super().__init__()
        self._file = file

    def __missing__(self, label: str) -> str:
        self[label] = text = f"'_:bg{self._file}-{len(self)}'"
        return text


def _node_text(node: Term, blank: _BlankNodes, name: str) -> str:
    kind = type(node).__name__
    if kind == "NamedNode":
        return atom_text(node.value)
    if kind == "BlankNode":
        return blank[node.value]
    raise _no_form(node, name)


def _object_text(term: Term, blank: _BlankNodes, name: str) -> str:
    kind = type(term).__name__
    if kind == "NamedNode":
        return atom_text(term.value)
    if kind == "Literal" and term.direction is None:
        return term_text(encode_literal(term.value, term.datatype.value, term.language))
    return _node_text(term, blank, name)


def _no_form(term: Any, name: str) -> DataError:
    what = "a literal with a base direction" if type(term).__name__ == "Literal" else "a triple as a term"
    return DataError("EP427", f"{what} is not supported: {term}", place=Place(source=name))


def atom_text(name: str) -> str:
    """A Prolog atom, always in quotes."""
    return f"'{_escape(name)}'" if _find_unsafe(name) else f"'{name}'"


def term_text(term: Encoded) -> str:
    r"""An encoded RDF term as Prolog text.

    >>> term_text("urn:it's"), term_text(("a\n", "@en"))
    ("'urn:it\\x27\\s'", '\'@\'("a\\x0a\\",\'en\')')
    """
    if isinstance(term, str):
        return atom_text(term)
    value, kind = term[0], term[-1]
    if kind == XSD_STRING:
        return f"^^({_string(str(value))}{_STRING_TYPE}"
    if kind[0] == "@":
        return f"'@'({_string(str(value))},{atom_text(kind[1:])})"
    text = _value(value)
    if len(term) == 3:
        text = f"lexical({text},{_string(term[1])})"
    return f"^^({text},{atom_text(kind)})"


def _value(value: LiteralValue) -> str:
    match value:
        case str():
            return _string(value)
        case bool():
            return "true" if value else "false"
        case tuple():
            return f"duration({value[0]},{value[1]})"
        case float():
            return _float(value)
        case Fraction():
            ratio = f"{value.numerator}r{value.denominator}"
            return ratio.removesuffix("r1")
        case _:
            return str(value)


def _float(value: float) -> str:
    if math.isnan(value):
        return "1.5NaN"
    if math.isinf(value):
        return "1.0Inf" if value > 0 else "-1.0Inf"
    text = repr(value)
    return text if "." in text else text.replace("e", ".0e")


def _string(text: str) -> str:
    return f'"{_escape(text)}"' if _find_unsafe(text) else f'"{text}"'


def _escape(text: str) -> str:
    return _replace_unsafe(lambda found: f"\\x{ord(found[0]):02x}\\", text)
