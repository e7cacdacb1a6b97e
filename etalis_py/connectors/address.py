"""The URL of a source or a sink, taken apart."""

from __future__ import annotations

import math
from collections.abc import Collection
from urllib.parse import parse_qsl, unquote, urlsplit

from etalis_py.core.errors import UsageError
from etalis_py.core.value_class import value_class

__all__ = ["Address"]


@value_class
class Address:
    """``scheme://user:password@host:port/path?options``; a password is not shown."""

    url: str
    scheme: str
    host: str
    port: int | None
    user: str | None
    password: str | None
    path: str
    options: tuple[tuple[str, str], ...]

    @classmethod
    def parse(cls, url: str) -> Address:
        """Take a URL apart.

        Raises:
            UsageError: EP630, it is none.
        """
        try:
            parts = urlsplit(url, allow_fragments=False)
            port = parts.port
        except ValueError as error:
            raise UsageError("EP630", f"{url!r} is not a URL: {error}") from error
        user, password = (
            None if each is None else unquote(each) for each in (parts.username, parts.password)
        )
        options = tuple(parse_qsl(parts.query, keep_blank_values=True))
        return cls(
            url, parts.scheme, parts.hostname or "", port, user, password, unquote(parts.path[1:]), options
        )

    def option(self, name: str, default: str, known: Collection[str] = ()) -> str:
        """An option, the last where it stands several times.

        Raises:
            UsageError: EP630, it is not one of those ``known``.
        """
        value = dict(self.options).get(name, default)
        if known and value not in known:
            hint = f"known are {', '.join(known)}"
            raise UsageError("EP630", f"{self}: {name}={value} is not known", hint=hint)
        return value

    def number(self, name: str, default: float) -> float:
        """An option that is a number, 0 or more.

        Raises:
            UsageError: EP630, it is none.
        """
        text = self.option(name, str(default))
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not 0 <= value < math.inf:
            raise UsageError("EP630", f"{self}: {name}={text} is not a number, 0 or more")
        return value

    def check(self, names: Collection[str]) -> None:
        """
        Raises:
            UsageError: EP630, there are other options.
        """
        for name, _ in self.options:
            if name not in names:
                hint = f"known are {', '.join(names)}" if names else "it takes none"
                raise UsageError("EP630", f"{self}: there is no option {name!r}", hint=hint)

    def name(self, what: str) -> str:
        """The path, which names a topic, a queue or a key.

        Raises:
            UsageError: EP630, there is none.
        """
        if not self.path:
            raise UsageError("EP630", f"{self} names no {what}", hint=f"{self.scheme}://HOST/{what.upper()}")
        return self.path

    def __str__(self) -> str:
        return self.url if self.password is None else self.url.replace(f":{self.password}@", ":***@")
