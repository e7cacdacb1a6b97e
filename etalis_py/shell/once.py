"""``:run``: a query that is asked once, as plain SPARQL, of background and recent events together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from etalis_py.shell.problems import told_as_typed, with_prefixes
from etalis_py.streams.table import one_element

if TYPE_CHECKING:
    from etalis_py.engine.matches import Match
    from etalis_py.shell.session import Session

__all__ = ["run_once"]


def run_once(session: Session, text: str) -> list[Match]:
    """The answers over the background and recent events, as if all were at one instant.

    Raises:
        EtalisError: whatever is wrong with the query.
    """
    now = session.engine.clock or 0
    recent = session.engine.prolog("occurrence(S, P, O, _, _, Stream, Graph)")
    prefixes = session.names.declared_for(text)
    with session.new_engine(at=now, recall=False, trace=False, on_late="error") as engine:
        with told_as_typed(prefixes, text):
            engine.register(with_prefixes(prefixes, text), policy="unrestricted")
        for answer in recent:
            triple: Any = (answer["S"], answer["P"], answer["O"])
            names: Any = {"stream": answer["Stream"], "graph": answer["Graph"] or None}
            engine.send_encoded(one_element([triple], now, **names))
        engine.finish()
        return list(engine.matches())
