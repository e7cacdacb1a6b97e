"""The options of an engine, checked before anything is made."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from typing import TypeAlias

from etalis_py.errors import UsageError

__all__ = ["FileNames", "check_choice", "check_policy", "file_list"]

FileNames: TypeAlias = "str | PathLike[str] | Sequence[str | PathLike[str]]"
"""One path or several."""


def check_policy(policy: str) -> None:
    """Refuse a selection policy that this version does not have: never another one in its place.

    Raises:
        UsageError: EP506.
    """
    if policy != "unrestricted":
        raise UsageError(
            "EP506",
            f"the policy {policy!r} cannot be run by this version",
            hint="the policy unrestricted gives all combinations",
        )


def check_choice(name: str, value: object, choices: tuple[str, ...], more: str = "") -> None:
    """Refuse a value that an option does not have.

    Raises:
        UsageError: EP505.
    """
    if value not in choices:
        wanted = " or ".join(map(repr, choices))
        raise UsageError("EP505", f"{name} cannot be {value!r}", hint=f"it is {wanted} {more}".rstrip())


def file_list(files: FileNames) -> list[str]:
    """One path or several, as a list of texts."""
    if isinstance(files, (str, PathLike)):
        return [fspath(files)]
    return [fspath(each) for each in files]
