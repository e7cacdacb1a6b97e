"""Why queries of a run have no answers, found out in its files when it is over."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from etalis_py.cli.request import Request
from etalis_py.compiler.compile import CompiledQuery
from etalis_py.core.errors import EtalisError, EtalisWarning
from etalis_py.engine.engine import Engine
from etalis_py.streams import open_streams

__all__ = ["told_more"]


def told_more(
    request: Request,
    queries: Sequence[CompiledQuery],
    unanswered: Sequence[CompiledQuery],
    reasons: Sequence[EtalisWarning],
    open_engine: Callable[[], Engine],
) -> Sequence[EtalisWarning]:
    """Why queries have no answers: as ``reasons`` say, or more exactly where files can be read once more.

    ``open_engine`` gives one with the background and the settings of the run.
    """
    tried = [each.name for each in unanswered if each.form != "ask" and each.plan.root.eventful]
    is_wanted = tried and not request.quiet and request.warnings != "none"
    if not is_wanted or not all(Path(each).is_file() for each in request.paths):
        return reasons
    streams = open_streams(
        request.streams, format=request.stream_format, at=request.options.at, time_unit=request.time_unit
    )
    from etalis_py.no_answers.finding import find_out  # seldom, and slow to load

    try:
        with _told_already(), open_engine() as engine:
            found = find_out(engine, queries, tried, streams)
    except EtalisError:  # a file has changed
        return reasons
    others = (each for each in reasons if each.message.partition(":")[0] not in tried)
    return [*others, *(each.warning() for each in found)]


@contextmanager
def _told_already() -> Iterator[None]:
    """What is amiss in a file was told when the run read it."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
