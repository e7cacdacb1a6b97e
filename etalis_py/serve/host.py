"""One engine that is served: it works in a thread of its own, and what it did can be done again after a kill.

A command is carried out, written to the journal, and brought to the disk together with those that waited with
it. Only then are its answers published and is it acknowledged: what anybody has seen is never lost. From
time to time there is a checkpoint, and the journal begins anew. After a kill the engine goes on from the last
checkpoint, and does once more what the journal has; the answers get the numbers that they had. So it does
where a command makes it fail, which is then refused.
"""

from __future__ import annotations

import io
import logging
import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final, TypeVar

from etalis_py.checkpoints.folder import Checkpoint, StateFolder, open_folder
from etalis_py.checkpoints.keeper import check_same, pause_after
from etalis_py.connectors import Position
from etalis_py.core.errors import DataError, EtalisError, RunTimeError
from etalis_py.editors.vocabulary import Vocabulary, vocabulary_of
from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from etalis_py.engine.options import OPTIONS, EngineOptions
from etalis_py.results.ndjson_writer import NdjsonWriter
from etalis_py.serve.answer_log import AnswerLog
from etalis_py.serve.background_files import BackgroundFiles
from etalis_py.serve.commands import Command, Feed, OpenSink, OpenSource, Replace, Restart, packed, unpacked
from etalis_py.serve.journal import Journal
from etalis_py.serve.problems import RequestError
from etalis_py.serve.served_engine import Registered, ServedEngine
from etalis_py.serve.streams_seen import StreamsSeen
from etalis_py.serve.work_queue import Full, Job, WorkQueue
from etalis_py.streams import Batch
from etalis_py.streams.term_texts import TermTexts

__all__ = ["Counts", "Host"]

_log = logging.getLogger(__name__)
_Value = TypeVar("_Value")
_MOST_EXPLAINED: Final = 10_000
"""Answers whose origin can be asked for."""
_BLOCK: Final = 1000
_STACK: Final = 512 << 20
"""Bytes of the C stack, with which SWI-Prolog writes terms that are deep; what is not used costs nothing."""


@dataclass(slots=True)
class Counts:
    """What has come and gone since the server began."""

    events: int = 0
    answers: dict[str, int] = field(default_factory=dict)
    refused: int = 0
    recoveries: int = 0


class Host:
    """The engine called ``name``. With a ``folder`` it survives.

    ``most_waiting``: bytes of commands that may wait; ``most_kept``: bytes of memory for answers;
    ``most_ahead``: microseconds that times may be ahead of the machine's clock, None: any.
    """

    def __init__(
        self,
        name: str,
        options: EngineOptions,
        *,
        most_kept: int,
        folder: Path | None = None,
        most_waiting: int = 64 << 20,
        most_ahead: int | None = None,
    ) -> None:
        self.name = name
        self.options = options
        self.answers = AnswerLog(most_kept, folder)
        self.counts = Counts()
        self.streams = StreamsSeen()
        self.began = time.time()
        self.failure: str | None = None
        self.late = 0
        self.clock: int | None = None
        self._folder = folder
        self._scratch = folder or Path(mkdtemp(prefix="etalis-"))
        self.files = BackgroundFiles(self._scratch)
        self._most_ahead = most_ahead
        self._queue = WorkQueue(most_waiting)
        self._thread = threading.Thread(target=self._work, name=f"engine {name}", daemon=True)
        self._opened: Future[None] = Future()
        self._explained: dict[int, Match] = {}
        self._pending: list[tuple[str, bytes]] = []
        self._pending_matches: list[Match] = []
        self._lines = io.BytesIO()
        self._writer = NdjsonWriter(self._lines)
        self._served: ServedEngine
        self._journal: Journal | None = None
        self._state: StateFolder | None = None
        self._vocabulary: tuple[tuple[str, ...], Vocabulary] | None = None
        self._due = 0.0
        self._is_new = False

    @property
    def survives(self) -> bool:
        """Whether it goes on after a kill: its answers keep their numbers then."""
        return self._folder is not None

    # ---- from other threads -----------------------------------------------------------------------------

    def start(self) -> None:
        """Open the engine, in the state that it had.

        Raises:
            EtalisError: its background, rules or state cannot be read, or belong to another program.
        """
        before = threading.stack_size(_STACK)
        try:
            self._thread.start()
        finally:
            threading.stack_size(before)
        self._opened.result()

    def do(self, command: Command) -> Future[Any]:
        """Have a command carried out; what comes of it.

        Raises:
            Full: too much waits.
        """
        return self._put(Job(command, len(command.body) if isinstance(command, Feed) else 0))

    def look(self, work: Callable[[Engine], _Value]) -> Future[_Value]:
        """Have a function look at the engine, between two commands.

        Raises:
            Full: the server ends.
        """
        return self._put(Job(work))

    def _put(self, job: Job) -> Future[Any]:
        try:
            self._queue.put(job)
        except Full:
            self.counts.refused += 1
            raise
        return job.done

    def vocabulary(self) -> Vocabulary:
        """The classes and properties of the background, and the properties of events. It may read files.

        Raises:
            DataError: EP421 to EP430, a file is gone.
        """
        replaced = self._served.background
        files = self.options.background if replaced is None else (str(self.files.path(replaced)),)
        if self._vocabulary is None or self._vocabulary[0] != files:
            self._vocabulary = files, vocabulary_of(files)
        found = self._vocabulary[1]
        for each in self.streams.predicates():
            found.learn_property(each)
        return found

    @property
    def waiting(self) -> int:
        """Bytes of commands that wait."""
        return self._queue.bytes

    @property
    def registered(self) -> Sequence[Registered]:
        """The texts that are registered."""
        return self._served.registered

    @property
    def sources(self) -> Mapping[str, OpenSource]:
        """The sources by their names."""
        return self._served.sources

    @property
    def sinks(self) -> Mapping[str, OpenSink]:
        """The sinks by their names, each with how far it has come."""
        return self._served.sinks

    @property
    def positions(self) -> Mapping[str, Position]:
        """How far each producer has come."""
        served = self._served
        numbers, memories = dict(served.producers), dict(served.memories)
        return {name: Position(number, memories.get(name)) for name, number in numbers.items()}

    def check(self, feed: Feed) -> None:
        """Whether its events can be read; they are not taken.

        Raises:
            EtalisError: one cannot be.
        """
        self._served.batches(feed, TermTexts())

    def explained(self, number: int) -> Match | None:
        """The match behind an answer; None where it is too old, or the engine was made anew since."""
        return self._explained.get(number)

    def stop(self) -> None:
        """Do what waits, make a checkpoint, and give everything back."""
        self._queue.close()
        if self._thread.is_alive():
            self._thread.join()

    # ---- in its own thread ------------------------------------------------------------------------------

    def _work(self) -> None:
        with ExitStack() as stack:
            try:
                self._open(stack)
            except BaseException as error:  # noqa: BLE001 - who starts it gets it
                self._opened.set_exception(error)
                return
            self._opened.set_result(None)
            while jobs := self._queue.take():
                self._do_all(jobs)
            self._commit()

    def _do_all(self, jobs: list[Job]) -> None:
        results: list[tuple[Any, BaseException | None]] = list(map(self._try, jobs))
        try:
            if self._journal is not None:
                self._journal.sync()
            self._publish()
        except (EtalisError, OSError) as unwritten:
            self._fail(unwritten)
            results = [(None, unwritten)] * len(jobs)
        self._look_at_clock()
        for job, (value, error) in zip(jobs, results, strict=True):
            if not job.done.set_running_or_notify_cancel():
                continue
            if error is None:
                job.done.set_result(value)
            else:
                job.done.set_exception(error)
        if self._state is not None and self._is_new and time.monotonic() >= self._due:
            self._commit()

    def _look_at_clock(self) -> None:
        self.late, self.clock = self._served.engine.late, self._served.engine.clock

    def _try(self, job: Job) -> tuple[Any, BaseException | None]:
        given = len(self._pending), len(self._pending_matches)
        try:
            if callable(job.work):
                return job.work(self._served.engine), None
            return self._carry_out(job.work), None
        except Exception as error:  # noqa: BLE001 - who asked gets it
            if self.failure is None and self._served.engine.failure is not None:
                del self._pending[given[0] :], self._pending_matches[given[1] :]
                self._recover(error)
            return None, error

    def _fail(self, error: BaseException) -> None:
        self.failure = error.message if isinstance(error, EtalisError) else repr(error)
        _log.error("the engine %s has failed: %s", self.name, error)

    def _carry_out(self, command: Command) -> Any:
        """Do it, and write it to the journal once it has changed something."""
        if isinstance(command, Restart):
            return self._restart(command)
        if self.failure is not None:
            raise RunTimeError("EP303", f"the engine has failed: {self.failure}")
        try:
            value = self._served.carry_out(command)
        except DataError:  # an event that is late, after others were taken
            if isinstance(command, Feed) and self._served.engine.failure is None:
                self._note(command)
            raise
        finally:
            if isinstance(command, Replace) and self._state is None:
                self.files.collect(self._served.background)
        self._note(command)
        return value

    def _restart(self, command: Restart) -> None:
        if self.failure is None:
            raise RequestError(409, "EP626", f"the engine {self.name} works", hint="nothing is to be mended")
        if self.survives:
            hint = "start the server again: it goes on from its last checkpoint and its journal"
            raise RequestError(409, "EP626", f"the engine {self.name} keeps a state", hint=hint)
        self._served.carry_out(command)
        self._explained.clear()
        _log.warning("the engine %s begins anew", self.name)
        self.failure = None
        self.counts.recoveries += 1

    def _note(self, command: Command) -> None:
        self._is_new = True
        if self._journal is not None:
            self._journal.write(packed(command))

    def _collect(self, engine: Engine) -> None:
        """Take the answers; they wait until what brought them about is on the disk."""
        for some in engine.answers().blocks(_BLOCK):
            self._writer.write_answers(some.shown())
            lines = self._lines.getvalue().split(b"\n")[:-1]
            self._lines.seek(0)
            self._lines.truncate()
            self._pending += zip(some.names(), lines, strict=True)
            if self.options.trace:
                self._pending_matches += some.matches()

    def _count(self, batch: Batch) -> None:
        self.streams.note(batch)
        self.counts.events += len(batch)

    def _publish(self) -> None:
        pending, self._pending = self._pending, []
        matches, self._pending_matches = self._pending_matches, []
        for number, match in enumerate(matches, self.answers.last + 1):
            self._explained[number] = match
            self._explained.pop(number - _MOST_EXPLAINED, None)
        counts = self.counts.answers
        for name, _ in pending:
            counts[name] = counts.get(name, 0) + 1
        self.answers.add(pending)

    # ---- state ------------------------------------------------------------------------------------------

    def _open(self, stack: ExitStack) -> None:
        """Open the engine, in the state that it had; ``stack`` gives everything back."""
        if self._folder is None:
            stack.callback(shutil.rmtree, self._scratch, ignore_errors=True)
            self._served = self._new_engine()
            self._served.most_ahead = self._most_ahead
            stack.callback(self._discard)
            return
        self._state = stack.enter_context(open_folder(str(self._folder)))
        self._journal = stack.enter_context(closing(Journal(self._folder)))
        stack.callback(self.answers.close)
        kept = self._state.kept
        if kept is not None:
            check_same(kept.program, self._program(), f"the engine {self.name}")
        self._served = self._new_engine(kept)
        stack.callback(self._discard)
        self.answers.load(0 if kept is None else kept.output["answers"])
        first = _first_after(kept)
        records = self._do_again(self._served, self._journal, first, self._publish)
        self._served.most_ahead = self._most_ahead
        self._journal.go_on(first)
        self._look_at_clock()
        if records:
            _log.info("%s: did again %s commands since the last checkpoint", self.name, f"{records:,}")
            self._is_new = True
            self._commit()

    def _new_engine(self, kept: Checkpoint | None = None) -> ServedEngine:
        return ServedEngine(self.options, self.files, self._collect, self._count, kept)

    def _discard(self) -> None:
        """Give back the engine that there is by now; its last instant stays open."""
        self._served.engine.discard()

    @staticmethod
    def _do_again(served: ServedEngine, journal: Journal, first: int, then: Callable[[], None]) -> int:
        """Do once more what the journal has, and something after each command; how many there were."""
        records = 0
        for record in journal.records(first):
            with suppress(DataError):  # it was told of the first time
                served.carry_out(unpacked(record))
            then()
            records += 1
        return records

    def _recover(self, error: Exception) -> None:
        """Have an engine anew, as it was before what it failed on; without state it has failed for good."""
        if self._state is None or self._journal is None:
            self._fail(error)
            return
        _log.error("the engine %s failed, and goes on without what it failed on: %s", self.name, error)
        given, self._pending = self._pending, []  # of commands before, which wait for the disk
        self._pending_matches = []
        self._explained.clear()
        try:
            kept = self._state.kept
            self._discard()
            served = self._new_engine(kept)
            served.note = lambda _batch: None
            self._do_again(served, self._journal, _first_after(kept), self._forget_pending)
        except Exception as problem:  # noqa: BLE001 - there is no engine: it is told of, and of each command
            self._fail(problem)
            return
        served.note, served.most_ahead = self._count, self._most_ahead
        self._served, self._pending = served, given
        self.counts.recoveries += 1

    def _forget_pending(self) -> None:
        """These answers were given before."""
        self._pending.clear()
        self._pending_matches.clear()

    def _program(self) -> dict[str, str]:
        decisive = {name: each for name, each in OPTIONS.items() if each.decides}
        return {each.flag or name: str(getattr(self.options, name)) for name, each in decisive.items()}

    def _commit(self) -> None:
        if self._state is None or self._journal is None or self.failure is not None or not self._is_new:
            return
        began = time.monotonic()
        try:
            number = self._journal.begin()
            self.answers.sync()
            pending = {"journal": number, **self._served.kept()}
            output = {"answers": self.answers.last}
            snapshot = self._served.engine.snapshot()
            self._state.commit(Checkpoint(self._program(), [], output, pending, snapshot))
            self._journal.forget_before(number)
            self.files.collect(self._served.background)
        except (EtalisError, OSError) as error:  # the journal has what the checkpoint would have had
            _log.error("%s: no checkpoint: %s", self.name, error)
        self._is_new = False
        self._due = time.monotonic() + pause_after(time.monotonic() - began)


def _first_after(kept: Checkpoint | None) -> int:
    """The first file of the journal that a checkpoint does not have."""
    first: int = 0 if kept is None else kept.pending["journal"]
    return first
