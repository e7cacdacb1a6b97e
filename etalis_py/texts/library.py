"""The native library of texts: compiled at its first use, loaded without Prolog."""

from __future__ import annotations

import ctypes
import logging
import sysconfig
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

from etalis_py.core.compiled import CannotCompileError, compiled

__all__ = [
    "INTEGERS",
    "MOMENTS",
    "NOTHING",
    "TEXTS",
    "Block",
    "Column",
    "Key",
    "Part",
    "WordTable",
    "text_library",
    "text_library_file",
]

_log = logging.getLogger(__name__)
NOTHING, TEXTS, INTEGERS, MOMENTS = range(4)
"""The kinds of values of a `Part`, as ``lines.c`` numbers them."""
_SIZE: Final = ctypes.POINTER(ctypes.c_size_t)


class WordTable(ctypes.Structure):
    """The first fields of ``words`` in ``texts.h``."""

    _fields_ = (
        ("count", ctypes.c_int64),
        ("used_count", ctypes.c_int64),
        ("used", ctypes.c_void_p),
        ("bytes", ctypes.c_void_p),
        ("length", ctypes.c_size_t),
        ("kinds", ctypes.c_void_p),
    )


class Column(ctypes.Structure):
    """``column`` of ``texts.h``; ``kind`` is a place in ``KINDS``."""

    KINDS = ("unused", "term", "name", "value", "start", "end")
    _fields_ = (("kind", ctypes.c_int64), ("words", ctypes.c_void_p), ("codes", ctypes.c_void_p))


class Key(ctypes.Structure):
    """``key`` of ``texts.h``."""

    NOWHERE, NOT_PLAIN = -1, -2
    _fields_ = (
        ("text", ctypes.c_char_p),
        ("length", ctypes.c_int64),
        ("child", ctypes.c_int64),
        ("next", ctypes.c_int64),
        ("column", ctypes.c_int64),
    )


class Block(ctypes.Structure):
    """``block`` of ``texts.h``."""

    _fields_ = (
        ("rows", ctypes.c_int64),
        ("lines", ctypes.c_int64),
        ("bytes", ctypes.c_int64),
        ("starts", ctypes.c_void_p),
        ("ends", ctypes.c_void_p),
        ("scale", ctypes.c_int64),
        ("has_numbers", ctypes.c_int64),
        ("has_ends", ctypes.c_int64),
    )


class Part(ctypes.Structure):
    """``part`` of ``lines.c``."""

    _fields_ = (
        ("piece", ctypes.c_char_p),
        ("length", ctypes.c_size_t),
        ("kind", ctypes.c_int64),
        ("numbers", ctypes.c_void_p),
        ("bytes", ctypes.c_void_p),
        ("bounds", ctypes.c_void_p),
    )


def text_library_file() -> Path:
    """The library, compiled if it is not there yet.

    Raises:
        CannotCompileError: it cannot be.
    """
    with as_file(files("etalis_py.texts")) as sources:
        return compiled(sources, "cc", platform=sysconfig.get_platform())


@cache
def text_library() -> ctypes.PyDLL | None:
    """The library; None, after a warning, where it cannot be compiled."""
    try:
        # It holds the interpreter's lock: a table of words has one user at a time.
        library = ctypes.PyDLL(str(text_library_file()))
    except (CannotCompileError, OSError) as error:
        _log.warning("texts are read and written without a native library, slowly: %s", error)
        return None
    library.words_new.restype = ctypes.POINTER(WordTable)
    for name in ("words_free", "words_clear", "next_batch"):
        function = getattr(library, name)
        function.restype, function.argtypes = None, (ctypes.POINTER(WordTable),)
    library.word_begins.restype = ctypes.c_size_t
    library.word_begins.argtypes = (ctypes.POINTER(WordTable), ctypes.c_int64)
    library.find_literals.restype = None
    library.find_literals.argtypes = (ctypes.POINTER(WordTable), ctypes.c_int64)
    texts = (ctypes.POINTER(WordTable), ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    library.find_words.restype = library.find_coded_words.restype = ctypes.c_int64
    library.find_words.argtypes = (*texts, ctypes.c_int64, ctypes.c_void_p)
    library.find_coded_words.argtypes = (
        *(*texts, ctypes.c_int64, ctypes.c_void_p),
        *(ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p),
    )
    library.read_rows.restype = ctypes.c_int64
    library.read_rows.argtypes = (
        *(ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(Key), ctypes.c_int64),
        *(ctypes.c_int64, ctypes.POINTER(Column), ctypes.c_int64, ctypes.POINTER(Block)),
    )
    library.write_lines.restype = ctypes.c_void_p
    library.write_lines.argtypes = (
        *(ctypes.POINTER(Part), ctypes.c_int64, ctypes.c_int64),
        *(ctypes.c_void_p, _SIZE),
    )
    library.quads_new.restype = ctypes.c_void_p
    library.quads_free.restype, library.quads_free.argtypes = None, (ctypes.c_void_p,)
    library.quads_read.restype = library.quads_order.restype = ctypes.c_int64
    library.quads_next.restype = library.quads_take.restype = ctypes.c_int64
    library.quads_read.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)
    library.quads_order.argtypes = (ctypes.c_void_p,)
    library.quads_next.argtypes = (ctypes.c_void_p, ctypes.c_int64)
    library.quads_take.argtypes = (
        *(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p),
        *(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p),
    )
    library.lines_free.restype, library.lines_free.argtypes = None, (ctypes.c_void_p,)
    return library
