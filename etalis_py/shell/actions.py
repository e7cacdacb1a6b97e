"""What a session did that can be done again: each as it would be typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from etalis_py.cli.query_files import QueryFile
from etalis_py.compiler.algebra.policies import PolicyName
from etalis_py.core.terms import ntriples
from etalis_py.core.times import format_time
from etalis_py.streams import Batch, StreamFile

__all__ = [
    "Action",
    "AddQuery",
    "Advance",
    "LoadFile",
    "RemoveQuery",
    "Send",
    "SendFile",
    "SetPolicy",
    "SetPrefix",
]


@dataclass(frozen=True, slots=True)
class LoadFile:
    """``:load`` of background or rules; a query file is `AddQuery`."""

    path: str

    def __str__(self) -> str:
        return f":load {self.path}"


@dataclass(frozen=True, slots=True)
class AddQuery:
    """A query, typed or from a ``file``, under the names that it got. ``policy`` is that of the session."""

    text: str
    names: tuple[str, ...]
    policy: PolicyName
    file: QueryFile | None = None
    prefixes: str = ""

    def __str__(self) -> str:
        if self.file is not None:
            return f":load {self.file.path}"
        lines = "\n".join(line for line in self.text.splitlines() if line.strip())
        return f":query {self.names[0]}\n{lines}\n;;"


@dataclass(frozen=True, slots=True)
class RemoveQuery:
    """``:unregister`` of a query."""

    name: str

    def __str__(self) -> str:
        return f":unregister {self.name}"


@dataclass(frozen=True, slots=True)
class Send:
    """``:send`` of one occurrence."""

    batch: Batch

    def __str__(self) -> str:
        batch = self.batch
        terms = " ".join(ntriples(term) for term in (batch.s[0], batch.p[0], batch.o[0]))
        times = [format_time(batch.start[0]), format_time(batch.end[0])]
        return f":send {terms} {' '.join(dict.fromkeys(times))}"


@dataclass(frozen=True, slots=True)
class SendFile:
    """``:stream`` of a file, of which ``count`` events were taken."""

    file: StreamFile
    count: int

    def __str__(self) -> str:
        return f":stream {self.file}"


@dataclass(frozen=True, slots=True)
class Advance:
    """``:advance`` to a time, microseconds since the epoch."""

    time: int

    def __str__(self) -> str:
        return f":advance {format_time(self.time)}"


@dataclass(frozen=True, slots=True)
class SetPolicy:
    """``:policy`` for the queries after it."""

    policy: PolicyName

    def __str__(self) -> str:
        return f":policy {self.policy}"


@dataclass(frozen=True, slots=True)
class SetPrefix:
    """``:prefix``, for queries, questions and ``:send``."""

    prefix: str
    namespace: str

    def __str__(self) -> str:
        return f":prefix {self.prefix}: <{self.namespace}>"


Action: TypeAlias = LoadFile | AddQuery | RemoveQuery | Send | SendFile | Advance | SetPolicy | SetPrefix
