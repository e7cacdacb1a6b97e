"""Files that grow, are renamed, written anew, and put into folders: each line is taken once."""

from __future__ import annotations

import asyncio
import json
import random
import signal
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

from etalis_py.connectors import Position, open_source
from tests.connectors.pairs import EXPECTED, LAST, PAIRS, all_pairs, subjects
from tests.connectors.waiting import eventually
from tests.patience import PATIENCE
from tests.serve.servers import lines, query_file, serving


class Reader:
    """Reads a source, and keeps how far it has come, as a server does; numbers have to grow."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._known: dict[str, Position] = {}

    async def bodies(self) -> AsyncGenerator[bytes, None]:
        """What comes; an empty one where there is only a position."""
        async with aclosing(open_source(self._url).messages(self._known)) as found:
            async for some in found:
                for each in some:
                    assert each.origin is not None
                    assert each.number is not None
                    last = self._known.get(each.origin)
                    assert last is None or each.number > last.number
                    self._known[each.origin] = Position(each.number, each.memory)
                    yield each.body

    def read(self, count: int) -> list[bytes]:
        """The next bodies; then it is as if it was killed."""

        async def take() -> list[bytes]:
            async with aclosing(self.bodies()) as found:
                return [await anext(found) for _ in range(count)]

        return asyncio.run(asyncio.wait_for(take(), PATIENCE))


def append(file: Path, data: bytes) -> None:
    with file.open("ab") as opened:
        opened.write(data)


def test_a_file_goes_on_where_it_was(tmp_path: Path) -> None:
    file = tmp_path / "events"
    file.write_bytes(b"one\ntw")
    reader = Reader(f"follow:{file}")
    assert reader.read(1) == [b"one\n"]
    append(file, b"o\nthree\n")
    assert reader.read(1) == [b"two\nthree\n"]


def test_a_header_stands_before_all_that_comes(tmp_path: Path) -> None:
    file = tmp_path / "events.csv"
    file.write_bytes(b"start,s,p")
    reader = Reader(f"follow:{file}?header=1")
    append(file, b",o\n1,a,p,b\n")
    assert reader.read(1) == [b"start,s,p,o\n1,a,p,b\n"]
    append(file, b"2,a,p,b\n")
    assert reader.read(1) == [b"start,s,p,o\n2,a,p,b\n"]
    file.unlink()
    file.write_bytes(b"start,o,p,s\n3,b,p,a\n")
    assert reader.read(1) == [b"start,o,p,s\n3,b,p,a\n"]


def test_an_end_is_known_before_something_comes(tmp_path: Path) -> None:
    file = tmp_path / "events"
    file.write_bytes(b"one\n")
    reader = Reader(f"follow:{file}?from=end")
    assert reader.read(2) == [b"", b""]
    append(file, b"two\n")
    assert reader.read(1) == [b"two\n"]
    reader = Reader(f"follow:{tmp_path / 'new'}?from=end")
    assert reader.read(1) == [b""]
    append(tmp_path / "new", b"one\n")
    assert reader.read(1) == [b"one\n"]


def test_files_renamed_and_written_anew_while_nobody_reads(tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    file.write_bytes(b"one\n")
    reader = Reader(f"follow:{file}")
    assert reader.read(1) == [b"one\n"]
    append(file, b"two\n")
    file.rename(tmp_path / "events.ndjson.1")
    file.write_bytes(b"three\nfour\n")
    assert reader.read(2) == [b"two\n", b"three\nfour\n"]
    file.write_bytes(b"three\n")  # the same file, and it is shorter
    assert reader.read(1) == [b"three\n"]
    append(file, b"four\n")
    assert reader.read(1) == [b"four\n"]
    file.write_bytes(b"another beginning, and longer\n")
    assert reader.read(1) == [b"another beginning, and longer\n"]


def test_a_file_that_is_renamed_while_it_is_read(tmp_path: Path) -> None:
    """Who writes goes on for a while; the new file comes behind all of it."""
    file, old = tmp_path / "events", tmp_path / "events.1"
    file.write_bytes(b"one\n")

    async def take() -> list[bytes]:
        async with aclosing(Reader(f"follow:{file}").bodies()) as found:
            taken = [await anext(found)]
            file.rename(old)
            append(old, b"two\n")
            taken.append(await anext(found))
            append(old, b"three\n")
            file.write_bytes(b"four\n")
            return [*taken, await anext(found), await anext(found)]

    assert asyncio.run(asyncio.wait_for(take(), PATIENCE)) == [b"one\n", b"two\n", b"three\n", b"four\n"]


def test_lines_that_come_once_a_file_is_open(tmp_path: Path) -> None:
    """Those before are left out, but for a file that was not there."""

    async def after_opening(file: Path) -> bytes:
        found = open_source(f"follow:{file}?from=end").messages({})
        assert await anext(found) == []
        append(file, b"two\n")
        while not (bodies := [each.body for each in await anext(found) if each.body]):
            pass
        return bodies[0]

    (tmp_path / "there").write_bytes(b"one\n")
    assert asyncio.run(after_opening(tmp_path / "there")) == b"two\n"
    assert asyncio.run(after_opening(tmp_path / "new")) == b"two\n"


def test_a_file_that_grows_with_kills(tmp_path: Path) -> None:
    """A line of it is no event: those beside it are taken."""
    events, state, bad = tmp_path / "events.ndjson", tmp_path / "state", tmp_path / "bad"
    words = [query_file(tmp_path), "--state", state, "--source", f"follow:{events}", "--bad", bad]
    written = 0
    chance = random.Random(4)
    while written < len(PAIRS):
        some = PAIRS[written : written + chance.randint(5, 20)]
        append(events, lines(some) if written else b"no event\n" + lines(some))
        written += len(some)
        with serving(*words) as running:
            eventually(lambda: running.get("/status").json()["clock"], lambda clock: clock is not None)
            running.end(signal.SIGKILL)
    append(events, lines([LAST]))
    with serving(*words) as running:
        assert eventually(lambda: subjects(running), all_pairs) == EXPECTED
    assert [json.loads(line)["record"] for line in bad.read_text().splitlines()] == ["no event\n"]


def test_a_folder_with_kills(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "a").mkdir(parents=True)
    words = [query_file(tmp_path), "--state", tmp_path / "state"]
    words += ["--source", f"folder:{folder}?pattern=**/*.csv", "format=csv"]
    parts = [PAIRS[:20], PAIRS[20:40], [*PAIRS[40:], LAST]]
    for number, some in enumerate(parts):
        rows = "".join(f'{time},<urn:{who}>,<urn:is>,"""{what}"""\n' for time, who, what in some)
        new = folder / "a" / f"{number}.new"
        new.write_text(f"start,s,p,o\n{rows}")
        new.rename(new.with_suffix(".csv"))
        with serving(*words) as running:
            eventually(lambda: len(subjects(running)), (10 * (number + 1) - 1).__le__)
            assert running.get("/status").json()["late"] == 0
            running.end(signal.SIGKILL)
    with serving(*words) as running:
        assert subjects(running) == EXPECTED
