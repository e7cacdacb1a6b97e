"""Figure 2 of the paper: is the subject of a triple an instance of a class, or of any class below it?

The paper has one hierarchy, of 40,080 classes below *Tracheobionta*, eight deep; here are as many of the same
plants from another source (the NCBI taxonomy, below *Tracheophyta*), also eight deep. Besides the number of
triples, the number of classes grows here.
"""

from __future__ import annotations

import gzip
import re
from collections import defaultdict
from random import Random

from etalis_py.core.vocabulary import RDF_TYPE, RDFS_SUBCLASSOF
from tests.benchmarks.contender import engine
from tests.benchmarks.kernel import PREFIX
from tests.benchmarks.peers import loops
from tests.benchmarks.peers.esper_contender import esper, form
from tests.benchmarks.peers.loops import python
from tests.benchmarks.peers.place import Place
from tests.benchmarks.streams import events, iri
from tests.benchmarks.workload import ENGINE, Trial
from tests.benchmarks.workloads.knowledge import ROOT, taxonomy_file

__all__ = ["ALL", "HIERARCHIES", "reasoning"]

ALL = 40_080
HIERARCHIES = (10, 100, 1_000, 10_000, ALL)
"""Classes below the one that is asked for."""


def reasoning(classes: int, place: Place, count: int) -> Trial:
    """``count`` triples that give things classes; three of four are below the one that is asked for.

    The engine has only the hierarchy and reasons when a triple comes. Esper and Python have a set of all
    classes below, computed before, as one of the systems has that the paper compares with.
    """
    hierarchy = _part(classes)
    background = place.new_file("nt")
    background.write_text(
        "".join(f"<{below}> <{RDFS_SUBCLASSOF}> <{above}> .\n" for below, above in hierarchy.items()),
        encoding="ascii",
    )
    names = sorted(hierarchy)
    random = Random(6)
    taken = [names[random.randrange(len(names))] if n % 4 else f"{PREFIX}other" for n in range(count)]
    table = events(
        [iri(f"k{number}") for number in range(count)],
        [f"<{RDF_TYPE}>"] * count,
        [f"<{name}>" for name in taken],
    )
    contenders = {
        ENGINE: engine(table, f"SELECT ?x {{ ?x a <{ROOT}> }}", background=[str(background)]),
        **place.if_available(
            "esper", lambda: {"esper, hash set": esper(place, table, form("classes-filter"), classes=names)}
        ),
        "python": python(table, loops.classes, frozenset(names)),
    }
    return Trial(count, contenders, {"classes": len(names), "depth": _depth(hierarchy)})


def _part(size: int) -> dict[str, str]:
    """The first ``size`` classes below the root, each with the one above it, depth first."""
    with gzip.open(taxonomy_file()) as packed:
        pairs = re.findall(rb"^<([^>]*)> <[^>]*#subClassOf> <([^>]*)>", packed.read(), re.MULTILINE)
    below: defaultdict[str, list[str]] = defaultdict(list)
    for lower, upper in pairs:
        below[upper.decode()].append(lower.decode())
    found: dict[str, str] = {}
    waiting = [(name, ROOT) for name in below[ROOT]]
    while waiting and len(found) < size:
        name, above = waiting.pop()
        found[name] = above
        waiting += [(lower, name) for lower in below[name]]
    return found


def _depth(hierarchy: dict[str, str]) -> int:
    depths = {ROOT: 0}
    for name, above in hierarchy.items():  # what is above comes first
        depths[name] = depths[above] + 1
    return max(depths.values())
