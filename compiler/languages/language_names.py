"""The names of languages, for options."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from etalis_py.compiler.parse.dialect_names import DIALECTS, DialectName

__all__ = ["LANGUAGES", "LanguageName"]

LanguageName: TypeAlias = Literal["ep-sparql", "spaseq", "etalis"] | DialectName
LANGUAGES: Final[tuple[LanguageName, ...]] = ("ep-sparql", "spaseq", "etalis", *DIALECTS)
"""Dialects are EP-SPARQL whose queries with windows leave something unsaid (`algebra/dialects.py`)."""
