"""N-Quads files in columns, where they are as plain as most are; others are left to the reader of lines.

Plain is a file whose lines are quads without escapes or blank nodes, one space apart. Each named graph has
one ``prov:generatedAtTime`` in UTC, and no other quad stands in the default graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from etalis_py.core.terms import TermCache, encode_column
from etalis_py.core.vocabulary import PROV_GENERATEDATTIME, XSD_DATETIME
from etalis_py.streams.arrow import arrow_values
from etalis_py.streams.batch import Batch
from etalis_py.streams.lines import Text

__all__ = ["MOST_GRAPHS", "PlainQuads"]

MOST_GRAPHS = 1_000_000
"""The reader of lines refuses a file with more of them."""

# As in core/terms.py, without the alternatives that have escapes. They are for Arrow (RE2), which is fast
# where each character says how to go on: so the optional graph has its space behind it.
_IRI: Final = r'<[A-Za-z][A-Za-z0-9+.\-]*:[^\x00-\x20<>"{}|^`\\]*>'
_LITERAL: Final = rf'"[^"\\\n\r]*"(?:\^\^{_IRI}|@[A-Za-z]+(?:-[A-Za-z0-9]+)*)?'
_QUAD: Final = rf"^(?P<s>{_IRI}) (?P<p>{_IRI}) (?P<o>{_IRI}|{_LITERAL}) (?:(?P<g>{_IRI}) )?\.$"
_DATE: Final = r"\d{4}-\d\d-\d\dT[0-2]\d:[0-5]\d:[0-5]\d(?:\.\d{1,6})?"
_TIME: Final = rf'^"(?P<time>{_DATE})Z"\^\^<{XSD_DATETIME}>$'


class PlainQuads:
    """The quads of one file, as long as they are plain."""

    def __init__(self) -> None:
        self._parts: list[Any] = []
        self._rows = 0

    def add(self, text: Text) -> bool:
        """Take the next lines; False where one is not plain, or the file is cut off."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if text.unfinished or text.line != self._rows + 1:
            return False
        lines = text.text.split("\n")
        lines.pop()
        quads = pc.extract_regex(pa.array(lines, pa.string()), _QUAD)
        if quads.null_count:
            return False
        self._rows += len(lines)
        row = pa.array(range(text.line, text.line + len(lines)), pa.int64())
        self._parts.append(pa.table([*(quads.field(name) for name in "spog"), row], [*"spog", "row"]))
        return True

    def batches(self, source: str, batch_rows: int, stream: str | None) -> Iterator[Batch] | None:
        """The elements in the order of their ends; None where times or graphs are not plain."""
        import pyarrow as pa

        try:
            table = self._in_order()
        except pa.ArrowInvalid:  # no time
            return None
        return None if table is None else _cut(table, source, batch_rows, stream)

    def _in_order(self) -> Any:
        """The triples of the named graphs with their ends, in order."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if not self._parts:
            return None
        quads = pa.concat_tables(self._parts).combine_chunks()
        in_default = pc.equal(quads.column("g"), "")
        about, triples = quads.filter(in_default), quads.filter(pc.invert(in_default))
        if not pc.all(pc.equal(about.column("p"), f"<{PROV_GENERATEDATTIME}>")).as_py():
            return None
        names = about.column("s")
        if pc.count_distinct(names).as_py() < len(names) or len(names) > MOST_GRAPHS:
            return None
        times = pc.extract_regex(about.column("o"), _TIME)
        place = pc.index_in(triples.column("g"), names.combine_chunks())
        if times.null_count or place.null_count or not len(triples):
            return None
        moments = pc.struct_field(times, "time").cast(pa.timestamp("us")).cast(pa.int64())
        first = _first_rows(about, triples, place)
        table = triples.append_column("end", moments.take(place)).append_column("first", first.take(place))
        if not _is_sorted(table):
            table = table.take(
                pc.sort_indices(table, [(key, "ascending") for key in ("end", "first", "row")])
            )
        return table


def _first_rows(about: Any, triples: Any, place: Any) -> Any:
    """For each graph the row of the first quad in it or about it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = pa.table({"place": place, "row": triples.column("row")})
    least = rows.group_by("place").aggregate([("row", "min")]).combine_chunks()
    places = pa.array(range(about.num_rows), place.type)
    within = least.column("row_min").take(pc.index_in(places, least.column("place").combine_chunks()))
    return pc.min_element_wise(about.column("row"), within)


def _is_sorted(table: Any) -> bool:
    """Whether the rows are in the order of their ends, then of their elements."""
    import pyarrow.compute as pc

    later = same = None
    for key in ("end", "first", "row"):
        column = table.column(key)
        after, before = column[1:], column[:-1]
        more, equal = pc.greater(after, before), pc.equal(after, before)
        later = more if later is None else pc.or_(later, pc.and_(same, more))
        same = equal if same is None else pc.and_(same, equal)
    return pc.all(later).as_py() is not False


def _cut(table: Any, source: str, batch_rows: int, stream: str | None) -> Iterator[Batch]:
    """Batches of whole elements, of at least so many rows each but the last."""
    import pyarrow.compute as pc

    caches = {"s": TermCache("subject"), "p": TermCache("predicate"), "o": TermCache("object")}
    elements = table.column("first").to_pylist()
    first, count = 0, table.num_rows
    while first < count:
        last = min(first + batch_rows, count)
        while last < count and elements[last] == elements[last - 1]:
            last += 1
        part = table.slice(first, last - first).combine_chunks()
        terms = {
            name: encode_column(arrow_values(part.column(name).combine_chunks(), name, source, 1), cache)
            for name, cache in caches.items()
        }
        names = pc.utf8_slice_codeunits(part.column("g"), 1, -1).to_pylist()
        ends, rows = part.column("end").to_pylist(), part.column("row").to_pylist()
        streams = None if stream is None else [stream] * len(ends)
        yield Batch(
            ends, ends, terms["s"], terms["p"], terms["o"], names, [source] * len(ends), rows, streams
        )
        first = last
