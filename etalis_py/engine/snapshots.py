"""The state of an engine as bytes, and back: what `Engine.snapshot`, `changes` and `restore` do.

State is whatever decides later answers: goals and points that wait, tuples of paths, groups, occurrences that
queries used up, the open instant, the clock, what counters have come to, elements that wait to be put
in order, states of rules files. The program (queries, options, background, rules files) is not in the bytes,
but its fingerprint is: state means something to the same program only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from etalis_py.core.errors import UsageError
from etalis_py.embedding import prolog
from etalis_py.engine.deliveries import Deliveries
from etalis_py.engine.feeding import Feed
from etalis_py.engine.guard import Guard
from etalis_py.engine.rule_base import RuleBase
from etalis_py.engine.state_parts import Part, chained, pack

if TYPE_CHECKING:
    from etalis_py.engine.threads import Threads

__all__ = ["Snapshots"]


@dataclass(slots=True)
class _Last:
    """The part that was made or restored last: its digest, how often queries had changed, and the state of
    the feed.
    """

    digest: str
    changed: int
    feed: dict[str, Any]


@dataclass(slots=True)
class Snapshots:
    """Takes and restores the state of the engine in ``module``, or in those of its ``threads``.

    ``renumbered`` is called when the queries got other numbers. ``options`` are those of the engine that its
    state depends on, ``background`` is a digest of its files. ``records_changes``: what changes is written
    down.
    """

    module: str
    threads: Threads | None
    guard: Guard
    feed: Feed
    rules: RuleBase
    deliveries: Deliveries
    renumbered: Callable[[], None]
    options: dict[str, Any]
    background: str | None
    records_changes: bool
    _last: _Last | None = None

    @property
    def _modules(self) -> Sequence[str]:
        return [self.module] if self.threads is None else self.threads.modules

    def take(self) -> bytes:
        """The whole state.

        Raises:
            RunTimeError: EP303, the engine has failed or is closed.
            UsageError: EP571, there are matches that nobody has taken.
        """
        with self.guard.lock:
            return self.guard.change(self._take)

    def _take(self) -> bytes:
        self._check_taken()
        self.feed.settle()
        feed = self.feed.state()
        texts = [prolog.call("etalis_snapshot", "snapshot_parts", module) for module in self._modules]
        header = {
            "program": self._program(),
            "prolog": _prolog_version(),
            "feed": feed,
            "texts": list(map(len, texts)),
        }
        data, digest = pack("snapshot", header, list(chain.from_iterable(texts)))
        self._remember(digest, feed)
        return data

    def changes(self) -> bytes | None:
        """What changed since the last of ``take``, ``changes`` and ``restore``; None for nothing.

        Raises:
            RunTimeError: EP303, the engine has failed or is closed.
            UsageError: EP571, changes were not recorded, there are matches that nobody has taken, or there is
                no snapshot of these queries that the changes could follow.
        """
        with self.guard.lock:
            return self.guard.change(self._changes)

    def _changes(self) -> bytes | None:
        self._check_taken()
        last = self._last
        if not self.records_changes:
            raise UsageError(
                "EP571", "this engine does not record changes", hint="make it with record_changes=True"
            )
        if last is None or last.changed != self.rules.changed:
            since = "" if last is None else " since queries were registered or removed"
            message = f"there is no snapshot{since} that changes could follow"
            raise UsageError("EP571", message, hint="take a snapshot first")
        self.feed.settle()
        feed = self.feed.state(last.feed)
        texts = prolog.call("etalis_changes", "changes_parts", self.module)
        if not texts and not _differs(feed, last.feed):
            return None
        data, digest = pack("changes", {"after": last.digest, "feed": feed}, texts)
        self._last = _Last(digest, last.changed, feed)
        return data

    def restore(self, parts: Iterable[bytes], *, new_background: bool) -> None:
        """Bring an engine that nothing was sent to into the state of ``parts``.

        With ``new_background`` that of another engine's background.

        Raises:
            UsageError: EP572 to EP575, these are not parts that this engine could go on from; nothing is
                changed then. EP576, the engine is not fresh.
        """
        with self.guard.lock:
            self.guard.change(self._restore, parts, new_background)

    def _restore(self, parts: Iterable[bytes], new_background: bool) -> None:
        if self.feed.clock is not None or self.feed.waits:
            raise UsageError(
                "EP576",
                "only a fresh engine can take a state: this one has already taken elements",
                hint="make a new engine, register the queries, then restore",
            )
        self.feed.settle()
        read = chained(parts)
        self._check_program(read[0], new_background)
        first, *others = read
        texts = iter(first.texts)
        counts = first.header.get("texts", [len(first.texts)])
        for module, count in zip(self._modules, counts, strict=True):
            prolog.do("etalis_snapshot", "begin_restore", module)
            self._restore_texts(module, islice(texts, count))
        for part in others:
            self._restore_texts(self.module, part.texts)
        self.feed.go_on_from([part.header["feed"] for part in read])
        self._remember(read[-1].digest, read[-1].header["feed"])

    @staticmethod
    def _restore_texts(module: str, texts: Iterable[str]) -> None:
        for text in texts:
            prolog.do("etalis_snapshot", "restore_part", module, text)

    def _remember(self, digest: str, feed: dict[str, Any]) -> None:
        self._last = _Last(digest, self.rules.changed, feed)
        if self.records_changes:
            prolog.do("etalis_changes", "begin_changes", self.module)

    def _check_taken(self) -> None:
        if self.deliveries.waiting:
            raise UsageError(
                "EP571",
                "no snapshot is possible while matches wait: they would be lost, or given twice",
                hint="take them with matches() first",
            )
        self.rules.complete()

    # ---- whether it is the same program -----------------------------------------------------------------

    def _program(self) -> dict[str, Any]:
        renamed = self.rules.renamed
        return {
            "queries": self.rules.fingerprints,
            **({"renamed": renamed} if renamed else {}),
            "background": self.background,
            "options": {**self.options, "threads": 1 if self.threads is None else self.threads.planned},
        }

    def _check_program(self, part: Part, new_background: bool) -> None:
        version = _prolog_version()
        if part.header["prolog"] != version:
            raise UsageError(
                "EP573",
                f"the state was written by SWI-Prolog {part.header['prolog']}, but this is {version}",
                hint="use the version that wrote it, or start again",
            )
        theirs = part.header["program"]
        portions = [[name for name, _ in portion] for portion in theirs["queries"]]
        renamed = theirs.get("renamed", {})
        if (len(portions) > 1 and not self.rules.fingerprints) or renamed:
            self.rules.complete_in(portions, renamed)
            self.renumbered()
        self.rules.complete()
        own = self._program()
        if new_background:
            theirs = {**theirs, "background": own["background"]}
        difference = _difference(theirs, own)
        if difference is not None:
            raise UsageError(
                "EP574",
                f"the state is of another program: {difference}",
                hint="use the same files and options, and register the same queries in the same order",
            )


def _differs(feed: dict[str, Any], before: dict[str, Any]) -> bool:
    """Whether something came, or was given; rows that wait go only when others come or the clock moves."""
    known, other = ({**each, **(each["reorder"] or {})} for each in (feed, before))
    return any(known.get(key) != other.get(key) for key in ("clock", "late", "newest", "arrived"))


def _difference(theirs: dict[str, Any], own: dict[str, Any]) -> str | None:
    """What differs between two programs, in words; None where nothing does."""
    for option, value in own["options"].items():
        other = theirs["options"].get(option, 1 if option == "threads" else None)
        if other != value:
            return f"{option} was {other!r} and is now {value!r}"
    if theirs["background"] != own["background"]:
        return "its background or its rules files have changed"
    if theirs["queries"] == own["queries"]:
        return None
    queries, others = ([pair for batch in all_of["queries"] for pair in batch] for all_of in (own, theirs))
    if [name for name, _ in queries] != [name for name, _ in others]:
        names = (", ".join(name for name, _ in each) or "none" for each in (others, queries))
        return "its queries were {} and are now {}".format(*names)
    for (name, digest), (_, other) in zip(queries, others, strict=True):
        if digest != other:
            return f"the query {name!r} compiles to other rules"
    return "its queries were registered at other moments"


def _prolog_version() -> str:
    number = int(prolog.call("system", "current_prolog_flag", "version"))
    return f"{number // 10_000}.{number // 100 % 100}.{number % 100}"
