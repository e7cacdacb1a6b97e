"""Triples written as Prolog facts, subject by subject, as ``rules/background/background_compile.pl`` reads
them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any, Final

from etalis_py.core.errors import DataError, Place
from etalis_py.core.literals import encode_literal
from etalis_py.core.vocabulary import XSD_STRING
from etalis_py.ontologies.fact_terms import DatatypeNumbers, atom_text, string_text, term_text
from etalis_py.ontologies.triples import Term, Triple

__all__ = ["FactWriter"]

_DEFAULT: Final = "DefaultGraph"
_MOST: Final = 500
"""Triples of one subject in one line: what Prolog reads at once."""


class FactWriter:
    """Writes the triples of any number of files to one text, each triple once.

    A triple is compared by its hash, to need little memory; the few that look like one before are written as
    ``again(...)``, and Prolog looks. To be closed by ``flush``.
    """

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self._numbers: dict[str, int] = {}
        self._datatypes = DatatypeNumbers()
        self._seen: set[int] = set()
        self._graph_numbers: dict[tuple[str, str], int] = {}
        self._graphs: set[str] = set()
        self._files = 0
        self._subject = ""
        self._new: list[str] = []
        self._again: list[str] = []
        self.uses_base = False
        """Whether some IRI is a ``file:`` IRI: then the meaning depends on where the file lies."""

    def write(self, triples: Iterable[Triple], name: str) -> int:
        """Write the triples of one file; its blank nodes get labels no other file has.

        Those of a named graph are written for the graph as well. Returns how many there were.
        Raises DataError EP427 for a term the engine has no form for.
        """
        blank = self._begin_file()
        count = 0
        subject, subject_text, number_of = None, "", self._numbers.get
        seen, add, new = self._seen, self._seen.add, self._new
        for s, p, o, graph in triples:
            count += 1
            if s != subject or len(new) > _MOST:
                subject, subject_text = s, _node_text(s, blank, name)
                self._begin_subject(subject_text)
            predicate = p.value
            number = number_of(predicate) or self._enter(predicate)
            text = self._object_text(o, blank, name)
            key = hash((subject_text, number, text))
            if key in seen:
                self._again.append(f"{number},{text}")
            else:
                add(key)
                new.append(f"{number},{text}")
            if graph.__class__.__name__ != _DEFAULT:
                self._add_named(_node_text(graph, blank, name), predicate, text)
        self.flush()
        return count

    def enter_graph(self, graph: str) -> None:
        """There is a named graph, though it may have no triples."""
        self._enter_graph(atom_text(graph))

    def write_graph(self, graph: str, triples: Iterable[Triple], name: str) -> None:
        """Write the triples of one file as a named graph's, and as nothing else.

        Raises DataError: EP427 for a term the engine has no form for, EP429 if the file has graphs itself.
        """
        blank = self._begin_file()
        graph_text = atom_text(graph)
        subject = None
        for s, p, o, inner in triples:
            if inner.__class__.__name__ != _DEFAULT:
                raise DataError(
                    "EP429",
                    f"the file should hold the graph <{graph}>, but contains the named graph {inner}",
                    place=Place(source=name),
                    hint="use --background for files with named graphs",
                )
            if s != subject or len(self._new) > _MOST:
                subject = s
                self._begin_subject(_node_text(s, blank, name))
            self._add_named(graph_text, p.value, self._object_text(o, blank, name))
        self.flush()

    def flush(self) -> None:
        """Write what is known of the last subject."""
        self._begin_subject("")

    def _begin_file(self) -> _BlankNodes:
        self._files += 1
        return _BlankNodes(self._files - 1)

    def _begin_subject(self, subject: str) -> None:
        for number, datatype in self._datatypes.new:
            self._out.write(f"datatype({number},{atom_text(datatype)}).\n")
        self._datatypes.new.clear()
        for functor, pairs in (("s", self._new), ("again", self._again)):
            if pairs:
                line = f"{functor}({self._subject},[{','.join(pairs)}]).\n"
                if "'file:" in line:
                    self.uses_base = True
                self._out.write(line)
                pairs.clear()
        self._subject = subject

    def _enter(self, predicate: str) -> int:
        number = self._numbers[predicate] = self._next_number()
        if predicate.startswith("file:"):
            self.uses_base = True
        self._out.write(f"predicate({number},{atom_text(predicate)}).\n")
        return number

    def _next_number(self) -> int:
        return len(self._numbers) + len(self._graph_numbers) + 1

    def _enter_graph(self, graph: str) -> None:
        if graph not in self._graphs:
            self._graphs.add(graph)
            if graph.startswith("'file:"):
                self.uses_base = True
            self._out.write(f"graph({graph}).\n")

    def _add_named(self, graph: str, predicate: str, text: str) -> None:
        number = self._graph_numbers.get((graph, predicate))
        if number is None:
            self._enter_graph(graph)
            number = self._graph_numbers[graph, predicate] = self._next_number()
            if predicate.startswith("file:"):
                self.uses_base = True
            self._out.write(f"graph_predicate({number},{graph},{atom_text(predicate)}).\n")
        key = hash((self._subject, number, text))
        (self._again if key in self._seen else self._new).append(f"{number},{text}")
        self._seen.add(key)

    def _object_text(self, term: Term, blank: _BlankNodes, name: str) -> str:
        kind = term.__class__.__name__
        if kind == "NamedNode":
            return atom_text(term.value)
        if kind == "Literal" and term.direction is None:
            datatype, language = term.datatype.value, term.language
            if datatype == XSD_STRING:
                return string_text(term.value)
            return term_text(encode_literal(term.value, datatype, language), self._datatypes)
        return _node_text(term, blank, name)


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


def _no_form(term: Any, name: str) -> DataError:
    what = "a literal with a base direction" if type(term).__name__ == "Literal" else "a triple as a term"
    return DataError("EP427", f"{what} is not supported: {term}", place=Place(source=name))
