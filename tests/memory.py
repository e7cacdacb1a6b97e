"""Memory that is in use, as the allocator of C counts it.

The memory that is resident says something else: the system takes and gives back pages of files as the rest of
the machine needs memory, and the allocator keeps pages for later.
"""

from __future__ import annotations

import ctypes
import gc

from etalis_py.embedding import prolog


class _MallocInfo(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_size_t) for name in ("arena", *"abc", "mapped", *"de", "used", "free", "keep")
    )


def allocated_bytes() -> int:
    """What is allocated and not freed, in C and Prolog (glibc's mallinfo2)."""
    function = ctypes.CDLL(None).mallinfo2
    function.restype = _MallocInfo
    info = function()
    return int(info.used + info.mapped)


def used_bytes() -> int:
    """What stays allocated when nothing waits for a collection any more.

    Prolog collects in a thread of its own, which a busy machine lets wait.
    """
    gc.collect()
    for predicate in ("garbage_collect_atoms", "garbage_collect_clauses"):
        prolog.do("system", predicate)
    return allocated_bytes()
