"""Random expressions, as text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from tests.oracle.chooser import Chooser
from tests.oracle.operators import Operators
from tests.oracle.vocabulary import ENTITIES, LITERALS, SECOND, VARIABLES, written

__all__ = ["ExpressionWriter"]

_COMPARISONS = ("=", "!=", "<", ">", "<=", ">=")
_DURATION_TYPES = ("xsd:duration", "xsd:dayTimeDuration")


class ExpressionWriter(Chooser, ABC):
    """Writes conditions and values over variables that may be bound or not."""

    def __init__(self, choice: Chooser, operators: Operators) -> None:
        super().__init__(choice.even)
        self.operators = operators

    @abstractmethod
    def existing(self, outside: Sequence[str]) -> str:
        """A group for EXISTS, whose filters may speak of the variables ``outside``, too."""

    def condition(self, known: Sequence[str], depth: int = 2) -> str:
        """A condition in brackets."""
        kinds = ["exact", "exact", "window", "window", "window", "bound", "time", "time"]
        if depth and self.rarely(3):
            kinds = ["&&", "&&", "||", "!", "in", "sameterm", "plain", "compare"]
        if "EXISTS" in self.operators and self.rarely(2):
            return f"({self.choose(('', 'NOT '))}EXISTS {self.existing(known)})"
        match self.choose(kinds):
            case "compare":
                return f"({self.value(known, depth)} {self.choose(_COMPARISONS)} {self.value(known, depth)})"
            case "window":
                return self._window()
            case "bound":
                return f"({self.choose(('', '!'))}BOUND({self._variable(known)}))"
            case "time":
                return self._time()
            case "&&" | "||" as operator:
                return f"({self.condition(known, depth - 1)} {operator} {self.condition(known, depth - 1)})"
            case "!":
                return f"(!{self.condition(known, depth - 1)})"
            case "in":
                choices = ", ".join(self.value(known, 0) for _ in range(self.number(0, 2)))
                return f"({self.value(known, 0)} {self.choose(('IN', 'NOT IN'))} ({choices}))"
            case "sameterm":
                return f"SAMETERM({self.value(known, 0)}, {self.value(known, 0)})"
            case "exact":
                relation = self.choose(("!=", "=", "!=", "<="))
                return f"({self._variable(known)} {relation} {self._variable(known)})"
            case _:
                return f"({self.value(known, depth)})"

    def shared_condition(self, known: Sequence[str], outside: Sequence[str]) -> str:
        """A condition of an optional group, which sees the other side's variables as well."""
        if not known or not outside or self.rarely(3):
            return self.condition((*known, *outside))
        operator, relation = self.choose(("||", "&&", "=")), self.choose(("=", "!="))
        only_outside = [each for each in outside if each not in known]
        shared = f"(?{self.choose(known)} {relation} ?{self.choose(only_outside or outside)})"
        return f"({self._window() if self.rarely(2) else self._time()} {operator} {shared})"

    def value(self, known: Sequence[str], depth: int = 2) -> str:
        """An expression with any value, or none."""
        kinds = ["variable", "variable", "constant"]
        if depth and self.rarely(2):
            kinds = ["arithmetic", "if", "coalesce", "time", "truth", "function"]
        match self.choose(kinds):
            case "variable":
                return self._variable(known)
            case "constant":
                return written(self.choose((*LITERALS, *ENTITIES)))
            case "arithmetic":
                return self._arithmetic(known, depth)
            case "if":
                parts = (self.value(known, depth - 1), self.value(known, depth - 1))
                return f"IF({self.condition(known, depth - 1)}, {parts[0]}, {parts[1]})"
            case "coalesce":
                choices = ", ".join(self.value(known, depth - 1) for _ in range(self.number(1, 2)))
                return f"COALESCE({choices})"
            case "function":
                return f":{self.choose(('next', 'next', 'twice'))}({self.value(known, depth - 1)})"
            case "time":
                return self.choose(("getDURATION()", "getSTARTTIME()", "getENDTIME()"))
            case _:
                return self.condition(known, depth - 1)

    def _arithmetic(self, known: Sequence[str], depth: int) -> str:
        left = self.value(known, depth - 1)
        match self.choose(("+", "-", "*", "/", "by zero", "negate", "times")):
            case "/":
                return f"({left} / {self.choose(('2', '3', '2.0E0'))})"
            case "by zero":
                return "(1 / 0)"
            case "negate":
                return f"(-{left})"
            case "times":
                return f"(getENDTIME() {self.choose(('+', '-'))} {self._length()})"
            case operator:
                return f"({left} {operator} {self.value(known, depth - 1)})"

    def _variable(self, known: Sequence[str]) -> str:
        return f"?{self.choose([*known, *known, *known, *VARIABLES])}"

    def _window(self) -> str:
        length = self.choose(("getDURATION()", "getDURATION()", "(getENDTIME() - getSTARTTIME())"))
        operator = self.choose(("<", "<=", "<", "<=", ">", ">=", "=", "!="))
        if self.rarely(3):
            mirrored = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(operator, operator)
            return f"({self._duration()} {mirrored} {length})"
        return f"({length} {operator} {self._duration()})"

    def _time(self) -> str:
        function = self.choose(("getSTARTTIME()", "getENDTIME()"))
        return f"({function} {self.choose(_COMPARISONS)} {self._moment()})"

    def _duration(self) -> str:
        if self.rarely(8):
            return f'"{self.choose(("P1M", "P1Y2M"))}"^^xsd:duration'
        return self._length()

    def _length(self) -> str:
        seconds = self.choose(("3", "2", "1", "0", "4", "5", "7", "2.5"))
        sign = "-" if self.rarely(10) else ""
        return f'"{sign}PT{seconds}S"^^{self.choose(_DURATION_TYPES)}'

    def _moment(self) -> str:
        return written((self.number(0, 7) * SECOND, LITERALS[-1][-1]))
