"""The one printer of LARS programs."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from typing_extensions import assert_never

from etalis_py.compiler.algebra.algebra import Constant, Variable
from etalis_py.compiler.algebra.stream_windows import (
    CountExtent,
    Extent,
    Landmark,
    PastExtent,
    TimeExtent,
    closings,
)
from etalis_py.compiler.algebra.windowed import StreamWindow
from etalis_py.compiler.explain.readable import Readable
from etalis_py.compiler.lars.program import (
    Assign,
    At,
    Atom,
    Before,
    Bound,
    Formula,
    InWindow,
    Multiple,
    Not,
    Null,
    Order,
    Program,
    Rule,
    Term,
    Test,
    Time,
)
from etalis_py.core.durations import short_duration
from etalis_py.core.times import format_time

__all__ = ["program_text"]

_EVENTS: Final = """\
an event from B to E is an atom at E, which tells its stream and B; time points are microseconds"""
_WINDOWS: Final = """\
windows at a time point T; an event is an atom at its end, time points are microseconds:"""
_GIVES: Final = MappingProxyType(
    {
        "RSTREAM": "all of them",
        "ISTREAM": "those that are none at the one before",
        "DSTREAM": "those of the one before that are none any more",
    }
)


def program_text(program: Program, readable: Readable) -> str:
    """A program with its windows, without an end of line after it."""
    printer = _Printer(readable)
    lines = [_WINDOWS if program.windows else _EVENTS]
    lines += [f"  {line}" for line in printer.windows(program.windows)]
    if program.evaluations:
        lines.append("there are answers where trigger is true:")
        lines += [f"  {printer.rule(each)}" for each in program.evaluations]
    lines.append("rules:")
    lines += [f"  {printer.rule(each)}" for each in program.rules]
    if program.gives is not None:
        lines.append(f"of the answers at a time point it gives {_GIVES[program.gives]} ({program.gives})")
    return "\n".join(lines)


class _Printer:
    def __init__(self, readable: Readable) -> None:
        self._readable = readable

    def windows(self, windows: tuple[StreamWindow, ...]) -> Iterator[str]:
        """What each window holds, and its operator in the paper's table, where it has one."""
        for number, each in enumerate(windows, 1):
            stream = "each stream" if each.stream is None else self._readable.iri(each.stream)
            operator = _operator(each.extent)
            same = "" if operator is None else f"   ⊞{operator}"
            yield f"⊞{number}: of {stream}, {_held(each.extent)}{same}"

    def rule(self, rule: Rule) -> str:
        """``head ← body.``"""
        head = self._formula(rule.head)
        if not rule.body:
            return f"{head}."
        return f"{head} ← {', '.join(map(self._formula, rule.body))}."

    def _formula(self, formula: Formula) -> str:
        match formula:
            case Atom():
                return self._atom(formula)
            case At(time=time, atom=atom):
                return f"@{_reference(time)} {self._atom(atom)}"
            case InWindow(window=window, atom=atom, time=time):
                how = "◇" if time is None else f"@{_reference(time)}"
                return f"⊞{window} {how} {self._atom(atom)}"
            case Before(formula=inner):
                return f"@(T - 1µs) {self._formula(inner)}"
            case Not(formula=inner):
                return f"not {self._formula(inner)}"
            case Test(expression=expression):
                return self._readable.expression(expression)
            case Assign(variable=variable, expression=expression):
                return f"{self._readable.variable(variable)} := {self._readable.expression(expression)}"
            case Order(first=first, word=word, second=second):
                return f"{_time(first)} {'≤' if word == '=<' else word} {_time(second)}"
            case Bound(time=time, word=word, first=first, second=second):
                return f"{_time(time)} = {word}({_time(first)}, {_time(second)})"
            case Multiple(time=time, period=period, origin=origin):
                return _multiple(time, period, origin)
            case _:
                assert_never(formula)

    def _atom(self, atom: Atom) -> str:
        if not atom.arguments:
            return atom.predicate
        return f"{atom.predicate}({', '.join(map(self._term, atom.arguments))})"

    def _term(self, term: Term) -> str:
        match term:
            case Variable():
                return self._readable.variable(term)
            case Constant(value=value):
                return self._readable.term(value)
            case Null():
                return "null"
            case Time():
                return _time(term)
            case _:
                assert_never(term)


def _time(time: Time) -> str:
    return f"{time.name} + {short_duration(time.later)}" if time.later else time.name


def _reference(time: Time) -> str:
    return f"({_time(time)})" if time.later else time.name


def _multiple(time: Time, period: int, origin: int | None) -> str:
    now = f"⊞^0 @{time.name} true"
    if origin is None:
        return f"{now}, {time.name} % {short_duration(period)} = 0"
    begin = format_time(origin)
    return f"{now}, {begin} ≤ {time.name}, ({time.name} - {begin}) % {short_duration(period)} = 0"


def _operator(extent: Extent) -> str | None:
    """The window operator of the paper (Table 1), where it has this window.

    Its time windows are closed at both ends, so that they are a microsecond shorter.
    """
    match extent:
        case TimeExtent(origin=None, closed_open=False, whole=False, moving=False, width=width, step=step):
            length = "0" if width == 1 else f"({short_duration(width)} - 1µs)"
            return (
                f"^{length}"
                if step is None
                else f"^{length[:-1] if width > 1 else '(0'}, 0, {short_duration(step)})"
            )
        case PastExtent(begin=1, until=0, step=None):
            return "^0"
        case Landmark(begin=None):
            return "^∞"
        case CountExtent(count=count, triples=True, step=step):
            return f"_#^{count}" if step is None else f"_#^({count}, 0, {step})"
        case _:
            return None


def _held(extent: Extent) -> str:
    """What a window holds."""
    match extent:
        case TimeExtent():
            return _timed(extent)
        case Landmark(begin=None):
            return "what has ended"
        case Landmark(begin=begin):
            assert begin is not None
            return f"what ended in [{format_time(begin)}, T]"
        case PastExtent(begin=1, until=0, step=None):
            return "what ends at T"
        case PastExtent(begin=begin, until=until, step=step):
            now = "T" if step is None else "c"
            last = f"{now} - {short_duration(until)}" if until else now
            closes = "" if step is None else f", c the last multiple of {short_duration(step)} up to T"
            return f"what ended in ({now} - {short_duration(begin)}, {last}]{closes}"
        case CountExtent(count=count, triples=triples, step=step):
            units = "triples" if triples else "elements"
            last = "last" if step is None else f"last by when a multiple of {step} had ended"
            return f"the {count} {units} that ended {last}"
        case _:
            assert_never(extent)


def _timed(extent: TimeExtent) -> str:
    first, last = ("[", ")") if extent.closed_open else ("(", "]")
    started = "started and ended" if extent.whole else "ended"
    now = "T" if extent.step is None else "c"
    limits = f"{first}{now} - {short_duration(extent.width)}, {now}{last}"
    since = ""
    if extent.origin is not None:
        since = f", {'at' if extent.closed_open else 'after'} {format_time(extent.origin)}"
        since += " or later" if extent.closed_open else ""
    if extent.step is None:
        return f"what {started} in {limits}{since}"
    grid = f"multiple of {short_duration(extent.step)}"
    if extent.origin is not None:
        grid_of = closings(extent)
        assert grid_of is not None
        assert grid_of.first is not None
        grid = f"of {format_time(grid_of.first)} + k·{short_duration(extent.step)}, k ≥ 0,"
    if extent.moving:
        place = "after T" if extent.closed_open else "not before T"
        return f"what {started} in {limits} by T, c the first {grid} {place}{since}"
    return f"what {started} in {limits}, c the last {grid} up to T{since}"
