"""Prolog questions to an engine: answers one by one, as rdflib terms or as Prolog writes them."""

from __future__ import annotations

import itertools
import re
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from typing_extensions import Self

from etalis_py.core.errors import Place, RunTimeError, UsageError
from etalis_py.core.terms import from_rdflib, to_rdflib
from etalis_py.embedding import prolog
from etalis_py.engine.guard import Guard

if TYPE_CHECKING:
    from rdflib.term import Identifier

__all__ = ["MOST_INFERENCES", "PREFIXES", "Answer", "Question", "close_question"]

MOST_INFERENCES: Final = 100_000_000
"""After so many steps without an answer a question is given up."""

PREFIXES: Final[Mapping[str, str]] = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "owl": "http://www.w3.org/2002/07/owl#",
}
"""What may be written ``prefix:local`` in any question."""

_numbers = itertools.count(1)
_replace_variable = re.compile(r"\b_(?:G?\d+)\b").sub


class Answer(dict[str, Any]):
    """One answer: the named variables that have a value, but those that were given one.

    ``residuals`` are the constraints that remain on the others (``dif(X, a)``), and which of them are the
    same (``X = Y``), as text. ``is_last``: there is surely no further answer.
    """

    __slots__ = ("is_last", "residuals")

    def __init__(self, values: Mapping[str, Any], residuals: tuple[str, ...], *, is_last: bool) -> None:
        super().__init__(values)
        self.residuals = residuals
        self.is_last = is_last


class Question(Iterator[Answer]):
    """The answers to one Prolog goal; each is found when it is asked for, the first at once.

    Several may be open, and be asked in any order. ``close`` gives back what one holds; so does its last
    answer, its end as a context manager, and the end of its engine. Ctrl-C stops a goal, not the engine.

    Args:
        module: the Prolog module that the goal is put to.
        guard: that of the engine.
        abandoned: takes the question's name if it is forgotten while another thread uses the engine.
        goal: a Prolog goal; a full stop at its end may be left out.
        given: values of variables: rdflib terms; ``int``, ``float``, ``str`` and ``bool`` as plain Prolog
            numbers, strings and truth values; anything else that rdflib has a literal for.
        prefixes: namespaces by prefix, besides rdf, rdfs, xsd and owl.
        inferences: steps that each answer may take.
        seconds: time that each answer may take; None is no limit.
        sandbox: admit only what SWI-Prolog's ``library(sandbox)`` calls safe.
        written: give values as Prolog writes them, not as rdflib terms.

    Raises:
        RunTimeError: EP301, the goal has a syntax error, raises, or does not come to an end; EP306, it is
            not safe.
        UsageError: EP505, a given variable does not occur, or its value has no RDF term.
    """

    def __init__(
        self,
        module: str,
        goal: str,
        given: Mapping[str, Any],
        *,
        guard: Guard,
        abandoned: list[str],
        prefixes: Mapping[str, str] = PREFIXES,
        inferences: int = MOST_INFERENCES,
        seconds: float | None = None,
        sandbox: bool = False,
        written: bool = False,
    ) -> None:
        self._id = f"etalis_question_{next(_numbers)}"
        self._is_open = False
        self._guard = guard
        self._abandoned = abandoned
        self._next: Answer | None = None
        self._given = given
        self._own = f"{module}:"
        self._written = written
        values = [[name, *_given_value(name, value)] for name, value in given.items()]
        _start_alarms()
        namespaces = [[name, iri] for name, iri in {**PREFIXES, **prefixes}.items()]
        limits = [inferences, float(seconds or 0), _truth(sandbox)]
        form = "text" if written else "terms"
        opened = _call("open_question", self._id, module, goal, values, namespaces, form, limits)
        match opened:
            case ["open", names]:
                self.names: Sequence[str] = tuple(names)
                """The variables of the goal, in the order in which they occur."""
            case ["syntax", position, text]:
                raise RunTimeError(
                    "EP301", f"Prolog cannot read the question: {text}", place=_place(goal, position)
                )
            case ["unsafe", text]:
                refused = f"the sandbox refuses the question: {self._message(text)}"
                raise RunTimeError("EP306", refused, hint="ask without the sandbox")
            case ["no_variable", name]:
                raise UsageError(
                    "EP505",
                    f"the question has no variable {name}",
                    hint="a Prolog variable begins with a capital letter or _",
                )
            case other:
                raise AssertionError(other)
        self._is_open = True
        self._next = self._ask()

    def __next__(self) -> Answer:
        with self._guard.lock:
            answer, self._next = self._next, None
            if answer is None and self._is_open:
                self._guard.check_idle()
                answer = self._ask()
        if answer is None:
            raise StopIteration
        return answer

    def _ask(self) -> Answer | None:
        try:
            outcome = _call("next_answer", self._id, prolog.look())
        except RunTimeError:  # it was aborted, which Prolog lets nobody catch
            outcome = _call("stopped_by", self._id)
        except BaseException:
            self.close()
            raise
        match outcome:
            case ["answer", last, values, residuals]:
                found = {name: self._value(value) for name, value in values if name not in self._given}
                if last == "true":
                    self.close()
                return Answer(found, tuple(map(self._readable, residuals)), is_last=last == "true")
            case ["end"]:
                self._is_open = False
                return None
            case ["error", text]:
                self.close()
                raise RunTimeError("EP301", f"Prolog reports: {self._message(text)}")
            case other:
                raise AssertionError(other)

    def _value(self, value: Any) -> Identifier | str:
        if self._written:
            return self._readable(value)
        if value.__class__ is list and value[0] == "$text":
            return self._readable(value[1])
        return to_rdflib(prolog.encoded(value))

    def _readable(self, text: str) -> str:
        """Without the module that the goal is put to: its user has not heard of it."""
        return text.replace(self._own, "")

    def _message(self, text: str) -> str:
        return _replace_variable("_", self._readable(text))

    def close(self) -> None:
        """Give back what the question holds; it has no further answer. May be called again."""
        with self._guard.lock:
            if self._is_open:
                self._is_open = False
                close_question(self._id)

    @property
    def is_open(self) -> bool:
        """Whether it may have a further answer that is not sought yet."""
        return self._is_open

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        with suppress(Exception):
            if not self._guard.lock.acquire(blocking=False):
                self._abandoned.append(self._id)
                return
            try:
                self.close()
            finally:
                self._guard.lock.release()


def close_question(name: str) -> None:
    """Give back what a question holds; it may be closed already."""
    prolog.do("etalis_questions", "close_question", name)


def _given_value(name: str, value: Any) -> tuple[str, Any]:
    from rdflib.term import Identifier, Literal

    if isinstance(value, Identifier):
        term: Any = value
    elif isinstance(value, (bool, int, float, str)):
        return "plain", value
    else:
        literal = Literal(value)
        term = literal if literal.datatype is not None else value
    try:
        return "rdf", from_rdflib(term)
    except ValueError as error:
        hint = "give an rdflib term, a number or text"
        raise UsageError("EP505", f"the value of {name} {error}", hint=hint) from error


@cache
def _start_alarms() -> None:
    """Start the thread that wakes questions, once a process, where it is given no signal of the process.

    It would hand Ctrl-C to the thread, and not to the Prolog engine of the question that runs there.
    """
    if not hasattr(signal, "pthread_sigmask"):
        return prolog.do("etalis_questions", "start_alarms")
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        prolog.do("etalis_questions", "start_alarms")
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _call(predicate: str, *inputs: Any) -> Any:
    from etalis_py.embedding.signal_stack import kept_signal_stack

    with kept_signal_stack():
        return prolog.call("etalis_questions", predicate, *inputs)


def _truth(value: bool) -> str:
    return "true" if value else "false"


def _place(goal: str, position: int) -> Place | None:
    from etalis_py.compiler.spans import Span, place_of

    if position < 0:
        return None
    return place_of(goal, Span(position, position + 1), "question")
