"""How many rows a second the readers of stream files give. Run: python tests/benchmarks/stream_readers.py"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from pathlib import Path

from etalis_py.streams import open_stream
from etalis_py.times import format_time

XSD = "http://www.w3.org/2001/XMLSchema#"


def make_rows(count: int) -> list[dict[str, str]]:
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


def write(rows: list[dict[str, str]], folder: Path) -> list[Path]:
    """The same rows as CSV, NDJSON, N-Quads and Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = folder / "rows.csv"
    with table.open("w", newline="") as out:
        out.write("start,s,p,o\n")
        for row in rows:
            quoted = row["o"].replace('"', '""')
            out.write(f'{row["start"]},{row["s"]},{row["p"]},"{quoted}"\n')
    lines = folder / "rows.ndjson"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    quads = folder / "rows.nq"
    with quads.open("w") as out:
        for number, row in enumerate(rows):
            graph = f"<urn:g{number}>"
            out.write(
                f'{graph} <http://www.w3.org/ns/prov#generatedAtTime> "{row["start"]}"^^<{XSD}dateTime> .\n'
            )
            out.write(f"{row['s']} {row['p']} {row['o']} {graph} .\n")
    columns = folder / "rows.parquet"
    pq.write_table(pa.Table.from_pylist(rows), columns)
    return [table, lines, columns, quads]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=int, default=200_000)
    count = arguments.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        for path in write(make_rows(count), Path(folder)):
            began = time.perf_counter()
            read = sum(len(batch) for batch in open_stream(path))
            seconds = time.perf_counter() - began
            print(f"{path.suffix:9} {read:9,} rows  {seconds:6.2f} s  {read / seconds:10,.0f} rows/s")


if __name__ == "__main__":
    main()
