"""Columns of terms for Arrow: each different term once, and where it stands."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from etalis_py.core.column_types import ColumnType
from etalis_py.core.terms import Encoded, ntriples
from etalis_py.core.vocabulary import XSD_DECIMAL, XSD_DOUBLE, XSD_INTEGER
from etalis_py.embedding.cells import ATOM, DECIMAL, DOUBLE, INTEGER, QUOTIENT, Cells, terms_of
from etalis_py.embedding.coding import different_cells, different_decimals, quoted_iris
from etalis_py.embedding.names import NameTable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TermNumbers", "coded_terms", "example_terms", "int64_array", "ntriples_column", "typed_column"]


class TermNumbers(dict["Encoded | None", "int | None"]):
    """Numbers the different terms of a table, so that each is written once; None has none."""

    def __init__(self) -> None:
        super().__init__({None: None})
        self.terms: list[Encoded] = []
        self._by_text: dict[str, int] = {}
        """0.0 and -0.0 are equal, and two terms; NaN is one term, and not equal to itself."""

    def numbers(self, column: Iterable[Encoded | None]) -> pa.Array:
        """The number of each term; null for None."""
        import pyarrow as pa

        return pa.array(list(map(self.__getitem__, column)), pa.int32())

    def __missing__(self, term: Encoded) -> int:
        value = term[0]
        if isinstance(value, float) and (not value or value != value):
            number = self._by_text.setdefault(repr(term), len(self.terms))
            if number < len(self.terms):
                return number
        else:
            number = self[term] = len(self.terms)
        self.terms.append(term)
        return number


def coded_terms(values: Sequence[Any], place: int = 0, width: int = 1) -> tuple[pa.Array, list[Encoded]]:
    """The values of one variable (see `Answers.values`), every ``width``-th from ``place`` on: for each the
    number of its term, null if it is unbound, and the different terms.
    """
    if not isinstance(values, Cells):
        numbers = TermNumbers()
        return numbers.numbers(terms_of(values[place::width])), numbers.terms
    found, different = different_cells(values, place, width)
    return _coded_cells(found, different)


def _coded_cells(found: pa.Array, different: Cells) -> tuple[pa.Array, list[Encoded]]:
    """Cells that are different may have equal terms."""
    if different.kind == ATOM:
        return found, list(different)
    if different.kind in (INTEGER, DOUBLE):
        return found, [term for term in terms_of(different) if term is not None]
    numbers = TermNumbers()
    return numbers.numbers(terms_of(different)).take(found), numbers.terms


_DECIMALS: Final = bytes([DECIMAL, QUOTIENT])
_EXAMPLES: Final[Mapping[int | None, Encoded]] = MappingProxyType(
    {
        ATOM: "urn:example",
        INTEGER: (0, XSD_INTEGER),
        DOUBLE: (0.0, XSD_DOUBLE),
        DECIMAL: (0, XSD_DECIMAL),
        QUOTIENT: (0, XSD_DECIMAL),
    }
)


def example_terms(values: Sequence[Any]) -> Iterable[Encoded]:
    """Terms that show all the datatypes of the values of one variable."""
    if isinstance(values, Cells) and (example := _EXAMPLES.get(values.kind)) is not None:
        return [example]
    return coded_terms(values)[1]


def int64_array(numbers: Sequence[int]) -> pa.Array:
    """Whole numbers as an Arrow array. Raises OverflowError where one is beyond 64 bits."""
    import pyarrow as pa

    if isinstance(numbers, array) and numbers.typecode == "q":
        return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])
    return pa.array(numbers, pa.int64())


def ntriples_column(values: Sequence[Any], place: int = 0, width: int = 1) -> pa.DictionaryArray:
    """The values of one variable (as `coded_terms`) in N-Triples syntax, each different text once."""
    import pyarrow as pa

    if not isinstance(values, Cells):
        numbers, terms = coded_terms(values, place, width)
        return pa.DictionaryArray.from_arrays(numbers, _ntriples(terms))
    found, different = different_cells(values, place, width)
    if different.kind == INTEGER:
        texts = _of_type(XSD_INTEGER, int64_array(different.data).cast(pa.string()))
    elif different.kinds and not different.kinds.strip(_DECIMALS):
        decimals = different_decimals(different, f"^^<{XSD_DECIMAL}>")
        found, texts = decimals.indices.take(found), decimals.dictionary
    elif (iris := _iris(different)) is not None:
        texts = iris
    else:
        found, terms = _coded_cells(found, different)
        texts = _ntriples(terms)
    return pa.DictionaryArray.from_arrays(found, texts, safe=False)


def _of_type(kind: str, digits: pa.Array) -> pa.Array:
    import pyarrow.compute as pc

    return pc.binary_join_element_wise('"', digits, f'"^^<{kind}>', "")


def _iris(cells: Cells) -> pa.Array | None:
    """Names, if they are plain IRIs that native code has."""
    if isinstance(cells.table, NameTable) and cells.kind == ATOM:
        return quoted_iris(cells.table, cells.data)
    return None


def _ntriples(terms: Iterable[Encoded]) -> pa.Array:
    import pyarrow as pa

    return pa.array(map(ntriples, terms), pa.string())


def typed_column(values: Sequence[Any], kind: ColumnType) -> pa.Array:
    """The values of one variable as those of a type; what does not fit is null."""
    import pyarrow as pa

    if isinstance(values, Cells) and values.kind == INTEGER and kind.name == "bigint":
        return int64_array(values.data)
    if isinstance(values, Cells) and values.kind == DOUBLE and kind.name == "double":
        return pa.Array.from_buffers(pa.float64(), len(values), [None, pa.py_buffer(values.data)])
    numbers, terms = coded_terms(values)
    return pa.array(list(map(kind.reader, terms)), kind.arrow).take(numbers)
