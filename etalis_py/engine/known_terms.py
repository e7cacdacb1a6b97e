"""Terms of events that come one by one, by the numbers that native code has for them.

Each term crosses once, and is held there (``rules/native/direct.c``) until there are too many: then all are
forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from etalis_py.core.terms import Encoded, lexical_form, rdflib_types
from etalis_py.core.vocabulary import XSD_STRING
from etalis_py.embedding import prolog

if TYPE_CHECKING:
    from rdflib.term import Identifier

__all__ = ["KnownTerms"]

_Key: TypeAlias = "str | tuple[str, str]"
"""An IRI; the text of a literal and its datatype, or ``@`` and its language; a blank node and "_"."""
_MOST_TERMS: Final = 20_000
_MOST_CHARACTERS: Final = 2_000_000
_MOST_INTEGER: Final = 1 << 60


class KnownTerms:
    """Those of the engine in ``module``, which ``machine`` (an address) holds.

    ``terms`` are the encoded terms by number. The first is None: what an answer has where a variable is
    unbound.
    """

    def __init__(self, module: str, machine: int) -> None:
        self._module = module
        self._machine = machine
        self._library = prolog.unlocked_library()
        self._characters = 0
        self._numbers: dict[_Key, int] = {}
        self._places: dict[tuple[Encoded, Encoded], int] = {}
        self._names: dict[int, tuple[Encoded, Encoded]] = {}
        self.terms: list[Encoded | None] = [None]
        self.forget()

    @property
    def is_full(self) -> bool:
        """Whether it is time to `forget`."""
        return len(self.terms) > _MOST_TERMS or self._characters > _MOST_CHARACTERS

    def forget(self) -> None:
        """No number means anything any more."""
        self._numbers, self._places, self.terms, self._characters = {}, {}, [None], 0
        self._names = {}
        prolog.native(self._library.forget_numbers, self._machine)

    def found(self, subject: Identifier, predicate: Identifier, object_: Any) -> tuple[int, int, int] | None:
        """The numbers of the terms of a triple; None where one has no number yet, or may not stand there."""
        iri, literal, _ = rdflib_types()
        if subject.__class__ is not iri or predicate.__class__ is not iri:
            return None
        text = str(object_)
        key: _Key = text
        if object_.__class__ is literal:
            language, datatype = object_.language, object_.datatype
            if language is not None:
                key = text, f"@{language}"
            else:
                key = text, XSD_STRING if datatype is None else str(datatype)
        elif object_.__class__ is not iri:
            return None
        numbers = self._numbers
        try:
            return numbers[str(subject)], numbers[str(predicate)], numbers[key]
        except KeyError:
            return None

    def number(self, term: Encoded) -> int:
        """The number of a term.

        Raises:
            MemoryError: there is no memory for it.
        """
        key = _key(term)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self._known(self._new_number(term), term)
            self._characters += len(key if isinstance(key, str) else key[0])
        return number

    def place(self, stream: Encoded, graph: Encoded) -> int:
        """The number of a place: a stream, and the name of an element or ""."""
        number = self._places.get((stream, graph))
        if number is None:
            made = prolog.call("etalis_feed", "number_place", self._module, stream, graph)
            number = self._places[stream, graph] = self._known(made, None)
            self._names[number] = stream, graph
        return number

    def named(self, place: int) -> tuple[Encoded, Encoded] | tuple[()]:
        """Stream and graph of a place; of none, where it is 0."""
        return self._names[place] if place else ()

    def _known(self, number: int, term: Encoded | None) -> int:
        if number < 0:
            raise MemoryError
        if number == len(self.terms):
            self.terms.append(term)
        return number

    def _new_number(self, term: Encoded) -> int:
        if isinstance(term, str):
            text = term.encode()
            return self._native(self._library.number_name, text, len(text))
        value, kind = term[0], term[-1]
        if len(term) == 3:
            text = term[1].encode()
            return self._native(self._library.number_written, text, len(text), self.number((value, kind)))
        if isinstance(value, str) and kind[0] != "@":
            text = value.encode()
            return self._native(self._library.number_text, text, len(text), self.number(kind))
        if isinstance(value, float):
            return self._native(self._library.number_real, value, self.number(kind))
        if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
            up, down = value.as_integer_ratio()
            if abs(up) < _MOST_INTEGER and down < _MOST_INTEGER:
                return self._native(self._library.number_exact, up, down, self.number(kind))
        made: int = prolog.call("etalis_feed", "number_term", self._module, term)
        return made

    def _native(self, function: Callable[..., int], *inputs: Any) -> int:
        return prolog.native(function, self._machine, *inputs)


def _key(term: Encoded) -> _Key:
    if isinstance(term, str):
        return (term, "_") if term.startswith("_:") else term
    return lexical_form(term)[0], term[-1]
