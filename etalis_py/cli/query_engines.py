"""Engines with the queries of some files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from etalis_py.cli.query_files import QueryFile
from etalis_py.cli.rates import rates_for

if TYPE_CHECKING:
    from etalis_py.core.times import TimeUnit
    from etalis_py.engine.engine import Engine
    from etalis_py.engine.options import EngineOptions

__all__ = ["register", "registered"]


@contextmanager
def registered(
    options: EngineOptions,
    files: Sequence[QueryFile],
    rates: str | None = None,
    time_unit: TimeUnit | None = None,
) -> Iterator[tuple[Engine, list[str]]]:
    """An engine, opened with ``options``, with the queries of the files, and their names.

    ``rates`` is what ``--rates`` says, ``time_unit`` that of a stream it names.
    """
    from etalis_py.engine.engine import Engine

    with Engine(**options.keywords()) as engine:
        known = rates_for(rates, engine, files, options.policy, time_unit)
        yield engine, [name for file in files for name in register(engine, file, rates=known)]


def register(engine: Engine, file: QueryFile, **options: Any) -> list[str]:
    """Register the queries of a file, ``options`` as those of `Engine.register`; their names."""
    options = {"language": file.language, **options}
    return engine.register(file.text, name=file.name, source=file.path, base=file.base, **options)
