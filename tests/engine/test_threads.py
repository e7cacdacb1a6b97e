"""Calls into one engine are serialised, engines of several threads share nothing, threads leave nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from tests.engine.conftest import seconds, table
from tests.sanitizers import not_sanitized

THREADS = 8
SEQ = "PREFIX : <urn:> SELECT ?x ?y { { ?x :p ?y } SEQ { ?y :q ?z } }"
GROUPS = "PREFIX : <urn:> SELECT ?x (COUNT(*) AS ?n) { ?x :p ?y } GROUP BY ?x WINDOW [RANGE PT5S]"
SAME_GROUP = "PREFIX : <urn:> SELECT ?x ?y { ?x :p ?y . ?x :q ?y }"
ONTOLOGY = """@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<urn:p> rdfs:subPropertyOf <urn:r> . <urn:q> rdfs:domain <urn:C> .
"""


def in_threads(work: Callable[[int], None], count: int = THREADS) -> None:
    """Do ``work`` in threads that begin together; what one raises is raised."""
    ready = threading.Barrier(count)

    def begin(number: int) -> None:
        ready.wait()
        work(number)

    with ThreadPoolExecutor(count) as pool:
        for done in [pool.submit(begin, number) for number in range(count)]:
            done.result()


def test_eight_threads_use_one_engine() -> None:
    with Engine(recall=True) as engine:
        engine.register(SAME_GROUP, name="same")

        def send(number: int) -> None:
            for turn in range(30):
                name = f"s{number}-{turn}"
                engine.send_batch(table([(1, name, "p", turn)]))
                engine.send_batch(table([(1, name, "q", turn)]))
                assert len(list(engine.prolog("member(X, [1, 2])"))) == 2
                if turn % 10 == 0:
                    engine.register(SEQ)

        in_threads(send)
        engine.send_batch(table([(2, "z", "r", 0)]))
        engine.finish()
        found = seconds(engine, "same")
    assert sorted(row[2]["x"] for row in found) == sorted(
        f"s{number}-{turn}" for number in range(THREADS) for turn in range(30)
    )


def test_eight_engines_in_eight_threads(tmp_path: Path) -> None:
    (tmp_path / "o.ttl").write_text(ONTOLOGY)
    rows = [(time, f"s{time % 3}", "pq"[time % 2], f"s{time * 2 % 3}") for time in range(1, 120)]

    def answers() -> list[str]:
        with Engine(background=tmp_path / "o.ttl", record_changes=True) as engine:
            engine.register(f"{SEQ} ;; {GROUPS} ;; PREFIX : <urn:> SELECT * {{ ?x a :C . ?x :r ?y }}")
            for first in range(0, len(rows), 10):
                engine.send_batch(table(rows[first : first + 10]))
            state = len(list(engine.prolog("rdfs_subproperty_of(X, 'urn:r')")))
            engine.finish()
            return [str(state), *map(repr, engine.matches())]

    expected = answers()
    found: list[list[str]] = []
    in_threads(lambda _number: [found.append(answers()) for _ in range(3)] and None)
    assert len(found) == 3 * THREADS
    assert all(each == expected for each in found)


def test_an_engine_wanders_through_threads() -> None:
    """Each call in a thread of its own, which ends after it."""
    rows = [(time, f"s{time % 3}", "pq"[time % 2], f"s{time * 2 % 3}") for time in range(1, 40)]
    found = []
    for wanders in (False, True):
        with Engine() as engine:

            def call(work: Callable[[], object], wanders: bool = wanders) -> None:
                if not wanders:
                    work()
                    return
                thread = threading.Thread(target=work)
                thread.start()
                thread.join()

            call(lambda engine=engine: engine.register(f"{SEQ} ;; {GROUPS}"))
            for row in rows:
                call(lambda engine=engine, row=row: engine.send_batch(table([row])))
            call(engine.finish)
            found.append([repr(each) for each in engine.matches()])
    assert found[0] == found[1]
    assert len(found[0]) > 20


def test_callbacks_may_use_the_engine_from_several_threads() -> None:
    got: list[str] = []
    with Engine() as engine:

        def note(match: Match) -> None:
            engine.advance(match.end)
            got.append(engine.query(match.query).name)

        engine.register("SELECT ?x { ?x <urn:p> ?y }", name="first", on_match=note)
        in_threads(lambda number: engine.send_batch(table([(1, f"s{number}", "p", 1)])))
        engine.finish()
    assert got == ["first"] * THREADS


FORKS = """
import os, threading
from etalis_py import Engine
rows = {"start": [1, 2], "s": ["<urn:s>"] * 2, "p": ["<urn:p>"] * 2, "o": ["<urn:o>"] * 2}
def use():
    with Engine() as engine:
        engine.register("SELECT ?x { ?x <urn:p> ?y }")
        engine.send_batch(rows)
        list(engine.prolog("sleep(0.5)"))
        ready.set()
        done.wait(60)
ready, done = threading.Event(), threading.Event()
thread = threading.Thread(target=use)
thread.start()
ready.wait()
child = os.fork()
if child == 0:
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
done.set()
thread.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are POSIX's")
def test_a_fork_is_no_end_of_the_other_threads() -> None:
    done = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "7\n", "")


MANY = """
import sys, threading
from pathlib import Path
from etalis_py import Engine
from etalis_py.embedding import prolog
rows = {"start": [1, 2], "s": ["<urn:s>"] * 2, "p": ["<urn:p>"] * 2, "o": ["<urn:o>"] * 2}
engine = Engine(on_late="drop")
engine.register("SELECT ?x { ?x <urn:p> ?y } ")
def kilobytes():
    prolog.do("system", "garbage_collect_clauses")
    prolog.do("system", "garbage_collect_atoms")
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4
def use(count):
    for _ in range(count):
        thread = threading.Thread(target=engine.send_batch, args=(rows,))
        thread.start()
        thread.join()
use(300)
before = kilobytes()
use(int(sys.argv[1]))
print(kilobytes() - before, threading.active_count())
"""


@not_sanitized
@pytest.mark.parametrize("count", [500, pytest.param(3000, marks=pytest.mark.long)])
def test_threads_that_end_leave_nothing(count: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MANY, str(count)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    grown, active = map(int, done.stdout.split())
    assert grown < 12_000 + 5 * count, "each left 30 kB to 400 kB, when it was not detached"
    assert active <= 2  # this one, and the one that watches calls
