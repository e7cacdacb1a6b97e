"""The plans of queries, to look at: as text on one screen, as SVG, as a Mermaid flow chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.explain.overview import overview_text
from etalis_py.compiler.explain.readable import readable_for
from etalis_py.compiler.explain.sharing_printer import sharing_text
from etalis_py.compiler.lars.printer import program_text
from etalis_py.compiler.lars.translate import lars_program
from etalis_py.compiler.plan.triggers import TriggerFinder
from etalis_py.why.plan_mermaid import plan_mermaid
from etalis_py.why.plan_svg import plan_svg
from etalis_py.why.plan_tree import stage_text

__all__ = ["PlanView"]


@dataclass(frozen=True, slots=True, repr=False)
class PlanView:
    """What ``Engine.explain`` gives: operators, how long their goals wait, how Spark deals events out."""

    queries: Sequence[CompiledQuery]
    triggers: TriggerFinder

    def __str__(self) -> str:
        plans = self._titled([overview_text(query, self.triggers) for query in self.queries])
        shared = f"--- computed once ---\n{text}" if (text := sharing_text(self.queries)) else ""
        dealing = "\n".join(stage_text(self.queries, self.triggers))
        return "\n\n".join(filter(None, [*plans, shared, dealing]))

    def __repr__(self) -> str:
        return str(self)

    def _repr_svg_(self) -> str:
        return self.svg()

    def lars(self) -> str:
        """The queries as LARS programs (docs/windows.md#as-formulas).

        Raises:
            CompileError: EP221, formulas cannot say one of them.
        """
        texts = [program_text(lars_program(query), readable_for(query)) for query in self.queries]
        return "\n\n".join(self._titled(texts))

    def _titled(self, texts: list[str]) -> list[str]:
        """The texts of the queries, where there are several each with its name."""
        if len(texts) < 2:
            return texts
        return [f"--- {query.name} ---\n{text}" for query, text in zip(self.queries, texts, strict=True)]

    def svg(self) -> str:
        """The plans as one SVG file."""
        return plan_svg(self.queries, self.triggers)

    def mermaid(self) -> str:
        """The plans as one Mermaid flow chart."""
        return plan_mermaid(self.queries, self.triggers)
