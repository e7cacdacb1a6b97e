"""The names of languages, for options."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

__all__ = ["LANGUAGES", "LanguageName"]

LanguageName: TypeAlias = Literal["ep-sparql", "spaseq", "etalis"]
LANGUAGES: Final[tuple[LanguageName, ...]] = ("ep-sparql", "spaseq", "etalis")
