"""A session: one engine, and all that was done to it, so that it can be done again.

Background and rules belong to an engine from its beginning. So to load a file, or to drop a query, makes a
new engine that gets everything once more; answers are not given twice.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from etalis_py.cli.interrupts import Interrupts
from etalis_py.cli.query_files import QueryFile
from etalis_py.compiler.algebra.policies import PolicyName
from etalis_py.core.errors import DataError, EtalisError, UsageError
from etalis_py.core.times import TimeUnit
from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from etalis_py.engine.options import EngineOptions
from etalis_py.engine.questions import Question
from etalis_py.no_answers.finding import find_out
from etalis_py.no_answers.report import NoAnswers
from etalis_py.shell.actions import (
    Action,
    AddQuery,
    Advance,
    LoadFile,
    RemoveQuery,
    Send,
    SendFile,
    SetPolicy,
    SetPrefix,
)
from etalis_py.shell.names import Names
from etalis_py.shell.problems import told_as_typed, with_prefixes
from etalis_py.streams import Batch, StreamFile, open_stream
from etalis_py.why import Why

if TYPE_CHECKING:
    from etalis_py.streams.mapping.yarrrml import StreamMap

__all__ = ["MOST_ANSWERS", "Session"]

MOST_ANSWERS: Final = 10_000
"""So many of the newest answers keep their number."""


class Session:
    """Does what statements say. ``show`` is to be set: it is handed each new answer with its number.

    ``options`` are those of the engine. ``sandbox``: questions are put with ``sandbox=True``. ``time_unit``
    is that of times of streams that are numbers.
    """

    def __init__(
        self,
        options: EngineOptions,
        *,
        sandbox: bool = False,
        time_unit: TimeUnit | None = None,
        mapping: StreamMap | None = None,
    ) -> None:
        self._options = options
        self._time_unit = time_unit
        self._mapping = mapping
        self.show: Callable[[int, Match], object] = lambda _number, _match: None
        self.sandbox = sandbox
        self.policy: PolicyName = options.policy
        self.names = Names()
        self.actions: list[Action] = []
        self._files: list[str] = []
        self._given: Counter[Match] = Counter()
        self._numbers = itertools.count(1)
        self.answers: dict[int, Match] = {}
        self.engine = self._new_engine([])
        self._learn_background()

    # ---- queries ----------------------------------------------------------------------------------------

    def add_query(self, text: str, name: str | None = None, file: QueryFile | None = None) -> list[str]:
        """Register the queries of a text; they see what comes from now on. Returns their names."""
        prefixes = "" if file is not None else self.names.declared_for(text)
        action = AddQuery(text, () if name is None else (name,), self.policy, file, prefixes)
        names = _register(self.engine, action)
        self.names.learn_text(text)
        self.actions.append(replace(action, names=tuple(names)))
        return names

    def drop_query(self, name: str) -> None:
        """Forget a query, and those that were registered with it: as if they had never been there."""
        if name not in self.query_names():
            raise self._unknown(name)
        place, added = next(
            (place, each)
            for place, each in reversed(list(enumerate(self.actions)))
            if isinstance(each, AddQuery) and name in each.names
        )
        kept = [
            each
            for each in self.actions[place + 1 :]
            if not (isinstance(each, RemoveQuery) and each.name in added.names)
        ]
        self._begin_anew([*self.actions[:place], *kept])

    def remove_query(self, name: str) -> None:
        """Remove a query from the engine as it runs: what it brought about stays.

        Raises:
            UsageError: EP505, there is no such query.
        """
        if name not in self.query_names():
            raise self._unknown(name)
        self.engine.unregister(name)
        self.actions.append(RemoveQuery(name))

    def _unknown(self, name: str) -> UsageError:
        return UsageError("EP505", f"there is no query named {name!r}", hint=self.query_hint())

    def query_hint(self) -> str:
        """What queries there are."""
        names = self.query_names()
        return f"there are {', '.join(names)}" if names else "none is registered yet"

    def query_names(self) -> list[str]:
        """The names of all queries, in the order in which they came."""
        names: list[str] = []
        for each in self.actions:
            if isinstance(each, AddQuery):
                names += each.names
            elif isinstance(each, RemoveQuery):
                names.remove(each.name)
        return names

    # ---- the stream -------------------------------------------------------------------------------------

    def send(self, batch: Batch) -> None:
        """Send one occurrence."""
        self.engine.send_encoded(batch)
        self.actions.append(Send(batch))
        self.names.learn_batch(batch)
        self.give_answers()

    def stream(self, file: StreamFile, wait: Callable[[int], None] | None = None) -> int:
        """Send the events of a file; their number. ``wait`` is called with the end of each before it is sent.

        Ctrl-C and bad data stop between two batches: what was sent stays sent.
        """
        taken = 0
        try:
            with Interrupts() as interrupts:
                for batch in self._open(file):
                    for part in (batch,) if wait is None else _instants(batch):
                        if wait is not None:
                            wait(part.end[0])
                        with interrupts.held():
                            taken += len(part)
                            self.engine.send_encoded(part)
                            self.names.learn_batch(part)
                            self.give_answers()
        finally:
            if taken:
                self.actions.append(SendFile(file, taken))
            self.give_answers()
        return taken

    def _open(self, file: StreamFile) -> Iterator[Batch]:
        return open_stream(
            file.path, time_unit=self._time_unit, stream=file.stream, mapping=file.mapping or self._mapping
        )

    def advance(self, time: int) -> None:
        """Close the instants before ``time``."""
        self.engine.advance(time)
        self.actions.append(Advance(time))
        self.give_answers()

    def finish(self) -> None:
        """The session ends: close the last instant."""
        if self.engine.clock is not None:
            self.engine.finish()
        self.give_answers()

    # ---- answers ----------------------------------------------------------------------------------------

    def give_answers(self) -> None:
        """Show the answers that are new."""
        for match in self.engine.matches():
            self._give(match)

    def _give(self, match: Match) -> None:
        number = next(self._numbers)
        self._given[match] += 1
        self.answers[number] = match
        self.answers.pop(number - MOST_ANSWERS, None)
        self.show(number, match)

    @property
    def taken(self) -> int:
        """How many events were sent."""
        sent = [each for each in self.actions if isinstance(each, (Send, SendFile))]
        return sum(each.count if isinstance(each, SendFile) else len(each.batch) for each in sent)

    def count_answers(self) -> Counter[str]:
        """How many answers each query has given."""
        counts: Counter[str] = Counter()
        for match, count in self._given.items():
            counts[match.query] += count
        return counts

    def why(self, number: int) -> Why:
        """What the answer with a number is made of.

        Raises:
            UsageError: EP505, there is no such answer; EP561, nothing is known of it any more.
        """
        if number not in self.answers:
            hint = "each answer is shown with its number" if self.answers else "there is no answer yet"
            raise UsageError("EP505", f"there is no answer [{number}]", hint=hint)
        return self.engine.why(self.answers[number])

    def why_nothing(self, name: str) -> NoAnswers:
        """Why a query has no answers, tried on the events of the session.

        Raises:
            UsageError: EP505, it has some.
        """
        if any(each.query == name for each in self._given):
            raise UsageError("EP505", f"{name} has answers", hint=":why N, with N as in [1], explains one")
        queries = [self.engine.query(each) for each in self.query_names()]
        with self.new_engine(recall=False, trace=False) as trial:
            [found] = find_out(trial, queries, [name], self._events())
        return found

    def _events(self) -> Iterator[Batch]:
        """What was sent, once more."""
        for action in self.actions:
            match action:
                case Send(batch):
                    yield batch
                case SendFile(file, count):
                    with suppress(DataError):
                        yield from _first(self._open(file), count)
                case _:
                    pass

    def ask(self, goal: str, **options: Any) -> Question:
        """Put a Prolog question, its values as Prolog writes them."""
        prefixes = {name: iri for name, iri in self.names.prefixes.items() if name}
        return self.engine.prolog(
            goal, written=True, prefixes=prefixes, **{"sandbox": self.sandbox, **options}
        )

    # ---- files and settings -----------------------------------------------------------------------------

    def load(self, path: str) -> None:
        """Load background or rules."""
        files = self._files
        self._files = [*files, path]
        try:
            self._begin_anew(self.actions)
        except EtalisError:
            self._files = files
            raise
        loads = sum(isinstance(each, LoadFile) for each in self.actions)
        self.actions.insert(loads, LoadFile(path))
        self.names.learn_file(path)
        self._learn_background()

    def set_policy(self, policy: PolicyName) -> None:
        """Choose the policy of the queries that come."""
        self.policy = policy
        self.actions.append(SetPolicy(policy))

    def set_prefix(self, prefix: str, namespace: str) -> None:
        """Declare a prefix for queries, questions and terms."""
        self.names.declare(prefix, namespace)
        self.actions.append(SetPrefix(prefix, namespace))

    def restart(self) -> None:
        """Start again with the same files, queries and settings, and no stream."""
        self._given.clear()
        kept = [each for each in self.actions if not isinstance(each, (Send, SendFile, Advance))]
        self._begin_anew(kept)

    def replay(self) -> None:
        """Run the stream of the session once more, so that all queries see all of it."""
        queries = [each for each in self.actions if not isinstance(each, (Send, SendFile, Advance))]
        events = [each for each in self.actions if isinstance(each, (Send, SendFile, Advance))]
        self._begin_anew([*queries, *events])

    # ---- engines ----------------------------------------------------------------------------------------

    def new_engine(self, **options: Any) -> Engine:
        """An engine with the background and the rules of the session."""
        return self._new_engine(self._files, **options)

    def _new_engine(self, files: list[str], **options: Any) -> Engine:
        rules = [each for each in files if each.endswith((".pl", ".prolog"))]
        background = [each for each in files if each not in rules]
        wanted = {
            "recall": True,
            "trace": True,
            "background": [*self._options.background, *background],
            "rules": [*self._options.rules, *rules],
        }
        return Engine(**self._options.keywords(**{**wanted, **options}))

    def _begin_anew(self, actions: Sequence[Action]) -> None:
        engine = self._new_engine(self._files)
        try:
            for action in actions:
                self._do_again(engine, action)
            matches = list(engine.matches())
        except BaseException:
            engine.discard()
            raise
        old, self.engine, self.actions = self.engine, engine, list(actions)
        old.discard()
        numbers: dict[Match, list[int]] = {}
        for number, match in reversed(self.answers.items()):
            numbers.setdefault(match, []).append(number)
        given = Counter(self._given)
        for match in matches:
            if given[match] <= 0:
                self._give(match)
                continue
            given[match] -= 1
            if numbers.get(match):  # the new engine knows why its own was given
                self.answers[numbers[match].pop()] = match

    def _do_again(self, engine: Engine, action: Action) -> None:
        match action:
            case AddQuery():
                _register(engine, action)
            case RemoveQuery(name):
                engine.unregister(name)
            case Send(batch):
                engine.send_encoded(batch)
            case Advance(time):
                engine.advance(time)
            case SendFile(file, count):
                with suppress(DataError):  # it was reported the first time
                    for batch in _first(self._open(file), count):
                        engine.send_encoded(batch)
            case LoadFile() | SetPolicy() | SetPrefix():
                pass

    def _learn_background(self) -> None:
        for path in (*self._options.background, *self._options.rules):
            self.names.learn_file(path)
        for answer in itertools.islice(self.engine.prolog("rdf_asserted(S, P, O)"), 5000):
            self.names.learn_terms(str(each) for each in answer.values() if type(each).__name__ == "URIRef")

    def close(self) -> None:
        """Give back the engine."""
        self.engine.discard()


def _register(engine: Engine, action: AddQuery) -> list[str]:
    file = action.file
    name = action.names[0] if action.names else None
    if file is not None:
        return engine.register(
            file.text, name=name or file.name, source=file.path, base=file.base, policy=action.policy
        )
    with told_as_typed(action.prefixes, action.text):
        return engine.register(with_prefixes(action.prefixes, action.text), name=name, policy=action.policy)


def _first(batches: Iterator[Batch], count: int) -> Iterator[Batch]:
    """As many events as that."""
    for batch in batches:
        yield batch.part(0, count)
        count -= len(batch)
        if count <= 0:
            return


def _instants(batch: Batch) -> Iterator[Batch]:
    first = 0
    for place in range(1, len(batch) + 1):
        if place == len(batch) or batch.end[place] != batch.end[first]:
            yield batch.part(first, place)
            first = place
