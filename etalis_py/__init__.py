"""EP-SPARQL event processing and stream reasoning over RDF.

>>> from etalis_py import Engine

Everything here is imported when it is used: ``import etalis_py`` loads no Prolog.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from etalis_py.agreement.agree import agree
    from etalis_py.compiler.rewriting.rewrite import rewrite
    from etalis_py.core.errors import (
        CompileError,
        DataError,
        EtalisError,
        EtalisWarning,
        Place,
        QueryError,
        QuerySyntaxError,
        RunTimeError,
        UsageError,
    )
    from etalis_py.engine.engine import Engine
    from etalis_py.engine.function_columns import vectorised
    from etalis_py.engine.match_sequence import Matches
    from etalis_py.engine.matches import Match
    from etalis_py.engine.run import run
    from etalis_py.profiling.engine import ProfilingEngine
    from etalis_py.rates import Rates

__all__ = [
    "CompileError",
    "DataError",
    "Engine",
    "EtalisError",
    "EtalisWarning",
    "Match",
    "Matches",
    "Place",
    "ProfilingEngine",
    "QueryError",
    "QuerySyntaxError",
    "Rates",
    "RunTimeError",
    "UsageError",
    "__version__",
    "agree",
    "rewrite",
    "run",
    "vectorised",
]

_HOMES = {
    "Engine": "engine.engine",
    "Match": "engine.matches",
    "Matches": "engine.match_sequence",
    "ProfilingEngine": "profiling.engine",
    "Rates": "rates",
    "agree": "agreement.agree",
    "rewrite": "compiler.rewriting.rewrite",
    "run": "engine.run",
    "vectorised": "engine.function_columns",
}
"""The modules that define the public names; errors are in ``core.errors``."""

__version__: str
"""The version of the installed package."""


def __getattr__(name: str) -> Any:
    """Import what is asked for (PEP 562)."""
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("etalis_py")
        except PackageNotFoundError:  # the folders of a checkout, put on the path by hand
            return "0+unknown"
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"etalis_py.{_HOMES.get(name, 'core.errors')}"), name)


def load_ipython_extension(shell: Any) -> None:
    """What ``%load_ext etalis_py`` calls in a notebook (docs/notebook.md)."""
    from etalis_py.notebook.magics import EtalisMagics

    shell.register_magics(EtalisMagics)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
