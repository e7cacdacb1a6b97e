"""RDF terms as Prolog text, in the short forms that ``rules/background/background_compile.pl`` reads.

Whatever a literal or an IRI holds, reading the text gives back that term and nothing else: a quote, a
backslash or a control character is always written as an escape.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

from etalis_py.core.literals import Encoded, LiteralValue
from etalis_py.core.vocabulary import XSD_INTEGER, XSD_STRING

__all__ = ["DatatypeNumbers", "atom_text", "string_text", "term_text"]

_find_unsafe = re.compile(r"""["'\\\x00-\x1f\x7f-\x9f\u2028\u2029]""").search
_replace_unsafe = re.compile(r"""["'\\\x00-\x1f\x7f-\x9f\u2028\u2029]""").sub


class DatatypeNumbers(dict[str, int]):
    """Numbers from 1 for datatypes, in the order in which they are asked for; ``new`` are not written yet."""

    def __init__(self) -> None:
        super().__init__()
        self.new: list[tuple[int, str]] = []

    def __missing__(self, datatype: str) -> int:
        number = self[datatype] = len(self) + 1
        self.new.append((number, datatype))
        return number


def atom_text(name: str) -> str:
    """A Prolog atom, always in quotes."""
    return f"'{_escape(name)}'" if _find_unsafe(name) else f"'{name}'"


def string_text(text: str) -> str:
    """A Prolog string."""
    return f'"{_escape(text)}"' if _find_unsafe(text) else f'"{text}"'


def term_text(term: Encoded, numbers: DatatypeNumbers) -> str:
    r"""An encoded RDF term; an xsd:string is a bare string, an xsd:integer a bare number.

    >>> numbers = DatatypeNumbers()
    >>> term_text("urn:it's", numbers), term_text(("a\n", "@en"), numbers)
    ("'urn:it\\x27\\s'", '\'@\'("a\\x0a\\",\'en\')')
    >>> term_text((5, XSD_INTEGER), numbers)
    '5'
    >>> term_text((True, "urn:boolean"), numbers), numbers.new
    ('^^(true,1)', [(1, 'urn:boolean')])
    """
    if isinstance(term, str):
        return atom_text(term)
    value, kind = term[0], term[-1]
    if kind == XSD_STRING:
        return string_text(str(value))
    if kind[0] == "@":
        return f"'@'({string_text(str(value))},{atom_text(kind[1:])})"
    text = _value(value)
    if len(term) == 3:
        text = f"lexical({text},{string_text(term[1])})"
    elif kind == XSD_INTEGER and isinstance(value, int):
        return text
    return f"^^({text},{numbers[kind]})"


def _value(value: LiteralValue) -> str:
    match value:
        case str():
            return string_text(value)
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


def _escape(text: str) -> str:
    return _replace_unsafe(lambda found: f"\\x{ord(found[0]):02x}\\", text)
