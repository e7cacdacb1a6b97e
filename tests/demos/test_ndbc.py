"""Readings of files that change, as NDBC's do: from a folder, and from a server on this machine."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typing_extensions import Self

from etalis_py.core.errors import DataError
from tests.patience import PATIENCE

pytest.importorskip("numpy", reason="numpy is not installed")
pytest.importorskip("httpx", reason="etalis_py[http] is not installed")

from etalis_py.demos.tsunami.clean import clean
from etalis_py.demos.tsunami.dart import read_recording
from etalis_py.demos.tsunami.ndbc import Reports, buoy_files

HEADER = "#YY  MM DD hh mm ss T   HEIGHT\n#yr  mo dy hr mn  s -        m\n"


class Fed:
    """A feed that runs; what it sends is taken row by row."""

    def __init__(self, reports: Reports) -> None:
        self._bodies: queue.Queue[bytes] = queue.Queue()
        self._ends = threading.Event()
        self._thread = threading.Thread(target=reports.feed, args=(self._bodies.put, self._ends), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def readings(self, count: int) -> list[tuple[int, str, str]]:
        """So many: the second, the buoy, and the height."""
        rows: list[dict[str, object]] = []
        while len(rows) < 2 * count:
            rows += map(json.loads, self._bodies.get(timeout=PATIENCE).splitlines())
        heights = [each for each in rows if str(each["p"]).endswith("height>")]
        return [
            (int(str(each["start"])) // 1_000_000, str(each["s"])[-6:-1], str(each["o"])) for each in heights
        ]


def row(minute: int, height: float) -> str:
    return f"2030 01 01 00 {minute:02} 00 2 {height:.3f}\n"


def write(folder: Path, buoy: str, *rows: str) -> None:
    """As NDBC does: the newest first, and the whole file at once."""
    new = folder / "new"
    new.write_text(HEADER + "".join(reversed(rows)))
    new.replace(folder / f"{buoy}.dart")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, "21413", row(1, 10), row(3, 11))
    write(tmp_path, "21418", row(2, 20))
    return tmp_path


def test_rows_of_all_buoys_in_order_and_then_the_new_ones(folder: Path) -> None:
    with Fed(Reports(buoy_files(str(folder), [], 0.01), hold=0, now=lambda: 2e9)) as fed:
        assert [each[1] for each in fed.readings(3)] == ["21413", "21418", "21413"]
        write(folder, "21418", row(2, 20), row(4, 9999), row(5, 21))
        [(second, buoy, height)] = fed.readings(1)
        assert (second % 3600, buoy, height.startswith('"21.000"')) == (300, "21418", True)


def test_rows_wait_for_those_of_other_buoys(folder: Path) -> None:
    began = 1893456000  # 2030-01-01
    reports = Reports(buoy_files(str(folder), [], 0.01), hold=60, now=lambda: began + now)
    now = 180.0
    with Fed(reports) as fed:
        assert [each[0] - began for each in fed.readings(2)] == [60, 120]
        now = 240.0
        assert [each[0] - began for each in fed.readings(1)] == [180]


def test_a_folder_without_recordings(tmp_path: Path) -> None:
    with pytest.raises(DataError) as refused:
        buoy_files(str(tmp_path), [], 1)
    assert refused.value.code == "EP451"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    handler = partial(Handler, directory=str(tmp_path))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()
    thread.join()


def test_recordings_from_a_server_are_those_of_files(tmp_path: Path, site: str, shared_data: Path) -> None:
    """A buoy whose file is not there is left out."""
    names = ("21413", "21418")
    paths = [shared_data / "dart" / f"{name}.txt" for name in names]
    for name, path in zip(names, paths, strict=True):
        (tmp_path / f"{name}.dart").write_bytes(path.read_bytes())
    expected = [clean([read_recording(path)]) for path in paths]
    with Fed(Reports(buoy_files(site, [*names, "52402"], 0.05), hold=0)) as fed:
        found = fed.readings(sum(map(len, expected)))
    assert [each[0] for each in found] == sorted(each[0] for each in found)
    for name, readings in zip(names, expected, strict=True):
        assert [each[0] for each in found if each[1] == name] == readings.second.tolist()
