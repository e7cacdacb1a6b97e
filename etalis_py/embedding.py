"""Guards the moment at which SWI-Prolog is loaded into the Python process.

janus knows its SWI-Prolog by a path built into it. Two variables of the environment would lead it to another
one's home, and that ends the whole process; so they are out of sight while it loads.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from etalis_py.errors import RunTimeError

__all__ = ["undisturbed"]

_MISLEADING = ("SWI_HOME_DIR", "SWIPL")


@contextmanager
def undisturbed() -> Iterator[None]:
    """Load janus inside this. Raises ``RunTimeError`` (EP534) where it cannot be loaded.

    >>> with undisturbed():
    ...     import no_such_module
    Traceback (most recent call last):
    ...
    etalis_py.errors.RunTimeError: EP534 SWI-Prolog cannot be loaded: No module named 'no_such_module'
    hint: etalis doctor says what is wrong with it
    """
    hidden = {name: os.environ.pop(name) for name in _MISLEADING if name in os.environ}
    try:
        yield
    except (ImportError, OSError, SystemError) as error:
        raise RunTimeError(
            "EP534",
            f"SWI-Prolog cannot be loaded: {error}",
            hint="etalis doctor says what is wrong with it",
        ) from error
    finally:
        os.environ.update(hidden)
