"""An engine for one question in SPARQL about what another engine knows, which is loaded only once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from etalis_py.compiler.parse.syntax import DatasetClause, IriRef
from etalis_py.compiler.spans import Span
from etalis_py.engine.background import tell_states
from etalis_py.engine.column_engine import ColumnEngine
from etalis_py.engine.engine import Engine
from etalis_py.ontologies.background import Background

if TYPE_CHECKING:
    from etalis_py.engine.option_values import Entailment

__all__ = ["QuestionEngine"]


@dataclass(frozen=True, slots=True)
class _Borrowed(Background):
    """That of another engine: it stays, and so do its states."""

    def close(self) -> None:
        """The other engine has it."""


class QuestionEngine(ColumnEngine):
    """Knows the background of ``asked``, what it entails, and the states that have begun; no events.

    ``options`` are those of `Engine` that differ from those of ``asked``. The IRIs of graphs that are given
    stand in the place of FROM and FROM NAMED (SPARQL 1.1 Protocol, section 2.1.4). It is used and closed
    before anything else happens to ``asked``.

    >>> with Engine() as asked, QuestionEngine(asked) as engine:
    ...     _ = engine.register("SELECT (1 + 1 AS ?two) {}")
    ...     engine.finish()
    ...     engine.answers().values
    [2]
    """

    def __init__(
        self, asked: Engine, *, graphs: Sequence[str] = (), named: Sequence[str] = (), **options: Any
    ) -> None:
        asked.settle()
        known = asked.background
        self._dataset = tuple(
            DatasetClause(IriRef(iri, span=_NOWHERE), named=is_named, span=_NOWHERE)
            for iris, is_named in ((graphs, False), (named, True))
            for iri in iris
        )

        def borrow(_module: str, _entailment: Entailment) -> Background:
            assert known is not None, "it is only called where there is one"
            return _Borrowed(known.module, known.triple_count, (), known.digest, known._prolog)  # noqa: SLF001

        alone = {"at": 0, "trace": False, "recall": False, "threads": 1, "on_late": "error"}
        super().__init__(None if known is None else borrow, **asked.options.keywords(**alone, **options))
        tell_states(self.module, known)

    def _given_dataset(self) -> Sequence[DatasetClause]:
        return self._dataset


_NOWHERE = Span(0, 0)
