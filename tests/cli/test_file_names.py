"""Files whose names are bytes that are no UTF-8 text."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ODD = os.fsdecode(b"caf\xe9")
"""As a system without UTF-8 has named it."""


@pytest.fixture(autouse=True)
def _can_be_named(folder: Path) -> None:
    try:
        (folder / ODD).touch()
    except OSError:
        pytest.skip("the file system has only names that are UTF-8")


@pytest.mark.parametrize("form", ["ndjson", "table"])
def test_a_query(etalis, folder: Path, form: str) -> None:
    (folder / "rise.rq").rename(folder / f"{ODD}.rq")
    done = etalis("run", f"{ODD}.rq", "--stream", "rise.ndjson", "--results", form)
    assert (done.code, done.err) == (0, "")
    assert (b'"query": "caf\\\\xe9"' if form == "ndjson" else b"caf\\xe9") in done.out
    assert etalis("check", f"{ODD}.rq").code == etalis("explain", f"{ODD}.rq").code == 0


def test_a_construct_and_its_graphs(etalis, folder: Path) -> None:
    (folder / f"{ODD}.rq").write_text("CONSTRUCT { ?s <urn:q> ?o } WHERE { ?s ?p ?o }")
    done = etalis("run", f"{ODD}.rq", "--stream", "rise.ndjson", "--results", "nquads")
    assert (done.code, done.err) == (0, "")
    (folder / "again.nq").write_bytes(done.out)
    assert etalis("run rise.rq --stream again.nq").code == 0


@pytest.mark.parametrize("suffix", ["ndjson", "parquet", "ttl"])
def test_a_stream(etalis, folder: Path, suffix: str) -> None:
    (folder / "all.rq").write_text("SELECT * WHERE { ?s ?p ?o }")
    path = folder / f"{ODD}.{suffix}"
    if suffix == "ttl":
        path.write_text("<urn:a> <urn:p> <urn:b>, <urn:c>, 3 .")
    elif suffix == "ndjson":
        (folder / "rise.ndjson").rename(path)
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = {"start": [1, 2, 3], **{name: ["<urn:a>"] * 3 for name in "spo"}}
        pq.write_table(pa.table(columns), folder / "t.parquet")
        (folder / "t.parquet").rename(path)
    words = ["--at", "1"] if suffix == "ttl" else []
    done = etalis("run", "all.rq", "--stream", path.name, *words)
    assert (done.code, done.err, len(done.answers)) == (0, "", 3)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_an_output(etalis, folder: Path, form: str) -> None:
    done = etalis("run", "rise.rq", "--stream", "rise.ndjson", "--output", f"{ODD}.{form}")
    assert (done.code, done.err) == (0, "")
    assert (folder / f"{ODD}.{form}").stat().st_size > 10


@pytest.mark.parametrize(
    ("option", "name", "code"),
    [
        ("--background", "{}.ttl", "EP421"),
        ("--rules", "{}.pl", "EP441"),
        ("--graph", "urn:g={}.ttl", "EP421"),
    ],
)
def test_background_is_refused(etalis, folder: Path, option: str, name: str, code: str) -> None:
    (folder / f"{ODD}.ttl").write_text("<urn:a> <urn:p> <urn:b> .")
    (folder / f"{ODD}.pl").write_text("p(1).")
    done = etalis("run", "rise.rq", "--stream", "rise.ndjson", option, name.format(ODD))
    assert (done.code, done.err.split()[0], done.err.count("\n")) == (3, code, 2)
    assert "not UTF-8" in done.err
