"""EDBC rules as data: clauses, the goal stores they use, and what ties them to the query text.

Does not generate rules (``generate.py`` does) and does not print them (``prolog_text.py`` does).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import Enum
from itertools import chain

from etalis_py.compiler.algebra.algebra import Constant, TermPattern, Variable
from etalis_py.compiler.plan.plan import PlanNode
from etalis_py.compiler.rules.prolog_terms import UNBOUND, Atom, Term, Var, rdf_term, struct
from etalis_py.compiler.spans import Span
from etalis_py.core.value_class import value_class

__all__ = [
    "ANSWER",
    "COUNT",
    "END",
    "KEEPING",
    "OPEN",
    "START",
    "USED",
    "Rule",
    "RuleKind",
    "RuleSet",
    "Store",
    "StoreKind",
    "VariableNames",
]

START, END = Var("Start"), Var("End")
"""The interval of the solution a rule reacts to."""
COUNT, OPEN = Var("Count"), Var("Open")
"""Of a goal of REPEAT: how many iterations it has, and 0 while it may get more."""
KEEPING = ("insert", "begin_life")
"""What keeps a goal, its first argument (``rules/stores/goal_store.pl``)."""
ANSWER = Var("Answer")
"""The last argument of every rule: on backtracking, each answer that its solution brings about."""
USED = Var("Used")
"""Under a policy: the occurrences a solution is made of, the last of its columns."""


class RuleKind(Enum):
    """What a rule is for."""

    TRIGGER = "an occurrence becomes a solution of a triple pattern"
    INSERTION = "goal insertion: a part happened, wait for the other"
    CHECKING = "checking: a part happened, is a goal waiting for it?"
    BOTH = "goal insertion, and checking of the other side's goals"
    PASSING = "one solution becomes one of the operator above"
    SETTLING = "the instant closes: what waited for it is decided"
    CHOOSING = "choice: which partner a solution takes under the policy"
    CONSUMING = "the instant closes: what answers are made of is consumed"
    TIMELESS = "solutions from background alone"
    ASKING = "what EXISTS finds for one solution, whose values are substituted"
    ANSWER = "a solution of the whole query"
    STATE = "a solution of the whole pattern: the state changes when the instant has closed"


@value_class
class Rule:
    """One clause, with the place in the query of the operator it came from."""

    kind: RuleKind
    head: Term
    body: Term
    span: Span


class StoreKind(Enum):
    """How long a goal is kept."""

    LASTING = "for ever"
    WINDOW = "for a window"
    INSTANT = "for one instant"
    SETTLED = "until the instant closes"


@value_class
class Store:
    """Where the goals of one side of an operator wait.

    ``arity`` counts the columns of a goal. Rules look goals up as ``<name>(Column...)``
    (``rules/stores/goal_store.pl``).
    """

    name: str
    arity: int
    kind: StoreKind
    window: int | None = None
    group: str | None = None
    """For INSTANT stores: the operator whose stores are emptied together."""
    indexed: bool = False
    """Goals are found by the occurrences they are made of, too, so that they go when one is consumed."""
    shown: tuple[Term, ...] | None = None
    """Its columns to a user who asks what waits: START, END, COUNT (iterations), OPEN (0, or a time that
    never comes, while it waits) and variables, any other term is not shown. Empty: nothing waits here; None:
    those of what rules insert.
    """
    due: tuple[Var, int] | None = None
    """Goals wait until so many microseconds after this column."""

    @classmethod
    def within(cls, window: int | None, name: str, arity: int) -> Store:
        """A store of goals that matter for ``window`` microseconds; None: for ever."""
        return cls(name, arity, StoreKind.LASTING if window is None else StoreKind.WINDOW, window)

    @property
    def emptied(self) -> Term:
        """The goal that forgets all goals."""
        return struct("forget_all", Atom(self.name))


@value_class
class RuleSet:
    """What a node, a test or a whole query adds to an engine.

    ``declarations`` are goals to be called once: before the rules for what they use, and after them for what
    needs them (``preparations``).
    """

    rules: tuple[Rule, ...] = ()
    stores: tuple[Store, ...] = ()
    declarations: tuple[Term, ...] = ()
    preparations: tuple[Term, ...] = ()

    @classmethod
    def joined(cls, sets: Iterable[RuleSet]) -> RuleSet:
        """All that ``sets`` add, in their order."""
        found = tuple(sets)
        return cls(
            tuple(chain.from_iterable(each.rules for each in found)),
            tuple(chain.from_iterable(each.stores for each in found)),
            tuple(chain.from_iterable(each.declarations for each in found)),
            tuple(chain.from_iterable(each.preparations for each in found)),
        )

    def undeclared(self) -> RuleSet:
        """The same without declarations and preparations."""
        return replace(self, declarations=(), preparations=())


class VariableNames:
    """Prolog names for the variables of one query, the one with ``number``: ``?price`` is ``V_price``.

    ``side`` keeps the values apart that a variable unbound on one side may have (``VL_``, ``VR_``), also in
    the pattern of an EXISTS and after meeting it (``VE_``, ``VM_``).
    """

    def __init__(self, variables: Iterable[Variable], number: int = 0) -> None:
        self.number = number
        self._names: dict[Variable, str] = {}
        for place, variable in enumerate(dict.fromkeys(variables), start=1):
            plain = variable.name.isascii() and variable.name.isidentifier()
            self._names[variable] = f"_{variable.name}" if plain else str(place)

    def __call__(self, variable: Variable, side: str = "") -> Var:
        """The Prolog variable of ``variable`` on one side, or of the operator itself."""
        return Var(f"V{side}{self._names[variable]}")

    def columns(self, node: PlanNode, side: str = "") -> tuple[Var, ...]:
        """The variables of a node's solution."""
        return tuple(self(each, side) for each in node.schema.columns)

    def padded(self, below: PlanNode, node: PlanNode) -> tuple[Term, ...]:
        """The columns of ``node``, unbound where ``below`` does not have them."""
        return tuple(self(each) if each in below.schema else UNBOUND for each in node.schema.columns)

    def term(self, term: TermPattern) -> Term:
        """A variable or a constant of a pattern."""
        return rdf_term(term.value) if isinstance(term, Constant) else self(term)
