"""Which rows some rule can hear: the others are left out before Prolog, and time passes all the same.

A query listens to predicates, to classes and to streams (``rules/engine/listening.pl``). Of a batch in the
order of its ends the rows that nobody listens to are left out, but for those of its last instant: that one
stays open, and a query that is added while it is open would see them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import compress, repeat
from operator import gt

from etalis_py.core.coded import Coded
from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import DEFAULT_STREAM
from etalis_py.embedding import prolog
from etalis_py.engine.rule_base import RuleBase
from etalis_py.streams.batch import Batch
from etalis_py.streams.heard import Heard, Hearing

__all__ = ["Listening"]

MOST_KNOWN = 100_000
"""Predicates, and classes, of which it is remembered whether they are heard."""
ENOUGH = 200
"""So many rows of a batch tell whether it pays to look at all of them."""


class Listening(Hearing):
    """That of the engine in ``module``, whose ``rules`` are loaded."""

    def __init__(self, module: str, rules: RuleBase) -> None:
        self._module = module
        self._rules = rules
        self._added = -1
        self._hears_anything = True
        self._predicates: dict[Encoded, Heard] = {}
        self._objects: dict[Encoded, dict[Encoded, bool]] = {}

    def look(self) -> None:
        """See what rules there are; they are loaded."""
        if self._added != self._rules.changed:
            self._hears_anything = prolog.holds("etalis_listening", "hears_anything", self._module)
            self._predicates.clear()
            self._objects.clear()
            self._added = self._rules.changed
            self._pause = self._left = 0

    @property
    def hears_anything(self) -> bool:
        """Whether each row may matter, as far as is known: also where rules were added since `look`."""
        return self._hears_anything or self._added != self._rules.changed

    def predicates(self, values: Sequence[Encoded]) -> list[Heard]:
        """Of each predicate which rows with it are heard."""
        known = self._predicates
        new = [each for each in dict.fromkeys(values) if each not in known]
        if len(known) + len(new) > MOST_KNOWN:
            known.clear()
            new = list(dict.fromkeys(values))
        if new:
            found = prolog.call("etalis_listening", "hearing", self._module, new)
            known.update(
                (p, Heard(how, frozenset(streams))) for p, (how, streams) in zip(new, found, strict=True)
            )
        return list(map(known.__getitem__, values))

    def objects(self, predicate: Encoded, values: Sequence[Encoded]) -> list[bool]:
        """Of each object whether rows with it and ``predicate`` are heard, where that depends on it."""
        known = self._objects.setdefault(predicate, {})
        heard = list(map(known.get, values))
        if None in heard:
            new = list(dict.fromkeys(compress(values, (each is None for each in heard))))
            if len(known) + len(new) > MOST_KNOWN:
                known.clear()
                new = list(dict.fromkeys(values))
            found = prolog.call("etalis_listening", "hears_objects", self._module, predicate, new)
            known.update(zip(new, map(bool, found), strict=True))
            heard = list(map(known.get, values))
        return list(map(bool, heard))

    def heard_of(self, batch: Batch) -> Batch:
        """The rows of a batch that the engine needs to take; all of them, where one is out of order."""
        if self.has_looked:
            self.has_looked = False
            return batch
        if not len(batch) or not self.looks():
            return batch
        p = Coded.by_identity(batch.p)
        batch = replace(batch, p=p)
        heard = self.predicates(p.values)
        ends = batch.end
        if all(each.always for each in heard):
            return batch
        first = 0 if self.clock is None else bisect_right(ends, self.clock)
        last = bisect_left(ends, ends[-1])
        if first >= last:
            return batch
        rows = range(first, last)
        some = rows[:: 1 + len(rows) // ENOUGH]
        if len(some) < len(rows) and not self.found(sum(self._needed(batch, p, heard, some)), len(some)):
            return batch
        if any(map(gt, ends, ends[1:])):
            return batch
        needed = compress(rows, self._needed(batch, p, heard, rows))
        kept = [*range(first), *needed, *range(last, len(ends))]
        return batch.take(kept) if self.found(len(kept), len(ends)) else batch

    def _needed(
        self, batch: Batch, p: Coded[Encoded], heard: list[Heard], rows: Sequence[int]
    ) -> Sequence[bool]:
        """Of each of these rows whether it is; ``heard`` says it of each of the predicates."""
        codes = list(map(p.codes.__getitem__, rows))
        always = [each.always for each in heard]
        needed = list(map(always.__getitem__, codes))
        if any(each.streams for each in heard):
            streams = [each.streams for each in heard]
            names = repeat(None) if batch.stream is None else map(batch.stream.__getitem__, rows)
            needed = [
                each or (DEFAULT_STREAM if stream is None else stream) in streams[code]
                for each, stream, code in zip(needed, names, codes, strict=False)
            ]
        o = Coded.by_identity(batch.o) if any(each.by_object for each in heard) else None
        for code, how in enumerate(heard):
            if o is None or not how.by_object:
                continue
            own = [at for at, each in enumerate(codes) if each == code and not needed[at]]
            objects = [o.codes[rows[at]] for at in own]
            different = set(objects)
            found = self.objects(p.values[code], o.values_at(different))
            is_heard = dict(zip(different, found, strict=True))
            for at, each in zip(own, objects, strict=True):
                needed[at] = is_heard[each]
        return needed
