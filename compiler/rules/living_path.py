"""The rules of paths through windows, whose walks have lives: what the lives of their steps have in common.

Of each two nodes it is kept while there is a walk from one to the other; lives that touch are one. When a
step from U to V comes, the walks that use it are

    before step after

where `before` (to U) and `after` (from V) are no walk, a timeless one, or one that is known. A walk that uses
the step again is there no longer than the same without that round, and so no cycle needs a search. Where
there is a walk to V as long as `before step` is there, nothing `after` is new: so a step costs what it
changes, and a look at the walks to U.
"""

from __future__ import annotations

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
_TO_LAST: Life = Var("From1"), Var("Until1")
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
        plan, path = self._plan, self._path
        first, last = self._ends
        before = either(
            conjunction(unify(_X, first), _same(_STEP, _TO_LAST)),
            *(
                conjunction(way, self._is_new(_X, last, _TO_LAST))
                for way in self._ways(_X, first, _BEFORE, _STEP, _TO_LAST)
            ),
        )
        after = either(
            conjunction(unify(_Y, last), _same(_TO_LAST, _WHOLE)),
            *self._ways(last, _Y, _AFTER, _TO_LAST, _WHOLE),
        )
        found = conjunction(
            unify(_X, self._names.term(path.subject)),
            unify(_Y, self._names.term(path.object)),
            solution(plan, self._names.columns(plan), _WHOLE[0], end=_WHOLE[1]),
        )
        return rule(
            RuleKind.BOTH,
            plan,
            own_solution(plan.input, self._names),
            self._is_new(first, last, _STEP),
            before,
            after,
            self._is_new(_X, _Y, _WHOLE),
            either(struct(self._keeping, *_WHOLE, _X, _Y, ANSWER), found),
        )

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
        (since, to), (begin, end) = _KNOWN, life
        covers = struct("=<", since, begin), struct("=<", end, to)
        return struct("\\+", conjunction(self._walk(source, target, _KNOWN), *covers))

    # ---- what is kept -----------------------------------------------------------------------------------

    @property
    def _keeping(self) -> str:
        return f"{self._plan.name}_keep"

    def _kept(self) -> tuple[Rule, ...]:
        """Each life that touches a new one goes into it."""
        (since, to), (begin, until) = _KNOWN, _WHOLE

        def keeping(life: Life) -> Term:
            return struct(self._keeping, *life, _X, _Y, ANSWER)

        known = self._walk(_X, _Y, _KNOWN)
        touching = (
            known,
            struct("=<", since, END),
            struct("=<", START, to),
            Atom("!"),
            forget(known),
            struct("is", begin, struct("min", START, since)),
            struct("is", until, struct("max", END, to)),
            keeping(_WHOLE),
        )
        new = insert(self._walk(_X, _Y, _STEP)), FAIL
        return tuple(
            rule(RuleKind.INSERTION, self._plan, keeping(_STEP), *goals) for goals in (touching, new)
        )


def _same(life: Life, other: Life) -> Term:
    return conjunction(*(unify(new, known) for new, known in zip(other, life, strict=True)))
