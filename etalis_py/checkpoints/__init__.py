"""Runs that are kept in a folder, so that another process goes on with them after a kill.

In comes a run: an engine, the tracks of its streams, an output that tells how far it was written. Out goes,
in one atomic step, a checkpoint of all three together. Does not read arguments, streams or queries, and
decides no answer: `Keeper` is called when a batch was taken.
"""

from __future__ import annotations

from etalis_py.checkpoints.folder import Checkpoint, StateFolder, open_folder
from etalis_py.checkpoints.keeper import Keeper

__all__ = ["Checkpoint", "Keeper", "StateFolder", "open_folder"]
