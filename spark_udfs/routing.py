r"""Dealing out events with Spark: a column with each event's key, and nothing where no pattern can match.

One RDF term can be written in several ways (``"a"`` and ``"\u0061"^^xsd:string``), and all of them have to
come to one part; so the key is the text as N-Triples has it in its canonical form, or nearly. It is made by
Spark itself, as Python would cost every event a way there and back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from etalis_py.compiler.routes import Routes
from etalis_py.compiler.triggers import Position

from etalis_py.terms import ntriples
from etalis_py.vocabulary import XSD_STRING

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["deal_out", "in_one_part", "one_text"]

_KEY: Final = "key of etalis_py"
_STRING_SUFFIX: Final = f"^^<{XSD_STRING}>"

# An escape, or text without any. What stands for half a character is left as it is: no term has it.
_PIECES: Final = (
    r"\\u(?![dD][89abABcdefCDEF])[0-9A-Fa-f]{4}|\\U000(?!0[dD][89a-fA-F])[0-9A-Fa-f]{5}|\\U0010[0-9A-Fa-f]{4}"
    r"|\\.|[^\\]+|\\"
)
_SHORT: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def deal_out(events: DataFrame, routes: Routes, partitions: int | None) -> DataFrame:
    """The events that matter, all of one key in one partition, sorted by end.

    A row without a predicate or a key is no event: it is kept, for the worker to find.
    """
    kept = _needed(events, routes).withColumn(_KEY, _key(routes))
    dealt = kept.repartition(_KEY) if partitions is None else kept.repartition(partitions, _KEY)
    return dealt.sortWithinPartitions("end").drop(_KEY)


def in_one_part(events: DataFrame, routes: Routes) -> DataFrame:
    """The events that matter in one partition, sorted by end."""
    return _needed(events, routes).repartition(1).sortWithinPartitions("end")


def one_text(column: Column) -> Column:
    """A text that is the same for all ways to write a term; of a literal with a language, in lower case."""
    from pyspark.sql import functions as f

    text = f.when(column.contains("\\"), _unescaped(column)).otherwise(column)
    without_type = f.substring(text, f.lit(1), f.length(text) - len(_STRING_SUFFIX))
    return (
        f.when(~text.startswith('"') | text.endswith('"'), text)
        .when(text.endswith(_STRING_SUFFIX), without_type)
        .when(text.endswith(">"), text)
        .otherwise(f.lower(text))
    )


def _unescaped(column: Column) -> Column:
    from pyspark.sql import functions as f

    pieces = f.regexp_extract_all(column, f.lit(_PIECES), f.lit(0))
    return f.array_join(f.transform(pieces, _piece), "")


def _piece(piece: Column) -> Column:
    from pyspark.sql import functions as f

    last = f.substring(piece, 2, 1)
    short = f.when(~piece.startswith("\\"), piece)
    short = short.when(f.length(piece) == 6, f.decode(f.unhex(f.substring(piece, 3, 4)), "UTF-16BE"))
    short = short.when(f.length(piece) == 10, f.decode(f.unhex(f.substring(piece, 3, 8)), "UTF-32"))
    for letter, char in _SHORT.items():
        short = short.when(last == letter, f.lit(char))
    return short.otherwise(last)


def _needed(events: DataFrame, routes: Routes) -> DataFrame:
    from pyspark.sql import functions as f

    if routes.other is not None:
        return events
    return events.where(f.col("p").isNull() | _is_one_of(routes.positions))


def _is_one_of(predicates: Iterable[str]) -> Column:
    from pyspark.sql import functions as f

    return one_text(f.col("p")).isin([ntriples(each) for each in predicates])


def _key(routes: Routes) -> Column:
    from pyspark.sql import functions as f

    if routes.other is not None:
        return one_text(f.col(routes.other))
    by_position: dict[Position, list[str]] = {}
    for predicate, position in routes.positions.items():
        by_position.setdefault(position, []).append(predicate)
    column = f.lit(None).cast("string")
    for position, predicates in sorted(by_position.items()):
        column = f.when(_is_one_of(predicates), one_text(f.col(position))).otherwise(column)
    return column
