"""A damaged file gives events and then perhaps a DataError, never another exception."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from etalis_py.core.errors import DataError
from etalis_py.streams import open_stream

TIME = '<urn:g> <http://www.w3.org/ns/prov#generatedAtTime> "1970-01-01T00:00:01Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
SOUND = {
    "csv": 'start,end,s,p,o,graph\n1,2,<urn:s>,<urn:p>,"""a, b""@en",\n'
    "1970-01-01T00:00:01Z,,_:b,<urn:p>,_:b,<urn:g>\n",
    "ndjson": '{"start": 1, "s": "<urn:s>", "p": "<urn:p>", "o": "\\"x\\"@en", "graph": null}\n' * 2,
    "nq": f"{TIME} .\n<urn:s> <urn:p> _:b <urn:g> .\n",
    "trig": f"{TIME} .\n<urn:g> {{ <urn:s> <urn:p> [], 1.5 }}\n",
    "jsonld": '[{"@id": "urn:g", "http://www.w3.org/ns/prov#generatedAtTime": {"@value": '
    '"1970-01-01T00:00:01Z",'
    ' "@type": "http://www.w3.org/2001/XMLSchema#dateTime"}, "@graph": [{"@id": "urn:s", "urn:p": 1}]}]',
}
pieces = st.sampled_from(
    [b"", b"\n", b'"', b"<", b">", b"{", b"[", b",", b"\\", b"\0", b"\xff", b"_:", b"1", b"\r", b" "]
)
changes = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 3), pieces), min_size=1, max_size=4)


@pytest.mark.parametrize("suffix", SOUND)
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes)
def test_damage(tmp_path: Path, suffix: str, damage: list[tuple[int, int, bytes]]) -> None:
    content = SOUND[suffix].encode()
    for where, removed, put in damage:
        at = where % len(content) if content else 0
        content = content[:at] + put + content[at + removed :]
    path = tmp_path / f"events.{suffix}"
    path.write_bytes(content)
    with contextlib.suppress(DataError):
        for batch in open_stream(path):
            assert all(start <= end for start, end in zip(batch.start, batch.end, strict=True))


@pytest.mark.parametrize("suffix", SOUND)
def test_the_sound_files_are_read(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"events.{suffix}"
    path.write_text(SOUND[suffix])
    assert sum(map(len, open_stream(path))) > 0
