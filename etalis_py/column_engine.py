"""An engine whose answers are taken column by column."""

from __future__ import annotations

from etalis_py.answer_columns import Answers, ColumnDeliveries
from etalis_py.deliveries import Deliveries
from etalis_py.engine import Engine

__all__ = ["ColumnEngine"]


class ColumnEngine(Engine):
    """As `Engine`; ``answers`` is the way to take all that was found without making matches of it.

    >>> with ColumnEngine() as engine:
    ...     _ = engine.register("SELECT ?x { ?x <urn:is> ?y }")
    ...     engine.send_batch({"start": [5], "s": ["<urn:a>"], "p": ["<urn:is>"], "o": ["<urn:b>"]})
    ...     engine.finish()
    ...     found = engine.answers()
    >>> found.ends, found.values
    ([5], ['urn:a'])
    """

    def _new_deliveries(self) -> Deliveries:
        self._found = ColumnDeliveries()
        return self._found

    def answers(self) -> Answers:
        """Take the answers found so far; each is given once, here or by ``matches``."""
        return self._found.take_columns()
