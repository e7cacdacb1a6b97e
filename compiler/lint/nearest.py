"""The name that a slip of the pen was meant to be.

Names that differ in a digit, or in one letter at their end, are different on purpose (``?price1`` and
``?price2``, ``:box`` and ``:boxes``); so may short ones be.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["nearest"]

_SHORTEST = 3
_LONG = 6
"""From this length on another letter in the middle is a slip rather than another word."""


def nearest(name: str, known: Iterable[str], *, short_words: bool = False) -> str | None:
    """A name of ``known``, not ``name`` itself, that differs by one slip.

    Two letters are swapped, one is too many, missing or another one, or small letters are capitals. With
    ``short_words`` another letter in the middle of a short name is a slip, too (``?box`` and ``?bax``): for
    where something else speaks for one.

    >>> nearest("bxo", {"box", "dock"}), nearest("unloadd", {"unloaded"}), nearest("price1", {"price2"})
    ('box', 'unloaded', None)
    """
    size = len(name)
    if size < _SHORTEST:
        return None
    long = _SHORTEST if short_words else _LONG
    alike = (each for each in known if -2 < len(each) - size < 2 and _is_slip(name, each, long))
    return min(alike, default=None)


def _is_slip(name: str, meant: str, long: int) -> bool:
    """Whether the two differ by one slip; their lengths differ by one at most."""
    if len(name) != len(meant):
        longer, shorter = (name, meant) if len(name) > len(meant) else (meant, name)
        place = _first_difference(longer, shorter)
        return (
            place > 0
            and longer[place + 1 :] == shorter[place:]
            and longer[place].isalpha()
            and len(shorter) >= _SHORTEST
            and (place < len(shorter) or longer[place] == longer[place - 1])
        )
    if name == meant:
        return False
    place = _first_difference(name, meant)
    if name[place + 2 :] == meant[place + 2 :] and name[place : place + 2] == meant[place : place + 2][::-1]:
        return name[place : place + 2].isalpha()
    if 0 < place < len(name) - 1 and len(name) >= long and name[place + 1 :] == meant[place + 1 :]:
        return name[place].isalpha() and meant[place].isalpha()
    return name.casefold() == meant.casefold()


def _first_difference(one: str, other: str) -> int:
    """The place of the first letter that differs, or the length of the shorter text."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
