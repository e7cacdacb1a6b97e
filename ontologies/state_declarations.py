"""What a rules file declares to be state, as it is read: patterns that begin and end it, not compiled yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from etalis_py.core.value_class import value_class

__all__ = ["Change", "PatternText", "StateDeclaration"]

Change: TypeAlias = Literal["begins", "ends"]
"""What the matches of a pattern do to a state."""


@value_class
class PatternText:
    """The text of a pattern, and where its opening quote stands in the file; column 0: not known."""

    text: str
    line: int
    column: int


@value_class
class StateDeclaration:
    """``:- state(name(Variable...), begins("..."), ends("...")).``; without ``ends`` it never ends.

    ``variables`` are the names of the arguments, which are the variables of the patterns; ``prefixes`` those
    that the file has declared up to there.
    """

    name: str
    variables: tuple[str, ...]
    begins: PatternText
    ends: PatternText | None
    prefixes: Mapping[str, str]
    file: str
    line: int

    @property
    def indicator(self) -> str:
        """``name/arity``."""
        return f"{self.name}/{len(self.variables)}"

    @property
    def patterns(self) -> tuple[tuple[Change, PatternText], ...]:
        """The patterns, each with what it does."""
        begins: tuple[Change, PatternText] = ("begins", self.begins)
        return (begins,) if self.ends is None else (begins, ("ends", self.ends))
