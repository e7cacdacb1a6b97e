"""What an engine knows beside its stream: background loaded for it, and the states its rules declare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from etalis_py.compiler.user_predicates import check_user_predicates
from etalis_py.embedding import prolog

if TYPE_CHECKING:
    from etalis_py.compiler.compile import CompiledQuery
    from etalis_py.engine.knowledge import Knowledge
    from etalis_py.engine.options import EngineOptions
    from etalis_py.ontologies.background import Background

__all__ = ["load_background", "state_queries", "tell_states"]


def load_background(engine: str, options: EngineOptions) -> Background | None:
    """The background of the engine in the module ``engine``, or None.

    Raises:
        DataError: a file cannot be loaded.
    """
    if not options.has_background:
        return None
    from etalis_py.ontologies.background import Background

    module = f"{engine}_background"
    background = Background.load(
        prolog, options.background, options.entailment, module, graphs=options.graphs, rules=options.rules
    )
    prolog.do("etalis_engine", "use_background", engine, module, options.entailment)
    return background


def state_queries(
    background: Background | None, knowledge: Knowledge, *, at_instant: bool
) -> list[CompiledQuery]:
    """What the compiler makes of the patterns that begin and end the states of the rules files.

    Raises:
        EtalisError: a pattern that cannot be compiled.
    """
    if background is None or not background.states:
        return []
    from etalis_py.compiler.state import compile_states

    compiled = compile_states(background.states, knowledge.may_match, at_instant=at_instant)
    for each in compiled:
        check_user_predicates(each, knowledge.user_predicates)
    return compiled


def tell_states(engine: str, background: Background | None) -> None:
    """Let the rules of the engine in the module ``engine`` change the states of its background."""
    if background is not None and background.states:
        names = [[each.name, len(each.variables)] for each in background.states]
        prolog.do("etalis_state", "use_states", engine, background.module, names)
