"""``etalis serve``: engines that stay, and are fed, asked and watched over HTTP."""

from __future__ import annotations

import argparse
import ipaddress
import logging
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Final

from etalis_py.cli.engine_options import LIMITS, SURROUNDINGS, add_engine_options, engine_options
from etalis_py.cli.query_files import QueryFile, add_language, read_queries
from etalis_py.connectors import open_sink
from etalis_py.core.errors import UsageError
from etalis_py.engine.option_values import check_size, parse_count, parse_delay

if TYPE_CHECKING:
    from etalis_py.serve.host import Host
    from etalis_py.serve.limits import Limits

__all__ = ["add_arguments", "run"]

_log = logging.getLogger(__name__)
_EPILOG = """\
docs/serve.md has all of it; curl http://127.0.0.1:8080/openapi.json the paths.

example:
  etalis serve fall.rq --background companies.ttl --state kept/ --why
"""
_EXTRA: Final = "pip install 'etalis_py[serve]'"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the parser the arguments of the command."""
    parser.epilog = _EPILOG
    parser.add_argument("queries", nargs="*", metavar="QUERY.rq", help="query files to begin with")
    add_language(parser)
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen at (default: %(default)s)")
    parser.add_argument("--port", type=int, default=8080, help="0: any that is free (default: %(default)s)")
    parser.add_argument(
        "--tokens", metavar="FILE",
        help="who may do what, in YAML; without it everybody who reaches the server may do everything, so it "
        "is needed where --host is not an address of this machine only",
    )  # fmt: skip
    parser.add_argument(
        "--state", metavar="FOLDER",
        help="keep everything in a folder: a server that is killed goes on, and nothing is lost or doubled",
    )  # fmt: skip
    parser.add_argument(
        "--clock", metavar="DURATION",
        help="let the clock of the machine close instants and deadlines, so far behind it; without it the "
        "clock follows the events",
    )  # fmt: skip
    parser.add_argument(
        "--source", nargs="+", action="append", default=[], metavar="URL",
        help="take the messages of a source; then name=NAME, format=ndjson, stream=IRI, map=FILE and "
        "time_unit=s (docs/sources.md)",
    )  # fmt: skip
    parser.add_argument(
        "--sink", nargs="+", action="append", default=[], metavar="URL",
        help="send answers to a URL; then name=NAME, query=NAME of those that are meant",
    )  # fmt: skip
    parser.add_argument(
        "--bad",
        metavar="FILE",
        help="add records of sources that are no events to a file, with what is wrong",
    )
    parser.add_argument(
        "--limit", nargs="+", default=[], metavar="NAME=N",
        help="what a client may ask of the server: body and text (sizes), rate (requests a second), idle "
        "(seconds), clients, questions ..., and kept, the memory for answers (docs/serve.md)",
    )  # fmt: skip
    parser.add_argument("--why", action="store_true", help="keep what the newest answers are made of")
    parser.add_argument(
        "--log", choices=("text", "json"), default="text",
        help="lines for people, or one JSON object for each request and event (default: %(default)s)",
    )  # fmt: skip
    add_engine_options(parser, *SURROUNDINGS, "entailment", "on_late", *LIMITS, "threads")


def run(arguments: argparse.Namespace) -> int:
    """Serve until a signal ends it; the exit code."""
    lag = None if arguments.clock is None else _delay(arguments.clock)
    if arguments.tokens is None and not _is_loopback(arguments.host):
        hint = "add --tokens FILE (docs/serve.md)"
        raise UsageError(
            "EP621", f"without tokens nobody beyond this machine is let in: {arguments.host}", hint=hint
        )
    try:
        from etalis_py.serve.running import listen, serve
        from etalis_py.serve.server import MAIN, Server
    except ImportError as error:
        raise UsageError("EP621", f"the server needs the package {error.name}", hint=_EXTRA) from error
    from etalis_py.serve.logs import log_as_json
    from etalis_py.serve.rights import Tokens

    if arguments.log == "json":
        log_as_json()
    words = vars(arguments)
    options = engine_options(argparse.Namespace(**{"on_late": "drop", **words}))
    options = type(options)(**options.keywords(trace=arguments.why))
    server = Server(
        options,
        state=None if arguments.state is None else Path(arguments.state),
        tokens=None if arguments.tokens is None else Tokens.read(arguments.tokens),
        clock_lag=lag,
        limits=_limits(arguments.limit),
        bad_records=None if arguments.bad is None else Path(arguments.bad),
    )
    files = read_queries(arguments.queries, (), arguments.language)
    listening = listen(arguments.host, arguments.port)
    with listening:
        server.open_all()
        try:
            for file in files:
                _register(server.host(MAIN), file)
            _connect(server.host(MAIN), arguments)
            address = f"http://{arguments.host}:{listening.getsockname()[1]}"
            serve(server, listening, lambda: print(f"serving at {address}", flush=True))
        finally:
            for host in server.hosts.values():
                host.stop()
    return 0


def _register(host: Host, file: QueryFile) -> None:
    """Register the query of a file, unless the state has it already; a changed one takes its place."""
    from etalis_py.serve.commands import Register, Remove

    known = [each for each in host.registered if each.name == file.name]
    if any(each.text == file.text for each in known):
        return
    for each in known:
        _log.warning("%s has changed: it begins anew", file.path)
        for name in list(each.names):
            host.do(Remove(name)).result()
    host.do(Register(file.text, file.name, file.language)).result()


def _connect(host: Host, arguments: argparse.Namespace) -> None:
    """OpenSource sources and sinks that the state does not have already."""
    from etalis_py.serve.commands import OpenSink
    from etalis_py.serve.connecting import source_of

    for number, (url, *words) in enumerate(arguments.source, 1):
        given = _named(words, "--source", ("name", "format", "stream", "map", "time_unit"))
        mapping = None if "map" not in given else _mapping(given["map"])
        source = source_of(given.pop("name", f"source-{number}"), {"url": url, **given}, mapping)
        if host.sources.get(source.name) != source:
            host.do(source).result()
    for number, (url, *words) in enumerate(arguments.sink, 1):
        given = _named(words, "--sink", ("name", "query"))
        open_sink(url)
        name = given.get("name", f"sink-{number}")
        queries = tuple(given["query"].split(",")) if "query" in given else ()
        known = host.sinks.get(name)
        if known is None or (known.url, known.queries) != (url, queries):
            host.do(OpenSink(name, url, queries, host.answers.last)).result()


def _named(words: Sequence[str], option: str, known: Sequence[str]) -> dict[str, str]:
    """Words ``name=value``.

    Raises:
        UsageError: EP505.
    """
    pairs = [word.partition("=") for word in words]
    for name, equals, _ in pairs:
        if name not in known or not equals:
            hint = f"known are {', '.join(f'{each}=...' for each in known)}"
            raise UsageError("EP505", f"{option}: {name!r} is not known", hint=hint)
    return {name: value for name, _, value in pairs}


def _limits(words: Sequence[str]) -> Limits:
    from etalis_py.serve.limits import SIZES, Limits

    given = _named(words, "--limit", [each.name for each in fields(Limits)])
    options = {name: f"--limit {name}" for name in given}
    sizes = {name: check_size(options[name], word) for name, word in given.items() if name in SIZES}
    counts = {name: parse_count(word, options[name]) for name, word in given.items() if name not in SIZES}
    return Limits(**sizes, **counts)


def _mapping(path: str) -> str:
    from etalis_py.streams.mapping.yarrrml import read_mapping

    return read_mapping(path).text


def _delay(word: str) -> int:
    return 0 if word in ("0", "0s") else parse_delay(word, "--clock")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
