"""The questions that are put to one engine: what they see, and that none outlives it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakSet, ref

from etalis_py.embedding import prolog
from etalis_py.engine.goal_stores import goal_stores
from etalis_py.engine.guard import Guard
from etalis_py.engine.questions import Question, close_question
from etalis_py.engine.rule_base import RuleBase

__all__ = ["Asking"]


class Asking:
    """Puts questions to the module of the engine's background, or to one made for them.

    Nothing is made before the first question. ``settle`` has Prolog know all that the engine does.
    """

    def __init__(
        self,
        engine: str,
        guard: Guard,
        background: str | None,
        rules: RuleBase,
        settle: Callable[[], None],
    ) -> None:
        self._engine = engine
        self._guard = guard
        self._module = background
        self._own: str | None = None
        self._sandboxes: dict[str, Callable[[], Question | None]] = {}
        """By the module of a question what it belongs to: what it wrote there goes with it."""
        self._numbers = itertools.count(1)
        self._rules = rules
        self._settle = settle
        self._seen = self._removed = 0
        self._open: WeakSet[Question] = WeakSet()
        self._abandoned: list[str] = []

    def ask(self, goal: str, bindings: Mapping[str, Any], *, sandbox: bool, **options: Any) -> Question:
        """A question to the engine, its first answer sought; ``options`` are those of `Question`."""
        with self._guard.lock:
            amid_a_batch = self._guard.pauses  # a callback asks
            module = self._ready_module() if amid_a_batch else self._guard.change(self._settled_module)
            self._close_abandoned()
            if sandbox:
                module = self._new_sandbox(module)
            question = Question(
                module,
                goal,
                bindings,
                guard=self._guard,
                abandoned=self._abandoned,
                sandbox=sandbox,
                **options,
            )
            self._open.add(question)
            if sandbox:
                self._sandboxes[module] = ref(question)
            return question

    def _settled_module(self) -> str:
        self._settle()
        return self._ready_module()

    def _ready_module(self) -> str:
        if self._module is None:
            self._module = self._own = f"{self._engine}_questions"
            prolog.do("etalis_background", "open_background", self._own)
            prolog.do("etalis_rdfs", "prepare_background", self._own, "none")
        prolog.do("etalis_question_views", "open_views", self._engine, self._module)
        if self._removed != self._rules.removed:
            prolog.do("etalis_question_views", "forget_goal_stores", self._engine)
            self._removed, self._seen = self._rules.removed, 0
        new = self._rules.loaded[self._seen :]
        if new:
            self._seen += len(new)
            shared = self._rules.taken_from, self._rules.goals_from
            stores = [store.crossing for query in new for store in goal_stores(query, *shared)]
            prolog.do("etalis_question_views", "add_goal_stores", self._engine, stores)
        return self._module

    def _new_sandbox(self, module: str) -> str:
        sandbox = f"{self._engine}_sandbox_{next(self._numbers)}"
        self._sandboxes[sandbox] = lambda: None
        prolog.do("etalis_question_views", "open_sandbox", module, sandbox)
        return sandbox

    def _close_abandoned(self) -> None:
        while self._abandoned:
            close_question(self._abandoned.pop())
        for sandbox, asked in list(self._sandboxes.items()):
            question = asked()
            if question is None or not question.is_open:
                prolog.do("etalis_background", "close_background", sandbox)
                del self._sandboxes[sandbox]

    def close(self) -> None:
        """End all questions, and give back what was made for them."""
        for question in list(self._open):
            question.close()
        self._close_abandoned()
        if self._own is not None:
            prolog.do("etalis_background", "close_background", self._own)
            self._own = None
