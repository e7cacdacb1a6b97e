"""Says in plain words why a query has no answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from typing_extensions import assert_never

from etalis_py.compiler.algebra.algebra import (
    Apply,
    Constant,
    Exists,
    Expression,
    Minus,
    Node,
    Ticks,
    TriplePattern,
    Variable,
    variables,
)
from etalis_py.compiler.algebra.operators import Side
from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.explain.hidden_names import in_words_of
from etalis_py.compiler.explain.readable import Readable
from etalis_py.compiler.lint.kinds import DURATION, ZONED, kind_words, kinds_of_constant
from etalis_py.compiler.plan.triggers import PatternKnowledge
from etalis_py.compiler.spans import Span, shorten
from etalis_py.core.counting import counted
from etalis_py.core.errors import EtalisWarning
from etalis_py.core.terms import Encoded, lexical_form
from etalis_py.core.vocabulary import DEFAULT_STREAM, RDF_TYPE
from etalis_py.no_answers.seen import Seen
from etalis_py.no_answers.steps import ChainStep, FilterStep, JoinStep, PatternStep, Step

__all__ = ["Counted", "NoAnswers", "report"]

_LONGEST: Final = 90
_COMPARISONS: Final = frozenset({"=", "!=", "<", ">", "<=", ">="})
_ends_in_zone: Final = re.compile(r"(?:Z|[+-][0-9]{2}:[0-9]{2})\Z").search


@dataclass(slots=True)
class Counted:
    """A step, and what came of it: solutions, and of a filter how many it was false or an error for.

    ``refused`` and ``failed``: the values of the columns of the first of these, without its truth.
    """

    step: Step
    may_be_timeless: bool = False
    """Background alone may match it, which is not counted."""
    matched: int = 0
    at_end: int = 0
    """So many of them came to be when the events had ended: deadlines, and the longest runs."""
    false: int = 0
    errors: int = 0
    refused: tuple[Encoded | None, ...] = ()
    failed: tuple[Encoded | None, ...] = ()

    @property
    def passed(self) -> int:
        """How many solutions there are after it."""
        return self.matched - self.false - self.errors


@dataclass(frozen=True, slots=True)
class NoAnswers:
    """Why the query ``name`` has no answers; ``str()`` of it is for people.

    ``events``: how many were looked at. ``lines``: what came of each step, as far as there were solutions.
    ``cause`` is the line that stopped all, None where each step had solutions.
    """

    name: str
    events: int
    is_whole: bool
    lines: tuple[str, ...]
    cause: str | None

    def __str__(self) -> str:
        head = f"{self.name}: no answers"
        if not self.is_whole:
            head += f"; of the first {_times(self.events, 'event')}:"
        elif self.cause is None:
            head += ", though each part of it was matched"
        marks = ("-> " if line == self.cause else "   " for line in self.lines)
        return "\n".join([head, *(mark + line for mark, line in zip(marks, self.lines, strict=True))])

    def warning(self) -> EtalisWarning:
        """As a warning (EW20)."""
        return EtalisWarning("EW20", str(self))


def report(
    query: CompiledQuery, counted: Sequence[Counted], seen: Seen, knowledge: PatternKnowledge
) -> NoAnswers:
    """What is to be said of a query, its steps counted over the events that were seen."""
    teller = _Teller(query, seen, knowledge)
    lines, cause = teller.lines(counted)
    return NoAnswers(query.name, seen.events, seen.is_whole, tuple(lines), cause)


class _Teller:
    def __init__(self, query: CompiledQuery, seen: Seen, knowledge: PatternKnowledge) -> None:
        self._query = query
        self._seen = seen
        self._knowledge = knowledge
        self._readable: Readable = in_words_of(query)

    def lines(self, counted: Sequence[Counted]) -> tuple[list[str], str | None]:
        """A line for each pattern, each filter that solutions came to, and the join where all ended."""
        lines: list[str] = []
        cause: str | None = None
        any_order: Mapping[Span, Counted] = {
            each.step.pattern.span: each
            for each in counted
            if isinstance(each.step, JoinStep) and each.step.in_any_order
        }
        for each in counted:
            stops = each.passed == 0 and not each.may_be_timeless
            match each.step:
                case PatternStep():
                    lines.append(self._pattern(each, each.step))
                    stops = stops and not each.step.optional
                case JoinStep(in_any_order=True):
                    continue
                case JoinStep():
                    if cause is None and stops:
                        lines.append(self._join(each.step, any_order.get(each.step.pattern.span)))
                case ChainStep():
                    if cause is None:
                        lines.append(self._chain(each, each.step))
                case FilterStep():
                    if each.matched:
                        lines.append(self._filter(each, each.step))
                    stops = stops and each.matched > 0
            if stops and cause is None:
                cause = lines[-1]
        return lines, cause

    def _where(self, node: Node) -> str:
        return f"line {self._query.text.line_of(node.span)}"

    # ---- patterns ---------------------------------------------------------------------------------------

    def _pattern(self, counted: Counted, step: PatternStep) -> str:
        pattern = step.pattern
        if not isinstance(pattern, TriplePattern):
            return f"{self._where(pattern)}: the path {self._text(pattern)}: {_times(counted.matched)}"
        head = f"{self._where(pattern)}: {self._readable.triple(pattern)}: "
        if counted.matched:
            return head + _times(counted.matched)
        if self._knowledge.may_match(pattern):
            return head + "matched only by the background"
        return head + "never" + "".join(f"; {each}" for each in self._instead(pattern))

    def _instead(self, pattern: TriplePattern) -> Iterator[str]:
        """What the stream has in the place of what was looked for."""
        is_class = pattern.predicate == Constant(RDF_TYPE)
        term = pattern.object if is_class else pattern.predicate
        if pattern.background_only:
            yield "no triple of the background is so; is --background missing?"
            return
        if not self._seen.events:
            yield "there are no events"
            return
        stream = None if pattern.place is None else pattern.place.stream
        if isinstance(stream, Constant) and not self._seen.streams[stream.value]:
            names = [self._readable.term(name) for name, _ in self._seen.streams.most_common(3)]
            others = f"but in {', '.join(names)}"
            if set(self._seen.streams) == {DEFAULT_STREAM}:
                others = "and events have no stream"
            named = f"to name that of a file: --stream {stream.value}=FILE"
            yield f"no event comes in that stream, {others}; {named}"
            return
        if not isinstance(term, Constant) or not isinstance(term.value, str):
            return
        counts = self._seen.classes if is_class else self._seen.properties
        written = self._readable.iri(term.value)
        if counts[term.value]:
            yield f"the stream has {written} {_times(counts[term.value])}, beside other terms"
            return
        near = self._seen.near(term.value, is_class=is_class)
        if near is not None:
            yield f"the stream has {self._readable.iri(near)} {_times(counts[near])}"
        elif counts:
            common = (f"{self._readable.term(name)} {_times(count)}" for name, count in counts.most_common(3))
            yield f"the stream has {', '.join(common)}"
        elif is_class:
            yield "the stream has no rdf:type triples; is --background missing?"

    # ---- joins ------------------------------------------------------------------------------------------

    def _join(self, step: JoinStep, any_order: Counted | None) -> str:
        pattern = step.pattern
        where = self._where(pattern)
        if isinstance(pattern, Minus):
            return f"{where}: MINUS removes all of them"
        if isinstance(pattern.right, Ticks) and pattern.operator.earlier is Side.LEFT:
            period = self._readable.length(pattern.right.period)
            return f"{where}: EVERY {period}: no such point in time has come yet after what stands before it"
        if any_order is not None and any_order.matched:
            count = _times(any_order.matched, "pair")
            operator = pattern.operator
            return f"{where}: {count} fit together, but never as {operator.word} asks: {operator.meaning}"
        right = variables(pattern.right)
        shared = [each for each in variables(pattern.left) if each in right]
        names = " and ".join(map(self._readable.variable, shared))
        if not names:
            return f"{where}: its two sides never come together"
        return f"{where}: its two sides never have the same {names}"

    def _chain(self, counted: Counted, step: ChainStep) -> str:
        written = shorten(" ".join(self._text(step.pattern).split()), _LONGEST)
        text = f"{self._where(step.pattern)}: {written}: {_times(counted.matched - counted.at_end)}"
        return f"{text}; {_times(counted.at_end)} if nothing more comes" if counted.at_end else text

    # ---- filters ----------------------------------------------------------------------------------------

    def _filter(self, counted: Counted, step: FilterStep) -> str:
        parts = [f"true {_times(counted.passed)}"]
        if counted.false:
            parts.append(f"false {_times(counted.false)}{self._example(counted, step)}")
        if counted.errors:
            values = dict(zip(step.columns[1:], counted.failed, strict=True))
            parts.append(f"an error {_times(counted.errors)}: {self._reason(step.condition, values)}")
        return f"{self._where(step.condition)}: FILTER ({self._text(step.condition)}): {', '.join(parts)}"

    def _text(self, node: Node) -> str:
        return self._query.text.written(node.span)

    def _example(self, counted: Counted, step: FilterStep) -> str:
        """With which values a filter was false, if it never was true."""
        if counted.passed or not counted.refused:
            return ""
        values = dict(zip(step.columns[1:], counted.refused, strict=True))
        shown = [
            f"{self._text(each)} = {self._readable.term(value)}"
            for each, value in values.items()
            if value is not None and each is not step.condition and _is_leaf(each)
        ]
        return f" ({', '.join(shown[:3])})" if shown else ""

    def _reason(self, expression: Expression, values: Mapping[Expression, Encoded | None]) -> str:
        """Why an expression is an error: its innermost part without a value, made of what has values."""
        match expression:
            case Variable():
                return f"{self._text(expression)} has no value"
            case Apply(function=function, arguments=arguments):
                for each in arguments:
                    if not isinstance(each, (Constant, Exists)) and values.get(each, "") is None:
                        return self._reason(each, values)
                known = [self._value(each, values) for each in arguments]
                if function in _COMPARISONS and None not in known:
                    return self._compared(*known)  # type: ignore[arg-type]
                given = self._given(arguments, known)
                return f"{self._text(expression)} has no value{given}"
            case Constant() | Exists():
                return f"{self._text(expression)} has no value"
            case _:
                assert_never(expression)

    def _value(self, expression: Expression, values: Mapping[Expression, Encoded | None]) -> Encoded | None:
        return expression.value if isinstance(expression, Constant) else values.get(expression)

    def _compared(self, left: Encoded, right: Encoded) -> str:
        sides = (f"{self._readable.term(each)}{_kind(each)}" for each in (left, right))
        return " is compared with ".join(sides) + _why_without_order(left, right)

    def _given(self, arguments: Sequence[Expression], known: Sequence[Encoded | None]) -> str:
        pairs = zip(arguments, known, strict=True)
        shown = [
            f"{self._text(each)} = {self._readable.term(value)}"
            for each, value in pairs
            if value is not None and not isinstance(each, Constant)
        ]
        return f" where {', '.join(shown)}" if shown else ""


def _is_leaf(expression: Expression) -> bool:
    return isinstance(expression, Variable) or (
        isinstance(expression, Apply) and expression.function in ("GETDURATION", "GETSTARTTIME", "GETENDTIME")
    )


def _why_without_order(left: Encoded, right: Encoded) -> str:
    """Why two values of one kind cannot be compared, and what to do; empty where their kinds say it."""
    kinds = kinds_of_constant(left)
    if kinds is None or kinds != kinds_of_constant(right):
        return ""
    [kind] = kinds
    if kind == DURATION:
        return "; months and years have no fixed length: count in days on both sides"
    if kind in ZONED:
        one, other = (
            "a time zone" if _ends_in_zone(lexical_form(each)[0]) else "none" for each in (left, right)
        )
        return (
            f"; the first has {one}, the second has {other}, and they are so close that their order is "
            'unknown: give a zone to both ("...Z"), or to neither'
        )
    return "; values of this kind have no order"


def _kind(value: Encoded) -> str:
    kinds = kinds_of_constant(value)
    return "" if kinds is None else f" ({kind_words(kinds)})"


def _times(count: int, what: str = "time") -> str:
    if count == 0 and what == "time":
        return "never"
    return counted(count, what)
