r"""Dealing out events with Spark: a column with each event's key, and nothing where no pattern can match.

One RDF term can be written in several ways (``"a"`` and ``"\u0061"^^xsd:string``), and all of them have to
come to one part; so the key is the text as N-Triples has it in its canonical form, or nearly. It is made by
Spark itself, as Python would cost every event a way there and back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from etalis_py.compiler.partition.routes import Positions, Routes
from etalis_py.core.terms import ntriples
from etalis_py.core.vocabulary import RDF_TYPE, XSD_STRING

if TYPE_CHECKING:
    from pyspark.sql import Column

__all__ = ["is_needed", "key_of", "one_text"]


# An escape, or text without any. What stands for half a character is left as it is: no term has it.
_PIECES: Final = (
    r"\\u(?![dD][89abABcdefCDEF])[0-9A-Fa-f]{4}|\\U000(?!0[dD][89a-fA-F])[0-9A-Fa-f]{5}|\\U0010[0-9A-Fa-f]{4}"
    r"|\\.|[^\\]+|\\"
)
_UNESCAPED: Final = rf"""array_join(transform(regexp_extract_all(COLUMN, r'{_PIECES}', 0), piece -> CASE
    WHEN left(piece, 1) != char(92) THEN piece
    WHEN length(piece) = 6 THEN decode(unhex(substring(piece, 3)), 'UTF-16BE')
    WHEN length(piece) = 10 THEN decode(unhex(substring(piece, 3)), 'UTF-32')
    ELSE translate(right(piece, 1), 'tbnrf', '\t\b\n\r\f') END), '')"""
_TEXT: Final = f"CASE WHEN contains(COLUMN, char(92)) THEN {_UNESCAPED} ELSE COLUMN END"
_ONE_TEXT: Final = """CASE
    WHEN left(TEXT, 1) != '"' OR right(TEXT, 1) = '"' THEN TEXT
    WHEN endswith(TEXT, 'SUFFIX') THEN left(TEXT, length(TEXT) - length('SUFFIX'))
    WHEN right(TEXT, 1) = '>' THEN TEXT
    ELSE lower(TEXT) END""".replace("TEXT", f"({_TEXT})").replace("SUFFIX", f"^^<{XSD_STRING}>")


def one_text(position: str, column: str | None = None) -> Column:
    """A text that is the same for all ways to write a term; of a literal with a language, in lower case.

    ``column`` holds the terms, if it is not called as the position.
    """
    from pyspark.sql import functions as f

    return f.expr((_ONE_TEXT if position == "o" else _TEXT).replace("COLUMN", column or position))


def is_needed(routes: Routes) -> Column | None:
    """Whether some pattern can match an event, or it is no event; None where all are needed."""
    from pyspark.sql import functions as f

    if routes.other is not None:
        return None
    if routes.classes is None:
        return f.col("p").isNull() | _is_one_of(routes.positions)
    others = [name for name in routes.positions if name != RDF_TYPE]
    of_class = _is_one_of([RDF_TYPE]) & (f.col("o").isNull() | _is_one_of(routes.classes, "o"))
    return f.col("p").isNull() | _is_one_of(others) | of_class


def _is_one_of(names: Iterable[str], position: str = "p") -> Column:
    return one_text(position).isin(sorted(map(ntriples, names)))


def key_of(routes: Routes) -> Column:
    """The text by which an event is dealt out.

    It is null for a row without a predicate or a key, which is no event: it is kept, for the worker to find.
    """
    from pyspark.sql import functions as f

    if routes.other is not None:
        return _texts(routes.other)
    by_positions: dict[Positions, list[str]] = {}
    for predicate, positions in routes.positions.items():
        by_positions.setdefault(positions, []).append(predicate)
    (first, _), *others = sorted(by_positions.items()) or [("s", [])]
    column = _texts(first)
    for positions, predicates in others:
        column = f.when(_is_one_of(predicates), _texts(positions)).otherwise(column)
    return column


def _texts(positions: Positions) -> Column:
    """The texts of a key; several are written one after the other."""
    from pyspark.sql import functions as f

    first, *others = (one_text(each) for each in positions)
    return f.concat(first, *(part for each in others for part in (f.lit(" "), each)))
