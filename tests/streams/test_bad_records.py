"""``on_bad``: reading goes on behind a bad record, whose error and text are handed on."""

from __future__ import annotations

from pathlib import Path

import pytest

from etalis_py.core.errors import DataError
from etalis_py.streams import open_stream

TIME = '<http://www.w3.org/ns/prov#generatedAtTime> "1970-01-01T00:00:0{}Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'


def read(path: Path) -> tuple[list[int], list[tuple[str, int | None, int | None, str | None]]]:
    """The ends of the good rows, and of the bad ones code, line, row and text."""
    bad = []

    def on_bad(error: DataError, record: str | None) -> None:
        place = error.place
        assert place is not None
        bad.append((error.code, place.line, place.row, record))

    return [end for batch in open_stream(path, on_bad=on_bad) for end in batch.end], bad


def test_a_row_of_several_lines_is_told_whole(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('start,s,p,o\n1,<urn:s>,<urn:p>,"a\nb"\n2,<urn:s>,<urn:p>,<urn:o>\n')
    assert read(tmp_path / "a.csv") == ([2], [("EP407", 3, 1, '1,<urn:s>,<urn:p>,"a\nb"')])


def test_rows_keep_their_numbers(tmp_path: Path) -> None:
    good = '{{"start": {}, "s": "<urn:s>", "p": "<urn:p>", "o": "<urn:o>"}}\n'
    text = "{\n" + good.format(1) + "\n" + "[]\n" + good.format(2) + good.format('"x"')[:-1]
    (tmp_path / "a.ndjson").write_text(text)
    assert read(tmp_path / "a.ndjson") == (
        [1, 2],
        [("EP406", 1, 1, "{"), ("EP406", 4, 3, "[]"), ("EP411", 6, 5, good.format('"x"')[:-1])],
    )
    assert [
        row for batch in open_stream(tmp_path / "a.ndjson", on_bad=lambda *_: None) for row in batch.rows
    ] == [
        2,
        4,
    ]


def test_a_line_that_is_cut_off_and_a_graph_without_a_time(tmp_path: Path) -> None:
    lines = [
        f"<urn:g> {TIME.format(1)} .",
        "<urn:s> <urn:p> <urn:o> <urn:g> .",
        "<urn:s> <urn:p> <urn:o> <urn:h> .",
    ]
    (tmp_path / "a.nq").write_text("\n".join([*lines, "<urn:s> <urn:p"]))
    assert read(tmp_path / "a.nq") == (
        [1_000_000],
        [("EP411", 4, None, "<urn:s> <urn:p"), ("EP416", 3, None, lines[2])],
    )


@pytest.mark.parametrize("text", ["", "s,p,o\n", 'start,s,p,o\n"1'])
def test_what_is_lost_with_the_rest_of_the_file_has_no_text(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    found, [(_, _, _, record)] = read(tmp_path / "a.csv")
    assert (found, record) == ([], None)


@pytest.mark.parametrize("content", [None, b"start,s,p,o\n1773820801,<urn:s>,<urn:p>,<urn:o>\n"])
def test_what_is_about_no_record_is_raised(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(DataError, match="EP401" if content is None else "EP418"):
        read(tmp_path / "a.csv")


def test_the_rows_before_a_text_that_is_none_come_first(tmp_path: Path, drain) -> None:
    """A row begins in the first megabyte that is read, and has bytes that are no text in the second."""
    row = "1,<urn:s>,<urn:p>,<urn:o>\n"
    rows = (1 << 20) // len(row) - 1
    text = "start,s,p,o\n" + row * rows + '2,<urn:s>,<urn:p>,"' + "x\n" * 100
    (tmp_path / "a.csv").write_bytes(text.encode() + b"\xff\n")
    got, error = drain(open_stream(tmp_path / "a.csv"))
    assert (sum(map(len, got)), error.code) == (rows, "EP403")
