"""What set-up tells the user, and the error that stops it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from etalis_py.core.errors import EtalisError

__all__ = ["SetupError", "say", "step"]


class SetupError(EtalisError):
    """Set-up cannot go on (``EP53x``). The hint says what to do by hand."""

    exit_code = 4


def say(text: str) -> None:
    """Print one line at once, even into a pipe: some steps take minutes."""
    print(text, flush=True)


@contextmanager
def step(title: str) -> Iterator[None]:
    """Announce a step that takes a while, and say how long it took; another may go on beside it."""
    say(f"==> {title}")
    begin = time.monotonic()
    yield
    say(f"    {title.partition(' (')[0]}: done in {time.monotonic() - begin:.0f} s")
