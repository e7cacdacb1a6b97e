"""What an engine offers that can be asked in Prolog."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from etalis_py.engine.asking import Asking
from etalis_py.engine.questions import MOST_INFERENCES, Question

__all__ = ["CanBeAsked"]


class CanBeAsked(ABC):
    """The part of `etalis_py.Engine` that is about questions (docs/shell.md)."""

    @abstractmethod
    def _to_ask(self) -> Asking:
        """What asks. Raises RunTimeError: EP303, the engine has failed or is closed."""

    def prolog(
        self,
        goal: str,
        *,
        sandbox: bool = False,
        inferences: int = MOST_INFERENCES,
        seconds: float | None = None,
        prefixes: Mapping[str, str] = MappingProxyType({}),
        written: bool = False,
        **bindings: Any,
    ) -> Question:
        """The answers to a Prolog goal, one by one: named variables and their values.

        The goal sees the background (``rdf(S, P, O)`` with what it entails, ``rdfs_subclass_of(C, D)``), the
        predicates of the rules files, ``waiting(Query, For, Bindings, Start, End)`` and
        ``occurrence(S, P, O, Start, End)`` (docs/shell.md has all of them). Numbers, strings and atoms come
        as literals and IRIs, as RDF terms do; any other value as the text that Prolog writes for it. Of an
        answer ``residuals`` has the constraints on variables that have no value.

        Args:
            goal: what is asked. The first answer is sought at once, the others when they are asked for.
            sandbox: admit only what SWI-Prolog's ``library(sandbox)`` calls safe.
            inferences: steps that each answer may take.
            seconds: time that each answer may take; None is no limit.
            prefixes: namespaces that the goal names as ``prefix:local``.
            written: give values as Prolog writes them.
            bindings: values of variables of the goal: rdflib terms, or plain numbers and text.

        >>> from etalis_py import Engine
        >>> with Engine() as engine:
        ...     [str(answer["X"]) for answer in engine.prolog("member(X, [1, 2])")]
        ['1', '2']
        >>> with Engine() as engine:
        ...     [answer["Y"].toPython() for answer in engine.prolog("Y is X * 2", X=21)]
        [42]

        Raises:
            RunTimeError: EP301, the goal has a syntax error, raises, or does not come to an end; EP306, it is
                not safe.
            UsageError: EP505, a variable of ``bindings`` is not in the goal, or its value is not an RDF term.
        """
        return self._to_ask().ask(
            goal,
            bindings,
            sandbox=sandbox,
            inferences=inferences,
            seconds=seconds,
            prefixes=prefixes,
            written=written,
        )

    def count_waiting(self, query: str) -> int:
        """How many goals of a query wait: partial matches, and what is kept to decide an absence.

        Raises:
            RunTimeError: EP303, the engine has failed or is closed.
        """
        counting = "atom_string(Name, Query), aggregate_all(count, waiting(Name, _, _, _, _), Count)"
        [found] = self.prolog(counting, Query=query)
        return int(found["Count"])
