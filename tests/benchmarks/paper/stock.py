"""Section 8 of the SPAseq paper: its stock market, with windows, selection strategies and background.

Gillani, Zimmermann, Picard, Laforest: A Query Language for Semantic Complex Event Processing, Semantic Web
10(1), 2019. The data are made to its description: 110 companies in 11 sectors, events of one stream, each an
RDF graph, 2,475,000 in 12 hours. Where there are many answers to an event, or background, they come at a
tenth of that rate.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Final

import pyarrow as pa

from tests.benchmarks.contender import engine
from tests.benchmarks.streams import integer
from tests.benchmarks.workload import ENGINE, Contender, Run, Trial

__all__ = ["BACKGROUNDS", "EVENTS", "MANY", "MINUTES", "VARIANTS", "stock"]

COMPANIES: Final = 110
GAP: Final = 17_455
"""Microseconds between two events: 12 hours by 2,475,000."""
MINUTES: Final = (10, 20, 30, 40, 50, 60)
BACKGROUNDS: Final = (10_000, 100_000, 1_000_000)
"""Triples about companies: names, addresses, telephones and web pages. The paper has as many."""
EVENTS: Final = 250_000
"""A little more than 70 minutes."""
FEWER: Final = 10
"""Times as few where the answers, or the background, would take long."""
_STREAM: Final = "http://stockmarket.org/stocks/google"
_EXAMPLE: Final = "http://example/"
VARIANTS: Final = {
    "strict": ("A, B, C", "PARTITION BY (?company)"),
    "next": ("A; B; C", ""),
    "plus": ("A; B+; C", "PARTITION BY (?company)"),
    "any": ("A : B", ""),
}
"""A sequence of the parts of Query 4. Strict contiguity is by company: of 110 that take turns no two events
of one follow one another. Of every pair there are as many as the window has, so they are of two steps.
"""
MANY: Final = ("plus", "any")
"""These have more answers the longer the window is."""
_PARTS: Final = {
    "A": "?company pred:price ?p1. ?company pred:volume ?vol1",
    "B": "?company pred:price ?p2. ?company pred:volume ?vol2. FILTER (?p2 > ?p1)",
    "C": "?company pred:price ?p3. ?company pred:volume ?vol3. FILTER (?p3 < ?p2)",
}


def stock(variant: str, minutes: int, known: int, count: int) -> Trial:
    """Query 4 in a variant, with so many triples of background (0: the query asks for none)."""
    fewer = FEWER if known or variant in MANY else 1
    count = max(count // fewer, 60)
    table = _table(count, GAP * fewer)
    query = _query(variant, minutes, with_background=known > 0)
    contender = _with_background(table, query, known) if known else engine(table, query)
    return Trial(count, {ENGINE: contender}, {"minutes": minutes, "triples": 3 * count, "background": known})


def _table(count: int, gap: int) -> pa.Table:
    """Prices walk at random; an event has price, volume and kind of one company."""
    random = Random(8)
    prices = [1_000 + 10 * company for company in range(COMPANIES)]
    times, subjects, predicates, objects = [], [], [], []
    for number in range(count):
        company = random.randrange(COMPANIES)
        prices[company] = max(1, prices[company] + random.randint(-5, 5))
        values = {
            "price": integer(prices[company]),
            "volume": integer(random.randint(1, 1_000)),
            "kind": f"<{_EXAMPLE}{random.choice(('buy', 'sell'))}>",
        }
        for name, value in values.items():
            times.append(number * gap)
            subjects.append(f"<{_EXAMPLE}company{company}>")
            predicates.append(f"<{_EXAMPLE}{name}>")
            objects.append(value)
    streams = [f"<{_STREAM}>"] * len(times)
    columns = {"start": pa.array(times, pa.int64()), "s": subjects, "p": predicates, "o": objects}
    return pa.table({**columns, "stream": streams})


def _query(variant: str, minutes: int, *, with_background: bool) -> str:
    sequence, partition = VARIANTS[variant]
    names = [each for each in "ABC" if each in sequence]
    shown = " ".join(f"?p{number}" for number in range(1, len(names) + 1))
    asked = ". GRAPH pred:companies { ?company pred:name ?name }" if with_background else ""
    gpms = "\n".join(
        f"DEFINE GPM {name} ON S1 {{ {_PARTS[name]}{asked if name == names[-1] else ''} }}" for name in names
    )
    return (
        f"PREFIX pred: <{_EXAMPLE}>\nSELECT ?company {shown}{' ?name' if with_background else ''}\n"
        f"WITHIN {minutes} MINUTES {partition}\nFROM STREAM S1 <{_STREAM}>\n"
        f"WHERE {{ SEQ ({sequence})\n{gpms} }}"
    )


def _with_background(table: pa.Table, query: str, known: int) -> Contender:
    """What is known is loaded before the clock runs."""

    @contextmanager
    def ready(keep: bool) -> Iterator[Run]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "companies.nt"
            file.write_text("".join(_known(known)), encoding="utf-8")
            graphs = {f"{_EXAMPLE}companies": [str(file)]}
            with engine(table, query, graphs=graphs).ready(keep) as run:
                yield run

    return Contender(ready)


def _known(triples: int) -> Iterator[str]:
    """The companies of the stream, and others."""
    for number in range(triples):
        company, place = divmod(number, 4)
        name = ("name", "address", "telephone", "page")[place]
        yield f'<{_EXAMPLE}company{company}> <{_EXAMPLE}{name}> "{name} {company}" .\n'
