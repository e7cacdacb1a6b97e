"""An engine whose answers are taken column by column, and that tells how many goals wait."""

from __future__ import annotations

from etalis_py import prolog
from etalis_py.answer_columns import Answers, ColumnDeliveries
from etalis_py.deliveries import Deliveries
from etalis_py.engine import Engine
from etalis_py.goal_stores import goal_stores

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

    def goals(self) -> dict[str, int]:
        """By query, how many matches of a part of it wait for the rest; what is shared counts for each."""
        shared = self._rules.taken_from, self._rules.goals_from
        stores: dict[str, set[tuple[str, int]]] = {name: set() for name in self._queries}
        for query in self._rules.told:
            found = ((each.predicate, len(each.columns)) for each in goal_stores(query, *shared))
            stores.setdefault(query.name, set()).update(found)
        flat = [list(predicate) for each in stores.values() for predicate in sorted(each)]
        counts = iter(prolog.call("etalis_question_views", "goals_alive", self._module, flat))
        return {name: sum(next(counts) for _ in each) for name, each in stores.items()}
