"""Windows on streams (RSP-QL) of a hundred events and of ten thousand, beside the same in plain Python.

What changes costs the same whatever a window holds: the engine with the small window is measured beside the
other, over the same events. A key comes at once and not again within the large window, and no triple comes
twice in it: so there are as many answers in both, each event is new when it comes, and each pair when its
second part does.

Windows of other widths over one pattern share its work: 20 of them are measured beside one, and beside 20
equal ones, which share it, too. In what remains each has instants and answers of its own.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from itertools import chain
from typing import Any

import pyarrow as pa

from tests.benchmarks.contender import engine
from tests.benchmarks.kernel import PREFIX
from tests.benchmarks.reads import READS, reads
from tests.benchmarks.streams import STEP, bursts, integer, iri, scaled
from tests.benchmarks.streams import events as event_table
from tests.benchmarks.workload import ENGINE, Contender, Outcome, Row, Run, Trial, Workload

__all__ = ["WORKLOADS"]

SMALL, LARGE, HUGE = 100, 10_000, 100_000
"""Events in a window."""
KEYS = 10_007
RUN = 10
"""Events of one key, one after the other, where there is one step."""
VALUES = 997
"""So many values come in turn, not in order."""
WIDTHS = tuple(range(50, 1_050, 50))
"""Events in windows over one pattern."""
RARE = 7
"""Few values are smaller."""
SLIDE = 10
"""Events from one closing to the next."""

Event = tuple[int, str, str, Any]
"""Time, subject, predicate, value: a number or the name of a node."""


@dataclass(frozen=True, slots=True)
class Job:
    """A query over windows of so many microseconds, and its answers by hand: a function of events and width.

    ``steps`` of each key in turn: `p`, or `p` and `q`. ``is_tumbling``: the window closes once in its width;
    ``slides``: it changes with each event; else it closes after each `SLIDE` events.
    """

    name: str
    purpose: str
    select: str
    where: str
    by_hand: Callable[[Sequence[Event], int], Iterator[Row]]
    steps: int = 1
    is_tumbling: bool = False
    slides: bool = False
    grouped: str = ""
    pragma: str = ""
    is_chained: bool = False
    """The events of a key lead from one node to the next."""
    counted: str = ""
    """What the window counts, in the place of milliseconds."""

    def query(self, width: int) -> str:
        """The query, over windows of that width."""
        step = width if self.is_tumbling else SLIDE * STEP
        closes = "" if self.slides else f" STEP {step // 1000}ms"
        held = f"{self.counted} {width // STEP}" if self.counted else f"RANGE {width // 1000}ms{closes}"
        return (
            f"{self.pragma}PREFIX : <{PREFIX}> SELECT {self.select} FROM NAMED WINDOW :w ON :s "
            f"[{held}] WHERE {{ {self.where} }} {self.grouped}"
        )

    def stream(self, count: int) -> pa.Table:
        """So many events."""
        if self.steps == 2:
            return bursts(count, 2, 1, KEYS)
        if self.is_chained:
            nodes = [f"k{number // RUN % KEYS}_{number % RUN}" for number in range(count)]
            following = [f"k{number // RUN % KEYS}_{number % RUN + 1}" for number in range(count)]
            return event_table(list(map(iri, nodes)), [iri("p")] * count, list(map(iri, following)))
        subjects = [iri(f"k{number // RUN % KEYS}") for number in range(count)]
        objects = [integer(number * 389 % VALUES) for number in range(count)]
        return event_table(subjects, [iri("p")] * count, objects)

    def trial(self, size: int, count: int) -> Trial:
        """Over windows of ``size`` events."""
        size = scaled(size, count)
        table = self.stream(count)
        named = _on_stream(table)
        contenders = {
            ENGINE: engine(named, self.query(size * STEP)),
            "python": _in_python(table, lambda found: self.by_hand(found, size * STEP)),
        }
        if size > SMALL:
            small = engine(named, self.query(SMALL * STEP), same_answers=False)
            contenders[f"engine, window of {SMALL}"] = small
            for held in (size, SMALL):
                contenders[f"{READS} reads, {held:,} held"] = reads(held, count)
        return Trial(count, contenders, {"window": size})

    def widths(self, count: int) -> Trial:
        """Over windows of 20 widths, in as many queries."""
        table = self.stream(count)
        named = _on_stream(table)
        each = [self.query(size * STEP) for size in WIDTHS]
        ready = partial(engine, named, columns=True)

        def by_hand(events: Sequence[Event]) -> Iterator[Row]:
            return chain.from_iterable(self.by_hand(events, size * STEP) for size in WIDTHS)

        contenders = {
            ENGINE: ready(*each),
            "engine, one UNION": ready(self.united([size * STEP for size in WIDTHS])),
            "engine, 1 query": ready(each[-1], same_answers=False),
            f"engine, {len(WIDTHS)} equal queries": ready(*each[-1:] * len(WIDTHS), same_answers=False),
            "python": _in_python(table, by_hand),
        }
        return Trial(count, contenders, {"widths": len(WIDTHS)})

    def united(self, widths: Sequence[int]) -> str:
        """One query over windows of these widths."""
        windows = " ".join(f"FROM NAMED WINDOW :w{width} ON :s [RANGE {width // 1000}ms]" for width in widths)
        ways = " UNION ".join(f"{{ {self.where.replace(':w ', f':w{width} ')} }}" for width in widths)
        return f"PREFIX : <{PREFIX}> SELECT {self.select} {windows} WHERE {{ {ways} }}"


def _on_stream(table: pa.Table) -> pa.Table:
    return table.append_column("stream", pa.array([iri("s")] * len(table)).dictionary_encode())


def _rare(
    by_hand: Callable[[Sequence[Event], int], Iterator[Row]], events: Sequence[Event], width: int
) -> Iterator[Row]:
    """Rows with values that are rare."""
    return (row for row in by_hand(events, width) if row[1] < RARE)  # type: ignore[operator]


def _in_python(table: pa.Table, by_hand: Callable[[Sequence[Event]], Iterator[Row]]) -> Contender:
    @contextmanager
    def ready(keep: bool) -> Iterator[Run]:
        def run() -> Outcome:
            names = ([text[1:-1] for text in table.column(each).to_pylist()] for each in "sp")
            values = map(_value, table.column("o").to_pylist())
            rows = list(by_hand(list(zip(table.column("start").to_pylist(), *names, values, strict=True))))
            return Outcome(len(rows), rows=rows if keep else None)

        yield run

    return Contender(ready)


def _value(text: str) -> int | str:
    return int(text[1 : text.index('"', 1)]) if text.startswith('"') else text[1:-1]


def _closing(time: int, step: int) -> int:
    return -(-time // step) * step


def _contents(events: Sequence[Event], width: int) -> Iterator[tuple[int, list[Event]]]:
    """The closing of each window that tumbles, and what it holds."""
    close, held = None, list[Event]()
    for event in events:
        if _closing(event[0], width) != close:
            if close is not None:
                yield close, held
            close, held = _closing(event[0], width), []
        held.append(event)
    if close is not None:
        yield close, held


def _all(events: Sequence[Event], width: int) -> Iterator[Row]:
    for close, held in _contents(events, width):
        for _, subject, _, value in held:
            yield (subject, value, close, close)


def _sums(events: Sequence[Event], width: int) -> Iterator[Row]:
    for close, held in _contents(events, width):
        sums = Counter[str]()
        for _, subject, _, value in held:
            sums[subject] += value
        for subject, total in sums.items():
            yield (subject, total, close, close)


def _beside(events: Sequence[Event], width: int) -> Iterator[Row]:
    """Each value of p with those of q of the same key, or alone."""
    for close, held in _contents(events, width):
        found: dict[str, list[int]] = {}
        for _, subject, predicate, value in held:
            if predicate.endswith("q"):
                found.setdefault(subject, []).append(value)
        for _, subject, predicate, value in held:
            if predicate.endswith("p"):
                for other in found.get(subject, [None]):
                    yield (subject, value, other, close, close)


def _alone(events: Sequence[Event], width: int) -> Iterator[Row]:
    return (row[:2] + row[3:] for row in _beside(events, width) if row[2] is None)


def _new(events: Sequence[Event], width: int) -> Iterator[Row]:
    for time, subject, _, value in events:
        yield (subject, value, *2 * (_closing(time, SLIDE * STEP),))


def _new_at_once(events: Sequence[Event], width: int) -> Iterator[Row]:
    for time, subject, _, value in events:
        yield (subject, value, time, time)


def _pairs(events: Sequence[Event], width: int) -> Iterator[Row]:
    """Each pair of p and q of one key that are in the window together, when the second one comes."""
    waiting: deque[Event] = deque()
    by_key: dict[tuple[str, str], deque[int]] = {}
    for event in events:
        time, subject, predicate, value = event
        while waiting and waiting[0][0] <= time - width:
            _, gone, kind, _ = waiting.popleft()
            by_key[gone, kind].popleft()
        is_p = predicate.endswith("p")
        for other in by_key.get((subject, predicate[:-1] + ("q" if is_p else "p")), ()):
            yield (subject, *((value, other) if is_p else (other, value)), time, time)
        by_key.setdefault((subject, predicate), deque()).append(value)
        waiting.append(event)


def _sums_so_far(events: Sequence[Event], width: int) -> Iterator[Row]:
    """How many values a window holds, and their sum, whenever an event comes, or leaves it."""
    held: deque[tuple[int, int]] = deque()
    total = 0
    for time, coming, going in _moments(events, width):
        held += [(time, value) for _, _, _, value in coming]
        total += sum(value for _, _, _, value in coming)
        for _ in range(going):
            total -= held.popleft()[1]
        yield (len(held), total, time, time)


def _moments(events: Sequence[Event], width: int) -> Iterator[tuple[int, list[Event], int]]:
    """When events come into a window that slides, or leave it: which come, and how many leave."""
    leaving = deque(time + width for time, *_ in events)
    place = 0
    while leaving:
        time = min(leaving[0], events[place][0]) if place < len(events) else leaving[0]
        coming = []
        while place < len(events) and events[place][0] == time:
            coming.append(events[place])
            place += 1
        going = 0
        while leaving and leaving[0] == time:
            leaving.popleft()
            going += 1
        yield time, coming, going


Found = Callable[[Sequence[int], Sequence[int]], Sequence[tuple[int | None, ...]]]
"""The rows of a key that has these values of p, and of q."""


def _new_rows(found: Found, events: Sequence[Event], width: int) -> Iterator[Row]:
    """The rows that a key has after an event comes, or leaves the window, and had not before."""
    values: dict[str, tuple[deque[int], deque[int]]] = {}
    held: deque[tuple[str, int]] = deque()
    for time, coming, going in _moments(events, width):
        leaving = [held.popleft() for _ in range(going)]
        arriving = [(subject, int(predicate.endswith("q")), value) for _, subject, predicate, value in coming]
        touched = dict.fromkeys([key for key, _ in leaving] + [key for key, _, _ in arriving])
        before = {key: Counter(found(*values.setdefault(key, (deque(), deque())))) for key in touched}
        for key, kind in leaving:
            values[key][kind].popleft()
        for key, kind, value in arriving:
            values[key][kind].append(value)
            held.append((key, kind))
        for key in touched:
            for row in (Counter(found(*values[key])) - before[key]).elements():
                yield (key, *row, time, time)


def _greatest(ps: Sequence[int], _: Sequence[int]) -> list[tuple[int | None, ...]]:
    return [(max(ps),)] if ps else []


def _with_partners(ps: Sequence[int], qs: Sequence[int]) -> list[tuple[int | None, ...]]:
    return [(x, y) for x in ps for y in qs or (None,)]


def _without_partner(ps: Sequence[int], qs: Sequence[int]) -> list[tuple[int | None, ...]]:
    return [] if qs else [(x,) for x in ps]


def _with_a_partner(ps: Sequence[int], qs: Sequence[int]) -> list[tuple[int | None, ...]]:
    return [(x,) for x in ps] if qs else []


def _walks(events: Sequence[Event], width: int) -> Iterator[Row]:
    """Walks that are new with each event: of each two nodes it is kept until when there is a walk.

    A walk lasts until its first event leaves, and a step that comes lasts longer than all others do.
    """
    until: dict[tuple[str, str], int] = {}
    to: defaultdict[str, dict[str, None]] = defaultdict(dict)
    back: defaultdict[str, dict[str, None]] = defaultdict(dict)
    leaving: list[tuple[int, str, str]] = []
    for time, source, _, target in events:
        while leaving and leaving[0][0] <= time:
            gone, first, last = heappop(leaving)
            if until[first, last] == gone:
                del until[first, last], back[last][first], to[first][last]
                if not back[last]:
                    del back[last]
                if not to[first]:
                    del to[first]
        end = time + width
        before = [(source, end), *((first, until[first, source]) for first in back.get(source, ()))]
        after = [(target, end), *((last, until[target, last]) for last in to.get(target, ()))]
        for first, life in before:
            for last, other in after:
                known, lasts = until.get((first, last)), min(life, other)
                if known is not None and known >= lasts:
                    continue
                until[first, last] = lasts
                back[last][first] = to[first][last] = None
                heappush(leaving, (lasts, first, last))
                if known is None:
                    yield (first, last, time, time)


def _highest(events: Sequence[Event], width: int) -> Iterator[Row]:
    """What is new among the ten greatest values."""
    for time, (value, subject) in _new_first(events, width, lambda subject, value: (-value, subject)):
        yield (subject, -value, time, time)


def _first_rows(events: Sequence[Event], width: int) -> Iterator[Row]:
    """What is new among the first ten rows."""
    for time, (subject, value) in _new_first(events, width, lambda subject, value: (subject, value)):
        yield (subject, value, time, time)


def _first_keys(events: Sequence[Event], width: int) -> Iterator[Row]:
    """What is new among the first ten keys."""
    for time, subject in _new_first(events, width, lambda subject, _: subject, distinct=True):
        yield (subject, time, time)


def _new_first(
    events: Sequence[Event], width: int, row: Callable[[str, Any], Any], *, distinct: bool = False
) -> Iterator[tuple[int, Any]]:
    """What is new among the first ten rows, whenever an event comes, or leaves the window."""
    held: list[Any] = []
    order: deque[Any] = deque()
    counts = Counter[Any]()
    before: set[Any] = set()
    for time, coming, going in _moments(events, width):
        for _, subject, _, value in coming:
            each = row(subject, value)
            order.append(each)
            counts[each] += 1
            if not distinct or counts[each] == 1:
                insort(held, each)
        for _ in range(going):
            each = order.popleft()
            counts[each] -= 1
            if not distinct or counts[each] == 0:
                del held[bisect_left(held, each)]
        now = set(held[:10])
        for each in now - before:
            yield time, each
        before = now


P, Q = "WINDOW :w { ?k :p ?x }", "WINDOW :w { ?k :q ?y }"
JOBS = (
    Job("tumbling", "all that a window holds when it closes", "?k ?x", P, _all, is_tumbling=True),
    Job("sums", "sums per key of a window when it closes", "?k (SUM(?x) AS ?n)", P, _sums,
        is_tumbling=True, grouped="GROUP BY ?k"),
    Job("new", "what is new at each closing (ISTREAM)", "ISTREAM ?k ?x", P, _new),
    Job("changes", "what is new with each event (ISTREAM)", "ISTREAM ?k ?x", P, _new_at_once, slides=True),
    Job("elements", "what is new among the newest elements", "ISTREAM ?k ?x", P, _new_at_once, slides=True,
        counted="ELEMENTS"),
    Job("triples", "what is new among the newest triples", "ISTREAM ?k ?x", P, _new_at_once, slides=True,
        counted="TRIPLES"),
    Job("join", "pairs of one key that are in a window together, when they are new", "ISTREAM ?k ?x ?y",
        f"{P} {Q}", _pairs, steps=2, slides=True),
    Job("optional", "values beside others of their key", "?k ?x ?y", f"{P} OPTIONAL {{ {Q} }}", _beside,
        steps=2, is_tumbling=True),
    Job("sliding", "how many values there are, and their sum, with each event",
        "(COUNT(*) AS ?n) (SUM(?x) AS ?t)", P, _sums_so_far, slides=True),
    Job("greatest", "the greatest value of a key, when it is another one", "ISTREAM ?k (MAX(?x) AS ?m)", P,
        partial(_new_rows, _greatest), slides=True, grouped="GROUP BY ?k"),
    Job("beside", "values beside others of their key, when that is new", "ISTREAM ?k ?x ?y",
        f"{P} OPTIONAL {{ {Q} }}", partial(_new_rows, _with_partners), steps=2, slides=True),
    Job("missing", "values without another of their key, when that is new", "ISTREAM ?k ?x",
        f"{P} MINUS {{ {Q} }}", partial(_new_rows, _without_partner), steps=2, slides=True),
    Job("met", "values with another of their key, when that is new", "ISTREAM ?k ?x",
        f"{P} FILTER EXISTS {{ {Q} }}", partial(_new_rows, _with_a_partner), steps=2, slides=True),
    Job("alone", "values without another of their key", "?k ?x", f"{P} MINUS {{ {Q} }}", _alone, steps=2,
        is_tumbling=True),
    Job("path", "walks along chains of events, when they are new", "ISTREAM ?k ?x",
        "WINDOW :w { ?k :p+ ?x }", _walks, slides=True, is_chained=True),
    Job("highest", "the ten greatest values, when they are new", "ISTREAM ?k ?x", P, _highest, slides=True,
        grouped="ORDER BY DESC(?x) ?k LIMIT 10"),
    Job("some", "ten of all values, when they are others", "ISTREAM ?k ?x", P, _first_rows, slides=True,
        grouped="LIMIT 10"),
    Job("keys", "ten of all keys, when they are others", "ISTREAM DISTINCT ?k", P, _first_keys,
        slides=True, grouped="LIMIT 10"),
    Job("staying", "walks along chains of events with steps that may be none, when they are new",
        "ISTREAM ?k ?x", "WINDOW :w { ?k (:q?/:p)+ ?x }", _walks, slides=True, is_chained=True),
    Job("last", "the last value before another of its key, when it is new", "ISTREAM ?k ?x ?y",
        "MATCH { LAST EVENT :w { ?k :p ?x } SEQ EVENT :w { ?k :q ?y } }", _pairs, steps=2, slides=True),
    Job("consumed", "a value before another of its key, each used once", "ISTREAM ?k ?x ?y",
        "MATCH { EVENT :w { ?k :p ?x } SEQ EVENT :w { ?k :q ?y } }", _pairs, steps=2, slides=True,
        pragma="PRAGMA policy recent "),
)  # fmt: skip
OVER_ONE_PATTERN = (
    Job("scan", "what is new with each event", "ISTREAM ?k ?x", P, _new_at_once, slides=True),
    Job("scan-rare", "what is new, which is rare", "ISTREAM ?k ?x",
        "WINDOW :w { ?k :p ?x FILTER (?x < 7) }", partial(_rare, _new_at_once), slides=True),
    Job("join", "new pairs of one key", "ISTREAM ?k ?x ?y", "WINDOW :w { ?k :p ?x ; :q ?y }", _pairs, steps=2,
        slides=True),
    Job("join-rare", "new pairs of one key, which are rare", "ISTREAM ?k ?x ?y",
        "WINDOW :w { ?k :p ?x ; :q ?y FILTER (?x < 7) }", partial(_rare, _pairs), steps=2, slides=True),
)  # fmt: skip
WORKLOADS = [
    *(
        Workload(
            f"window-{job.name}-{size}", f"{job.purpose}; {size:,} events", partial(job.trial, size), events
        )
        for job in JOBS
        for size, events in (
            (SMALL, 50_000),
            (LARGE, 50_000),
            *(((HUGE, 3 * HUGE),) if job.name == "sliding" else ()),
        )
    ),
    *(
        Workload(
            f"window-widths-{job.name}",
            f"{job.purpose}; in windows of {len(WIDTHS)} widths",
            job.widths,
            20_000,
        )
        for job in OVER_ONE_PATTERN
    ),
]
