"""The error of ``etalis pack``."""

from __future__ import annotations

from etalis_py.core.errors import EtalisError

__all__ = ["PackError"]


class PackError(EtalisError):
    """No archive can be made here (``EP611``). The hint says what to do about it."""

    exit_code = 4
