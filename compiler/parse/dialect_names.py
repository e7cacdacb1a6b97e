"""The names of the dialects of queries with windows on streams."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

__all__ = ["DIALECTS", "DialectName"]

DialectName: TypeAlias = Literal["rspql", "csparql", "cqels", "sparqlstream"]
DIALECTS: Final[tuple[DialectName, ...]] = get_args(DialectName)
