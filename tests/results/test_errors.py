"""What a format cannot hold is refused, with one text a code."""

from __future__ import annotations

import io
import os

import pytest

from etalis_py.core.errors import EtalisError
from etalis_py.core.explanations import MESSAGES
from etalis_py.engine.matches import Match
from etalis_py.results import QueryHead, open_writer


def two_queries() -> None:
    open_writer("csv", io.BytesIO(), heads=[QueryHead("fall"), QueryHead("rise")])


def triples_as_json() -> None:
    open_writer("json", io.BytesIO(), heads=[QueryHead("make", "construct")])


def unknown() -> None:
    open_writer("xlsx", io.BytesIO())


def too_far() -> None:
    open_writer("parquet", io.BytesIO()).write(Match("fall", 0, 2**63))


CASES = {"EP525": two_queries, "EP526": triples_as_json, "EP527": unknown, "EP528": too_far}


@pytest.mark.parametrize("code", CASES)
def test_message(code: str) -> None:
    with pytest.raises(EtalisError) as caught:
        CASES[code]()
    golden = MESSAGES / f"{code}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(f"{caught.value}\n")
    assert f"{caught.value}\n" == golden.read_text()


def test_a_query_that_shows_itself_late_is_refused_then() -> None:
    for form in ("csv", "json", "xml", "tsv", "parquet"):
        writer = open_writer(form, io.BytesIO())
        writer.write(Match("fall", 1, 1))
        with pytest.raises(EtalisError, match="EP525"):
            writer.write(Match("rise", 1, 1))
    with pytest.raises(EtalisError, match="EP526"):
        open_writer("nquads", io.BytesIO()).write(Match("fall", 1, 1))
