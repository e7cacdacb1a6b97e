"""A token that does not fit into the grammar, and where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from lark import Token

from etalis_py.compiler.parse.grammar_table import combinators
from etalis_py.core.value_class import value_class

__all__ = ["Slip"]


@value_class
class Slip:
    """A token that does not fit: what stood before it and what the grammar would have accepted."""

    found: Token
    before: Sequence[Token]
    accepted: AbstractSet[str]
    text: str

    @property
    def last(self) -> str:
        """The type of the token before, or the empty text."""
        return self.before[-1].type if self.before else ""

    @property
    def touches(self) -> bool:
        """Whether the token follows the one before without a space."""
        return bool(self.before) and self.before[-1].end_pos == self.found.start_pos

    @property
    def between_groups(self) -> bool:
        """Whether the token stands after a group."""
        return self.accepted >= combinators()

    @property
    def in_expression(self) -> bool:
        """Whether the token stands after an operand of FILTER, BIND and the like."""
        return not self.accepted.isdisjoint({"OR_OPERATOR", "AND_OPERATOR", "EQUAL"})
