"""An engine, and what clients have told it: queries, sources, sinks and producers. A command changes them.

It knows nothing of threads and disks, but the files of background: see `host`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any, Final

from etalis_py.checkpoints.folder import Checkpoint
from etalis_py.core.times import format_time
from etalis_py.engine.engine import Engine
from etalis_py.engine.feeding import Portions
from etalis_py.engine.options import EngineOptions
from etalis_py.serve.background_files import BackgroundFiles
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
    Restart,
)
from etalis_py.serve.problems import RequestError
from etalis_py.streams import Batch
from etalis_py.streams.term_texts import TermTexts

__all__ = ["Registered", "ServedEngine"]

_MOST_PRODUCERS: Final = 1000
_MOST_TEXTS: Final = 10_000
"""Texts of one column that are known from body to body; each takes some hundred bytes."""


@dataclass(slots=True)
class Registered:
    """A text that was registered, and those of its queries that are still there."""

    text: str
    name: str
    names: list[str]
    language: Any = None
    policy: Any = None


class ServedEngine:
    """Begins with nothing, or goes on from a checkpoint.

    ``collect`` is called whenever the engine may have answers, ``note`` with the events that it took.
    """

    def __init__(
        self,
        options: EngineOptions,
        files: BackgroundFiles,
        collect: Callable[[Engine], None],
        note: Callable[[Batch], None],
        kept: Checkpoint | None = None,
    ) -> None:
        self._options = options
        self._files = files
        self._collect = collect
        self.note = note
        self.most_ahead: int | None = None
        """Microseconds that times may be ahead of the machine's clock; None: any."""
        self.registered: list[Registered] = []
        self.sinks: dict[str, OpenSink] = {}
        self.sources: dict[str, OpenSource] = {}
        self.producers: dict[str, int] = {}
        self.memories: dict[str, str] = {}
        """What sources have to know of some producers beside their numbers."""
        self._texts = TermTexts()
        self.background: str | None = None if kept is None else kept.pending["background"]
        """The file that took the place of the background it began with."""
        self.engine = self._new_engine(self.background)
        if kept is not None:
            try:
                self._go_on(kept)
            except BaseException:
                self.engine.discard()
                raise

    def _new_engine(self, background: str | None) -> Engine:
        others = {} if background is None else {"background": [str(self._files.path(background))]}
        return Engine(**self._options.keywords(**others))

    # ---- commands ---------------------------------------------------------------------------------------

    def carry_out(self, command: Command) -> Any:
        """Do it; what its client is told.

        Raises:
            EtalisError: nothing of it was done, unless the engine has failed, or (DataError) an event is
                late, and those before it were taken.
            RequestError: EP624, a time is too far ahead.
        """
        match command:
            case Feed():
                return self._feed(command)
            case Advance(to):
                self._check_time(to)
                self._take(self.engine.feed.advancing(to))
                return {"clock": self.engine.clock}
            case Register(text, name, language, policy):
                names = self.engine.register(text, name=name, language=language, policy=policy)
                self.registered.append(Registered(text, name, list(names), language, policy))
                return names
            case Remove(name):
                self.engine.unregister(name)
                for each in self.registered:
                    each.names = [other for other in each.names if other != name]
                self.registered = [each for each in self.registered if each.names]
            case Replace(file):
                self._replace_background(file)
            case Restart():
                self._begin_anew()
            case OpenSource() | CloseSource() | OpenSink() | CloseSink() | Deliver():
                self._connect(command)
        return None

    def _connect(self, command: OpenSource | CloseSource | OpenSink | CloseSink | Deliver) -> None:
        match command:
            case OpenSource(name):
                self.sources[name] = command
            case CloseSource(name):
                self.sources.pop(name, None)
            case OpenSink(name):
                self.sinks[name] = command
            case CloseSink(name):
                self.sinks.pop(name, None)
            case Deliver(name, upto):
                if name in self.sinks:
                    kept = self.sinks[name]
                    self.sinks[name] = OpenSink(kept.name, kept.url, kept.queries, upto)

    def _feed(self, command: Feed) -> dict[str, Any]:
        producer, known = command.producer or "", self.producers.get(command.producer or "")
        if command.number is not None and known is not None and command.number <= known:
            return {"taken": 0, "duplicate": True}
        if self._texts.most > _MOST_TEXTS:
            self._texts = TermTexts()
        batches = self.batches(command, self._texts)
        if command.number is not None:
            self._note_producer(producer, command.number)
        if command.memory is not None:
            self.memories[producer] = command.memory
        before = self.engine.late
        self._take(self.engine.feed.sending(batches))
        for batch in batches:
            self.note(batch)
        late = self.engine.late - before
        return {"taken": sum(map(len, batches)) - late, **({"late": late} if late else {})}

    def batches(self, command: Feed, texts: TermTexts) -> list[Batch]:
        """The events of a body; the engine is not asked. ``texts`` are those of bodies before.

        Raises:
            DataError: one cannot be read.
            RequestError: EP624, a time is too far ahead.
        """
        batches = batches_of(command, texts)
        for batch in batches:
            self._check_time(max(batch.end, default=0))
        return batches

    def _check_time(self, time_: int) -> None:
        """A time that is wrong would make everything late that is right."""
        if self.most_ahead is None or time_ <= time.time_ns() // 1000 + self.most_ahead:
            return
        message = f"the time {format_time(time_)} is too far ahead of the clock of the server's machine"
        hint = "is it in the right unit? --limit ahead=SECONDS says how far it may be"
        raise RequestError(400, "EP624", message, hint=hint)

    def _note_producer(self, name: str, number: int) -> None:
        """How far a producer has come. Of clients only the newest are known: they may choose any names."""
        is_new = self.producers.pop(name, None) is None
        self.producers[name] = number
        if is_new and name.startswith(CLIENT):
            clients = [each for each in self.producers if each.startswith(CLIENT)]
            if len(clients) > _MOST_PRODUCERS:
                del self.producers[clients[0]]

    def _take(self, portions: Portions) -> None:
        try:
            with closing(portions):
                for _ in portions:
                    self._collect(self.engine)
        finally:
            self._collect(self.engine)

    def _replace_background(self, file: str) -> None:
        """Go on with an engine that has another background; if it cannot be, with the one that there is."""
        new = self._new_engine(file)
        try:
            self._register_all(new, self.registered)
            new.restore([self.engine.snapshot()], new_background=True)
        except BaseException:
            new.discard()
            raise
        self.engine.discard()
        self.engine, self.background = new, file

    def _begin_anew(self) -> None:
        """Go on with an engine that has the same queries and background, and has seen nothing."""
        new = self._new_engine(self.background)
        try:
            self._register_all(new, self.registered)
        except BaseException:
            new.discard()
            raise
        self.engine.discard()
        self.engine = new

    # ---- checkpoints ------------------------------------------------------------------------------------

    def kept(self) -> dict[str, Any]:
        """What a checkpoint has of it beside the snapshot of its engine; JSON."""
        return {
            "background": self.background,
            "registered": [asdict(each) for each in self.registered],
            "producers": self.producers,
            "memories": self.memories,
            "sources": [asdict(each) for each in self.sources.values()],
            "sinks": [asdict(each) for each in self.sinks.values()],
        }

    def _go_on(self, kept: Checkpoint) -> None:
        pending = kept.pending
        self.registered = [Registered(**each) for each in pending["registered"]]
        self._register_all(self.engine, self.registered)
        self.engine.restore([kept.engine])
        self.producers, self.memories = pending["producers"], pending.get("memories", {})
        sinks = (OpenSink(**{**each, "queries": tuple(each["queries"])}) for each in pending["sinks"])
        self.sinks = {each.name: each for each in sinks}
        self.sources = {each["name"]: OpenSource(**each) for each in pending["sources"]}

    @staticmethod
    def _register_all(engine: Engine, texts: Sequence[Registered]) -> None:
        for one in texts:
            names = engine.register(one.text, name=one.name, language=one.language, policy=one.policy)
            engine.unregister([name for name in names if name not in one.names])
