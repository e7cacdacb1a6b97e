"""Answers of ``detect`` as the demos read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from etalis_py.core.literals import Encoded, encode_literal

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["encoded", "in_microseconds"]


def in_microseconds(answers: DataFrame) -> DataFrame:
    """Answers with ``start`` and ``end`` as whole microseconds since 1970, UTC."""
    from pyspark.sql import functions as f

    return answers.withColumns({name: f.unix_micros(name) for name in ("start", "end")})


def encoded(struct: dict[str, Any]) -> Encoded:
    """A term of an answer, in the engine's form."""
    match struct["type"]:
        case "uri":
            return str(struct["value"])
        case "bnode":
            return f"_:{struct['value']}"
        case _:
            return encode_literal(struct["value"], struct["datatype"], struct["lang"])
