"""When checkpoints are made of a run, and of what."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final, Protocol

from etalis_py.checkpoints.folder import Checkpoint, StateFolder
from etalis_py.core.errors import UsageError
from etalis_py.engine.engine import Engine
from etalis_py.streams.positions import Track

__all__ = ["EVERY", "Keeper", "KeptOutput", "check_same", "pause_after"]

EVERY: Final = 10_000_000
"""Microseconds between two checkpoints, where nothing else is said."""
_SHARE: Final = 20
"""Where nothing else is said, checkpoints take one part in so many of the time at most."""


class KeptOutput(Protocol):
    """Where the answers of a run go, as far as its checkpoints need to know."""

    def written(self) -> dict[str, Any]:
        """How far it was written, which is brought to the disk; JSON."""

    def pending(self) -> dict[str, Any]:
        """What else decides what is written later; JSON."""


class Keeper:
    """Makes the checkpoints of one run in ``folder``.

    ``program``: see `Checkpoint`; ``every``: microseconds between two checkpoints, None: `EVERY`, and seldom
    enough to cost little.
    """

    def __init__(self, folder: StateFolder, program: dict[str, str], streams: int, every: int | None) -> None:
        kept = folder.kept
        if kept is not None:
            check_same(kept.program, program)
        self.kept = kept
        """Where the run goes on; None where it begins."""
        positions: Sequence[dict[str, Any] | None] = [None] * streams if kept is None else kept.streams
        self.tracks = [Track(each) for each in positions]
        """One for each stream."""
        self._folder = folder
        self._program = program
        self._every = every
        self._due = 0.0
        self._is_whole = True
        self._plan(0.0)

    def go_on(self, engine: Engine) -> None:
        """Bring an engine, which has its queries and nothing else, to where the run was.

        Raises:
            UsageError: EP572 to EP575, it is another program.
        """
        if self.kept is not None:
            engine.restore([self.kept.engine])

    def taking(self) -> None:
        """A batch is going to the engine: until `taken`, there can be no checkpoint."""
        self._is_whole = False

    def taken(self, engine: Engine, output: KeptOutput) -> None:
        """A batch was taken, and its answers are written; make a checkpoint if it is time."""
        for track in self.tracks:
            track.confirm()
        self._is_whole = True
        if time.monotonic() >= self._due:
            self.commit(engine, output)

    def commit(self, engine: Engine, output: KeptOutput) -> None:
        """Make a checkpoint, unless the run was cut within a batch, or within another checkpoint.

        Raises:
            RunTimeError: EP517, it cannot be written; EP303, the engine has failed.
        """
        if not self._is_whole:
            return
        began = time.monotonic()
        self._is_whole = False
        checkpoint = Checkpoint(
            self._program,
            [track.position() for track in self.tracks],
            output.written(),
            output.pending(),
            engine.snapshot(),
        )
        self._folder.commit(checkpoint)
        self._is_whole = True
        self._plan(time.monotonic() - began)

    def _plan(self, cost: float) -> None:
        """The next checkpoint, after one that took so many seconds."""
        wait = pause_after(cost) if self._every is None else self._every / 1e6
        self._due = time.monotonic() + wait


def pause_after(cost: float) -> float:
    """Seconds until the next checkpoint, where nothing else is said and one took ``cost`` seconds."""
    return max(EVERY / 1e6, _SHARE * cost)


def check_same(kept: dict[str, str], now: dict[str, str], what_is_kept: str = "the saved run") -> None:
    """Check that a saved program is the one that there is now, by what its parts are called.

    Raises:
        UsageError: EP578, something differs.
    """
    for what in {**kept, **now}:
        before, after = kept.get(what), now.get(what)
        if before == after:
            continue
        if before is None:
            change = f"{what} is new"
        elif after is None:
            change = f"{what} is gone"
        elif before.startswith("sha256:"):
            change = f"{what} has changed"
        else:
            change = f"{what} was {before} and is now {after}"
        raise UsageError(
            "EP578",
            f"{what_is_kept} cannot continue: {change}",
            hint="use the same files and options, or start again with an empty folder",
        )
