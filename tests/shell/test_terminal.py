"""The shell on a pseudo-terminal: editing, keys after an answer, completion, Ctrl-C and Ctrl-D."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.patience import PATIENCE

pty = pytest.importorskip("pty", reason="pseudo-terminals are POSIX's")
fcntl = pytest.importorskip("fcntl")
termios = pytest.importorskip("termios")

KEYS = "  ; next answer, Enter stops"
CTRL_C, CTRL_D, TAB, UP = "\x03", "\x04", "\t", "\x1b[A"
_remove_controls = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|\x1b[=>]|\r").sub


class OnTerminal:
    """A process on a terminal of its own."""

    def __init__(self, folder: Path, *options: str) -> None:
        pid, self._fd = pty.fork()
        if pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # it is ignored in what a shell runs behind
            os.chdir(folder)
            os.environ.update(
                TERM="xterm", COLUMNS="200", LINES="50", ETALIS_CACHE=os.environ.get("ETALIS_CACHE", "")
            )
            if not os.environ["ETALIS_CACHE"]:
                del os.environ["ETALIS_CACHE"]
            os.execv(sys.executable, [sys.executable, "-m", "etalis_py", "shell", *options])
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        self.pid = pid
        self.seen = ""
        self.shown = ""

    def type(self, text: str) -> None:
        os.write(self._fd, text.encode())

    def wait_for(self, text: str, seconds: float = PATIENCE) -> str:
        """What is on the terminal up to ``text``, without colours; it is not seen again."""
        until = time.monotonic() + seconds
        while text not in self.seen:
            left = until - time.monotonic()
            ready = select.select([self._fd], [], [], max(0, left))[0]
            if not ready:
                raise AssertionError(f"{text!r} does not come; there is: {self.seen!r}")
            try:
                read = os.read(self._fd, 65536)
            except OSError:  # the other end is closed
                read = b""
            if not read:
                raise AssertionError(f"{text!r} does not come before the end; there is: {self.seen!r}")
            if b"\x1b[6n" in read:  # prompt_toolkit asks where the cursor is
                os.write(self._fd, b"\x1b[1;1R")
            self.shown += read.decode(errors="replace")
            self.seen = _remove_controls("", self.seen + read.decode(errors="replace"))
        before, _, self.seen = self.seen.partition(text)
        return before

    def prompt(self) -> None:
        """Wait until it reads, so that keys are its own and not the terminal's."""
        self.wait_for("etalis>")
        self.keys_are_its_own(True)

    def keys_are_its_own(self, own: bool, seconds: float = PATIENCE) -> None:
        """Wait until it reads key by key; with False, until the terminal makes a signal of Ctrl-C."""
        until = time.monotonic() + seconds
        while bool(termios.tcgetattr(self._fd)[3] & termios.ICANON) is own:
            assert time.monotonic() < until, "the terminal's mode does not change"
            select.select([], [], [], 0.01)

    def end(self) -> int:
        self.type(CTRL_D)
        return os.waitstatus_to_exitcode(self._wait())

    def _wait(self) -> int:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.pid = 0
                return status
            if select.select([self._fd], [], [], 0.05)[0]:
                with contextlib.suppress(OSError):  # the other end is closed
                    os.read(self._fd, 65536)
        raise AssertionError("it does not end")

    def kill(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._fd)


@pytest.fixture
def terminal(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OnTerminal]:
    monkeypatch.delenv("NO_COLOR", raising=False)
    process = OnTerminal(folder, "warm.rq", "--background", "goods.ttl", "--rules", "mine.pl")
    try:
        process.prompt()
        yield process
    finally:
        process.kill()


def test_a_query_on_several_lines_and_the_keys_after_an_answer(terminal: OnTerminal) -> None:
    terminal.type("SELECT ?x {\r?x <urn:cold:unloaded> ?y }\r;;\r")
    terminal.wait_for("query: registered")
    terminal.prompt()
    terminal.type(":stream events.csv\r")
    terminal.wait_for("x=:box1")
    terminal.prompt()
    terminal.type("?- member(X, [1, 2, 3]).\r")
    terminal.wait_for("X = 1")
    terminal.type(";")
    terminal.wait_for(";")
    terminal.wait_for("X = 2")
    terminal.type("\r")
    terminal.wait_for(" .")
    terminal.prompt()
    terminal.type("?- X = 7.\r")
    terminal.wait_for("X = 7.")
    terminal.prompt()
    assert terminal.end() == 0


def test_what_is_asked_after_an_answer_leaves_its_last_line_on_the_terminal(terminal: OnTerminal) -> None:
    terminal.type("?- member(X-Y, [1-2, 3-4, 5-6]), true.\r")
    terminal.wait_for("Y = 2")
    terminal.keys_are_its_own(True)
    terminal.type(";")
    terminal.wait_for("Y = 4")
    terminal.keys_are_its_own(True)
    terminal.type("x\x1b[C ")  # other keys say nothing
    terminal.wait_for("Y = 6.")
    shown = re.sub(rf"{KEYS}\x1b\[{len(KEYS)}D\x1b\[0?K", "", terminal.shown)
    assert shown.count(KEYS) == 0
    assert terminal.shown.count(KEYS) == 1  # until a key was pressed
    assert "X = 1,\r\nY = 2 ;\r\nX = 3,\r\nY = 4 ;\r\nX = 5,\r\nY = 6.\r\n" in shown
    terminal.prompt()
    terminal.type("?- member(X, [1, 2]).\r;:help quit\r")  # typed before it is asked for
    terminal.wait_for("X = 2.")
    terminal.wait_for("end the session")
    terminal.prompt()
    assert terminal.end() == 0


def test_ctrl_c_stops_a_goal_a_stream_and_what_is_typed(terminal: OnTerminal) -> None:
    for goal in ("loop", "repeat, fail", "sleep(100)"):
        terminal.type(f"?- atom_concat(beg, un, Begun), writeln(Begun), {goal}.\r")
        terminal.wait_for("begun")
        terminal.keys_are_its_own(False)
        terminal.type(CTRL_C)
        terminal.wait_for("interrupted")
        terminal.prompt()
    terminal.type("?- member(X, [1, 2]).\r")
    terminal.wait_for("X = 1")
    terminal.keys_are_its_own(True)
    terminal.type(CTRL_C)
    terminal.prompt()
    terminal.type(":stream events.csv 0.1x\r")
    terminal.wait_for("Ctrl-C stops it")
    terminal.type(CTRL_C)
    terminal.wait_for("interrupted")
    terminal.prompt()
    terminal.type("?- never(" + CTRL_C)
    terminal.prompt()
    terminal.type("?- double(21, X).\r")
    terminal.wait_for("X = 42.")
    terminal.prompt()
    terminal.type(":advance\r")  # what was sent before the stop is there
    terminal.prompt()
    terminal.type(":goals\r")
    terminal.wait_for("box=:box1")
    terminal.prompt()
    assert terminal.end() == 0


def test_completion_and_history(terminal: OnTerminal) -> None:
    terminal.type(":hel" + TAB)
    terminal.wait_for("p")
    terminal.type(" stream\r")
    terminal.wait_for("send the events of a file")
    terminal.prompt()
    terminal.type("?- rdfs_sub" + TAB + TAB)
    terminal.wait_for("class_of(")
    terminal.type(CTRL_C)
    terminal.prompt()
    terminal.type(":load ev" + TAB)
    terminal.wait_for("ents.csv")
    terminal.type(CTRL_C)
    terminal.prompt()
    terminal.type(UP + "\r")
    terminal.wait_for("send the events of a file")
    terminal.prompt()
    assert terminal.end() == 0
