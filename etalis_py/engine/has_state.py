"""What an engine offers that has a state: to give it as bytes, and to go on from such bytes.

Nothing is imported for it before it is asked for: most engines never are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from etalis_py.engine.snapshots import Snapshots

__all__ = ["HasState"]


class HasState(ABC):
    """The part of `etalis_py.Engine` that is about its state as a whole (docs/snapshots.md)."""

    _kept_snapshots: Snapshots | None = None

    @abstractmethod
    def _new_snapshots(self) -> Snapshots:
        """What takes and restores the state."""

    def snapshot(self) -> bytes:
        """The state of the engine: with it another one, with the same queries, goes on from here.

        Anywhere between two calls, also within an instant. Matches that were found are not part of it: take
        them first.

        Raises:
            RunTimeError: EP303, the engine has failed or is closed.
            UsageError: EP571, matches wait.
        """
        return self._snapshots().take()

    def changes(self) -> bytes | None:
        """What changed since the last snapshot, the last changes or the last restore; None for nothing.

        Its size and its cost follow what changed, not the state.

        Raises:
            RunTimeError: EP303, the engine has failed or is closed.
            UsageError: EP571, the engine was not made with ``record_changes``, matches wait, or there is no
                snapshot that the changes could follow.
        """
        return self._snapshots().changes()

    def restore(self, parts: Iterable[bytes], *, new_background: bool = False) -> None:
        """Go on from a snapshot and the changes after it, in an engine with the same queries.

        The engine has taken nothing yet. The bytes come from a place that is trusted: their checksum tells
        damage, not forgery. With ``new_background`` the engine may have another background, as long as the
        queries compile to the same rules: what waits then goes on with that.

        Raises:
            UsageError: EP572 to EP576, these are not parts of a state, or not of one that this engine can go
                on from; nothing is changed then.
        """
        self._snapshots().restore(parts, new_background=new_background)

    def _snapshots(self) -> Snapshots:
        if self._kept_snapshots is None:
            self._kept_snapshots = self._new_snapshots()
        return self._kept_snapshots
