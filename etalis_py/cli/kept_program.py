"""What must be the same for a run to go on from a state folder (``--state``)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

from etalis_py.cli.query_files import QueryFile
from etalis_py.cli.request import Request
from etalis_py.engine.options import OPTIONS

__all__ = ["program_of"]


def program_of(request: Request, queries: Iterable[QueryFile]) -> dict[str, str]:
    """The options of the run, and a digest of each file that it reads as a whole."""
    from etalis_py import __version__  # seldom, and slow to find

    decisive = {each.flag: getattr(request.options, name) for name, each in OPTIONS.items() if each.decides}
    program = {
        "the version of etalis_py": __version__,
        "--stream": " ".join(map(str, request.streams)),
        "--stream-format": str(request.stream_format or "by suffix"),
        "--time-unit": request.time_unit or "us",
        "--prefix": next((str(dict(file.prefixes)) for file in request.streams if file.prefixes), "none"),
        "--map": next(
            (_digest(file.mapping.text.encode()) for file in request.streams if file.mapping), "none"
        ),
        **{str(flag): _shown(value) for flag, value in decisive.items()},
        "--rates": request.rates or "none",
        "--results": request.results or "by suffix",
        "--final": "there" if request.final else "not there",
    }
    for query in queries:
        program[f"the query {query.name!r}"] = _digest(query.text.encode())
    for option, files in (("--background", request.options.background), ("--rules", request.options.rules)):
        for file in files:
            program[f"{option} {file}"] = _digest_of(file)
    for iri, files in request.options.graphs.items():
        for file in files:
            program[f"--graph {iri}={file}"] = _digest_of(file)
    return program


def _shown(value: object) -> str:
    return f"{value // timedelta(microseconds=1)} us" if isinstance(value, timedelta) else str(value)


def _digest_of(file: str) -> str:
    """An unreadable file is an error when the engine reads it."""
    path = Path(file)
    return _digest(path.read_bytes()) if path.is_file() else "not there"


def _digest(data: bytes) -> str:
    return f"sha256:{sha256(data).hexdigest()}"
