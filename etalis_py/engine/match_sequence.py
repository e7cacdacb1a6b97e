"""The matches of a call: a sequence of matches, and a table of plain values for pandas, polars and Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, overload

from etalis_py.core.errors import UsageError
from etalis_py.engine.answer_columns import Answers, Receiver
from etalis_py.engine.answer_table import answer_table, native_table
from etalis_py.engine.matches import Match

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from etalis_py.why.timeline import Timeline

__all__ = ["Matches"]


class Matches(Sequence[Match]):
    """Matches of one query or of several, in their order; a `Match` is made of each that is looked at.

    >>> from etalis_py import run
    >>> events = {"start": [5], "s": ["<urn:a>"], "p": ["<urn:is>"], "o": ['"0.5"^^<urn:unit>']}
    >>> matches = run("SELECT ?x { ?x <urn:is> ?y }", events)
    >>> len(matches), matches[0].encoded, matches.to_arrow()["x"].to_pylist()
    (1, {'x': 'urn:a'}, ['urn:a'])
    """

    __slots__ = ("_known", "_parts")

    def __init__(self, parts: Sequence[Answers], known: Mapping[int, Receiver]) -> None:
        """``known`` are the queries that were asked, by their numbers."""
        self._parts = parts
        self._known = dict(known)

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def __iter__(self) -> Iterator[Match]:
        return chain.from_iterable(part.matches() for part in self._parts)

    @overload
    def __getitem__(self, index: int) -> Match: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Match]: ...

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return list(self)[index]
        place = range(len(self))[index]
        for part in self._parts:
            if place < len(part):
                return next(part.part(place, place + 1).matches())
            place -= len(part)
        raise AssertionError("the parts are as long as the sequence")

    def __repr__(self) -> str:
        names = ", ".join(each.name for each in self._known.values())
        return f"<{len(self)} {'match' if len(self) == 1 else 'matches'} of {names or 'no query'}>"

    def _repr_html_(self) -> str:
        from etalis_py.notebook.html import matches_html

        return matches_html(self)

    @property
    def prefixes(self) -> Mapping[str, str]:
        """Those of the queries, to show terms by."""
        return {prefix: iri for each in self._known.values() for prefix, iri in each.prefixes.items()}

    def timeline(self) -> Timeline:
        """The newest of them on a line of time: ``str`` gives text, ``svg()`` what a notebook shows."""
        from etalis_py.why.timeline import Timeline

        return Timeline(self, self.prefixes)

    def of(self, name: str) -> Matches:
        """Those of one query. Raises KeyError, if it was not asked."""
        number = next((number for number, each in self._known.items() if each.name == name), None)
        if number is None:
            raise KeyError(name)
        own = (part.only({number}) for part in self._parts if number in part.receivers)
        return Matches([part for part in own if len(part)], {number: self._known[number]})

    def to_arrow(self, *, terms: bool = False) -> pa.Table:
        """A row for each match: ``start`` and ``end`` (UTC), and a column for each variable.

        A column is of integers (``int64``), numbers (``double``; decimals, too), booleans, timestamps (UTC),
        dates or durations, if all its values are; else of text: IRIs, blank nodes ``_:b``, and literals
        without their datatypes and languages. Unbound is null. With ``terms`` all columns are dictionaries
        of texts in N-Triples syntax, as `Engine.table` has them. A CONSTRUCT or DESCRIBE always has those:
        ``s``, ``p`` and ``o``, a row for each triple. An ASK has times only.

        Raises:
            UsageError: EP505, they are of several queries (`of` gives those of one); EP528, a time that does
                not fit 64 bits.
        """
        receiver = self._query()
        return answer_table(receiver, self._parts, {}) if terms else native_table(receiver, self._parts)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table of `to_arrow` for whatever reads Arrow's C streams: DuckDB, Ibis, polars.

        Raises:
            UsageError: as `to_arrow`.
        """
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self, *, terms: bool = False) -> pd.DataFrame:
        """The same as `to_arrow`, for pandas; integers and booleans some of which are unbound are nullable.

        Raises:
            UsageError: as `to_arrow`; EP543, pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise _missing("pandas") from error
        import pyarrow as pa

        table = self.to_arrow(terms=terms)
        nullable = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
        unbound = any(column.null_count and column.type in nullable for column in table.columns)
        return table.to_pandas(types_mapper=nullable.get if unbound else None)

    def to_polars(self, *, terms: bool = False) -> pl.DataFrame:
        """The same as `to_arrow`, for polars.

        Raises:
            UsageError: as `to_arrow`; EP543, polars is not installed.
        """
        try:
            import polars as pl
        except ImportError as error:
            raise _missing("polars") from error
        return pl.DataFrame(self.to_arrow(terms=terms))

    def _query(self) -> Receiver:
        if len(self._known) != 1:
            names = ", ".join(each.name for each in self._known.values())
            raise UsageError(
                "EP505",
                f"a table is of one query, and these matches are of {names or 'none'}",
                hint="matches.of(name) gives those of one",
            )
        return next(iter(self._known.values()))


def _missing(package: str) -> UsageError:
    return UsageError(
        "EP543", f"{package} is not installed", hint=f"pip install {package}; to_arrow() needs nothing more"
    )
