"""A run that is killed anywhere, and begun again until it ends, writes what one run writes, byte by byte.

input     | a b c d | e f g h | i j ...        a checkpoint: position, output, engine, all at once
output    | 1 2     | 3 4 5   | 6 x            killed at x: 6 is cut off, and i j are taken again
"""

from __future__ import annotations

import random
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import pytest

from tests.checkpoints.runs import KILL, line_for

EVERY = "--state kept --state-every 1us"
PLACES = ("/checkpoints/", "/cli/", "/results/", "/streams/", "/engine.py")


class Killed(BaseException):
    """As if the process had been killed: nothing catches it."""


@contextmanager
def killed_at(number: int, places: tuple[str, ...] = PLACES) -> Iterator[list[int]]:
    """Raise at the call (or return) of this number in the files of ``places``; gives how many there were."""
    seen = [0]

    def look(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        # what is killed in this process keeps its lock where it has not come to close it
        if any(place in code.co_filename for place in places) and code.co_name != "open_folder":
            seen[0] += 1
            if seen[0] == number:
                raise Killed

    sys.setprofile(look)
    try:
        yield seen
    finally:
        sys.setprofile(None)


def whole(etalis, folder: Path, form: str, more: str = KILL) -> bytes:
    """What one run writes."""
    done = etalis(line_for(form, more, "whole"))
    assert done.code == 0
    data = (folder / "whole").read_bytes()
    assert data.count(b"\n") > 10
    return data


@pytest.mark.usefixtures("in_small_pieces")
@pytest.mark.parametrize(
    ("form", "more"),
    [
        ("ndjson", KILL),
        pytest.param("ndjson", "--on-late drop --policy recent", marks=pytest.mark.long),
        pytest.param("csv", KILL, marks=pytest.mark.long),
        ("tsv", "--on-late drop --policy recent"),
        ("nquads", KILL),
    ],
)
def test_kills_at_any_call(etalis, work: Path, form: str, more: str) -> None:
    expected = whole(etalis, work, form, more)
    line = f"{line_for(form, more)} {EVERY}"
    with killed_at(0) as seen:
        assert etalis(line).code == 0
    assert (work / "out").read_bytes() == expected
    chance = random.Random(form + more)
    rounds = 1 if form == "ndjson" and more == KILL else 3
    for _ in range(rounds):
        for each in ("out", "kept/checkpoint"):
            (work / each).unlink()
        for _ in range(3):  # later ones may come to the end, for they have less to do
            with suppress(Killed), killed_at(chance.randrange(1, seen[0] // 2)):
                assert etalis(line).code == 0
        assert etalis(line).code == 0
        assert (work / "out").read_bytes() == expected
    assert etalis(line).code == 0, "it can be begun once more"
    assert (work / "out").read_bytes() == expected


@pytest.mark.usefixtures("in_small_pieces")
def test_kills_at_each_step_of_a_checkpoint(etalis, work: Path) -> None:
    """Before and after each call that writes it, of the first, the second and a later checkpoint."""
    expected = whole(etalis, work, "csv")
    line = f"{line_for('csv')} {EVERY}"
    steps = ("/checkpoints/folder.py", "/cli/destination.py")
    with killed_at(0, steps) as seen:
        assert etalis(line).code == 0
    (work / "kept/checkpoint").unlink()
    per_checkpoint = 25
    assert seen[0] > 4 * per_checkpoint
    for number in range(1, 3 * per_checkpoint, 3):
        with suppress(Killed), killed_at(number, steps):
            assert etalis(line).code == 0
    assert etalis(line).code == 0
    assert (work / "out").read_bytes() == expected


DRIVER = (
    "import sys; from etalis_py.streams import lines; lines.CHUNK = 700\n"
    "from etalis_py.cli import main; sys.exit(main(sys.argv[1:]))"
)


def kill(start, work: Path, expected: bytes, times: int) -> None:
    """SIGKILL so many times, each after a few checkpoints and a moment; whoever ends begins anew."""
    chance = random.Random(times)
    words = f"{line_for('ndjson')} {EVERY}".split()
    ended = 0
    for number in range(times):
        process = start("", args=[sys.executable, "-c", DRIVER, *words])
        for _ in range(chance.randrange(12)):
            wait_for_a_checkpoint(process, work / "kept/checkpoint")
        threading.Event().wait(chance.random() * 0.01)
        process.kill()
        code = process.wait()
        process.communicate()
        if code == 0:
            assert (work / "out").read_bytes() == expected
            ended += 1
            (work / "out").unlink()
            (work / "kept/checkpoint").unlink()
        else:
            assert code == -signal.SIGKILL
        assert ended < (number + 3) / 2, "most are killed"


def wait_for_a_checkpoint(process, path: Path) -> None:
    """Until it is replaced, or the process has ended."""

    def which() -> object:
        try:
            found = path.stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns

    before = which()
    while which() == before and process.poll() is None:
        threading.Event().wait(0.0005)


@pytest.mark.usefixtures("in_small_pieces")
@pytest.mark.parametrize("times", [4, pytest.param(200, marks=pytest.mark.long)])
def test_sigkill(start, etalis, work: Path, times: int) -> None:
    expected = whole(etalis, work, "ndjson")
    kill(start, work, expected, times)
    assert etalis(f"{line_for('ndjson')} {EVERY}").code == 0
    assert (work / "out").read_bytes() == expected
