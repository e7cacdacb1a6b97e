"""The formats of files: one table for streams, background and results, in Python, on Spark and in commands.

To add one, add an entry to ``_TABLE`` with the module that reads it; what writes results is in
``etalis_py.results``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from etalis_py.core.value_class import value_class

__all__ = [
    "BACKGROUND_FORMATS",
    "FORMATS",
    "MAPPED_FORMATS",
    "RESULT_FORMATS",
    "STREAM_FORMATS",
    "TIMED_FORMATS",
    "Format",
    "by_suffix",
]


@value_class
class Format:
    """A format, and what files in it may be. Formats of RDF and of Prolog may be background.

    ``title`` is what it is called elsewhere, ``rdf`` how pyoxigraph calls it.

    ``stream``: how a stream in it tells times: ``"rows"`` each have theirs, named ``"graphs"`` have one each;
    ``"timeless"``: they have their times from ``--at``. ``reader`` is the module that reads it
    (`etalis_py.streams.source.Reader`), ``records`` the one that reads its records for a mapping
    (`etalis_py.streams.mapping.records.RecordReader`). ``in_pieces``: it is read piece by piece, and answered
    while it is read. ``result``: what results are in it: ``"lines"``, whose end can be cut off and written
    anew, a ``"document"``, of no use in part, or a ``"table"`` for readers.
    """

    name: str
    suffixes: tuple[str, ...]
    title: str = ""
    aliases: tuple[str, ...] = ()
    rdf: str | None = None
    stream: Literal["rows", "graphs", "timeless"] | None = None
    reader: str = ""
    records: str = ""
    in_pieces: bool = False
    result: Literal["lines", "document", "table"] | None = None


_MAPPING: Final = "etalis_py.streams.mapping"

_TABLE: Final = (
    Format("table", (".txt",), result="table"),
    Format(
        "csv",
        (".csv",),
        stream="rows",
        reader="etalis_py.streams.csv_reader",
        records=f"{_MAPPING}.csv_records",
        in_pieces=True,
        result="lines",
    ),
    Format(
        "ndjson",
        (".ndjson", ".jsonl"),
        stream="rows",
        reader="etalis_py.streams.ndjson_reader",
        records=f"{_MAPPING}.json_records",
        in_pieces=True,
        result="lines",
    ),
    Format("json", (".json", ".srj"), records=f"{_MAPPING}.json_records", result="document"),
    Format("xml", (".srx",), result="document"),
    Format("tsv", (".tsv",), records=f"{_MAPPING}.csv_records", result="lines"),
    Format(
        "parquet",
        (".parquet",),
        stream="rows",
        reader="etalis_py.streams.parquet_reader",
        records=f"{_MAPPING}.arrow_records",
        result="document",
    ),
    Format("arrow", (".arrow", ".feather"), records=f"{_MAPPING}.arrow_records"),
    Format(
        "nquads",
        (".nq",),
        "N-Quads",
        ("nq",),
        "N_QUADS",
        stream="graphs",
        reader="etalis_py.streams.nquads_reader",
        in_pieces=True,
        result="lines",
    ),
    Format("trig", (".trig",), "TriG", (), "TRIG", stream="graphs", reader="etalis_py.streams.rdf_reader"),
    Format(
        "jsonld",
        (".jsonld",),
        "JSON-LD",
        ("json-ld",),
        "JSON_LD",
        stream="graphs",
        reader="etalis_py.streams.rdf_reader",
    ),
    Format("turtle", (".ttl",), "Turtle", ("ttl",), "TURTLE", stream="timeless"),
    Format("ntriples", (".nt",), "N-Triples", ("nt",), "N_TRIPLES", stream="timeless"),
    Format("n3", (".n3",), "N3", (), "N3", stream="timeless"),
    Format("rdfxml", (".rdf", ".xml", ".owl", ".rdfs"), "RDF/XML", ("rdf",), "RDF_XML", stream="timeless"),
    Format("prolog", (".pl", ".prolog"), "Prolog"),
)

FORMATS: Final[Mapping[str, Format]] = {each.name: each for each in _TABLE}
STREAM_FORMATS: Final = tuple(each.name for each in _TABLE if each.stream is not None)
MAPPED_FORMATS: Final = tuple(each.name for each in _TABLE if each.records)
"""Those whose records a mapping can make events of."""
TIMED_FORMATS: Final = tuple(each.name for each in _TABLE if each.stream in ("rows", "graphs"))
"""Those of streams that tell times."""
BACKGROUND_FORMATS: Final = tuple(each.name for each in _TABLE if each.rdf or each.name == "prolog")
RESULT_FORMATS: Final = tuple(each.name for each in _TABLE if each.result is not None)


def by_suffix(names: tuple[str, ...]) -> dict[str, Format]:
    """Some formats, by the suffixes of their files.

    >>> by_suffix(("ndjson",))[".jsonl"].name
    'ndjson'
    """
    return {suffix: FORMATS[name] for name in names for suffix in FORMATS[name].suffixes}
