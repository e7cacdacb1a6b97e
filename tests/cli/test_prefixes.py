"""Prefixed names in the terms of streams, with --prefix."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from etalis_py.core.errors import DataError
from etalis_py.streams import concat, open_stream
from tests.cli.conftest import Etalis

ROWS = [
    {"start": 1, "s": "ex:a", "p": "ex:low", "o": '"1"^^xsd:integer', "graph": ":g"},
    {"start": 2, "s": "<http://example.org/b>", "p": "ex:a", "o": '"ex:a"', "graph": ""},
    {"start": 3, "s": "ex:a", "p": "ex:high", "o": "ex:", "graph": ""},
]
PREFIXES = {"ex": "http://example.org/", "xsd": "urn:xsd:", "": "urn:"}


def write(form: str, path: Path) -> Path:
    rows = ROWS
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif form == "ndjson":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        lines = (",".join('"' + str(each).replace('"', '""') + '"' for each in row.values()) for row in rows)
        path.write_text("start,s,p,o,graph\n" + "".join(line + "\n" for line in lines))
    return path


@pytest.mark.parametrize("form", ["csv", "ndjson", "parquet"])
def test_names_are_read_in_each_form(form: str, tmp_path: Path) -> None:
    path = write(form, tmp_path / f"rows.{form}")
    batch = concat(list(open_stream(path, prefixes=PREFIXES)))
    assert list(batch.s) == ["http://example.org/a", "http://example.org/b", "http://example.org/a"]
    assert batch.p[0] == "http://example.org/low"
    assert batch.o[0] == ("1", "urn:xsd:integer")
    assert batch.o[1][0] == "ex:a", "a text is a text"
    assert batch.o[2] == "http://example.org/"
    assert batch.graph is not None
    assert batch.graph[0] == "urn:g"
    with pytest.raises(DataError, match=r"EP407[\s\S]*prefixed name[\s\S]*--prefix ex="):
        list(open_stream(path, prefixes={"xe": "urn:"}))


def test_the_option(etalis: Etalis, folder: Path) -> None:
    (folder / "rows.csv").write_text('start,s,p,o\n1,ex:a,ex:low,ex:x\n3,ex:a,ex:high,"""3""^^xsd:integer"\n')
    line = "run rise.rq --stream rows.csv"
    assert etalis(f"{line} --prefix ex=http://example.org/").found == [("http://example.org/a",)]
    assert etalis(f"{line} --prefix ex:=<http://example.org/>").found == [("http://example.org/a",)]
    assert "say --prefix ex=" in etalis(line).err
    for word in ("ex", "ex=example", "1=urn:x", "e x=urn:x"):
        done = etalis(line, "--prefix", word)
        assert done.code == 2
        assert f"EP505 --prefix {word}: this is not NAME=IRI" in done.err
    (folder / "map.yml").write_text("mappings: {m: {s: urn:x, po: [[urn:p, 1]], time: $(start)}}")
    assert "EP501 --prefix does not go with --map" in etalis(f"{line} --prefix ex=urn: --map map.yml").err
    (folder / "rows.nq").write_text("")
    assert (
        "EP505 rows.nq: prefixes are for csv" in etalis("run rise.rq --stream rows.nq --prefix ex=urn:").err
    )
