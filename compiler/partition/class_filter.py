"""Which classes matter: occurrences of rdf:type with another class can match no pattern."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from etalis_py.compiler.algebra.algebra import Constant, TriplePattern
from etalis_py.compiler.partition.key_choices import event_scans
from etalis_py.compiler.partition.routes import Routes
from etalis_py.compiler.plan.plan import QueryPlan
from etalis_py.compiler.plan.solution_scan import SolutionScan
from etalis_py.compiler.plan.triggers import TriggerFinder
from etalis_py.core.vocabulary import RDF_TYPE

__all__ = ["ClassesBelow", "no_classes", "with_classes"]

ClassesBelow = Callable[[str], "Sequence[str] | None"]
"""The subclasses of a class, by the ontology; None: too many to list them."""


def no_classes(_class: str) -> list[str]:
    """The subclasses without an ontology."""
    return []


def with_classes(
    routes: Routes, plans: Iterable[QueryPlan], triggers: TriggerFinder, below: ClassesBelow
) -> Routes:
    """``routes`` with the classes that the patterns of ``plans`` can match, the only ones that use them."""
    if routes.other is not None or RDF_TYPE not in routes.positions:
        return routes
    scans = (scan for plan in plans for scan in event_scans(plan) if not isinstance(scan, SolutionScan))
    classes: set[str] = set()
    for scan in scans:
        found = _classes(scan.pattern, triggers, below)
        if found is None:
            return routes
        classes |= found
    return replace(routes, classes=frozenset(classes))


def _classes(pattern: TriplePattern, triggers: TriggerFinder, below: ClassesBelow) -> set[str] | None:
    """Those that let rdf:type match ``pattern``; None: any may."""
    ways = {each.way for each in triggers(pattern) if each.predicate in (RDF_TYPE, None)}
    if not ways:
        return set()
    if not ways <= {"same", "class"} or pattern.predicate != Constant(RDF_TYPE):
        return None
    kind = pattern.object
    if not isinstance(kind, Constant) or not isinstance(kind.value, str):
        return None
    lower = below(kind.value) if "class" in ways else []
    return None if lower is None else {kind.value, *lower}
