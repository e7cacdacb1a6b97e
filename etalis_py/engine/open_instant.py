"""The open instant of an engine whose events come one by one: Prolog is called when it is closed.

An event waits until its instant is closed. So nothing has to cross to Prolog when it comes, and what the
instant has is fired in one call, without a walk through columns. Where rules run without Prolog, native code
closes it (`DirectInstant`). Whoever else looks into the engine, or feeds it a batch, hands the instant back
to Prolog first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import DEFAULT_STREAM
from etalis_py.embedding import prolog
from etalis_py.engine.direct_instant import DirectInstant, Few, Many
from etalis_py.engine.open_places import OpenPlaces, place_of
from etalis_py.engine.rule_base import RuleBase
from etalis_py.streams.table import OneTime, Triple

__all__ = ["OpenInstant", "Terms"]

Terms: TypeAlias = "tuple[int, int, int] | tuple[Encoded, Encoded, Encoded]"
"""Those of a triple, by their numbers (`KnownTerms`) or encoded."""


class OpenInstant:
    """That of the engine in ``module`` with ``rules``; at first it is in Prolog.

    ``clock`` is the end of the open instant while it is here, None before the first element. Its rows are in
    ``direct`` while it is here, if rules run without Prolog. ``places`` keeps where they are
    from where Prolog need not know.
    """

    def __init__(self, module: str, rules: RuleBase, places: OpenPlaces) -> None:
        self.clock: int | None = None
        self.direct: DirectInstant | None = None
        self._last_direct: DirectInstant | None = None
        self._module = module
        self._rules = rules
        self._places = places
        self._is_here = False
        self._rows: list[tuple[Any, ...]] = []
        self._prolog_has_some = 0
        self._is_large = False
        self._stays_out = False
        self._rules_known = -1

    def take(self) -> bool:
        """Have it here, with all rules loaded; False, if it has to stay in Prolog.

        That is where instants may be due at which nothing happens, and where one had so many answers that
        they had better leave in portions.
        """
        if self._rules_known != self._rules.changed:
            self.hand_back()
            self._rules.complete()
            if self._rules.asks_places:
                self._places.tell()
            self._rules_known, self._stays_out = self._rules.changed, False
        if self._is_here and not self._is_large:
            return True
        if self._is_large or self._stays_out:
            self.hand_back()
            return False
        state = prolog.call("etalis_feed", "take_instant", self._module)
        if not state:
            self._stays_out = True
            return False
        self.clock, self._prolog_has_some, machine, known = state
        if not machine:
            self._last_direct = None
        elif self._last_direct is None or not self._last_direct.is_of(machine, known):
            self._last_direct = DirectInstant(self._module, machine)
        self.direct = self._last_direct
        self._is_here = True
        return True

    def is_direct(self, time: int) -> bool:
        """Whether an event of this time is not late, and goes to `direct`."""
        direct, clock = self.direct, self.clock
        return (
            direct is not None
            and clock is not None
            and self._rules_known == self._rules.changed
            and clock <= time
            and direct.takes(time)
        )

    def known(self, triple: Triple) -> tuple[int, int, int] | None:
        """The numbers of the terms of a triple, if all of them have one."""
        assert self.direct is not None
        return self.direct.known.found(*triple)

    @property
    def has_occurrences(self) -> bool:
        """Whether something has happened at it."""
        direct = self.direct
        return bool((direct is not None and direct.rows) or self._rows or self._prolog_has_some)

    def add_point(self, terms: Terms) -> None:
        """An event at the clock that `is_direct`, in the default stream."""
        direct, clock = self.direct, self.clock
        assert direct is not None
        assert clock is not None
        place = (DEFAULT_STREAM, "") if self._rules.asks_places else ()
        if isinstance(terms[0], int):
            direct.add(terms, clock, *place)
        else:
            direct.add_encoded(terms, clock, *place)

    def add(self, element: OneTime) -> None:
        """Occurrences that end at the clock."""
        start = element.start
        places: tuple[Encoded, ...] = ()
        if self._rules.asks_places or element.stream is not None or element.graph is not None:
            places = place_of(element.stream, element.graph)
        if self.direct is not None and self.direct.takes(start):
            for triple in element.triples:
                self.direct.add_encoded(triple, start, *places)
        else:
            self._rows += [(s, p, o, start, *places) for s, p, o in element.triples]

    def close(self, most: int) -> Few | Many:
        """Close the instant. Where there are more than ``most`` answers, others may come before these
        (`portions`).
        """
        direct, clock = self.direct, self.clock
        assert clock is not None
        if direct is not None and not self._rows and not self._prolog_has_some and direct.takes(clock):
            closed = direct.close(clock, most)
            self._is_large = isinstance(closed, Many) and closed.is_cut
            return closed
        has_some, self._prolog_has_some = self._prolog_has_some, 0
        inputs = self._module, clock, has_some, self._for_prolog(self._taken()), most
        answers, problem, is_cut = prolog.call("etalis_feed", "close_instant", *inputs)
        self._is_large = bool(is_cut)
        return Many(prolog.answers_taken(answers), problem, self._is_large)

    def _taken(self) -> list[tuple[Any, ...]]:
        rows, self._rows = self._rows, []
        return rows if self.direct is None else [*rows, *self.direct.taken()]

    def _for_prolog(self, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Rows with their places, if rules ask for these."""
        return rows if self._rules.asks_places else [row[:4] for row in rows]

    def portions(self) -> Iterator[Sequence[Sequence[Any]]]:
        """The answers that come before those that `close` gave."""
        while (answers := prolog.call("etalis_feed", "kept_portion", self._module)) is not None:
            yield prolog.answers_taken(answers)

    def hand_back(self) -> None:
        """Prolog has it again."""
        if not self._is_here:
            return
        if self.clock is not None:
            rows = self._taken()
            if not self._rules.asks_places:
                self._places.note_rows(rows, self.clock)
            inputs = self._module, self.clock, self._for_prolog(rows)
            prolog.do("etalis_feed", "hand_back_instant", *inputs)
        self._is_here = False
        self.direct = None
