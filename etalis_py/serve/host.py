"""One engine that is served: it works in a thread of its own, and what it did can be done again after a kill.

A command is carried out, written to the journal, and brought to the disk together with those that waited with
it. Only then are its answers published and is it acknowledged: what anybody has seen is never lost. From
time to time there is a checkpoint, and the journal begins anew. After a kill the engine goes on from the last
checkpoint, and does once more what the journal has; the answers get the numbers that they had.
"""

from __future__ import annotations

import hashlib
import io
import logging
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, closing, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final, TypeVar

from etalis_py.checkpoints.folder import Checkpoint, StateFolder, open_folder, write_whole
from etalis_py.checkpoints.keeper import check_same, pause_after
from etalis_py.core.errors import DataError, EtalisError, RunTimeError
from etalis_py.editors.vocabulary import Vocabulary, vocabulary_of
from etalis_py.engine.engine import Engine
from etalis_py.engine.feeding import Portions
from etalis_py.engine.matches import Match
from etalis_py.engine.options import OPTIONS, EngineOptions
from etalis_py.results.ndjson_writer import NdjsonWriter
from etalis_py.serve.answer_log import AnswerLog
from etalis_py.serve.bodies import batches_of
from etalis_py.serve.commands import (
    CLIENT,
    Advance,
    CloseSink,
    CloseSource,
    Command,
    Deliver,
    Feed,
    OpenSink,
    OpenSource,
    Register,
    Remove,
    Replace,
    packed,
    unpacked,
)
from etalis_py.serve.journal import Journal
from etalis_py.serve.streams_seen import StreamsSeen
from etalis_py.serve.work_queue import Full, Job, WorkQueue

__all__ = ["Counts", "Host", "Registered"]

_log = logging.getLogger(__name__)
_Value = TypeVar("_Value")
_MOST_EXPLAINED: Final = 10_000
"""Answers whose origin can be asked for."""
_MOST_PRODUCERS: Final = 1000
_BLOCK: Final = 1000
_STACK: Final = 512 << 20
"""Bytes of the C stack, with which SWI-Prolog writes terms that are deep; what is not used costs nothing."""


@dataclass(slots=True)
class Registered:
    """A text that was registered, and those of its queries that are still there."""

    text: str
    name: str
    names: list[str]
    language: Any = None
    policy: Any = None


@dataclass(slots=True)
class Counts:
    """What has come and gone since the server began."""

    events: int = 0
    answers: dict[str, int] = field(default_factory=dict)
    refused: int = 0


class Host:
    """The engine called ``name``. With a ``folder`` it survives.

    ``most_waiting``: bytes of commands that may wait; ``most_kept``: bytes of answers that are kept.
    """

    def __init__(
        self,
        name: str,
        options: EngineOptions,
        *,
        folder: Path | None = None,
        most_waiting: int = 64 << 20,
        most_kept: int = 64 << 20,
    ) -> None:
        self.name = name
        self.options = options
        self.answers = AnswerLog(most_kept, folder)
        self.registered: list[Registered] = []
        self.sinks: dict[str, OpenSink] = {}
        self.sources: dict[str, OpenSource] = {}
        self.producers: dict[str, int] = {}
        self.counts = Counts()
        self.streams = StreamsSeen()
        self.began = time.time()
        self.failure: str | None = None
        self.late = 0
        self.clock: int | None = None
        self.background: str | None = None
        """The file in the folder that took the place of the background it began with."""
        self._folder = folder
        self._files = folder or Path(mkdtemp(prefix="etalis-"))
        self._queue = WorkQueue(most_waiting)
        self._thread = threading.Thread(target=self._work, name=f"engine {name}", daemon=True)
        self._opened: Future[None] = Future()
        self._explained: dict[int, Match] = {}
        self._pending: list[tuple[str, bytes]] = []
        self._pending_matches: list[Match] = []
        self._lines = io.BytesIO()
        self._writer = NdjsonWriter(self._lines)
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
        files = self.options.background if self.background is None else (str(self._files / self.background),)
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
        except EtalisError as unwritten:
            self._fail(unwritten)
            results = [(None, unwritten)] * len(jobs)
        self._publish()
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
        self.late, self.clock = self._engine.late, self._engine.clock

    def _try(self, job: Job) -> tuple[Any, BaseException | None]:
        try:
            if callable(job.work):
                return job.work(self._engine), None
            return self._carry_out(job.work), None
        except Exception as error:  # noqa: BLE001 - who asked gets it
            if self._engine.failure is not None:
                self._fail(error)
            return None, error

    def _fail(self, error: BaseException) -> None:
        if self.failure is None:
            self.failure = error.message if isinstance(error, EtalisError) else repr(error)
            _log.error("the engine %s has failed: %s", self.name, error)

    def _carry_out(self, command: Command) -> Any:
        """Do it, and write it to the journal once it has changed something."""
        if self.failure is not None:
            raise RunTimeError("EP303", f"the engine has failed: {self.failure}")
        try:
            value = self._done(command)
        except DataError:  # an event that is late, after others were taken
            if isinstance(command, Feed) and self._engine.failure is None:
                self._note(command)
            raise
        self._note(command)
        return value

    def _note(self, command: Command) -> None:
        self._is_new = True
        if self._journal is not None:
            self._journal.write(packed(command))

    def _done(self, command: Command) -> Any:
        match command:
            case Feed():
                return self._feed(command)
            case Advance(to):
                self._take(self._engine.feed.advancing(to))
                return {"clock": self._engine.clock}
            case Register(text, name, language, policy):
                names = self._engine.register(text, name=name, language=language, policy=policy)
                self.registered.append(Registered(text, name, list(names), language, policy))
                return names
            case Remove(name):
                self._engine.unregister(name)
                for each in self.registered:
                    each.names = [other for other in each.names if other != name]
                self.registered = [each for each in self.registered if each.names]
            case Replace(file):
                self._replace_background(file)
            case OpenSource() | CloseSource() | OpenSink() | CloseSink() | Deliver():
                self._connect(command)
        return None

    def _connect(self, command: OpenSource | CloseSource | OpenSink | CloseSink | Deliver) -> None:
        match command:
            case OpenSource(name):
                self.sources[name] = command
            case CloseSource(name):
                del self.sources[name]
            case OpenSink(name):
                self.sinks[name] = command
            case CloseSink(name):
                del self.sinks[name]
            case Deliver(name, upto):
                if name in self.sinks:
                    kept = self.sinks[name]
                    self.sinks[name] = OpenSink(kept.name, kept.url, kept.queries, upto)

    def _feed(self, command: Feed) -> dict[str, Any]:
        known = self.producers.get(command.producer or "", -1)
        if command.number is not None and command.number <= known:
            return {"taken": 0, "duplicate": True}
        batches = batches_of(command)
        if command.number is not None:
            self._note_producer(command.producer or "", command.number)
        before = self._engine.late
        self._take(self._engine.feed.sending(batches))
        events = sum(map(len, batches))
        for batch in batches:
            self.streams.note(batch)
        self.counts.events += events
        late = self._engine.late - before
        return {"taken": events - late, **({"late": late} if late else {})}

    def _note_producer(self, name: str, number: int) -> None:
        """How far a producer has come. Of clients only the newest are known: they may choose any names."""
        is_new = self.producers.pop(name, None) is None
        self.producers[name] = number
        if is_new and name.startswith(CLIENT):
            clients = [each for each in self.producers if each.startswith(CLIENT)]
            if len(clients) > _MOST_PRODUCERS:
                del self.producers[clients[0]]

    def _take(self, portions: Portions) -> None:
        """Do the work; its answers wait until it is on the disk."""
        try:
            with closing(portions):
                for _ in portions:
                    self._collect()
        finally:
            self._collect()

    def _collect(self) -> None:
        for some in self._engine.answers().blocks(_BLOCK):
            self._writer.write_answers(some.shown())
            lines = self._lines.getvalue().split(b"\n")[:-1]
            self._lines.seek(0)
            self._lines.truncate()
            self._pending += zip(some.names(), lines, strict=True)
            if self.options.trace:
                self._pending_matches += some.matches()

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

    def explained(self, number: int) -> Match | None:
        """The match behind an answer; None where it is too old, or was given before the server began."""
        return self._explained.get(number)

    # ---- state ------------------------------------------------------------------------------------------

    def _open(self, stack: ExitStack) -> None:
        """Open the engine, in the state that it had; ``stack`` gives everything back."""
        if self._folder is None:
            stack.callback(shutil.rmtree, self._files, ignore_errors=True)
            self._open_engine(stack)
            return
        self._state = stack.enter_context(open_folder(str(self._folder)))
        self._journal = stack.enter_context(closing(Journal(self._folder)))
        stack.callback(self.answers.close)
        kept, first = self._state.kept, 0
        if kept is not None:
            self.background = kept.pending["background"]
        self._open_engine(stack)
        if kept is not None:
            self._go_on(kept)
            first = kept.pending["journal"]
        self.answers.load(self.answers.last)
        records = 0
        journal, self._journal = self._journal, None  # what it has is not written once more
        for record in journal.records(first):
            self._again(unpacked(record))
            records += 1
        self._journal = journal
        self._look_at_clock()
        if records:
            _log.info("%s: did again %s commands since the last checkpoint", self.name, f"{records:,}")
            self._commit()

    def _open_engine(self, stack: ExitStack) -> None:
        self._engine = self._new_engine(self.background)
        stack.callback(self._discard)

    def _discard(self) -> None:
        """Give back the engine that there is by now; its last instant stays open."""
        self._engine.discard()

    def _new_engine(self, background: str | None) -> Engine:
        others = {} if background is None else {"background": [str(self._files / background)]}
        return Engine(**self.options.keywords(**others))

    # ---- another background -----------------------------------------------------------------------------

    def keep_file(self, content: bytes, suffix: str) -> str:
        """Bring a file to the disk, for a `Replace`; its name. Called in any thread."""
        name = f"background-{hashlib.sha256(content).hexdigest()[:32]}{suffix}"
        write_whole(self._files / name, content)
        return name

    def _replace_background(self, file: str) -> None:
        """Go on with an engine that has another background; if it cannot be, with the one that there is."""
        new = self._new_engine(file)
        try:
            self._register_all(new, self.registered)
            new.restore([self._engine.snapshot()], new_background=True)
        except BaseException:
            new.discard()
            raise
        self._engine.discard()
        self._engine, self.background = new, file

    # ---- checkpoints ------------------------------------------------------------------------------------

    def _go_on(self, kept: Checkpoint) -> None:
        check_same(kept.program, self._program(), f"the engine {self.name}")
        self.registered = [Registered(**each) for each in kept.pending["registered"]]
        self._register_all(self._engine, self.registered)
        self._engine.restore([kept.engine])
        self.producers = kept.pending["producers"]
        self.sinks = {
            each["name"]: OpenSink(**{**each, "queries": tuple(each["queries"])})
            for each in kept.pending["sinks"]
        }
        self.sources = {each["name"]: OpenSource(**each) for each in kept.pending["sources"]}
        self.answers.last = kept.output["answers"]

    @staticmethod
    def _register_all(engine: Engine, texts: Sequence[Registered]) -> None:
        for one in texts:
            names = engine.register(one.text, name=one.name, language=one.language, policy=one.policy)
            engine.unregister([name for name in names if name not in one.names])

    def _again(self, command: Command) -> None:
        with suppress(DataError):  # it was told of the first time
            self._done(command)
        self._publish()

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
            pending = {
                "journal": number,
                "background": self.background,
                "registered": [asdict(each) for each in self.registered],
                "producers": self.producers,
                "sources": [asdict(each) for each in self.sources.values()],
                "sinks": [asdict(each) for each in self.sinks.values()],
            }
            output = {"answers": self.answers.last}
            self._state.commit(Checkpoint(self._program(), [], output, pending, self._engine.snapshot()))
            self._journal.forget_before(number)
        except EtalisError as error:  # the journal has what the checkpoint would have had
            _log.error("%s: no checkpoint: %s", self.name, error)
        self._is_new = False
        self._due = time.monotonic() + pause_after(time.monotonic() - began)
