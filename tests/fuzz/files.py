"""Files that are nearly right: what precedes the damage is read; then there may be an error of the data."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random
from typing import Final

from etalis_py.core.errors import DataError, UsageError
from etalis_py.engine.engine import Engine
from etalis_py.streams import open_stream
from tests.fuzz.mutation import changed_bytes

__all__ = ["Backgrounds", "Streams"]

PROV: Final = "http://www.w3.org/ns/prov#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
AWKWARD_TERMS = (
    *("<urn:a>", "_:b1", "_:B", '"x"', '"a, b"@en', r'"q\"\n\\u00e9"', '"\U0001f41f"'),
    *(f'"4.5"^^<{XSD}decimal>', f'"01"^^<{XSD}integer>', f'"2026-01-01T00:00:00Z"^^<{XSD}dateTime>'),
)


class Streams:
    """Stream files of every form that is text. The first line of an input names the form."""

    name = "streams"

    def make(self, random: Random) -> bytes:
        form = random.choice(tuple(WRITERS))
        rows = [
            (
                number,
                random.choice(AWKWARD_TERMS[:3]),
                f"<urn:p{random.randrange(3)}>",
                random.choice(AWKWARD_TERMS),
            )
            for number in range(random.randint(1, 12))
        ]
        sound = WRITERS[form](rows).encode()
        packed = random.randrange(8) == 0
        if packed:
            sound = gzip.compress(sound, mtime=0)
        return f"{form}{'.gz' if packed else ''}\n".encode() + changed_bytes(random, sound)

    def check(self, content: bytes, folder: Path) -> None:
        suffix, _, damaged = content.partition(b"\n")
        path = folder / f"events.{suffix.decode()}"
        path.write_bytes(damaged)
        rows, error = _read(path)
        if error is not None and suffix in LINES and error.place is not None and error.place.line:
            before = damaged.split(b"\n")[: error.place.line - 1]
            path.write_bytes(b"".join(line + b"\n" for line in before))
            sound, other = _read(path)
            if other is None:
                assert rows == sound, "what comes before the line of the error was not read, or more was"
            path.write_bytes(damaged)
        with Engine(on_late="drop") as engine:
            engine.register("SELECT * { ?s ?p ?o }", name="all")
            engine.register("SELECT * { EVENT ?stream { ?s ?p ?o } }", name="elements")
            try:
                for batch in open_stream(path):
                    engine.send_encoded(batch)
            except (DataError, UsageError):
                engine.give_certain()
            else:
                engine.finish()
            assert all(len(list(engine.matches(name))) <= len(rows) for name in ("all", "elements"))


class Backgrounds:
    """RDF files of every form. The first line of an input names the form."""

    name = "backgrounds"

    def make(self, random: Random) -> bytes:
        form = random.choice(tuple(BACKGROUND))
        return f"{form}\n".encode() + changed_bytes(random, BACKGROUND[form].encode())

    def check(self, content: bytes, folder: Path) -> None:
        suffix, _, damaged = content.partition(b"\n")
        path = folder / f"known.{suffix.decode()}"
        path.write_bytes(damaged)
        try:
            engine = Engine(path)
        except (DataError, UsageError):
            return
        with engine:
            engine.register("SELECT ?s ?class { ?s <urn:p0> ?o . ?s a ?class }", name="q")
            engine.send_batch({"start": [1], "s": ["<urn:a>"], "p": ["<urn:p0>"], "o": ["<urn:b>"]})


def _read(path: Path) -> tuple[list[tuple[object, ...]], DataError | UsageError | None]:
    """The occurrences before the end or the first error, and the error."""
    rows: list[tuple[object, ...]] = []
    try:
        for batch in open_stream(path):
            names = (column or [None] * len(batch) for column in (batch.stream, batch.graph))
            rows += zip(batch.start, batch.end, batch.s, batch.p, batch.o, *names, strict=True)
    except (DataError, UsageError) as error:
        return rows, error
    finally:
        assert all(start <= end for start, end, *_ in rows)
    return rows, None


# ---- what is right before it is changed ------------------------------------------------------------------

LINES = (b"csv", b"ndjson")
"""Forms of which each line stands for itself."""
Row = tuple[int, str, str, str]


def _csv(rows: list[Row]) -> str:
    def field(text: str) -> str:
        return '"' + text.replace('"', '""') + '"'

    lines = (f"{time},{s},{p},{field(o)},{_stream(time)},<urn:g{time}>\n" for time, s, p, o in rows)
    return "start,s,p,o,stream,graph\n" + "".join(lines)


def _ndjson(rows: list[Row]) -> str:
    keys = ("start", "s", "p", "o", "stream", "graph")
    named = ((*row, _stream(row[0]), f"<urn:g{row[0]}>") for row in rows)
    return "".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in named)


def _stream(time: int) -> str:
    return ("", "<urn:dock>", "<urn:shop>")[time % 3]


def _nq(rows: list[Row]) -> str:
    return "".join(
        f'<urn:g{time}> <{PROV}generatedAtTime> "1970-01-01T00:00:{time:02d}Z"^^<{XSD}dateTime> .\n'
        f"{s} {p} {o} <urn:g{time}> .\n"
        for time, s, p, o in rows
    )


def _trig(rows: list[Row]) -> str:
    return f"@prefix prov: <{PROV}> . @prefix xsd: <{XSD}> .\n" + "".join(
        f'<urn:g{time}> prov:generatedAtTime "1970-01-01T00:00:{time:02d}Z"^^xsd:dateTime .\n'
        f"<urn:g{time}> {{ {s} {p} {o} ; {p} [ {p} ( 1 2.5 true ) ] }}\n"
        for time, s, p, o in rows
    )


def _jsonld(rows: list[Row]) -> str:
    return json.dumps(
        [
            {
                "@id": f"urn:g{time}",
                f"{PROV}generatedAtTime": {
                    "@value": f"1970-01-01T00:00:{time:02d}Z",
                    "@type": f"{XSD}dateTime",
                },
                "@graph": [{"@id": "urn:a", p.strip("<>"): [1, "x", {"@id": "_:b"}]}],
            }
            for time, _, p, _ in rows
        ]
    )


WRITERS = {"csv": _csv, "ndjson": _ndjson, "nq": _nq, "trig": _trig, "jsonld": _jsonld}

RDFS = "http://www.w3.org/2000/01/rdf-schema#"
BACKGROUND = {
    "ttl": f"""@prefix : <urn:> . @prefix rdfs: <{RDFS}> .
:C rdfs:subClassOf :D , [ a :E ] . :p0 rdfs:domain :C ; rdfs:subPropertyOf :p1 .
:a a :C ; :p1 ( 1 2.5 1e9 true "x"@en '''long
text''' ) . _:b :p0 "2026-01-01"^^<{XSD}date> .
""",
    "nt": f'<urn:C> <{RDFS}subClassOf> <urn:D> .\n<urn:a> <urn:p1> "x\\u00e9"@en .\n_:b <urn:p0> <urn:a> .\n',
    "rdf": f"""<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [ <!ENTITY e "urn:"> ]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="{RDFS}" xmlns="urn:">
  <rdf:Description rdf:about="urn:C"><rdfs:subClassOf rdf:resource="urn:D"/></rdf:Description>
  <C rdf:ID="a"><p1 xml:lang="en">x &amp; y</p1><p0 rdf:parseType="Collection"><D/></p0></C>
</rdf:RDF>
""",
    "jsonld": f'{{"@context": {{"p": "urn:p0"}}, "@id": "urn:C", "p": [1, "x"],'
    f' "{RDFS}subClassOf": {{"@id": "urn:D"}}}}',
    "trig": "@prefix : <urn:> . :a :p0 :b . :g { :a a :C }\n",
    "nq": "<urn:a> <urn:p0> <urn:b> .\n<urn:a> <urn:p0> <urn:b> <urn:g> .\n",
}
