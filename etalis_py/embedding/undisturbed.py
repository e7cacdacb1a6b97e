"""Guards the moment at which SWI-Prolog is loaded into the Python process.

janus knows its SWI-Prolog by a path built into it. Two variables of the environment would lead it to another
one's home, and that ends the whole process; so they are out of sight while it loads. The Python of an archive
(`etalis_py.packing`) has its SWI-Prolog beside it, wherever that was unpacked, and gives its home instead; so
does a wheel that brings one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from etalis_py.core.errors import RunTimeError
from etalis_py.embedding.bundled import bundled_home, load_bundled

__all__ = ["ABOUT", "own_home", "undisturbed"]

ABOUT = "etalis_py.json"
"""The note in the root of an archive: by it a Python knows that it is in one."""

_MISLEADING = ("SWI_HOME_DIR", "SWIPL")


@contextmanager
def undisturbed() -> Iterator[None]:
    """Load janus inside this. Raises ``RunTimeError`` (EP534) where it cannot be loaded.

    >>> with undisturbed():
    ...     import no_such_module
    Traceback (most recent call last):
    ...
    etalis_py.core.errors.RunTimeError: EP534 SWI-Prolog cannot be loaded: No module named 'no_such_module'
    hint: run etalis doctor to see what is wrong
    """
    home = own_home()
    hidden = {name: os.environ.pop(name) for name in _MISLEADING if name in os.environ}
    if home is not None:
        os.environ["SWI_HOME_DIR"] = home
    try:
        if home is not None and home == bundled_home():
            load_bundled()
        yield
    except (ImportError, OSError, SystemError) as error:
        raise RunTimeError(
            "EP534",
            f"SWI-Prolog cannot be loaded: {error}",
            hint="run etalis doctor to see what is wrong",
        ) from error
    finally:
        if home is not None:
            del os.environ["SWI_HOME_DIR"]
        os.environ.update(hidden)


def own_home() -> str | None:
    """The SWI-Prolog that comes with this package, in an archive or a wheel; None, if the machine has it."""
    return _packed_home() or bundled_home()


def _packed_home() -> str | None:
    """The SWI-Prolog of the archive that this Python is in; None, if it is in none."""
    if not os.path.isfile(os.path.join(sys.prefix, ABOUT)):  # noqa: PTH113, PTH118 - at each start
        return None
    return os.path.join(sys.prefix, "swipl")  # noqa: PTH118
