"""Terms, expressions and durations as a person reads them; the printers of all stages share it.

Does not write Prolog (``prolog_text.py`` does) and nothing that is read back by a program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from typing_extensions import assert_never

from etalis_py.compiler.algebra.aggregate_windows import PastWindow, RangeWindow, RowsWindow, Window
from etalis_py.compiler.algebra.algebra import (
    Aggregate,
    Apply,
    Closure,
    Constant,
    Exists,
    Expression,
    OrderKey,
    Place,
    Repeat,
    TermPattern,
    TriplePattern,
    Variable,
)
from etalis_py.compiler.algebra.functions import WINDOW_FUNCTIONS
from etalis_py.compiler.algebra.stream_windows import (
    CountExtent,
    Extent,
    Landmark,
    PastExtent,
    Report,
    Schedule,
    TimeExtent,
)
from etalis_py.compiler.parse.names import Names
from etalis_py.compiler.parse.spelling import spelled
from etalis_py.core.durations import spoken_duration
from etalis_py.core.terms import Encoded, lexical_form, ntriples
from etalis_py.core.times import format_time
from etalis_py.core.vocabulary import RDF_TYPE, XSD_BOOLEAN, XSD_DECIMAL, XSD_DOUBLE, XSD_INTEGER

if TYPE_CHECKING:
    from etalis_py.compiler.compile import CompiledQuery

__all__ = ["Node", "Readable", "draw_tree", "readable_for", "window_text"]

_LOCAL_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_\-]*|").fullmatch
_BARE: Final = {
    XSD_INTEGER: re.compile(r"-?[0-9]+").fullmatch,
    XSD_DECIMAL: re.compile(r"-?[0-9]+\.[0-9]+").fullmatch,
    XSD_DOUBLE: re.compile(r"-?[0-9]+\.[0-9]+E-?[0-9]+").fullmatch,
    XSD_BOOLEAN: re.compile(r"true|false").fullmatch,
}
_PRECEDENCE: Final = {
    "||": 1, "&&": 2, "=": 3, "!=": 3, "<": 3, ">": 3, "<=": 3, ">=": 3, "in": 3,
    "+": 4, "-": 4, "*": 5, "/": 5,
}  # fmt: skip
_UNARY: Final = {"!": "!", "negate": "-", "plus": "+"}


def readable_for(query: CompiledQuery) -> Readable:
    """What prints with the prefixes of a query."""
    return Readable(Names(query.syntax.prologue, text=query.text.text, source=query.text.source).prefixes)


class Readable:
    """Prints with the prefixes of one query.

    >>> readable = Readable({"ex": "urn:ex:", "xsd": "http://www.w3.org/2001/XMLSchema#"})
    >>> readable.term("urn:ex:price"), readable.term((5, XSD_INTEGER))
    ('ex:price', '5')
    """

    def __init__(
        self, prefixes: Mapping[str, str], said: Mapping[Variable, str] = MappingProxyType({})
    ) -> None:
        # The longest namespace first: it leaves the shortest local name.
        namespaces = ((iri, name) for name, iri in prefixes.items())
        self._namespaces = sorted(namespaces, key=lambda each: -len(each[0]))
        self._prefixes, self._said = prefixes, said

    def saying(self, texts: Mapping[Variable, str]) -> Readable:
        """The same with these texts in the place of variables."""
        return Readable(self._prefixes, {**self._said, **texts}) if texts else self

    def iri(self, iri: str) -> str:
        """``prefix:name`` where a prefix fits, else ``<iri>``."""
        for namespace, prefix in self._namespaces:
            if namespace and iri.startswith(namespace) and _LOCAL_NAME(iri[len(namespace) :]):
                return f"{prefix}:{iri[len(namespace) :]}"
        return ntriples(iri)

    def term(self, term: Encoded) -> str:
        """An RDF term as a query would write it."""
        if isinstance(term, str):
            return term if term.startswith("_:") else self.iri(term)
        text, datatype, _ = lexical_form(term)
        if datatype is None:
            return ntriples(term)
        if datatype in _BARE and _BARE[datatype](text):
            return text
        written = ntriples(term)
        shortened = self.iri(datatype)
        return f"{written.removesuffix(ntriples(datatype))}{shortened}" if written.endswith(">") else written

    def pattern_term(self, term: TermPattern) -> str:
        """A variable or a constant of a triple pattern."""
        return self.variable(term) if isinstance(term, Variable) else self.term(term.value)

    def goal(self, name: str, arguments: Iterable[TermPattern]) -> str:
        """A call of a predicate of the user's."""
        return f"prolog:{name}({', '.join(map(self.pattern_term, arguments))})"

    def triple(self, pattern: TriplePattern) -> str:
        """A triple pattern; ``a`` for rdf:type."""
        subject, predicate, target = map(self.pattern_term, pattern.terms)
        if pattern.predicate == Constant(RDF_TYPE):
            predicate = "a"
        where = ""
        if pattern.graph is not None:
            where = f" in graph {self.pattern_term(pattern.graph)}"
        elif pattern.sources is not None:
            stream = "" if pattern.background_only else "the stream or "
            where = f" in {stream}{', '.join(map(self.iri, pattern.sources)) or 'nothing else'}"
        elif pattern.background_only:
            where = " in the background"
        if pattern.place is not None:
            where = self._place(pattern.place)
        triple = f"{subject} {predicate} {target}"
        return f"{'any triple' if triple == '[] [] []' else triple}{where}"

    def template(self, template: Sequence[TriplePattern], stream: str | None) -> str:
        """What a CONSTRUCT adds, and to which stream."""
        triples = " . ".join(self.triple(replace(each, place=None)) for each in template)
        return f"{{ {triples} }}" + ("" if stream is None else f" to stream {self.iri(stream)}")

    def _place(self, place: Place) -> str:
        """The stream and the element that a pattern asks for."""
        words = []
        if place.name is not None:
            words.append(f"in graph {self.pattern_term(place.name)}")
        elif place.element is not None:
            words.append("sent" if place.sent else "of one triple" if place.of_triples else "in one element")
        if place.stream is not None:
            words.append(f"in stream {self.pattern_term(place.stream)}")
        if place.extent is not None:
            words.append(f"while in {self.stream_window(place.extent)}")
        if place.background:
            words.append("or the background")
        if place.began is not None and place.ended is not None:
            words.append(f"from {self.variable(place.began)} to {self.variable(place.ended)}")
        return "".join(f" {each}" for each in words)

    def path(self, path: Closure) -> str:
        """A repeated path: its ends, how often, and the variables of one step."""
        times = {(True, True): "*", (True, False): "?", (False, True): "+"}[path.zero, path.many]
        step = f"{self.variable(path.first)} to {self.variable(path.last)}"
        lasts = " while all steps are there" if path.alive else ""
        return f"{self.pattern_term(path.subject)} ({step}){times} {self.pattern_term(path.object)}{lasts}"

    def aggregate(self, aggregate: Aggregate) -> str:
        """``variable := FUNCTION(argument)``; where the variable says no more, that alone."""
        text = self.aggregated(aggregate)
        named = self.variable(aggregate.variable)
        return text if named == text else f"{named} := {text}"

    def aggregated(self, aggregate: Aggregate) -> str:
        """``FUNCTION(argument)``."""
        argument = "*" if aggregate.argument is None else self.variable(aggregate.argument)
        distinct = "DISTINCT " if aggregate.distinct else ""
        return f"{aggregate.function}({distinct}{argument})"

    def length(self, microseconds: int) -> str:
        """A length of time."""
        return spoken_duration(microseconds)

    def repetition(self, repeat: Repeat) -> str:
        """``Repeat ALL 1 to any``, with what iterations share, and what is measured."""
        high = "any" if repeat.high is None else str(repeat.high)
        mode = repeat.mode.value + (" LONGEST" if repeat.longest else "")
        text = f"Repeat {mode} {repeat.low} to {high}, shared {self.variables(repeat.shared)}"
        if repeat.begun is not None:
            text += ", begun by what is before"
        if repeat.operator.next_only:
            text += ", first the next"
        if repeat.then_next:
            text += ", followed by the next"
        so_far = [each for each in repeat.running if each.variable not in self._said]
        for word, aggregates in (("so far", so_far), ("measures", repeat.measures)):
            if aggregates:
                text += f", {word} {', '.join(map(self.aggregate, aggregates))}"
        return text

    def extent(self, window: Window | None) -> str:
        """The window of a group, with a comma before it."""
        match window:
            case None:
                return ""
            case RangeWindow(width=width, step=step):
                every = "" if step is None else f" every {spoken_duration(step)}"
                return f", over the last {spoken_duration(width)}{every}"
            case RowsWindow(count=count):
                return f", over the last {count} rows"
            case PastWindow(begin=begin, until=until):
                return f", from {spoken_duration(begin)} to {spoken_duration(until)} ago"
            case _:
                assert_never(window)

    def stream_window(self, extent: Extent) -> str:
        """A window on a stream."""
        match extent:
            case TimeExtent(width=width, step=step, origin=origin):
                every = "" if step is None else f" every {spoken_duration(step)}"
                begin = "" if origin is None else f" from {format_time(origin)} on"
                bound = " before now" if extent.closed_open else ""
                return f"the last {spoken_duration(width)}{bound}{every}{begin}"
            case Landmark(begin=None):
                return "all so far"
            case Landmark(begin=begin):
                assert begin is not None
                return f"all since {format_time(begin)}"
            case PastExtent(begin=begin, until=until, step=step):
                every = "" if step is None else f" every {spoken_duration(step)}"
                return f"what ended from {spoken_duration(begin)} to {spoken_duration(until)} ago{every}"
            case CountExtent(count=count, triples=triples, step=step):
                every = "" if step is None else f" every {step}"
                return f"the last {count} {'triples' if triples else 'elements'}{every}"
            case _:
                assert_never(extent)

    def schedule(self, schedule: Schedule) -> str:
        """At which instants a query is evaluated."""
        if schedule.report is not Report.CLOSE:
            return str(schedule.report.value)
        grids = (
            f"every {spoken_duration(period)}" + ("" if first is None else f" from {format_time(first)} on")
            for period, first in schedule.grids
        )
        return " and ".join(grids)

    def order(self, keys: Sequence[OrderKey]) -> str:
        """The keys of an order; without any, start and bindings decide."""
        texts = (f"{self.variable(key.variable)}{' descending' if key.descending else ''}" for key in keys)
        return ", ".join(texts) or "start and bindings"

    def variable(self, variable: Variable) -> str:
        """``?name``, or ``_:name`` for a blank node of a pattern."""
        if variable in self._said:
            return self._said[variable]
        # Those that the compiler made are called `_: 5`.
        return variable.name.replace(": ", "", 1) if variable.is_hidden else f"?{variable.name}"

    def variables(self, variables: Sequence[Variable]) -> str:
        """Variables with blanks between them; ``none`` where there is none."""
        return " ".join(map(self.variable, variables)) or "none"

    def expression(self, expression: Expression, above: int = 0) -> str:
        """An expression with as few brackets as it needs; ``above`` is the precedence around it."""
        match expression:
            case Variable():
                return self.variable(expression)
            case Constant(value=value):
                return self.term(value)
            case Apply(function=function, arguments=arguments):
                if function in _PRECEDENCE:
                    own = _PRECEDENCE[function]
                    text = self._operation(function, arguments, own)
                    return f"({text})" if own <= above else text
                if function in _UNARY:
                    return f"{_UNARY[function]}{self.expression(arguments[0], 6)}"
                return self._call(function, arguments)
            case Exists():
                return "EXISTS"
            case _:
                assert_never(expression)

    def _operation(self, operator: str, arguments: Sequence[Expression], precedence: int) -> str:
        if operator == "||" and self._said and _is_mark(arguments[0]):
            return self.expression(arguments[1], precedence - 1)
        if operator == "in":
            choices = ", ".join(map(self.expression, arguments[1:]))
            return f"{self.expression(arguments[0], precedence)} IN ({choices})"
        first, *others = arguments
        # The first operand of a left-associative operator needs no brackets; comparisons do not associate.
        left = precedence if precedence == 3 else precedence - 1
        texts = [self.expression(first, left), *(self.expression(each, precedence) for each in others)]
        return f" {operator} ".join(texts)

    def _call(self, function: str, arguments: Sequence[Expression]) -> str:
        name = self.iri(function) if ":" in function else spelled(function)
        if function in WINDOW_FUNCTIONS:
            arguments = arguments[:1]  # the others are what the window is
        return f"{name}({', '.join(map(self.expression, arguments))})"


def _is_mark(expression: Expression) -> bool:
    """Whether it tells two things apart that nobody named: what may not lie between by NOT, and by STRICT."""
    if not isinstance(expression, Apply) or expression.function != "BOUND":
        return False
    [mark] = expression.arguments
    return isinstance(mark, Variable) and mark.is_hidden


def window_text(bound: int | None) -> str:
    """What a window bound (durations stay below it, microseconds) says.

    >>> window_text(30_000_000), window_text(30_000_001), window_text(None)
    ('below 30 seconds', 'up to 30 seconds', 'none')
    """
    if bound is None:
        return "none"
    if bound % 1_000 == 1:
        return f"up to {spoken_duration(bound - 1)}"
    return f"below {spoken_duration(bound)}"


class Node:
    """A line of a tree and what stands below it."""

    __slots__ = ("below", "line")

    def __init__(self, line: str, *below: Node) -> None:
        self.line = line
        self.below = below


def draw_tree(node: Node) -> str:
    """A tree with lines that show what belongs to what.

    >>> print(draw_tree(Node("SEQ", Node("a", Node("b")), Node("c"))))
    SEQ
    ├─ a
    │  └─ b
    └─ c
    """
    lines = [node.line]
    for index, child in enumerate(node.below):
        last = index == len(node.below) - 1
        first, *others = draw_tree(child).split("\n")
        lines.append(("└─ " if last else "├─ ") + first)
        lines += [("   " if last else "│  ") + other for other in others]
    return "\n".join(lines)
