"""The kinds of sources and sinks, by the scheme of their URL: where they are, and the extra that they need.

To add one, add an entry, a module with ``source`` or ``sink`` or both (functions of an `Address`), and an
extra in pyproject.toml if it needs a package.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Final

from etalis_py.connectors.address import Address
from etalis_py.connectors.base import Sink, Source
from etalis_py.core.errors import UsageError
from etalis_py.core.value_class import value_class

__all__ = ["SCHEMES", "Scheme", "is_url", "open_sink", "open_source"]


@value_class
class Scheme:
    """A kind; ``form`` is how its URLs look."""

    module: str
    form: str
    extra: str | None = None
    is_source: bool = True
    is_sink: bool = True


_MQTT: Final = Scheme("mqtt", "mqtt://HOST/TOPIC, with + and # in the topic of a source", "mqtt")
_HTTP: Final = Scheme("http", "http://HOST/PATH, Server-Sent Events or lines; a sink posts", "http")
_WEBSOCKET: Final = Scheme("websocket", "ws://HOST/PATH, a message a body", "websocket")
_REDIS: Final = Scheme("redis_streams", "redis://HOST/KEY of a stream, the event in ?field=event", "redis")
_POLLED: Final = Scheme(
    "poll", "poll+http://HOST/PATH?every=SECONDS, a file that is written anew", "http", is_sink=False
)

SCHEMES: Final[Mapping[str, Scheme]] = {
    "mqtt": _MQTT,
    "mqtts": _MQTT,
    "kafka": Scheme("kafka", "kafka://HOST:PORT/TOPIC", "kafka"),
    "ws": _WEBSOCKET,
    "wss": _WEBSOCKET,
    "http": _HTTP,
    "https": _HTTP,
    "poll+http": _POLLED,
    "poll+https": _POLLED,
    "redis": _REDIS,
    "rediss": _REDIS,
    "follow": Scheme("files", "follow:FILE, a file that grows", is_sink=False),
    "folder": Scheme("files", "folder:FOLDER, files that are put into it", is_sink=False),
    "poll": Scheme("poll", "poll:FILE?every=SECONDS, a file that is written anew", is_sink=False),
}


def is_url(word: str) -> bool:
    """Whether a word names a source and no file."""
    return word.partition(":")[0] in SCHEMES and ":" in word


def open_source(url: str) -> Source:
    """The source with a URL; nothing is connected yet.

    Raises:
        UsageError: EP630, there is no such source; EP632, its client is not installed.
    """
    source: Source = _made(url, "source")
    return source


def open_sink(url: str) -> Sink:
    """The sink with a URL; nothing is connected yet.

    Raises:
        UsageError: EP630, there is no such sink; EP632, its client is not installed.
    """
    sink: Sink = _made(url, "sink")
    return sink


def _made(url: str, kind: str) -> Any:
    address = Address.parse(url)
    scheme = SCHEMES.get(address.scheme)
    known = [name for name, each in SCHEMES.items() if (each.is_source if kind == "source" else each.is_sink)]
    if scheme is None or address.scheme not in known:
        near = get_close_matches(address.scheme, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
        raise UsageError("EP630", f"{address}: there is no {kind} of the kind {address.scheme!r}", hint=hint)
    try:
        module = import_module(f"etalis_py.connectors.{scheme.module}")
    except ImportError as error:
        hint = f"pip install 'etalis_py[{scheme.extra}]'"
        package = (error.name or "").partition(".")[0]
        raise UsageError("EP632", f"{address} needs the package {package}", hint=hint) from error
    return getattr(module, kind)(address)
