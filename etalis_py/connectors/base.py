"""What all sources and all sinks have."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Final, TypeAlias

from typing_extensions import Self

from etalis_py.connectors.address import Address
from etalis_py.core.value_class import value_class

__all__ = ["MOST_AT_ONCE", "Known", "LostError", "Message", "Position", "Sink", "Source"]

MOST_AT_ONCE: Final = 1000
"""Messages that a source gives at a time."""


@value_class
class Position:
    """How far an origin was read: the number of its last message, and what else its source has to know."""

    number: int
    memory: str | None = None


Known: TypeAlias = Mapping[str, Position]
"""The positions of origins."""


class LostError(Exception):
    """The connection is lost, or could not be had: it is worth another try."""


@value_class
class Message:
    """What came. Those of one ``origin`` have growing numbers if it can be read again from any of them.

    ``memory`` is what the source has to know beside the number, in the place of that of the message before.
    An empty body tells only the position. ``confirm`` says that it is taken, and need not come again.
    ``head``: each line of the body is a record of its own, but for so many that stand before each; None: the
    body is one record.
    """

    body: bytes
    origin: str | None = None
    number: int | None = None
    confirm: Callable[[], Awaitable[object]] | None = None
    memory: str | None = None
    head: int | None = None

    def records(self) -> tuple[bytes, list[bytes]]:
        r"""What stands before each record, and the records.

        >>> Message(b"x\na\nb\n", head=1).records()
        (b'x\n', [b'a\n', b'b\n'])
        """
        if self.head is None:
            return b"", [self.body]
        lines = self.body.splitlines(keepends=True)
        return b"".join(lines[: self.head]), lines[self.head :]


class Source(ABC):
    """Gives messages as they come. What is open is closed when the iterator is."""

    def __init__(self, address: Address) -> None:
        self.address = address

    @abstractmethod
    def messages(self, known: Known) -> AsyncGenerator[Sequence[Message], None]:
        """First none, as soon as the source is open: what is sent from then on comes.

        Then some messages at a time, at most `MOST_AT_ONCE`; where it can be, those after the positions that
        are ``known`` of their origins. A source that begins at an end tells at once where that is. It ends
        where the source does.

        Raises:
            LostError: the connection is lost.
            UsageError: EP631, it is refused, and will be the next time, too.
        """


class Sink(ABC):
    """Takes answers. Use as a context manager; another try is a new one."""

    def __init__(self, address: Address) -> None:
        self.address = address

    @abstractmethod
    async def open(self) -> None:
        """Connect.

        Raises:
            LostError: it cannot be reached.
            UsageError: EP631, it is refused.
        """

    @abstractmethod
    async def send(self, lines: Sequence[bytes], numbers: tuple[int, int]) -> None:
        """Send answers, each a line of NDJSON, with the numbers of the first and the last.

        They are taken when this returns.

        Raises:
            LostError: they may have been taken, or not.
        """

    @abstractmethod
    async def close(self) -> None:
        """Give the connection back."""

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()
