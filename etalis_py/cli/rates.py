"""``--rates``: what the command line tells of how often events come, or where that is to be counted."""

from __future__ import annotations

import argparse
import logging
import select
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from etalis_py.core.errors import DataError, UsageError

if TYPE_CHECKING:
    from etalis_py.cli.query_files import QueryFile
    from etalis_py.cli.request import Request
    from etalis_py.compiler.algebra.algebra import TriplePattern
    from etalis_py.compiler.algebra.policies import PolicyName
    from etalis_py.compiler.compile import CompiledQuery
    from etalis_py.core.times import TimeUnit
    from etalis_py.engine.engine import Engine
    from etalis_py.rates import Rates
    from etalis_py.streams import Batch

__all__ = ["Sample", "add_rates", "rates_for", "rates_of_run", "tell_orders"]

_log = logging.getLogger(__name__)
COUNTED: Final = 10_000
"""Events that are counted where it is not said how many."""
PAUSE: Final = 1.0
"""Seconds without input after which what has come is enough: nobody is to wait for answers longer."""
_STDIN: Final = 0


def add_rates(parser: argparse.ArgumentParser | argparse._ArgumentGroup, more: str = "") -> None:
    """The option, to choose the order by; ``more`` is what else it may be."""
    parser.add_argument(
        "--rates", metavar="RATES",
        help="how many events come a second, by which the order of SEQ and joins is chosen: "
        "ex:p=100,ex:q=0.5; or a CSV file with event,rate; or a stream file, whose first "
        f"{COUNTED:,} events are counted{more}",
    )  # fmt: skip


def rates_of_run(
    request: Request, engine: Engine, files: Sequence[QueryFile], batches: Iterator[Batch]
) -> tuple[Rates | None, Iterator[Batch]]:
    """The rates that a run is given or counts, and its stream from the beginning.

    Raises:
        UsageError, DataError: as `rates_for`.
        QueryError: a query cannot be used; raised before the stream is read.
    """
    count = _count_to_measure(request.rates)
    if count is None:
        return rates_for(request.rates, engine, files, request.options.policy, request.time_unit), batches
    from etalis_py.rates import Rates

    made = _made(engine, files, request.options.policy)
    sample = Sample(batches, count, stdin="-" in request.paths)
    return replace(Rates.measured(sample.first), made=made), sample.replay()


def rates_for(
    text: str | None,
    engine: Engine,
    files: Sequence[QueryFile],
    policy: PolicyName,
    time_unit: TimeUnit | None = None,
) -> Rates | None:
    """The rates in ``text``, or in the file that it names; None without a text.

    The rates of triples that the queries themselves make are unknown, unless they are given.

    Raises:
        UsageError: EP505, it is neither; EP521, the file is not of a known kind.
        DataError: EP4xx, a stream file cannot be read.
        QueryError: a query cannot be used.
    """
    if text is None:
        return None
    from etalis_py.rates import Rates

    if Path(text).is_file():
        if _has_rates(text):
            return Rates.read(text)
        return replace(_counted(text, time_unit), made=_made(engine, files, policy))
    if "=" not in text:
        hint = "write ex:p=100,ex:q=0.5, or the name of a CSV file with event,rate, or of a stream file"
        raise UsageError("EP505", f"--rates: {text!r} is neither a file nor EVENT=RATE", hint=hint)
    return Rates.parse(text)


def tell_orders(queries: Iterable[CompiledQuery]) -> None:
    """Say which orders were chosen, to those who want to hear more."""
    if not _log.isEnabledFor(logging.INFO):
        return
    from etalis_py.compiler.explain.association_printer import orders_text
    from etalis_py.compiler.explain.readable import readable_for

    for query in queries:
        if query.orders:
            _log.info("%s: %s", query.name, orders_text(query.orders, readable_for(query), query.text))


def _count_to_measure(text: str | None) -> int | None:
    """How many events of the run itself are to be counted: ``measure`` or ``measure:N``; else None."""
    word, colon, count = (text or "").partition(":")
    if word != "measure":
        return None
    from etalis_py.engine.option_values import parse_count

    return parse_count(count, "--rates measure") if colon else COUNTED


def _made(engine: Engine, files: Sequence[QueryFile], policy: PolicyName) -> tuple[TriplePattern, ...]:
    """The triples that queries make, which are in no stream."""
    from etalis_py.compiler.compile import compile_program
    from etalis_py.compiler.plan.plan import ConstructPlan

    plans = (
        query.plan
        for file in files
        for query in compile_program(
            file.text,
            name=file.name,
            source=file.path,
            base=file.base,
            language=file.language,
            background=engine.knowledge.may_match,
            policy=policy,
        )
    )
    return tuple(triple for plan in plans if isinstance(plan, ConstructPlan) for triple in plan.template)


def _has_rates(path: str) -> bool:
    """Whether a file is one of rates, as its first line tells."""
    with Path(path).open("rb") as file:
        names = file.readline(1_000).decode("utf-8-sig", "replace").strip().split(",")
    return {"event", "rate"} <= set(names)


def _counted(path: str, time_unit: TimeUnit | None) -> Rates:
    from etalis_py.rates import Rates
    from etalis_py.streams import open_stream

    sample = Sample(open_stream(path, time_unit=time_unit), COUNTED)
    if sample.error is not None:
        raise sample.error
    return Rates.measured(sample.first)


class Sample:
    """The first ``count`` events of a stream; nothing of it is lost: ``replay`` gives them and the rest.

    Where ``stdin`` is part of the stream, it ends as well when standard input pauses, so that no answer
    waits for events that may never come.
    """

    def __init__(self, batches: Iterator[Batch], count: int, *, stdin: bool = False) -> None:
        self.error: DataError | None = None
        """What the stream broke off with."""
        self._rest = batches
        self._read: list[Batch] = []
        self._count = count
        left = count
        try:
            while left > 0 and not (self._read and stdin and _pauses()):
                batch = next(batches, None)
                if batch is None:
                    return
                self._read.append(batch)
                left -= len(batch)
        except DataError as error:
            self.error = error

    @property
    def first(self) -> Iterator[Batch]:
        """The events, at most ``count``."""
        left = self._count
        for batch in self._read:
            yield batch.part(0, left)
            left -= min(left, len(batch))

    def replay(self) -> Iterator[Batch]:
        """The whole stream as it would have come."""
        yield from self._read
        self._read = []
        if self.error is not None:
            raise self.error
        yield from self._rest


def _pauses() -> bool:
    """Whether nothing comes on standard input for a while; its end is not a pause."""
    try:
        ready, _, _ = select.select([_STDIN], [], [], PAUSE)
    except (OSError, ValueError):  # where it is nothing that can be waited for
        return False
    return not ready
