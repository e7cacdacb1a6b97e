"""A call that is broken off, wherever, loses no answer without a word.

Something that nobody expects is raised at each call into Prolog, before it and after it, at lines of the
engine's own files, and while Prolog runs. The caller tries the same call once more, as long as the engine
lets it. At the end either all answers are those of an engine that nobody disturbed, or the engine says that
it has failed.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
from rdflib import URIRef

import etalis_py
from etalis_py.core.errors import EtalisError, RunTimeError
from etalis_py.embedding import prolog
from etalis_py.embedding.interruption import INTERRUPTION, Interruption, Running
from etalis_py.engine.engine import Engine
from tests.engine.conftest import seconds, table

QUERIES = (
    "PREFIX : <urn:> SELECT ?x ?y { { ?x :p ?y } SEQ { ?y :q ?z } }",
    """PREFIX : <urn:> CONSTRUCT { ?y :q ?x } { ?x :p ?y } ;;
    PREFIX : <urn:> SELECT ?x { { ?x :p ?y } OPTIONAL { ?y :r ?x } }""",
    "PREFIX : <urn:> SELECT ?x (COUNT(*) AS ?n) { ?x :p ?y } GROUP BY ?x WINDOW [RANGE PT3S STEP PT1S]",
)
ROWS = [(time, f"s{time % 3}", "pqr"[time * 7 % 3], f"s{time * 5 % 3}") for time in range(1, 25)]


class BrokenOffError(BaseException):
    """What nobody expects."""


Step = Callable[[Engine], object]
Run = Callable[[Step], None]


def work(engine: Engine, do: Run) -> list[str]:
    """Much of what an engine can do; ``do`` makes each call. The answers."""
    found: list[Any] = []
    calls: list[Any] = []
    parts: list[bytes] = []
    do(lambda engine: engine.register(QUERIES[0], name="first", on_match=calls.append))
    do(lambda engine: engine.register(QUERIES[1], name="second"))
    do(lambda engine: engine.send_batch(table(ROWS[:8])))
    for number in range(4):  # one by one
        triple = [URIRef(f"urn:{each}") for each in (f"s{number % 3}", "pq"[number % 2], f"s{number % 2}")]
        end = 8_200_000 + number // 2 * 100_000
        do(lambda engine, triple=triple, end=end: engine.send(*triple, end))
    do(lambda engine: engine.advance(9_000_000))
    do(lambda engine: engine.register(QUERIES[2], name="third"))
    do(lambda engine: engine.send_batch(table(ROWS[8:16])))
    found += engine.matches()
    do(lambda engine: parts.append(engine.snapshot()))
    do(lambda engine: list(engine.prolog("waiting(Q, F, B, S, E)")))
    do(lambda engine: engine.send_batch(table(ROWS[16:20])))
    found += engine.matches()
    do(lambda engine: parts.append(engine.changes() or b""))
    do(lambda engine: engine.send_batch(table(ROWS[20:])))
    do(lambda engine: engine.finish())
    found += engine.matches()
    once = {repr(each) for each in calls}  # a callback that was broken off has its match again
    return sorted([*once, *map(repr, found)])


def plainly(engine: Engine) -> Run:
    def do(step: Step) -> None:
        step(engine)

    return do


def stubbornly(engine: Engine) -> Run:
    """Tries each call until it is not broken off; a late row, or a taken name, says that it had been done."""

    def do(step: Step) -> None:
        tries = 0
        while True:
            tries += 1
            try:
                step(engine)
            except BrokenOffError:
                continue
            except EtalisError as error:
                if tries == 1 or error.code not in ("EP413", "EP206"):
                    raise
            return

    return do


def new_engine() -> Engine:
    return Engine(record_changes=True, recall=True)


def judge(expected: list[str], disturb: Callable[[], None]) -> bool:
    """Whether an engine that is disturbed fails; if not, its answers are right."""
    with new_engine() as engine:
        disturb()
        try:
            found = work(engine, stubbornly(engine))
        except RunTimeError:
            found = None
            # Python leaves a context without its exit where something is raised at the first line in it, and
            # the engine knows then only that somebody has left.
            with pytest.raises(RunTimeError, match=r"EP303.*(interrupted|not taken to the end)"):
                engine.finish()
    assert found in (None, expected), disturb
    return found is None


@pytest.fixture(scope="module")
def expected() -> list[str]:
    with new_engine() as engine:
        found = work(engine, plainly(engine))
    assert len(found) > 20
    return found


class Crossings:
    """Stands before Prolog, and raises once: before or after a call into it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = -1
        self.count = 0
        self._real = prolog._run
        monkeypatch.setattr(prolog, "_run", self._run)

    def _run(self, *call: Any) -> Any:
        self._cross()
        value = self._real(*call)
        self._cross()
        return value

    def _cross(self) -> None:
        self.count += 1
        self.left -= 1
        if self.left == 0:
            raise BrokenOffError


def test_at_each_call_into_prolog(monkeypatch: pytest.MonkeyPatch, expected: list[str]) -> None:
    crossings = Crossings(monkeypatch)
    with new_engine() as engine:
        crossings.count = 0
        work(engine, plainly(engine))
        total = crossings.count
    assert total > 40
    failed = 0
    for place in range(1, total + 1):
        failed += judge(expected, lambda place=place: setattr(crossings, "left", place))
    assert 0 < failed < total


class Lines:
    """Counts the lines of our own files that run, and raises at one."""

    def __init__(self) -> None:
        self.left = -1
        self.count = 0
        self._folder = str(Path(etalis_py.__file__).parent)

    def trace(self, frame: FrameType, event: str, _argument: object) -> Any:
        code = frame.f_code
        if not code.co_filename.startswith(self._folder) or code.co_name == "__del__":
            return None
        if event == "line":
            self.count += 1
            self.left -= 1
            if self.left == 0:
                raise BrokenOffError(f"{frame.f_code.co_filename}:{frame.f_lineno}")
        return self.trace


def test_at_lines(expected: list[str], request: pytest.FixtureRequest) -> None:
    chance = random.Random(1)
    lines = Lines()
    with new_engine() as engine:
        sys.settrace(lines.trace)
        try:
            work(engine, plainly(engine))
        finally:
            sys.settrace(None)
    total = lines.count
    failed = []
    for _ in range(120):
        lines.left = -1

        def disturb() -> None:
            lines.left = chance.randrange(1, total)
            sys.settrace(lines.trace)

        try:
            failed.append(judge(expected, disturb))
        except BrokenOffError:
            pass  # in matches(), which has no Prolog to call
        finally:
            sys.settrace(None)
    assert any(failed)


LOOPS = "slow(_) :- loops.\nloops :- repeat, catch((repeat, fail), _, fail).\n"
SLOW = "SELECT ?x { ?x <urn:p> ?y FILTER(prolog:slow(?x)) }"


def stop_when_it_runs(thread: int) -> None:
    while not INTERRUPTION.stop(thread, BrokenOffError("enough")):
        time.sleep(0.01)


def test_while_prolog_runs(tmp_path: Path) -> None:
    (tmp_path / "slow.pl").write_text(LOOPS)
    with Engine(rules=tmp_path / "slow.pl") as engine:
        engine.register(SLOW)
        engine.send_batch(table([(1, "a", "p", 1)]))
        stops = threading.Thread(target=stop_when_it_runs, args=(threading.get_ident(),))
        stops.start()
        with pytest.raises(BrokenOffError, match="enough"):
            engine.finish()
        with pytest.raises(RunTimeError, match=r"EP303 .* interrupted by BrokenOff"):
            engine.finish()
    with Engine() as engine:
        engine.register("SELECT ?x { ?x <urn:p> ?y }")
        engine.send_batch(table([(1, "a", "p", 1)]))
        engine.finish()
        assert seconds(engine) == [(1, 1, {"x": "a"})]


def test_a_check_ends_calls(tmp_path: Path) -> None:
    (tmp_path / "slow.pl").write_text(LOOPS)
    with Engine(rules=tmp_path / "slow.pl") as engine:
        engine.register(SLOW)
        engine.send_batch(table([(1, "a", "p", 1)]))
        check = INTERRUPTION.checked(lambda: BrokenOffError("too long"))
        with check, pytest.raises(BrokenOffError, match="too long"):
            engine.finish()


@dataclass
class RaisesAt:
    """Raises at a line of ``code``, once."""

    code: CodeType
    line: int
    is_over: bool = False

    def trace(self, frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code is not self.code:
            return None
        if event == "line" and frame.f_lineno == self.line and not self.is_over:
            self.is_over = True
            raise BrokenOffError
        return self.trace


def test_the_watcher_sees_a_call_after_one_that_did_not_begin() -> None:
    """A handler of a signal raises before Prolog is called; the next call is at depth 1 again."""
    depths: list[int] = []
    running = prolog._running()
    running.depth = 0  # a test before may have broken off where no handler of a signal runs

    def way(*_: object) -> None:
        depths.append(running.depth)

    code = prolog.native.__code__
    for number in sorted({line for _, _, line in code.co_lines() if line is not None})[1:]:
        sys.settrace(RaisesAt(code, number).trace)
        try:
            prolog.native(way)
        except BrokenOffError:
            pass
        finally:
            sys.settrace(None)
        if depths:
            break  # at this line Prolog had been called
        prolog.native(way)
        assert depths.pop() == 1


HANDLED = """
import os, signal, sys, threading
from etalis_py import Engine
engine = Engine(rules=sys.argv[1])
engine.register("SELECT ?x { ?x <urn:p> ?y FILTER(prolog:slow(?x)) }")
engine.send_batch({"start": [1], "s": ["<urn:a>"], "p": ["<urn:p>"], "o": ["<urn:b>"]})
caught = []
def note(*_):
    try:
        engine.finish()
    except Exception as error:
        caught.append(error.code)
def ends(*_):
    raise SystemExit(7)
signal.signal(signal.SIGHUP, note)
signal.signal(signal.SIGTERM, ends)
signal.alarm(300)
def send():
    while not os.path.exists(sys.argv[2]):
        pass
    os.kill(os.getpid(), signal.SIGHUP)
    while not caught:
        pass
    os.kill(os.getpid(), signal.SIGTERM)
threading.Thread(target=send).start()
try:
    engine.finish()
finally:
    print(*caught, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_handlers_of_signals_run_in_the_middle_of_a_call(tmp_path: Path) -> None:
    rules, begun = tmp_path / "slow.pl", tmp_path / "begun"
    rules.write_text(LOOPS.replace("slow(_) :- ", f"slow(_) :- open('{begun}', write, Out), close(Out), "))
    command = [sys.executable, "-c", HANDLED, str(rules), str(begun)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (7, "EP307\n", "")


@pytest.mark.long
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals of POSIX")
def test_by_signals_at_any_time(expected: list[str]) -> None:
    chance = random.Random(2)

    def handle(*_: object) -> None:
        raise BrokenOffError

    def after(delay: float) -> None:
        signal.setitimer(signal.ITIMER_REAL, delay)

    before = signal.signal(signal.SIGALRM, handle)
    failed = 0
    try:
        for _ in range(300):
            try:
                failed += judge(expected, lambda: after(chance.uniform(0.001, 0.1)))
            except BrokenOffError:
                pass  # outside of the engine
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert failed


def test_a_call_that_looks_up_at_once_is_asked_again() -> None:
    interruption, running = Interruption(), Running(1)
    interruption.add(running)
    running.depth = running.count = 1
    asked = []

    def ask(call: Running) -> None:
        asked.append(call)
        call.look()  # its thread may be as fast as this

    for _ in range(4):
        interruption._look_around(ask)
    assert asked == [running] * 3  # the first look only sees the call
