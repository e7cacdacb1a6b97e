"""An engine that takes its input in portions, and that tells how many goals wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from etalis_py.embedding import prolog
from etalis_py.engine.answer_columns import Answers
from etalis_py.engine.engine import Engine
from etalis_py.engine.feeding import Portions

if TYPE_CHECKING:
    from etalis_py.compiler.compile import CompiledQuery
    from etalis_py.engine.option_values import Entailment
    from etalis_py.engine.options import EngineOptions
    from etalis_py.ontologies.background import Background

__all__ = ["BackgroundLoader", "ColumnEngine"]

BackgroundLoader: TypeAlias = "Callable[[str, Entailment], Background]"
"""From the name of a module that may be made, and the entailment, to a background that is loaded."""


class ColumnEngine(Engine):
    """As `Engine`; with ``load`` it is this that loads the background, whatever files are named.

    >>> with ColumnEngine() as engine:
    ...     _ = engine.register("SELECT ?x { ?x <urn:is> ?y }")
    ...     engine.send_batch({"start": [5], "s": ["<urn:a>"], "p": ["<urn:is>"], "o": ["<urn:b>"]})
    ...     engine.finish()
    ...     found = engine.answers()
    >>> found.ends, found.values
    ([5], ['urn:a'])
    """

    def __init__(self, load: BackgroundLoader | None = None, **options: Any) -> None:
        self._load = load
        super().__init__(**options)

    def _load_background(self, options: EngineOptions) -> Background | None:
        if self._load is None:
            return super()._load_background(options)
        background = self._load(f"{self._module}_background", options.entailment)
        prolog.do("etalis_engine", "use_background", self._module, background.module, options.entailment)
        return background

    def _warn_of(self, compiled: Sequence[CompiledQuery]) -> None:
        """Say nothing: it works for a driver, who has."""

    @property
    def module(self) -> str:
        """The module in Prolog that it lives in."""
        return self._module

    def complete(self) -> None:
        """Load the queries that were added; what comes later shares nothing with them."""
        with self._guard.lock:
            self._guard.change(self._rules.complete)

    def answers_in_parts(self) -> list[Answers]:
        """As ``answers``, in the parts in which they came, none of which is empty."""
        with self._guard.lock:
            return self._deliveries.take_columns()

    @property
    def next_deadline(self) -> int | None:
        """The first deadline of an absence that is open (microseconds, UTC)."""
        return self._feed.next_deadline

    def advancing(self, time: int) -> Portions:
        """As ``advance``, in portions."""
        return self._feed.advancing(time)

    def finishing(self) -> Portions:
        """As ``finish``, in portions."""
        return self._feed.finishing()

    def giving_certain(self) -> Portions:
        """As ``give_certain``, in portions."""
        return self._feed.giving_certain()

    def goals(self) -> dict[str, int]:
        """By query, how many matches of a part of it wait for the rest; what is shared counts for each."""
        goals = {
            name: [each.count for each in found if not each.is_group] for name, found in self.kept().items()
        }
        return {name: sum(counts) for name, counts in goals.items()}
