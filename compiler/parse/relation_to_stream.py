"""The operators that make a stream of the rows of evaluations (CQL: relation to stream)."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

__all__ = ["RELATIONS_TO_STREAM", "RelationToStream"]

RelationToStream: TypeAlias = Literal["RSTREAM", "ISTREAM", "DSTREAM"]
"""Of the rows of an evaluation all, those that are new, or those of the one before that are gone."""

RELATIONS_TO_STREAM: Final[tuple[RelationToStream, ...]] = get_args(RelationToStream)
