"""Answers of ``detect`` as the demos read them."""

from __future__ import annotations

from typing import Any

from etalis_py.literals import Encoded, encode_literal

__all__ = ["encoded"]


def encoded(struct: dict[str, Any]) -> Encoded:
    """A term of an answer, in the engine's form."""
    match struct["type"]:
        case "uri":
            return str(struct["value"])
        case "bnode":
            return f"_:{struct['value']}"
        case _:
            return encode_literal(struct["value"], struct["datatype"], struct["lang"])
