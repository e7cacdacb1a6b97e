"""Readers of stream files, alone; beside them the format read by what Python or Arrow has for it."""

from __future__ import annotations

import csv
import json
import random
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from etalis_py.core.times import format_time
from etalis_py.streams import open_stream
from etalis_py.streams.mapping.yarrrml import read_mapping
from tests.benchmarks.workload import ENGINE, Contender, Outcome, Run, Trial, Workload

__all__ = ["WORKLOADS"]

XSD = "http://www.w3.org/2001/XMLSchema#"
Rows = list[dict[str, str]]


def make_rows(count: int) -> Rows:
    """Readings of 1,000 sensors, a decimal each, one every 10 ms."""
    chance = random.Random(1)
    return [
        {
            "start": format_time(1_700_000_000_000_000 + row * 10_000),
            "s": f"<http://example.org/sensor/{chance.randrange(1000)}>",
            "p": "<http://example.org/vocabulary#reading>",
            "o": f'"{chance.randrange(10_000) / 100}"^^<{XSD}decimal>',
        }
        for row in range(count)
    ]


def _write_csv(rows: Rows, path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def _write_ndjson(rows: Rows, path: Path) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _write_nquads(rows: Rows, path: Path) -> None:
    time = "<http://www.w3.org/ns/prov#generatedAtTime>"
    with path.open("w", encoding="utf-8") as out:
        for number, row in enumerate(rows):
            out.write(f'<urn:g{number}> {time} "{row["start"]}"^^<{XSD}dateTime> .\n')
            out.write(f"{row['s']} {row['p']} {row['o']} <urn:g{number}> .\n")


def _write_parquet(rows: Rows, path: Path) -> None:
    pq.write_table(pa.Table.from_pylist(rows), path)


def _read_csv(path: Path) -> int:
    with path.open(newline="", encoding="utf-8") as lines:
        return sum(1 for _ in csv.reader(lines)) - 1


def _read_ndjson(path: Path) -> int:
    with path.open(encoding="utf-8") as lines:
        return sum(1 for _ in map(json.loads, lines))


def _read_nquads(path: Path) -> int:
    import pyoxigraph

    return sum(1 for _ in pyoxigraph.parse(path=str(path))) // 2


def _read_parquet(path: Path) -> int:
    return len(deque(pq.read_table(path).to_pylist()))


def _read_by_engine(path: Path) -> int:
    return sum(len(batch) for batch in open_stream(path))


FORMATS: dict[str, tuple[Callable[[Rows, Path], None], str, Callable[[Path], int]]] = {
    "csv": (_write_csv, "csv.reader", _read_csv),
    "ndjson": (_write_ndjson, "json.loads", _read_ndjson),
    "nq": (_write_nquads, "pyoxigraph", _read_nquads),
    "parquet": (_write_parquet, "pyarrow, as dicts", _read_parquet),
}


MAPPING = """
prefixes: {ex: "http://example.org/", v: "http://example.org/vocabulary#"}
mappings:
  reading: {s: ex:sensor/$(sensor), po: [[v:reading, $(value), xsd:decimal]], time: $(when)}
"""
"""What makes of rows with columns of their own the events of `make_rows`."""


def _plain(rows: Rows) -> Rows:
    """The same readings as a device would write them."""
    return [
        {
            "sensor": row["s"].rpartition("/")[2].removesuffix(">"),
            "value": row["o"].split('"')[1],
            "when": row["start"],
        }
        for row in rows
    ]


def _read_mapped(path: Path) -> int:
    return sum(len(batch) for batch in open_stream(path, mapping=read_mapping("readings.yml", MAPPING)))


def reading(form: str, count: int) -> Trial:
    """So many rows in one file."""
    write, name, read = FORMATS[form]
    rows = make_rows(count)
    contenders = {ENGINE: _read_by_engine, name: read}
    return Trial(count, {name: _contender(form, write, rows, how) for name, how in contenders.items()})


def mapped(form: str, count: int) -> Trial:
    """So many rows in one file, with a mapping; beside it the same events in a stream file."""
    write, _, _ = FORMATS[form]
    rows = make_rows(count)
    return Trial(
        count,
        {
            ENGINE: _contender(form, write, _plain(rows), _read_mapped),
            "a stream file": _contender(form, write, rows, _read_by_engine),
        },
    )


def _contender(
    form: str, write: Callable[[Rows, Path], None], rows: Rows, how: Callable[[Path], int]
) -> Contender:
    @contextmanager
    def ready(_keep: bool) -> Iterator[Run]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"rows.{form}")
            write(rows, path)
            yield lambda: Outcome(how(path))

    return Contender(ready)


WORKLOADS = [
    *(Workload(f"read-{form}", f"reading a stream of {form}", partial(reading, form)) for form in FORMATS),
    *(
        Workload(f"map-{form}", f"reading {form} with a mapping", partial(mapped, form))
        for form in ("csv", "ndjson", "parquet")
    ),
]
