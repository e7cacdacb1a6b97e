"""Files that are written anew, on the disk and on an HTTP server: new lines only, asked for as is polite."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from etalis_py.connectors import Message, open_source
from etalis_py.connectors.reading import read_on
from etalis_py.core.errors import UsageError
from tests.connectors.waiting import eventually
from tests.patience import PATIENCE
from tests.serve.servers import query_file, serving


@dataclass
class Site:
    """What a server has at ``/rows``: contents, or statuses of errors, one after another; the last stays."""

    contents: list[bytes | int]
    statuses: list[int] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def next(self) -> bytes | int:
        return self.contents.pop(0) if len(self.contents) > 1 else self.contents[0]


@pytest.fixture
def site() -> Iterator[tuple[Site, str]]:
    found = Site([b""])

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = found.next()
            tag = f'"{hash(content)}"'
            status = content if isinstance(content, int) else 200
            status = 304 if self.headers.get("If-None-Match") == tag and status == 200 else status
            found.statuses.append(status)
            found.paths.append(self.path)
            body = content if status == 200 and isinstance(content, bytes) else b""
            self.send_response(status)
            self.send_header("ETag", tag)
            if status != 304:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield found, f"127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


async def take(messages: AsyncGenerator[Sequence[Message], None], count: int) -> list[bytes]:
    found: list[bytes] = []
    async with aclosing(messages) as some:
        async for each in some:
            found += [message.body for message in each]
            if len(found) >= count:
                break
    return found


def read(url: str, count: int) -> list[bytes]:
    return asyncio.run(asyncio.wait_for(take(read_on(open_source(url)), count), PATIENCE))


def test_new_lines_only_and_what_is_as_before_is_not_sent(site: tuple[Site, str]) -> None:
    found, host = site
    old, new = b"#h\nb\na\n", b"#h\nd\nc\nb\n"
    found.contents = [old, old, 503, new, new + b"half", new + b"half\n"]
    bodies = read(f"poll+http://{host}/rows?every=0&header=1&key=x", 3)
    assert bodies == [b"#h\nb\na\n", b"#h\nd\nc\n", b"#h\nhalf\n"]
    assert found.statuses == [200, 304, 503, 200, 200, 200]
    assert set(found.paths) == {"/rows?key=x"}  # the server's own options only


def test_what_is_not_there_is_refused(site: tuple[Site, str]) -> None:
    found, host = site
    found.contents = [404]
    with pytest.raises(UsageError) as refused:
        read(f"poll+http://{host}/rows?every=0", 1)
    assert refused.value.code == "EP631"


def test_a_file_that_is_replaced(tmp_path: Path) -> None:
    file, other = tmp_path / "rows.txt", tmp_path / "other"
    file.write_bytes(b"a\nb\n")

    async def replace() -> list[bytes]:
        found: list[bytes] = []
        async with aclosing(open_source(f"poll:{file}?every=0.01").messages({})) as some:
            async for each in some:
                found += [message.body for message in each]
                if len(found) == 2:
                    return found
                other.write_bytes(b"c\nb\na\n")
                other.replace(file)
        return found

    assert asyncio.run(asyncio.wait_for(replace(), PATIENCE)) == [b"a\nb\n", b"c\n"]


ROW = """\
mappings:
  row:
    s: urn:$(who)
    time: $(time)
    po: [[urn:is, $(what)]]
"""


def test_a_polled_file_goes_on_after_kills(tmp_path: Path) -> None:
    """Old lines stay in the file, and one that went comes again: the answers are those of no kill."""
    file, other, mapping = tmp_path / "rows.csv", tmp_path / "other", tmp_path / "rows.yml"
    mapping.write_text(ROW)
    query = query_file(tmp_path, "SELECT ?x { ?x <urn:is> ?y }", "all")
    words = [query, "--state", tmp_path / "state", "--bad", tmp_path / "bad", "--source"]
    words += [f"poll:{file}?every=0.05&header=1", "name=rows", "format=csv", f"map={mapping}"]
    rows = [f"{time},n{time},low\n" for time in range(1, 30)]
    for first in range(0, 25, 5):
        bad = "never,n,low\n" if first == 10 else ""
        other.write_text("time,who,what\n" + "".join(rows[max(0, first - 5) : first + 5]) + bad)
        other.replace(file)
        with serving(*words) as running:
            eventually(lambda: len(running.answers()), (first + 5 - 1).__le__)
            running.end(signal.SIGKILL)
    with serving(*words) as running:
        eventually(lambda: running.get("/sources").json()[0]["state"], "open".__eq__)
        other.write_text(
            "time,who,what\n" + rows[24] + rows[25] + rows[0]
        )  # the last is late, and is new again
        other.replace(file)
        eventually(lambda: running.get("/status").json()["late"], (1).__eq__)
        assert running.post("/advance", '{"time": 1000}').status_code == 200
        assert [each["bindings"]["x"]["value"] for each in running.answers()] == [
            f"urn:n{time}" for time in range(1, 27)
        ]
    assert [json.loads(line)["record"] for line in (tmp_path / "bad").read_text().splitlines()] == [
        "never,n,low\n"
    ]


def test_options_that_are_no_numbers(tmp_path: Path) -> None:
    for option in ("every=soon", "every=-1", "header=x", "often=1"):
        with pytest.raises(UsageError) as wrong:
            open_source(f"poll:{tmp_path / 'rows'}?{option}")
        assert wrong.value.code == "EP630"
