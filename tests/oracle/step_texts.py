"""Random chains with SEQ NEXT, STRICT and NOT, REPEAT and timers, as text, nested in any way.

Variables of one iteration have names of their own, so that nothing else speaks of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.oracle.chooser import Chooser
from tests.oracle.group_texts import TriplePattern, Written
from tests.oracle.vocabulary import ENTITIES, MADE, PREDICATES, VARIABLES, written

__all__ = ["ALL_STEPS", "StepWriter"]

ALL_STEPS = (
    *("SEQ", "SEQ", "NEXT", "NEXT", "STRICT", "STRICT", "NOT", "NOT", "FOR", "FOR", "AFTER"),
    *("REPEAT", "REPEAT", "REPEAT", "REPEAT", "UNION", "EQUALS", "DURING", "PAR", "OPTIONAL"),
)
"""What may come next in a chain."""

_TIMES = ("", "", "", "2", "2 TO *", "1 TO 2", "2 TO 3", "0 TO *", "3")
_MODES = ("", "", "ALL", "NEXT", "NEXT", "STRICT", "STRICT", "STRICT LONGEST", "STRICT LONGEST", "ANY")
_AGGREGATES = (
    "COUNT(*)",
    "LAST({0})",
    "FIRST({0})",
    "SUM({0})",
    "MAX({0})",
    "MIN({0})",
    "COUNT({0})",
    "AVG({0})",
)
_OF_ITERATIONS = (
    *("{0} >= PREV({0}, 0)", "{0} > PREV({0}, 0)", "{0} != PREV({0}, 0)", "{0} <= PREV({0}, 3)"),
    *("COUNT(*) < 2", "SUM({0}) < 4", "{0} >= COALESCE(FIRST({0}), 0)", "COALESCE({0} > PREV({0}), true)"),
)


class StepWriter(Chooser):
    """Writes chains of steps; ``patterns`` are all their triple patterns, ``steps`` what they may be of."""

    def __init__(self, choice: Chooser, steps: Sequence[str] = ALL_STEPS, *, fed: bool = False) -> None:
        super().__init__(choice.even)
        self.patterns: list[TriplePattern] = []
        self._steps = steps
        self._fed = fed
        self._fresh = 0

    # ---- Chains --------------------------------------------------------------------------------------

    def chain(self, depth: int, outside: Sequence[str] = ()) -> Written:
        """A chain of two to four steps; ``outside`` are the variables before it in its group."""
        text, known = self._first(depth, outside)
        for _ in range(self.choose((1, 1, 1, 2, 2, 3))):
            step = self.choose(self._steps)
            if step == "OPTIONAL" and self.patterns:
                group, more = self.group(depth + 1, known)
                text = f"{text} OPTIONAL {group}"
            else:
                following, more = self._following(step, depth, known, outside)
                text = f"{text} {following}"
            known = _together(known, more)
        return text, known

    def _first(self, depth: int, outside: Sequence[str]) -> Written:
        kinds = ["group", "group", "group"]
        kinds += ["REPEAT"] if "REPEAT" in self._steps else []
        kinds += ["NOT"] if "NOT" in self._steps and self.rarely(2) else []
        kinds += ["EVERY"] if "AFTER" in self._steps and self.rarely(4) else []
        match self.choose(kinds):
            case "REPEAT":
                return self._repeat([], list(outside))
            case "NOT":
                right, known = self.group(depth + 1)
                none, _ = self.group(depth + 1, known)
                length = f" FOR {self.length()}" if self.rarely(2) else ""
                return f"NOT {none}{length} SEQ {right}", known
            case "EVERY":
                return f"EVERY {self.length()}", []
            case _:
                return self.group(depth + 1)

    def _following(self, step: str, depth: int, known: list[str], outside: Sequence[str]) -> Written:
        match step:
            case "AFTER":
                return f"SEQ AFTER {self.length()}", []
            case "FOR":
                none, _ = self.group(depth + 1, known)
                return f"SEQ NOT {none} FOR {self.length()}{' FROM START' * self.rarely(4)}", []
            case "NOT":
                none, _ = self.group(depth + 1, known)
                right, more = self.group(depth + 1, known)
                selected = self._selection(known) if self.rarely(2) else ""
                return f"SEQ NOT {none} SEQ{selected} {right}", more
            case "REPEAT":
                repeat, more = self._repeat(known, outside)
                chooses = any(f" {mode} " in repeat.partition("{")[0] for mode in ("NEXT", "STRICT", "ANY"))
                selected = self._selection(known) if chooses and self.rarely(2) else ""
                return f"SEQ{selected} {repeat}", more
            case "NEXT" | "STRICT":
                right, more = self.group(depth + 1, known)
                selected = " NEXT" if step == "NEXT" else self._strict(known)
                return f"SEQ{selected} {right}", more
            case operator:
                right, more = self.group(depth + 1, known)
                return f"{operator} {right}", more

    def _selection(self, known: Sequence[str]) -> str:
        return " NEXT" if self.rarely(2) else self._strict(known)

    def _strict(self, known: Sequence[str]) -> str:
        match self.choose(("", "PER", "AMONG", "AMONG", "AMONG")):
            case "PER" if known:
                return f" STRICT PER ?{self.choose(known)}"
            case "AMONG":
                return f" STRICT AMONG {self._among(known)}"
            case _:
                return " STRICT"

    def _among(self, known: Sequence[str]) -> str:
        subject = f"?{self.choose([*known, 'x'])}" if not self.rarely(3) else f"?{self.new_variable()}"
        return f"{{ {self._triple(subject, f'?{self.new_variable()}')} }}"

    # ---- REPEAT --------------------------------------------------------------------------------------

    def _repeat(self, known: list[str], outside: Sequence[str]) -> Written:
        """A repetition, and what is seen of it: what it shares, and its measures."""
        times, mode = self.choose(_TIMES), self.choose(_MODES)
        if mode == "ANY" and ("*" in times or not times):
            times = "1 TO 2"
        if times.startswith("0") and (not known or "LONGEST" in mode):
            times = ""
        subject = "x"
        is_free = subject not in known and subject in outside
        per = [subject] if subject in known and self.rarely(3) else []
        if subject not in known:
            if self.rarely(3) or is_free or times.startswith("0"):
                subject = self.new_variable()
            else:
                per = [subject]
        if mode.startswith("STRICT") and not per and not self.rarely(3):
            mode = f"{mode} AMONG {self._among([subject] if subject in VARIABLES else known)}"
        iterated = self.new_variable()
        group = self._repeated(f"?{subject}", f"?{iterated}", known)
        measures, named = self._measures(f"?{iterated}")
        shared = "".join(f" PER ?{each}" for each in per)
        return f"REPEAT {times} {mode}{shared} {group}{measures}", [*per, *named]

    def _repeated(self, subject: str, iterated: str, known: Sequence[str]) -> str:
        text = self._triple(subject, iterated)
        if self.rarely(6):
            text += f" {self._triple(subject, f'?{self.new_variable()}')}"
        if self.rarely(8):
            text += f" OPTIONAL {{ {self._triple(subject, f'?{self.new_variable()}')} }}"
        for _ in range(self.choose((0, 1, 1, 2))):
            condition = self.choose(_OF_ITERATIONS).format(iterated)
            if self.rarely(3):
                condition = self.condition([iterated[1:]], known)
            text += f" FILTER ({condition})"
        if self.rarely(4):
            text += f" WITHIN {self.length()}"
        return f"{{ {text} }}"

    def _measures(self, iterated: str) -> Written:
        if self.rarely(5):
            return "", []
        named, texts = [], []
        for _ in range(self.choose((1, 1, 2, 3))):
            name = self.new_variable()
            texts.append(f"{self.choose(_AGGREGATES).format(iterated)} AS ?{name}")
            named.append(name)
        return f" MEASURES ({', '.join(texts)})", named

    # ---- Groups --------------------------------------------------------------------------------------

    def group(self, depth: int, outside: Sequence[str] = ()) -> Written:
        """A group in braces, whose filters may speak of the variables ``outside``, too."""
        parts: list[str] = []
        known: list[str] = []
        if depth < 2 and self.rarely(7):
            text, known = self.chain(depth + 1)
            parts.append(text)
        else:
            for _ in range(self.choose((1, 1, 1, 1, 1, 2))):
                text, more = self._triple_of_variables()
                parts.append(text)
                known = _together(known, more)
        match self.choose(("", "", "", "", "", "", "OPTIONAL", "UNION")):
            case "OPTIONAL":
                text, more = self._triple_of_variables()
                parts.append(f"OPTIONAL {{ {text} }}")
                known = _together(known, more)
            case "UNION":
                (one, some), (other, more) = self._triple_of_variables(), self._triple_of_variables()
                parts.append(f"{{ {one} }} UNION {{ {other} }}")
                known = _together(known, [*some, *more])
        if self.rarely(5):
            parts.append(f"FILTER ({self.condition(known, outside)})")
        if self.rarely(12):
            parts.append(f"WITHIN {self.length()}")
        return f"{{ {' '.join(parts)} }}", known

    def condition(self, own: Sequence[str], outside: Sequence[str] = ()) -> str:
        """A condition on variables of its own group, and on some outside."""
        valued = [each for each in (*own, *outside) if each != "x"]

        def one() -> str:
            return f"?{self.choose(valued or VARIABLES)}"

        match self.choose(
            ("compare", "compare", "compare", "constant", "bound", "length", "exists", "exists")
        ):
            case "compare":
                return f"{one()} {self.choose(('=', '!=', '<', '>=', '<='))} {one()}"
            case "bound":
                return f"{self.choose(('', '!'))}BOUND({one()})"
            case "length":
                return f'getDURATION() {self.choose(("<=", "<", ">="))} "{self.length()}"^^xsd:duration'
            case "exists":
                subject, target = self.choose(("?x", one())), self.choose(("?y", one()))
                return f"{self.choose(('', 'NOT '))}EXISTS {{ {self._triple(subject, target)} }}"
            case _:
                return f"{one()} {self.choose(('=', '!=', '>', '<='))} {self.choose(('1', '1', '2', ':a'))}"

    def _triple_of_variables(self) -> Written:
        subject, target = ("?y", "?x") if self.rarely(12) else ("?x", f"?{self.choose('yyyzzz')}")
        if self.rarely(10):
            target = written(self.choose((ENTITIES[1], "urn:a")))
        return self._triple(subject, target), [each[1:] for each in (subject, target) if each[0] == "?"]

    def _triple(self, subject: str, target: str) -> str:
        predicate = self.choose((*PREDICATES[:1] * 5, *PREDICATES[1:2] * 3, PREDICATES[2]))
        if self._fed and self.rarely(4):
            predicate = MADE[0]
        encoded = [f"urn:{each[1:]}" if each[0] == ":" else each for each in (subject, target)]
        self.patterns.append((encoded[0], predicate, encoded[1]))
        return f"{subject} {written(predicate)} {target} ."

    def length(self) -> str:
        """A short duration."""
        return f"PT{self.choose(('1', '2', '3', '4', '1.5'))}S"

    def new_variable(self) -> str:
        """A variable that nothing else has."""
        self._fresh += 1
        return f"n{self._fresh}"


def _together(some: Sequence[str], more: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*some, *more]))
