"""Background at work: types by a taxonomy of 40,080 classes, and joins with 10,000 to 1,000,000 triples.

Beside stands the engine without background on events that need none, so that what reasoning or the join adds
to an event can be read off (``microseconds_more``). How long loading takes is measured by ``loading``.
"""

from __future__ import annotations

import gzip
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from etalis_py.core.vocabulary import RDF_TYPE
from tests.benchmarks.background_data import DEVICE, TRIPLES_PER_DEVICE, VOCABULARY, write_background
from tests.benchmarks.contender import engine
from tests.benchmarks.kernel import by_hand, pure_loop
from tests.benchmarks.streams import events, integer
from tests.benchmarks.workload import ENGINE, Contender, Run, Trial, Unavailable, Workload

__all__ = ["WORKLOADS", "taxonomy_file"]

PROJECT = Path(__file__).resolve().parents[3]
ROOT = "http://purl.obolibrary.org/obo/NCBITaxon_58023"
SIZES = (10_000, 100_000, 1_000_000)
STRIDE = 7_919
"""Classes and devices come in this stride, a prime, so that neighbours in the file are none in the stream."""


def taxonomy_file() -> Path:
    """The taxonomy as packed N-Triples, in the folder of shared data that ``ETALIS_SHARED`` names.

    Raises:
        Unavailable: it is not there.
    """
    shared = Path(os.environ.get("ETALIS_SHARED", PROJECT.parent / "shared"))
    path = shared / "data" / "taxonomy" / "tracheophyta_40080_ranked.nt.gz"
    if not path.is_file():
        raise Unavailable(f"{path} is not there; ETALIS_SHARED names the folder that holds data/")
    return path


def taxonomy(count: int) -> Trial:
    """Each event gives a thing a class below the root; each class has come before the clock runs."""
    path = taxonomy_file()
    below = re.compile(rb"^<([^>]*)> <[^>]*#subClassOf> ", re.MULTILINE)
    with gzip.open(path) as packed:
        classes = sorted({name.decode() for name in below.findall(packed.read())})
    first = min(len(classes), count)
    total = first + count
    whole = events(
        [f"<urn:bench:thing{number % 1000}>" for number in range(total)],
        [f"<{RDF_TYPE}>"] * total,
        [f"<{classes[number * STRIDE % first]}>" for number in range(total)],
    )
    before, table = whole.slice(0, first), whole.slice(first)
    query = f"SELECT ?x WHERE {{ ?x a <{ROOT}> }}"
    return Trial(
        count,
        {
            ENGINE: engine(table, query, before=before, background=[str(path)]),
            "engine, any class": engine(table, "SELECT ?x WHERE { ?x a ?class }", before=before),
            "kernel": by_hand("taxonomy", table, [RDF_TYPE], [*classes, ROOT], before=before),
            "loop": pure_loop("taxonomy", table, [RDF_TYPE], [*classes, ROOT], before=before),
        },
        {"classes": len(classes)},
    )


def background(triples: int, count: int) -> Trial:
    """Each event is a reading of a device, whose room the background knows."""
    triples = min(triples, max(10 * TRIPLES_PER_DEVICE, 50 * count))
    devices = triples // TRIPLES_PER_DEVICE
    taken = [number * STRIDE % devices for number in range(count)]
    subjects = [f"<{DEVICE}{device}>" for device in taken]
    reading = f"{VOCABULARY}reading"
    table = events(subjects, [f"<{reading}>"] * count, [integer(number % 1000) for number in range(count)])
    head = f"PREFIX : <{VOCABULARY}> SELECT"
    room = DEVICE.replace("device", "room")
    facts = [[f"{DEVICE}{device}", f"{room}{device // 20}"] for device in range(devices)]
    query = f"{head} ?device ?value ?room WHERE {{ ?device :reading ?value . ?device :inRoom ?room }}"

    alone = f"{head} ?device ?value WHERE {{ ?device :reading ?value }}"

    @contextmanager
    def with_file(keep: bool) -> Iterator[Run]:
        with tempfile.TemporaryDirectory() as folder:
            path = write_background(Path(folder), devices * TRIPLES_PER_DEVICE)
            with engine(table, query, background=[str(path)]).ready(keep) as run:
                yield run

    return Trial(
        count,
        {
            ENGINE: Contender(with_file),
            "engine, no join": engine(table, alone, same_answers=False),
            "kernel": by_hand("background", table, [reading], facts),
            "loop": pure_loop("background", table, [reading], facts),
        },
        {"triples": devices * TRIPLES_PER_DEVICE},
    )


WORKLOADS = [
    Workload("taxonomy", "type of each event by a taxonomy of 40,080 classes", taxonomy, 100_000),
    *(
        Workload(
            f"background-{size}",
            f"join with one of {size:,} triples of background",
            partial(background, size),
            50_000,
        )
        for size in SIZES
    ),
]
