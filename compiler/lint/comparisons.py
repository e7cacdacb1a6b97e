"""Comparisons that come out the same for all values, and literals that are not values of their datatype."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from etalis_py.compiler.algebra.algebra import Apply, Constant, Expression
from etalis_py.compiler.algebra.window import is_duration
from etalis_py.compiler.lint.findings import Finding, Subject
from etalis_py.compiler.lint.kinds import kind_words, kinds_of, kinds_of_constant, outcome
from etalis_py.compiler.lint.scopes import Tested, each_part
from etalis_py.core.literals import Encoded, encode_literal, is_ill_typed
from etalis_py.core.terms import lexical_form
from etalis_py.core.vocabulary import (
    XSD_DATETIME,
    XSD_DOUBLE,
    XSD_DURATION,
    XSD_DURATION_TYPES,
    XSD_STRING,
)

__all__ = ["fixed_comparisons", "ill_formed_literals", "months"]

_COMPARISONS: Final = frozenset({"=", "!=", "<", ">", "<=", ">=", "in"})
_LENGTH: Final = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(ms|s|sec|m|min|h|hours?|d|days?)\s*").fullmatch
_UNITS: Final = {"s": "PT{}S", "m": "PT{}M", "h": "PT{}H", "d": "P{}D"}


def fixed_comparisons(subject: Subject) -> Iterator[Finding]:
    """EW01: a comparison that is always an error. EW02: one that is always true, or never."""
    for tested in subject.scopes.tested:
        for part in _compared(tested.expression):
            left, right, *_ = part.arguments
            if part.function == "in":
                outcomes = {_outcome("=", part.arguments[0], each, tested) for each in part.arguments[1:]}
                always = "false" if outcomes == {"false"} else None
            else:
                always = _outcome(part.function, left, right, tested)
            if always is None:
                continue
            code, how = {
                "error": ("EW01", "is always an error"),
                "false": ("EW02", "is never true"),
                "true": ("EW02", "is always true"),
            }[always]
            message = f"{subject.written(part.span)} {how}: {_sides(part, tested)}"
            yield Finding(code, message, part.span, _hint(left, right, tested))


def _compared(expression: Expression) -> Iterator[Apply]:
    for part in each_part(expression):
        if isinstance(part, Apply) and part.function == "COALESCE":
            return  # an error is what it is for
        if isinstance(part, Apply) and part.function in _COMPARISONS and len(part.arguments) > 1:
            yield part


def _outcome(operator: str, left: Expression, right: Expression, tested: Tested) -> str | None:
    return outcome(operator, kinds_of(left, tested.seen), kinds_of(right, tested.seen))


def _sides(part: Apply, tested: Tested) -> str:
    left, right = (kinds_of(each, tested.seen) for each in part.arguments[:2])
    assert left is not None
    assert right is not None
    if left == right:
        return f"values of this kind ({kind_words(left)}) have no order"
    return f"{kind_words(left)} is compared with {kind_words(right)}"


def _hint(left: Expression, right: Expression, tested: Tested) -> str | None:
    """How the literal on one side would fit to the other side."""
    for constant, other in ((right, left), (left, right)):
        if isinstance(constant, Constant) and not isinstance(other, Constant):
            kinds = kinds_of(other, tested.seen) or frozenset()
            hint = _fitting(constant.value, kinds)
            if hint is not None:
                return hint
    return None


def _fitting(value: Encoded, kinds: frozenset[str]) -> str | None:
    text, datatype, _ = lexical_form(value) if isinstance(value, tuple) else (value, None, None)
    if "a duration" in kinds:
        return f"a duration is written {_duration_like(text)}"
    if "a time" in kinds and datatype in XSD_DURATION_TYPES:
        return "the length of a match is getDURATION()"
    if "a time" in kinds:
        fits = not is_ill_typed(encode_literal(text, XSD_DATETIME))
        return f'a time is written "{text if fits else "2026-03-02T08:00:00Z"}"^^xsd:dateTime'
    if "a number" in kinds and not is_ill_typed(encode_literal(text, XSD_DOUBLE)):
        return f"a number is written without quotes: {text}"
    if "a boolean" in kinds and text in ("true", "false"):
        return f"a boolean is written without quotes: {text}"
    if kinds & {"an IRI", "a blank node"}:
        if isinstance(value, tuple) and re.match(r"[a-z][a-z0-9+.-]*:", text):
            return f"an IRI is written <{text}>"
        return "a subject is a resource and has no value of its own: compare what a triple says about it"
    if "a string" in kinds and "a number" in (kinds_of_constant(value) or ()):
        return "xsd:integer(...), xsd:decimal(...) and the like turn a string into a number"
    return None


def _duration_like(text: str) -> str:
    """A duration that may be meant."""
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", text):
        return f'"PT{text}S"^^xsd:duration, if {text} seconds are meant'
    if not is_ill_typed(encode_literal(text, XSD_DURATION)):
        return f'"{text}"^^xsd:duration'
    length = _LENGTH(text.lower())
    if length is not None:
        number, unit = length[1], length[2]
        lexical = f"PT{float(number) / 1000:g}S" if unit == "ms" else _UNITS[unit[0]].format(number)
        return f'"{lexical}"^^xsd:duration'
    return '"PT1H"^^xsd:duration, "PT30M"^^xsd:duration, "P1D"^^xsd:duration'


def ill_formed_literals(subject: Subject) -> Iterator[Finding]:
    """EW03: something is compared with a literal whose text is not a value of its datatype."""
    for tested in subject.scopes.tested:
        for part in _compared(tested.expression):
            for term in part.arguments:
                yield from _ill_formed(term, subject)


def _ill_formed(term: Expression, subject: Subject) -> Iterator[Finding]:
    if not isinstance(term, Constant) or not is_ill_typed(term.value):
        return
    text, datatype, _ = lexical_form(term.value)
    hint = None
    if datatype in XSD_DURATION_TYPES:
        hint = f"a duration is written {_duration_like(text)}"
    elif datatype == XSD_DATETIME:
        hint = 'a time is written "2026-03-02T08:00:00Z"^^xsd:dateTime'
    name = str(datatype).removeprefix(XSD_STRING.removesuffix("string"))
    message = f"{subject.written(term.span)} is not an xsd:{name}, so it cannot be compared"
    yield Finding("EW03", message, term.span, hint)


def months(subject: Subject) -> Iterator[Finding]:
    """EW04: the length of a match compared with a duration in months or years."""
    for tested in subject.scopes.tested:
        for part in _compared(tested.expression):
            for length, constant in (part.arguments[:2], part.arguments[1::-1]):
                if is_duration(length) and isinstance(constant, Constant) and _has_months(constant.value):
                    message = (
                        f"{subject.written(part.span)} is an error for almost any match: "
                        "months and years have no fixed length"
                    )
                    yield Finding("EW04", message, constant.span, 'count in days: "P30D"^^xsd:duration')


def _has_months(value: Encoded) -> bool:
    if not isinstance(value, tuple) or value[-1] not in XSD_DURATION_TYPES:
        return False
    native = value[0]
    return isinstance(native, tuple) and native[0] != 0
