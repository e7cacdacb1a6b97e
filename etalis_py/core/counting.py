"""Numbers of things, for people."""

from __future__ import annotations

__all__ = ["counted"]


def counted(count: int, thing: str) -> str:
    """How many there are.

    >>> counted(1, "event"), counted(2000, "event"), counted(0, "match")
    ('1 event', '2,000 events', '0 matches')
    """
    several = f"{thing}es" if thing.endswith("ch") else f"{thing}s"
    return f"{count:,} {thing if count == 1 else several}"
