"""The native library of the rules: compiled at its first use, kept in the user's cache.

It keeps goals (``rules/native/goals.c``) and hands answers out as columns (``rules/native/answers.c``).
"""

from __future__ import annotations

import ctypes
import threading
from array import array
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from etalis_py.core.compiled import CannotCompileError, compiled
from etalis_py.core.errors import RunTimeError
from etalis_py.embedding.cells import ATOM, Cells, Decimals, Graphs
from etalis_py.embedding.names import NameTable

if TYPE_CHECKING:
    from etalis_py.embedding.runtime_library import Ask

__all__ = ["answers_taken", "load_native", "native_file", "times_fit", "unlocked_library"]

_FLAGS: Final = (
    "current_prolog_flag(version, Version), current_prolog_flag(arch, Arch),"
    " current_prolog_flag(home, Home), current_prolog_flag(c_cc, Compiler)"
)
_MOST_TABLES: Final = 8
"""Of names, each of an engine, which a thread keeps: engines may take turns."""
_library: ctypes.PyDLL | None = None
_unlocked: ctypes.CDLL | None = None
_file: Path | None = None
_threads = threading.local()


class _Columns(ctypes.Structure):
    _fields_ = (
        ("rows", ctypes.c_int64),
        ("cells", ctypes.c_int64),
        ("kinds_seen", ctypes.c_int64),
        ("owner", ctypes.c_uint64),
        ("table", ctypes.c_uint64),
        ("names", ctypes.c_int64),
        ("queries", ctypes.c_void_p),
        ("starts", ctypes.c_void_p),
        ("ends", ctypes.c_void_p),
        ("kinds", ctypes.c_void_p),
        ("values", ctypes.c_void_p),
        ("graphs", ctypes.c_int64),
        ("graph_ends", ctypes.c_void_p),
        ("terms", ctypes.c_int64),
        ("term_kinds", ctypes.c_void_p),
        ("term_values", ctypes.c_void_p),
        ("decimals", ctypes.c_int64),
        ("decimal_ends", ctypes.c_void_p),
        ("decimal_texts", ctypes.c_void_p),
    )


def native_file() -> Path | None:
    """The library that is loaded; None if there is none."""
    return _file


def load_native(ask: Ask) -> None:
    """Load the library into Prolog and here.

    Raises:
        RunTimeError: EP317, it cannot be compiled.
    """
    global _library, _unlocked, _file
    with as_file(files("etalis_py.rules") / "native") as sources:
        flags = ask(_FLAGS, {})
        headers = f"-I{Path(flags['Home'], 'include')}"
        try:
            kept = compiled(sources, flags["Compiler"], [headers], f"{flags['Version']} {flags['Arch']}")
        except CannotCompileError as error:
            message = f"the native library of the rules cannot be compiled: {error}"
            raise RunTimeError("EP317", message, hint=error.hint) from error
        library = ctypes.PyDLL(str(kept))  # holds the interpreter's lock: what it reads is the thread's own
        library.answers_taken.restype = ctypes.POINTER(_Columns)
        library.answers_texts.restype = ctypes.c_void_p
        library.answers_texts.argtypes = (*(ctypes.c_int64,) * 3, ctypes.c_void_p)
        ask("etalis_answers:load_native(File)", {"File": str(kept)})
        unlocked = ctypes.CDLL(str(kept))
        number, place = ctypes.c_int64, ctypes.c_void_p
        unlocked.merge_order.restype = unlocked.merge_answers.restype = number
        unlocked.number_values.restype = unlocked.different_queries.restype = number
        unlocked.number_values.argtypes = (*(place, place, number, number), *(place,) * 5)
        unlocked.number_decimals.restype = number
        unlocked.iris_size.restype = number
        unlocked.iris_size.argtypes = (place, number, place)
        unlocked.write_iris.argtypes = (place, number, *(place,) * 4)
        unlocked.number_decimals.argtypes = (
            *(place, place, number, place, place),
            *(ctypes.c_char_p, number, *(place,) * 3),
        )
        _describe_direct(unlocked)
        _library, _unlocked, _file = library, unlocked, kept


def _describe_direct(library: ctypes.CDLL) -> None:
    """Say what the functions of ``rules/native/direct.c`` take; the first argument is the machine."""
    number, text = ctypes.c_int64, (ctypes.c_char_p, ctypes.c_size_t)
    for function, *inputs in (
        (library.set_direct, number, number),
        (library.close_directly, number, number, number, number),
        (library.forget_numbers,),
        (library.number_name, *text),
        (library.number_exact, number, number, number),
        (library.number_real, ctypes.c_double, number),
        (library.number_text, *text, number),
        (library.number_written, *text, number),
    ):
        function.argtypes = (number, *inputs)
        function.restype = number


def unlocked_library() -> ctypes.CDLL:
    """The library, for what it does without Prolog: other threads of Python work meanwhile."""
    assert _unlocked is not None, "the rules are loaded"
    return _unlocked


def answers_taken(encoded: list[list[Any]]) -> Sequence[Sequence[Any]]:
    """The answers that the last call into Prolog of this thread has encoded (``rules/engine/answers.pl``).

    They are query numbers, starts, ends and values: lists, or where they are in native columns copies of
    these, three arrays and `Cells`. Then ``encoded`` has only the values that have no column.
    """
    if len(encoded) > 1:
        return encoded
    assert _library is not None, "Prolog has the library"
    (others,) = encoded
    columns = _library.answers_taken().contents
    names = _names(_library, columns) if columns.kinds_seen & 1 << ATOM else ()
    decimals = _decimals(columns) if columns.decimals else None
    terms = _cells(columns.term_kinds, columns.term_values, columns.terms, names, others, None, decimals)
    graphs = Graphs(_copied("q", columns.graph_ends, columns.graphs), terms) if columns.graphs else None
    return [
        _copied("i", columns.queries, columns.rows),
        _copied("q", columns.starts, columns.rows),
        _copied("q", columns.ends, columns.rows),
        _cells(columns.kinds, columns.values, columns.cells, names, others, graphs, decimals),
    ]


def _cells(kinds: int, values: int, count: int, *about: Any) -> Cells:
    return Cells(ctypes.string_at(kinds, count) if count else b"", _copied("q", values, count), *about)


def _decimals(columns: _Columns) -> Decimals:
    ends = _copied("i", columns.decimal_ends, columns.decimals + 1)
    return Decimals(ends, ctypes.string_at(columns.decimal_texts, ends[-1]))


def times_fit(times: array[int]) -> bool:
    """Whether rules that run without Prolog can take these times, signed integers of 64 bits."""
    assert _library is not None, "the rules are loaded"
    address, count = times.buffer_info()
    return bool(_library.times_fit(ctypes.c_void_p(address), ctypes.c_int64(count)))


_READ_ONLY: Final = 0x100
_view = ctypes.pythonapi.PyMemoryView_FromMemory
_view.restype, _view.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int)


def _copied(code: str, place: int, count: int) -> array[int]:
    column = array(code)
    if count:
        column.frombytes(_view(place, count * column.itemsize, _READ_ONLY))
    return column


def _names(library: ctypes.PyDLL, columns: _Columns) -> NameTable:
    """The texts of the names in answers of one engine, by their place; each crosses once."""
    tables: dict[int, tuple[int, NameTable]] | None = getattr(_threads, "names", None)
    if tables is None:
        tables = _threads.names = {}
    known = tables.get(columns.owner)
    if known is None or known[0] != columns.table:
        while len(tables) >= _MOST_TABLES:
            del tables[next(iter(tables))]
        known = tables[columns.owner] = columns.table, NameTable()
    names = known[1]
    count = columns.names - len(names)
    if count:
        ends = array("q", bytes(8 * count))
        texts = library.answers_texts(len(names), count, names.size, ends.buffer_info()[0])
        if texts is None:
            raise MemoryError
        names.add(ctypes.string_at(texts, ends[-1] - names.size), ends.tobytes())
    return names
