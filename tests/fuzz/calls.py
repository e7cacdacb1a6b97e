"""Calls of an engine in any order, bad ones and interrupted ones among them.

Whatever happens, an engine then either gives all answers of a run that nothing disturbed, or says EP303.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rdflib import URIRef

from etalis_py.core.errors import DataError, EtalisError, QueryError, RunTimeError
from etalis_py.core.terms import ntriples
from etalis_py.embedding import prolog
from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from tests.oracle.backgrounds import BACKGROUNDS
from tests.oracle.checking import nameless
from tests.oracle.chooser import Chooser
from tests.oracle.examples import Advance, Example, Send, Step, make_example
from tests.oracle.running import batch_of, open_engine, tally

__all__ = ["Calls", "background_files", "take"]

BLOWS = (KeyboardInterrupt, MemoryError, RecursionError, SystemExit, TimeoutError)


class _Blow:
    """Raises something at one of the calls that come, once, before or after its work."""

    def __init__(self) -> None:
        self.due: int | None = None
        self.error: type[BaseException] = KeyboardInterrupt
        self.afterwards = False

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any) -> Any:
            due = self.due == 0
            self.due = None if self.due is None or due else self.due - 1
            if due and not self.afterwards:
                raise self.error
            found = function(*arguments)
            if due:
                raise self.error
            return found

        return called


class Calls:
    """An input is the seed of a program, its stream and what is done."""

    name = "calls"

    def make(self, random: Random) -> bytes:
        return str(random.getrandbits(64)).encode()

    def check(self, content: bytes, folder: Path) -> None:
        random = Random(content)
        example = make_example(Chooser(random.randint))
        files = background_files(folder)
        options: dict[str, Any] = {
            name: random.randrange(4) == 0 for name in ("trace", "recall", "record_changes")
        }
        options |= {"max_derivations": 1000, "share": random.randrange(4) > 0}
        try:
            with open_engine(example, files, **options) as engine:
                for step in example.steps:
                    take(engine, step)
                engine.finish()
                expected = _counted(list(engine.matches()), example)
        except QueryError:
            return
        except RunTimeError as error:
            if error.code == "EP302":
                return
            raise
        with pytest.MonkeyPatch.context() as patch:
            blow = _Blow()
            patch.setattr(prolog, "_run", blow.around(prolog._run))  # which everything passes through
            run = _Run(example, random, blow, lambda: open_engine(example, files, **options), options)
            found = run.found()
        assert found is None or _counted(found, example) == expected


class _Run:
    """One engine after another, each of which goes on from the state of the one before."""

    def __init__(
        self,
        example: Example,
        random: Random,
        blow: _Blow,
        fresh: Callable[[], Engine],
        options: dict[str, Any],
    ) -> None:
        self._example = example
        self._random = random
        self._blow = blow
        self._fresh = fresh
        self._options = options
        self._matches: list[Match] = []

    def found(self) -> list[Match] | None:
        """All answers; None where the engine said that it cannot go on."""
        self._engine = self._fresh()
        try:
            for step in self._example.steps:
                if not (self._disturb() and self._until_it_is_done(lambda: take(self._engine, step))):  # noqa: B023
                    return None
            if not self._until_it_is_done(self._engine.finish):
                return None
            self._matches += self._engine.matches()
        finally:
            self._blow.due = None
            self._engine.close()
        return self._matches

    def _until_it_is_done(self, work: Callable[[], None]) -> bool:
        """Do it, again where it was interrupted; False if the engine says that it has failed."""
        if self._random.randrange(6) == 0:
            self._blow.due = self._random.choice((0, 0, 0, 1, 2, 5))
            self._blow.afterwards = self._random.randrange(2) == 0
            self._blow.error = self._random.choice(BLOWS)
        try:
            work()
        except (*BLOWS, RunTimeError) as error:
            if isinstance(error, RunTimeError) and error.code != "EP312":  # what becomes of a MemoryError
                raise
            self._blow.due = None
            try:
                work()
            except RunTimeError as error:
                if error.code != "EP303":
                    raise
                with pytest.raises(RunTimeError, match="EP303"):
                    self._engine.advance(10**15)
                return False
        self._blow.due = None
        return True

    def _disturb(self) -> bool:
        for _ in range(self._random.choice((0, 0, 1, 2))):
            act = self._random.choice(self._acts)
            if not self._until_it_is_done(act):
                return False
        return True

    @cached_property
    def _acts(self) -> list[Callable[[], None]]:
        return [self._collect, self._move, self._ask, self._send_badly, self._register_badly, self._explain]

    # ---- what may be done at any time, and changes no answer -----------------------------------------------

    def _collect(self) -> None:
        self._matches += self._engine.matches()

    def _move(self) -> None:
        self._collect()
        state = self._engine.snapshot()
        changes = self._engine.changes() if self._options["record_changes"] else None
        other = self._fresh()
        try:
            other.restore([state, *([] if changes is None else [changes])])
        except BaseException:
            self._blow.due = None
            other.close()
            raise
        old, self._engine = self._engine, other
        old.discard()  # its last instant goes on in the other one

    def _ask(self) -> None:
        goal = self._random.choice(("member(X, [1, 2, 3])", "rdf(S, P, O)", "waiting(Q, F, B, S, E)", "fail"))
        answers = iter(self._engine.prolog(goal))
        for _ in range(self._random.randrange(3)):
            next(answers, None)

    def _send_badly(self) -> None:
        bad: tuple[dict[str, list[Any]], ...] = (
            {"start": [1], "s": ["<urn:a>"], "p": ['"p"'], "o": ["<urn:b>"]},
            {"start": [2], "end": [1], "s": ["<urn:a>"], "p": ["<urn:p>"], "o": ["<urn:b>"]},
            {"start": [1], "s": ["<urn:a>"]},
        )
        with contextlib.suppress(EtalisError):
            self._engine.send_batch(self._random.choice(bad))
            raise AssertionError("it was taken")
        with contextlib.suppress(DataError):
            self._engine.send(URIRef("urn:a"), URIRef("urn:p"), URIRef("urn:b"), 5, 4)
            raise AssertionError("it was taken")

    def _register_badly(self) -> None:
        with pytest.raises(QueryError):
            self._engine.register("SELECT * { ?x ex:p ?y }", name="bad")

    def _explain(self) -> None:
        matches = list(self._engine.matches())
        self._matches += matches
        if self._options["trace"]:
            for match in matches:
                str(self._engine.why(match))


def take(engine: Engine, step: Step) -> None:
    """Do a step of an example."""
    match step:
        case Send(occurrences=occurrences):
            if occurrences:
                engine.send_encoded(batch_of(occurrences))
        case Advance(time=time):
            engine.advance(time)


def _counted(matches: list[Match], example: Example) -> list[Counter[object]]:
    return [Counter(nameless(each)) for each in tally(matches, len(example.queries))]


def background_files(folder: Path) -> list[Path]:
    """Those of the examples."""
    files = [folder / f"background{number}.nt" for number in range(len(BACKGROUNDS))]
    for path, triples in zip(files, BACKGROUNDS, strict=True):
        path.write_text("".join(f"{' '.join(map(ntriples, each))} .\n" for each in triples))
    return files
