"""The rules of paths through windows, whose walks have lives: what the lives of their steps have in common.

Of each two nodes it is kept while there is a walk from one to the other; lives that touch are one. When a
step from U to V comes, the walks that use it are

    before step after

where `before` (to U) and `after` (from V) are no walk, a timeless one, or one that is known. A walk that uses
the step again is there no longer than the same without that round, and so no cycle needs a search. Where
there is a walk from U as long as `step after` is there, nothing `before` it is new: so a step costs what it
changes, and a look at the walks from V, of which there are few where steps come one after the other.
"""

from __future__ import annotations

from etalis_py.compiler.plan.trace_columns import is_trace
from etalis_py.compiler.rules.path import PathRules
from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
    Atom,
    Term,
    Var,
    conjunction,
    either,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import ANSWER, END, START, Rule, RuleKind, RuleSet, Store
from etalis_py.compiler.rules.writing import forget, insert, own_solution, rule, solution

__all__ = ["LivingPathRules"]

Life = tuple[Term, Term]

_X, _Y = Var("X"), Var("Y")
_STEP: Life = START, END
_BEFORE: Life = Var("Since1"), Var("To1")
_FROM_FIRST: Life = Var("From2"), Var("Until2")
_AFTER: Life = Var("Since2"), Var("To2")
_WHOLE: Life = Var("From"), Var("Until")
_KNOWN: Life = Var("Since"), Var("To")


class LivingPathRules(PathRules):
    """Generates the rules of one path whose steps have lives (`algebra.Closure`)."""

    def rule_set(self) -> RuleSet:
        """How a step makes longer walks, or longer lives."""
        return RuleSet((self._longer(), *self._kept()), (self._store,))

    @property
    def _store(self) -> Store:
        return Store.within(self._plan.window, f"{self._plan.name}_walks", 4)

    def _walk(self, source: Term, target: Term, life: Life) -> Term:
        """A walk as it is stored."""
        since, to = life
        return struct(self._store.name, source, target, to, since)

    def _longer(self) -> Rule:
        plan = self._plan
        first, last = self._ends
        after = either(
            conjunction(unify(_Y, last), _same(_STEP, _FROM_FIRST)),
            *(
                conjunction(way, self._is_new(first, _Y, _FROM_FIRST))
                for way in self._ways(last, _Y, _AFTER, _STEP, _FROM_FIRST)
            ),
        )
        before = either(
            conjunction(unify(_X, first), _same(_FROM_FIRST, _WHOLE)),
            *self._ways(_X, first, _BEFORE, _FROM_FIRST, _WHOLE),
        )
        keeping = struct(self._keeping, *_WHOLE, _X, _Y, ANSWER)
        told = (keeping,) if self._tells_beginnings else (
            self._is_new(_X, _Y, _WHOLE),
            either(keeping, self._found(_WHOLE)),
        )  # fmt: skip
        new = self._is_new(first, last, _STEP)
        return rule(RuleKind.BOTH, plan, own_solution(plan.input, self._names), new, after, before, *told)

    @property
    def _tells_beginnings(self) -> bool:
        """Whether walks are given when they are kept: what they are made of need not be told."""
        return self._plan.tells_beginnings and not any(map(is_trace, self._plan.schema.columns))

    def _found(self, life: Life) -> Term:
        since, until = life
        ends = (
            unify(_X, self._names.term(self._path.subject)),
            unify(_Y, self._names.term(self._path.object)),
        )
        return conjunction(*ends, solution(self._plan, self._names.columns(self._plan), since, end=until))

    def _ways(self, source: Term, target: Term, own: Life, life: Life, common: Life) -> tuple[Term, ...]:
        """Known walks, with what their ``own`` lives and ``life`` have in ``common``, and timeless ones."""
        (since, to), (begin, end), (begun, until) = own, life, common
        lasting = conjunction(
            self._walk(source, target, own),
            struct("is", begun, struct("max", begin, since)),
            struct("is", until, struct("min", end, to)),
            struct("<", begun, until),
        )
        if not self._plan.input.timeless:
            return (lasting,)
        still = struct(
            "background_path", self._edge, Atom("none"), self._repeat, Atom("false"), source, target
        )
        return lasting, conjunction(still, _same(life, common))

    def _is_new(self, source: Term, target: Term, life: Life) -> Term:
        """No walk is known that is there for all of that life."""
        return struct("\\+", conjunction(self._walk(source, target, _KNOWN), _covers(_KNOWN, life)))

    # ---- what is kept -----------------------------------------------------------------------------------

    @property
    def _keeping(self) -> str:
        return f"{self._plan.name}_keep"

    def _kept(self) -> tuple[Rule, ...]:
        """Each life that touches a new one goes into it."""
        if not self._tells_beginnings:
            return self._merged(self._keeping, self._keeping, FAIL)
        longer = f"{self._plan.name}_longer"
        new = self._merged(self._keeping, longer, self._found(_STEP), struct("\\+", _covers(_KNOWN, _STEP)))
        return (*new, *self._merged(longer, longer, FAIL))

    def _merged(self, own: str, longer: str, told: Term, *tests: Term) -> tuple[Rule, ...]:
        """The rules of ``own``: of a life that touches none ``told`` is so, another is ``longer``."""
        (since, to), (begin, until) = _KNOWN, _WHOLE
        known = self._walk(_X, _Y, _KNOWN)
        touching = (
            known,
            struct("=<", since, END),
            struct("=<", START, to),
            Atom("!"),
            *tests,
            forget(known),
            struct("is", begin, struct("min", START, since)),
            struct("is", until, struct("max", END, to)),
            struct(longer, *_WHOLE, _X, _Y, ANSWER),
        )
        new = insert(self._walk(_X, _Y, _STEP)), told
        head = struct(own, *_STEP, _X, _Y, ANSWER)
        return tuple(rule(RuleKind.INSERTION, self._plan, head, *goals) for goals in (touching, new))


def _covers(life: Life, other: Life) -> Term:
    (since, to), (begin, end) = life, other
    return conjunction(struct("=<", since, begin), struct("=<", end, to))


def _same(life: Life, other: Life) -> Term:
    return conjunction(*(unify(new, known) for new, known in zip(other, life, strict=True)))
