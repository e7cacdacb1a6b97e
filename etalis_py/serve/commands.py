"""What changes an engine that is served: each can be carried out again from a journal."""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final, TypeAlias, get_args

from etalis_py.compiler.algebra.policies import PolicyName
from etalis_py.compiler.languages.language_names import LanguageName
from etalis_py.core.times import TimeUnit

__all__ = [
    "CLIENT",
    "Advance",
    "CloseSink",
    "CloseSource",
    "Command",
    "Deliver",
    "Feed",
    "OpenSink",
    "OpenSource",
    "Register",
    "Remove",
    "Replace",
    "Restart",
    "packed",
    "unpacked",
]


CLIENT: Final = "client "
"""Before the names of producers that clients give: they are no sources, whatever they call themselves."""


@dataclass(frozen=True, slots=True)
class Register:
    """Register the queries of a text; the fields are those of `Engine.register`."""

    kind: ClassVar = "register"
    text: str
    name: str
    language: LanguageName | None = None
    policy: PolicyName | None = None


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove a query."""

    kind: ClassVar = "remove"
    name: str


@dataclass(frozen=True, slots=True)
class Feed:
    """Take the events of a request's body, which is in a format of streams.

    ``stream``, ``time_unit`` and ``mapping`` (the text of a YARRRML file) are as of
    `etalis_py.streams.open_stream`. The bodies of one ``producer`` have growing numbers: one that comes again
    is taken once. ``memory`` is what a source has to know beside the number to go on behind it.
    """

    kind: ClassVar = "feed"
    body: bytes
    format: str
    stream: str | None = None
    mapping: str | None = None
    time_unit: TimeUnit | None = None
    producer: str | None = None
    number: int | None = None
    memory: str | None = None


@dataclass(frozen=True, slots=True)
class Replace:
    """Take a file of the engine's folder as background, in the place of all that there is."""

    kind: ClassVar = "replace"
    file: str


@dataclass(frozen=True, slots=True)
class Restart:
    """Go on after a failure with the same queries and background; what waited is forgotten.

    No journal has it: an engine with state goes on from there.
    """

    kind: ClassVar = "restart"


@dataclass(frozen=True, slots=True)
class Advance:
    """Nothing that ends before ``time`` (microseconds, UTC) will come."""

    kind: ClassVar = "advance"
    time: int


@dataclass(frozen=True, slots=True)
class OpenSource:
    """Take the messages of a source; the other fields are as of Feed."""

    kind: ClassVar = "open-source"
    name: str
    url: str
    format: str
    stream: str | None = None
    mapping: str | None = None
    time_unit: TimeUnit | None = None


@dataclass(frozen=True, slots=True)
class CloseSource:
    """Take no more messages of it."""

    kind: ClassVar = "close-source"
    name: str


@dataclass(frozen=True, slots=True)
class OpenSink:
    """Send the answers after number ``after``, of some queries or (none named) of all, to a sink."""

    kind: ClassVar = "open-sink"
    name: str
    url: str
    queries: tuple[str, ...]
    after: int


@dataclass(frozen=True, slots=True)
class CloseSink:
    """Send no more answers there."""

    kind: ClassVar = "close-sink"
    name: str


@dataclass(frozen=True, slots=True)
class Deliver:
    """A sink has taken all answers up to number ``upto``."""

    kind: ClassVar = "deliver"
    sink: str
    upto: int


Command: TypeAlias = (
    Register
    | Remove
    | Feed
    | Replace
    | Restart
    | Advance
    | OpenSource
    | CloseSource
    | OpenSink
    | CloseSink
    | Deliver
)
_KINDS: Final[dict[str, Any]] = {each.kind: each for each in get_args(Command)}
_LENGTH: Final = struct.Struct(">I")


def packed(command: Command) -> bytes:
    """The command as bytes: what it is as JSON, then the body of a Feed as it came."""
    fields = asdict(command)
    body = fields.pop("body", b"")
    head = json.dumps({"kind": command.kind, **fields}, separators=(",", ":")).encode()
    assert isinstance(body, bytes)
    return _LENGTH.pack(len(head)) + head + body


def unpacked(data: bytes) -> Command:
    """The command that `packed` made these bytes of.

    >>> unpacked(packed(Remove("fall")))
    Remove(name='fall')
    """
    end = _LENGTH.size + _LENGTH.unpack_from(data)[0]
    fields = json.loads(data[_LENGTH.size : end])
    form = _KINDS[fields.pop("kind")]
    if form is Feed:
        fields["body"] = data[end:]
    elif form is OpenSink:
        fields["queries"] = tuple(fields["queries"])
    command: Command = form(**fields)
    return command
