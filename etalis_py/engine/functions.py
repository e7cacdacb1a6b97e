"""Functions of the user's that queries call by IRI: Python callables, in FILTER and BIND, per engine.

An argument is a plain Python value where RDF has one, and a result may be: ``int``, ``Decimal``, ``float``,
``bool``, ``str`` (xsd:string), an aware ``datetime`` (UTC) and a ``timedelta`` (xsd:dayTimeDuration). All
other terms are rdflib's: IRIs, blank nodes, text with a language, other datatypes; a result may be one, too.
``None`` and an exception are an error of the expression (SPARQL 1.1, section 17.2). A function that is marked
(`etalis_py.vectorised`) takes lists of arguments, those of many rows, and returns the list of the results.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from itertools import islice
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

from etalis_py.compiler.plan.plan import PlanNode
from etalis_py.core.errors import UsageError, warn
from etalis_py.core.terms import Encoded, from_rdflib, to_rdflib
from etalis_py.core.vocabulary import (
    XSD_BOOLEAN,
    XSD_DATETIME,
    XSD_DAYTIMEDURATION,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_FLOAT,
    XSD_INTEGER,
    XSD_STRING,
)
from etalis_py.embedding.answer_values import encoded
from etalis_py.engine.function_columns import (
    Arguments,
    ColumnCall,
    column_calls,
    is_vectorised,
    result_column,
)
from etalis_py.streams.batch import Batch

__all__ = [
    "Function",
    "FunctionTable",
    "Functions",
    "check_functions",
    "count_overrun",
    "let_call",
    "load_functions",
    "value",
]

Function: TypeAlias = Callable[..., object]
FunctionTable: TypeAlias = Mapping[str, Function]
"""Functions by their absolute IRIs."""

MOST_KEPT = 100_000
"""The results of calls of columns that an engine keeps; the oldest are forgotten."""

_NO_KEYS = frozenset({(0.0, XSD_DOUBLE), (0.0, XSD_FLOAT)})
"""Equal to their negatives, for which a function may have another value."""
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_PLAIN = frozenset({XSD_INTEGER, XSD_DOUBLE, XSD_BOOLEAN, XSD_STRING})
_MICROSECOND = timedelta(microseconds=1)
_is_absolute = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:[^\x00-\x20<>\"{}|^`\\]*").fullmatch


class Functions:
    """The functions of one engine, as its rules call them, and the account of the calls that failed.

    ``errors`` counts what each function raised; ``overruns`` how many matches of each regular expression took
    more than ``regex_steps``.
    """

    def __init__(self, functions: FunctionTable, regex_steps: int) -> None:
        self._functions = dict(functions)
        self._vectorised = frozenset(iri for iri, each in functions.items() if is_vectorised(each))
        self._column_calls: dict[ColumnCall, None] = {}
        self._kept: dict[tuple[str, Arguments], Encoded | None] = {}
        self._warnings: list[tuple[str, str, str]] = []
        self._failed_columns: set[str] = set()
        self._warned_overruns: set[str] = set()
        self._regex_steps = regex_steps
        self._counting = Lock()
        self.errors: Counter[str] = Counter()
        self.overruns: Counter[str] = Counter()

    @property
    def known(self) -> frozenset[str]:
        """Their IRIs."""
        return frozenset(self._functions)

    def value(self, iri: str, arguments: list[Any]) -> Encoded | None:
        """The value of a call, encoded; None where it is an error."""
        function = self._functions.get(iri)
        if function is None:
            return None
        given = tuple(map(encoded, arguments))
        try:
            if iri not in self._vectorised:
                return _encoded_result(function(*map(_argument, given)))
            if (key := (iri, given)) in self._kept and _NO_KEYS.isdisjoint(given):
                return self._kept[key]
            [result] = result_column(function(*([_argument(each)] for each in given)), 1)
            return _encoded_result(result)
        except Exception as error:  # noqa: BLE001 - whatever a user's function raises is an error value
            self.errors[iri] += 1
            if self.errors[iri] == 1:
                message = f"the function <{iri}> raised {type(error).__name__}: {error}"
                hint = "such a call has no value; later ones are counted without a warning"
                self._warnings.append(("EW51", message, hint))
            return None

    def count_overrun(self, pattern: str) -> None:
        """A match of a regular expression took too many steps; several threads may say so."""
        with self._counting:
            self.overruns[pattern] += 1

    # ---- columns ----------------------------------------------------------------------------------------

    def prepare(self, plan: PlanNode) -> None:
        """From now on make the calls of columns that ``plan`` will ask for."""
        if self._vectorised:
            self._column_calls.update(dict.fromkeys(column_calls(plan, self._vectorised)))

    @property
    def calls_columns(self) -> bool:
        """Whether a plan asks for calls of columns."""
        return bool(self._column_calls)

    def call_ahead(self, batch: Batch) -> None:
        """Call each function of columns for all rows of a batch that is about to be evaluated."""
        wanted: dict[tuple[str, int], dict[Arguments, None]] = {}
        for call in self._column_calls:
            of_function = wanted.setdefault((call.function, len(call.arguments)), {})
            of_function.update(call.arguments_in(batch))
        for (iri, _), rows in wanted.items():
            missing = [each for each in rows if (iri, each) not in self._kept]
            if missing:
                self._call_column(iri, missing)

    def _call_column(self, iri: str, rows: list[Arguments]) -> None:
        """Keep the results of a column. A column that raises has none: each row is then called separately.

        What is not an RDF term is called for again, by itself, and is an error then.
        """
        try:
            columns = ([*map(_argument, column)] for column in zip(*rows, strict=True))
            results = result_column(self._functions[iri](*columns), len(rows))
        except Exception as error:  # noqa: BLE001 - which row is to blame is seen when each is called
            if iri not in self._failed_columns and len(rows) > 1:
                self._failed_columns.add(iri)
                message = (
                    f"the function <{iri}> raised {type(error).__name__} for a column of {len(rows):,} rows: "
                    f"{error}"
                )
                hint = (
                    "each row is now called separately, which is slow; return None for a row without a result"
                )
                self._warnings.append(("EW52", message, hint))
            return
        for row, result in zip(rows, results, strict=True):
            with suppress(Exception):
                self._kept[iri, row] = _encoded_result(result)
        for oldest in list(islice(self._kept, max(len(self._kept) - MOST_KEPT, 0))):
            del self._kept[oldest]

    def tell(self) -> None:
        """Warn of the functions that raised for the first time since this was called last."""
        while self._warnings:
            code, message, hint = self._warnings.pop(0)
            warn(code, message, hint=hint)

    def tell_overruns(self) -> None:
        """Warn of each regular expression once, when time has gone on and the number says something."""
        if not self.overruns:
            return
        for pattern in self.overruns.keys() - self._warned_overruns:
            self._warned_overruns.add(pattern)
            count = self.overruns[pattern]
            values = "a value" if count == 1 else f"{count} values"
            message = f'"{pattern}" takes more than {self._regex_steps} steps to match {values}'
            hint = "a FILTER drops them: avoid a repeat within a repeat, or raise max_regex_steps"
            warn("EW44", message, hint=hint)


_of_engines: WeakValueDictionary[str, Functions] = WeakValueDictionary()
"""By the engine's module in Prolog, which knows them by this name: janus frees no object that crosses."""


def let_call(module: str, functions: Functions) -> None:
    """Let the rules of an engine call ``functions``, as long as these are alive."""
    _of_engines[module] = functions


def value(module: str, iri: str, arguments: list[Any]) -> Encoded | None:
    """`Functions.value` of an engine. Prolog calls this."""
    return _of_engines[module].value(iri, arguments)


def count_overrun(module: str, pattern: str) -> None:
    """`Functions.count_overrun` of an engine. Prolog calls this."""
    _of_engines[module].count_overrun(pattern)


def check_functions(functions: object) -> dict[str, Function]:
    """The functions as a dictionary.

    Raises:
        UsageError: EP510, it is not a mapping of absolute IRIs to callables.
    """
    hint = "functions are {'http://example.org/f': f, ...}"
    if not isinstance(functions, Mapping):
        raise UsageError("EP510", f"functions are a mapping, not {type(functions).__name__}", hint=hint)
    for iri, function in functions.items():
        if not isinstance(iri, str) or not _is_absolute(iri):
            raise UsageError("EP510", f"the name of a function is an absolute IRI, not {iri!r}", hint=hint)
        if not callable(function):
            raise UsageError("EP510", f"the function <{iri}> cannot be called: {function!r}", hint=hint)
    return {str(iri): function for iri, function in functions.items()}


def load_functions(reference: str) -> dict[str, Function]:
    """The dictionary that ``module:name`` means, as ``--functions`` has it.

    Raises:
        UsageError: EP511, there is no such module or name; EP510, it holds no functions.
    """
    module, colon, name = reference.partition(":")
    if not (module and colon and name.isidentifier()):
        hint = "as in --functions mine:FUNCTIONS, for the dictionary FUNCTIONS in mine.py"
        raise UsageError("EP511", f"--functions {reference!r} is not module:name", hint=hint)
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)  # as python -m has it
    try:
        found = importlib.import_module(module)
    except Exception as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name in (module, module.partition(".")[0])
        hint = f"the module {module} was found but failed during import"
        if missing:
            hint = "modules are looked for in the current folder, and where Python looks (PYTHONPATH)"
        message = f"--functions {reference}: {type(error).__name__}: {error}"
        raise UsageError("EP511", message, hint=hint) from error
    if not hasattr(found, name):
        message = f"--functions {reference}: the module {module} ({_file_of(found)}) has no {name}"
        raise UsageError("EP511", message, hint=_instead(found, module, name))
    return check_functions(getattr(found, name))


def _file_of(module: ModuleType) -> str:
    return getattr(module, "__file__", None) or "a folder without an __init__.py"


def _instead(module: ModuleType, reference: str, name: str) -> str:
    """What a module has that may be meant by a name that it does not have."""
    public = {each: value for each, value in vars(module).items() if not each.startswith("_")}
    tables = [each for each, value in public.items() if isinstance(value, Mapping)]
    near = get_close_matches(name, tables, n=1) or (tables if len(tables) == 1 else [])
    if near:
        return f"did you mean {reference}:{near[0]}?"
    if tables:
        return f"it has the dictionaries {', '.join(tables[:5])}"
    example = next((each for each, value in public.items() if callable(value)), "f")
    hint = f'it has no dictionary of functions: write {name} = {{"http://example.org/{example}": {example}}}'
    return f"{hint} there"


def _argument(term: Encoded) -> object:
    """A term as a function gets it."""
    if not isinstance(term, str):
        value, kind = term[0], term[-1]
        match kind, value:
            case (_, bool() | int() | float() | str()) if kind in _PLAIN and _is_well_typed(value, kind):
                return value
            case (str(), Fraction() | int()) if kind == XSD_DECIMAL:
                return _decimal(Fraction(value))
            case (str(), int()) if kind == XSD_DATETIME:
                return _EPOCH + timedelta(microseconds=value)
            case (str(), (0, int() as microseconds)) if kind == XSD_DAYTIMEDURATION:
                return timedelta(microseconds=microseconds)
    return to_rdflib(term)


def _is_well_typed(value: object, kind: str) -> bool:
    return isinstance(value, str) == (kind == XSD_STRING)


def _decimal(value: Fraction) -> Decimal:
    """Exactly: the engine's decimals have a finite form."""
    places = max(value.denominator.bit_length(), 1)
    scaled = value * 10**places
    sign, digits = ("-" if scaled < 0 else ""), str(abs(scaled.numerator))
    return Decimal(f"{sign}{digits}E-{places}").normalize() if digits != "0" else Decimal(0)


def _encoded_result(value: object) -> Encoded | None:
    match value:
        case None:
            return None
        case bool():
            return value, XSD_BOOLEAN
        case int():
            return int(value), XSD_INTEGER
        case float():
            return float(value), XSD_DOUBLE
        case Decimal() if value.is_finite():
            return Fraction(value), XSD_DECIMAL
        case Fraction():
            return Fraction(round(value * 10**18), 10**18), XSD_DECIMAL
        case datetime():
            return (value - _EPOCH) // _MICROSECOND, XSD_DATETIME
        case timedelta():
            return (0, value // _MICROSECOND), XSD_DAYTIMEDURATION
        case str() if type(value) is str:
            value.encode()  # no text: a lone surrogate
            return value, XSD_STRING
        case _:
            return from_rdflib(value)
