"""Random queries, as text: the parser and the translation are tested with the rest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tests.oracle.chooser import Chooser
from tests.oracle.group_texts import ANYTHING, GroupWriter, TriplePattern, Written
from tests.oracle.operators import STREAM, Operators
from tests.oracle.vocabulary import (
    CLASSES,
    DERIVED,
    ENTITIES,
    GRAPHS,
    MADE,
    PREDICATES,
    PROLOGUE,
    STREAMS,
    VARIABLES,
    written,
)

__all__ = ["ANYTHING", "QueryText", "TriplePattern", "construct_text", "question_text"]

_ORDERING = ("GROUP BY", "LIMIT")
_AGGREGATES = ("COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT")


@dataclass(frozen=True)
class QueryText:
    """A query, and its triple patterns, so that a stream can be made that it has something to say about."""

    text: str
    patterns: tuple[TriplePattern, ...]


def question_text(choice: Chooser, operators: Operators, *, fed: bool) -> QueryText:
    """A SELECT, ASK or DESCRIBE query; ``fed`` says that CONSTRUCT queries make what it may ask for."""
    writer = _QueryWriter(choice, operators, fed=fed)
    return writer.finished(writer.question())


def construct_text(choice: Chooser, operators: Operators) -> QueryText:
    """A CONSTRUCT query; what it makes may be what it, or another, asks for."""
    writer = _QueryWriter(choice, operators, fed=True)
    return writer.finished(writer.construct())


class _QueryWriter(GroupWriter):
    def finished(self, text: str) -> QueryText:
        """The query; plain SPARQL does not speak of times."""
        if "AT" in self.operators:
            text = re.sub(r"get\w+\(\)", "?x", text)
        return QueryText(PROLOGUE + text, tuple(self.patterns))

    def question(self) -> str:
        forms = sorted(self.operators & {"ASK", "DESCRIBE"})
        if not forms or self.rarely(2):
            return self.select(0)[0]
        group, known = self.group(0)
        if self.choose(forms) == "ASK":
            return f"ASK {self._datasets()}{group}"
        subjects = [
            "*" if known else ":c",
            ":a",
            *(f"?{each}" for each in known),
            *(f"?{each} :b" for each in known),
        ]
        return f"DESCRIBE {self.choose(subjects)} {self._datasets()}WHERE {group}"

    def _datasets(self) -> str:
        """FROM STREAM, FROM and FROM NAMED."""
        text = ""
        if STREAM in self.operators and self.rarely(3):
            names = {self.choose((*STREAMS, *DERIVED)) for _ in range(self.number(1, 2))}
            text = "".join(f"FROM STREAM {written(each)} " for each in sorted(names))
        if "FROM" not in self.operators:
            return text
        chosen = [
            self.choose(("", "", "NAMED ")) + self.choose([written(each) for each in GRAPHS])
            for _ in range(self.number(0, 2))
        ]
        return text + "".join(f"FROM {each} " for each in chosen)

    def construct(self) -> str:
        group, known = self.group(0)
        triples = " . ".join(self._template(known) for _ in range(self.number(1, 2)))
        named = STREAM in self.operators and not self.rarely(3)
        target = f"STREAM {written(self.choose(DERIVED))} " if named else ""
        return f"CONSTRUCT {target}{{ {triples} }} {self._datasets()}WHERE {group}{self._slice(known)}"

    def _template(self, known: list[str]) -> str:
        variables = [f"?{each}" for each in known or VARIABLES]
        if self.rarely(6):
            return f"{self.choose(variables)} a {self.choose([written(each) for each in CLASSES])}"
        named = self.operators.isdisjoint(_ORDERING)  # the order of new blank nodes means nothing
        subject = ANYTHING if named and self.rarely(8) else self.choose([*variables, written(ENTITIES[0])])
        predicate = self.choose([written(each) for each in (*MADE, *PREDICATES[:2])])
        target = self.choose([*variables, written(ENTITIES[1]), "1"])
        return f"{subject} {predicate} {target}"

    # ---- SELECT --------------------------------------------------------------------------------------

    def select(self, depth: int) -> Written:
        group, known = self.group(depth)
        distinct = "DISTINCT " if self.rarely(4) else ""
        if "GROUP BY" in self.operators and not self.rarely(3):
            columns, chosen, rest = self._grouped(known)
        elif not self.rarely(2):
            columns, chosen, rest = "*", [each for each in known if each[0] != "_"], self._slice(known)
        else:
            columns, chosen = self._columns(known)
            rest = self._slice(known)
        if "VALUES" in self.operators and self.rarely(4):
            text, named = self.table(VARIABLES)
            rest += f" {text}"
            chosen = list(dict.fromkeys([*chosen, *named])) if columns == "*" else chosen
        return (
            f"SELECT {distinct}{columns} {self._datasets() if depth == 0 else ''}WHERE {group}{rest}",
            chosen,
        )

    def _columns(self, known: list[str]) -> Written:
        chosen = [each for each in (*known, *VARIABLES[:1]) if not self.rarely(3)] or ["x"]
        columns = [f"?{each}" for each in dict.fromkeys(chosen)]
        if self.rarely(6):
            name = self.new_variable()
            columns.append(f"({self.value(known)} AS ?{name})")
            chosen.append(name)
        return " ".join(columns), chosen

    def _slice(self, known: Sequence[str]) -> str:
        """ORDER BY, LIMIT and OFFSET."""
        if "LIMIT" not in self.operators or self.rarely(3):
            return ""
        keys = [f"{self.choose(('', 'ASC', 'DESC'))}({self._key(known)})" for _ in range(self.number(0, 2))]
        order = f" ORDER BY {' '.join(keys)}" if keys else ""
        limit = f" LIMIT {self.choose((1, 1, 2, 0))}" if not self.rarely(5) else ""
        return order + limit + (f" OFFSET {self.choose((1, 1, 0, 2))}" if self.rarely(3) else "")

    def _key(self, known: Sequence[str]) -> str:
        return self.value(known, 1) if self.rarely(3) else f"?{self.choose([*known, *VARIABLES])}"

    # ---- Groups of solutions -------------------------------------------------------------------------

    def _grouped(self, known: list[str]) -> tuple[str, list[str], str]:
        """The columns, their variables, and what stands after WHERE."""
        keys, chosen = [], []
        for _ in range(self.choose((1, 1, 0, 2))):
            name = self.choose([*known, *known, *VARIABLES])
            if self.rarely(5):
                name = self.new_variable()
                keys.append(f"({self.value(known, 1)} AS ?{name})")
            else:
                keys.append(f"?{name}")
            chosen.append(name)
        chosen = list(dict.fromkeys(chosen))
        columns, grouped = [f"?{each}" for each in chosen], tuple(chosen)
        aggregates = [self._aggregate(known) for _ in range(self.choose((1, 1, 2)))]
        for aggregate in aggregates:
            name = self.new_variable()
            columns.append(f"({self._about(aggregate)} AS ?{name})")
            chosen.append(name)
        rest = f" GROUP BY {' '.join(keys)}" if keys else ""
        if self.rarely(3):
            judged = self.choose((aggregates[0], aggregates[0], f"?{chosen[-1]}"))
            rest += f" HAVING ({self._having(judged, grouped)})"
        if "WINDOW" in self.operators and not self.rarely(4):
            rest += f" WINDOW [{self._window_text()}]"
        return " ".join(columns), chosen, rest + self._slice(chosen)

    def _about(self, aggregate: str) -> str:
        return f"({aggregate} + 1)" if self.rarely(6) else aggregate

    def _aggregate(self, known: Sequence[str]) -> str:
        distinct = "DISTINCT " if self.rarely(3) else ""
        if self.rarely(4):
            return f"COUNT({distinct}*)"
        name = self.choose(_AGGREGATES)
        variable = f"?{self.choose([*known, *VARIABLES])}"
        argument = self.choose((variable, variable, f"COALESCE({variable} + 0, 1)", "getENDTIME()"))
        if self.rarely(5):
            argument = self.value(known, 1)
        if name in ("SUM", "AVG") and not self.rarely(4):
            argument = f"COALESCE({variable} + 0, {self.choose(('1', '0.5', '2.5E0'))})"
        separator = '; SEPARATOR=","' if name == "GROUP_CONCAT" and self.rarely(2) else ""
        return f"{name}({distinct}{argument}{separator})"

    def _having(self, aggregate: str, chosen: Sequence[str]) -> str:
        if self.rarely(4):
            return self.condition(chosen, 1)
        return f"{aggregate} {self.choose(('>', '<=', '!=', '='))} {self.choose(('1', '2', '1.5', ':a'))}"

    def _window_text(self) -> str:
        seconds = self.choose(("1", "2", "3", "1.5"))
        match self.choose(("range", "step", "rows", "past")):
            case "range":
                return f"RANGE PT{seconds}S"
            case "step":
                return f"RANGE PT{seconds}S STEP PT{self.choose(('1', '2', '0.5', '3'))}S"
            case "rows":
                return f"ROWS {self.number(1, 3)}"
            case _:
                ages = ["NOW", "NOW-PT1S", "NOW-PT2S", "NOW-PT4S"]
                newest = self.number(0, 2)
                return f"{ages[self.number(newest + 1, 3)]} TO {ages[newest]}"
