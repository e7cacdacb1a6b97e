"""Merges streams by end time, batch by batch.

Does not sort within a stream: what to do with a late row is for the engine to say.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, zip_longest

from etalis_py.streams.batch import Batch, concat
from etalis_py.streams.positions import Track

__all__ = ["merge"]


@dataclass(slots=True)
class _Head:
    """The part of one stream that was read and not given yet."""

    stream: Iterator[Batch]
    track: Track | None = None
    batch: Batch | None = None
    # The greatest end so far at each row: a row that is late in its stream stays behind its predecessor,
    # and the engine finds it late just as if the stream came alone.
    keys: list[int] = field(default_factory=list)
    newest: int | None = None

    def __post_init__(self) -> None:
        if self.track is not None:
            self.newest = self.track.newest

    def fill(self) -> bool:
        """Read the next batch if there is none; False at the end of the stream."""
        while self.batch is None:
            batch = next(self.stream, None)
            if batch is None:
                return False
            if len(batch):
                first = batch.end[0] if self.newest is None else max(self.newest, batch.end[0])
                self.keys = list(accumulate([first, *batch.end[1:]], max))
                self.newest = self.keys[-1]
                self.batch = batch
        return True

    def take(self, cutoff: int, *, including: bool) -> tuple[Batch, list[int]]:
        """Remove the rows up to the time ``cutoff``, with or without it."""
        assert self.batch is not None
        count = (bisect_right if including else bisect_left)(self.keys, cutoff)
        taken, keys = self.batch.part(0, count), self.keys[:count]
        if count == len(self.batch):
            self.batch = None
        else:
            self.batch, self.keys = self.batch.part(count, len(self.batch)), self.keys[count:]
        if self.track is not None:
            self.track.hand_out(taken)
        return taken, keys

    def rest(self) -> Iterator[Batch]:
        """All that is left, where no other stream is."""
        if self.batch is not None:
            yield self.hand_out(self.batch)
        yield from self.stream if self.track is None else map(self.hand_out, self.stream)

    def hand_out(self, batch: Batch) -> Batch:
        """A whole batch, which is on its way now."""
        if self.track is not None:
            self.track.hand_out(batch)
        return batch


def merge(streams: Sequence[Iterator[Batch]], tracks: Sequence[Track] = ()) -> Iterator[Batch]:
    """One stream of batches, in order of end times where each stream is; ``tracks`` follow what is given.

    At equal ends the first stream comes first. An error of one stream comes after all that
    precedes it, of the others too.
    """
    heads = [_Head(stream, track) for stream, track in zip_longest(streams, tracks)]
    if len(heads) == 1:
        yield from heads[0].rest()
        return
    while True:
        heads = [head for head in heads if head.fill()]
        if not heads:
            return
        if len(heads) == 1:
            yield from heads[0].rest()
            return
        cutoff = min(head.keys[-1] for head in heads)
        # The first stream that ends there may have more of that time in its next batch; those after it wait.
        first = next(number for number, head in enumerate(heads) if head.keys[-1] == cutoff)
        parts = [head.take(cutoff, including=number <= first) for number, head in enumerate(heads)]
        together = concat([part for part, _ in parts if len(part)])
        keys = [key for _, part_keys in parts for key in part_keys]
        yield together.take(sorted(range(len(keys)), key=keys.__getitem__))
