"""A mapping that is proposed can be used as it is, and finds the time, the subject and the types."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from etalis_py.core.errors import DataError
from etalis_py.core.terms import ntriples
from etalis_py.streams import concat, open_stream
from etalis_py.streams.mapping.proposal import proposed_mapping
from etalis_py.streams.mapping.samples import ROWS, first_columns
from etalis_py.streams.mapping.yarrrml import read_mapping

CSV = """\
trip_id;vehicle;from (place);started;ended;km;stops;url;note;free
1;v1;north;02.03.2026 08:00;02.03.2026 08:20;7.5;3;http://a/b;it was, hm, long;
2;v2;north;02.03.2026 08:05;02.03.2026 08:25;3;0;http://a/c;ok;
3;v1;north;13.03.2026 08:05;13.03.2026 08:25;3;1;http://a/c;"#{x";
"""
PROPOSAL = """\
# A proposal from the first 3 rows: read it, and change it.
prefixes:
  ex: "http://example.org/"
mappings:
  trips:
    s: ex:vehicle/$(vehicle)  # 2 different values, such as v1
    po:
      - [ex:trip_id, $(trip_id), xsd:integer]  # 3 different values, such as 1
      - [ex:from_place, "ex:from_place/$(from \\\\(place\\\\))"]  # 1 different value, such as north
      - [ex:km, $(km), xsd:decimal]  # 2 different values, such as 7.5
      - [ex:stops, $(stops), xsd:integer]  # 3 different values, such as 3
      - [ex:url, $(url)~iri]  # 2 different values, such as http://a/b
      - [ex:note, $(note)]  # 3 different values, such as it was, hm, long
    time: {start: $(started), end: $(ended), format: "%d.%m.%Y %H:%M"}  # 3 different values, such as \
02.03.2026 08:00"""


def proposal(path: Path, form: str) -> str:
    columns = first_columns(str(path), form)
    return proposed_mapping(path.stem, columns, max(map(len, columns.values())))


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "trips.csv"
    path.write_text(CSV)
    text = proposal(path, "csv")
    assert text == PROPOSAL
    batch = concat(list(open_stream(path, mapping=read_mapping("m", text))))
    assert len(batch) == 18
    assert ntriples(batch.o[5]) == '"it was, hm, long"'
    assert batch.end[0] - batch.start[0] == 20 * 60 * 10**6


TIMES: dict[str, Sequence[Any]] = {
    "$(when)": ["2026-03-02T08:00:00Z", "2026-03-02 08:00:01"],
    "{start: $(when), unit: s}": [1_772_438_400, 1_772_438_401],
    "{start: $(when), unit: ms}": ["1772438400123", "1772438400124"],
    '{start: $(when), format: "%d/%m/%Y %H:%M"}': ["31/01/2026 10:00", "01/02/2026 10:00"],
    '{start: $(when), format: "%m/%d/%Y %H:%M"}': ["01/02/2026 10:00", "01/31/2026 10:00"],
    '{start: $(when), format: "%d.%m.%Y"}': ["1.2.2026", "2.2.2026"],
    "{start: $(COLUMN)}": ["soon", "now"],
}


@pytest.mark.parametrize("time", TIMES)
def test_times(time: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    rows = [{"sensor": {"id": "a"}, "heat": 20.5, "tags": ["x"], "when": each} for each in TIMES[time]]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    text = proposal(path, "ndjson")
    assert f"    time: {time}  #" in text
    assert "s: ex:sensor/$(sensor.id)  #" in text
    assert "[ex:heat, $(heat), xsd:double]" in text
    assert '[ex:tags_0, "ex:tags_0/$(tags[0])"]' in text
    if "COLUMN" not in time:
        assert len(concat(list(open_stream(path, mapping=read_mapping("m", text))))) == 4


def test_only_the_first_rows_are_looked_at(tmp_path: Path) -> None:
    began = datetime(2026, 3, 2, tzinfo=timezone.utc)
    rows = [{"t": began + timedelta(seconds=i), "n": i, "yes": True} for i in range(ROWS + 100)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "rows.parquet")
    text = proposal(tmp_path / "rows.parquet", "parquet")
    assert f"from the first {ROWS} rows" in text
    assert "time: $(t)" in text
    assert "[ex:yes, $(yes), xsd:boolean]" in text
    batch = concat(list(open_stream(tmp_path / "rows.parquet", mapping=read_mapping("m", text))))
    assert len(batch) == len(rows)


@pytest.mark.parametrize(
    ("form", "content", "code"),
    [("csv", "", "EP402"), ("csv", "a,b\n", "EP402"), ("json", "[", "EP406"), ("ndjson", "{\n", "EP406")],
)
def test_what_is_no_file_of_records(form: str, content: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_text(content)
    with pytest.raises(DataError, match=code):
        first_columns(str(path), form)
