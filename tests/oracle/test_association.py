"""Chains in any order: the engine against the oracle, which takes queries as they are written."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from etalis_py.compiler.algebra.algebra import Pattern
from etalis_py.compiler.association.associate import ChainPattern, associate
from etalis_py.compiler.association.association import Tree
from etalis_py.compiler.compile import CompiledQuery, compile_program
from etalis_py.compiler.passes import PASSES
from etalis_py.compiler.plan.build_plan import BackgroundTest
from etalis_py.engine import engine as engine_module
from tests.effort import tries
from tests.oracle.chain_examples import make_chain_example
from tests.oracle.checking import NoExampleError, check
from tests.oracle.chooser import Chooser
from tests.oracle.examples import Example, make_example


class AnyOrder:
    """Brackets chains by chance; ``changed`` counts those that are not as written."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)
        self.changed = 0

    def choose(self, chain: ChainPattern) -> Tree:
        order = list(range(len(chain.operands)))
        if not chain.in_sequence:
            self._random.shuffle(order)
        tree = self._bracketed(order)
        self.changed += tree != chain.written
        return tree

    def _bracketed(self, order: list[int]) -> Tree:
        if len(order) == 1:
            return order[0]
        cut = self._random.randrange(1, len(order))
        return (self._bracketed(order[:cut]), self._bracketed(order[cut:]))

    def compile(self, text: str, *, background: BackgroundTest, **options: Any) -> list[CompiledQuery]:
        """As `compile_program`, with one more pass."""

        def reorder(pattern: Pattern) -> Pattern:
            return associate(pattern, self.choose, background)

        return compile_program(text, background=background, passes=(*PASSES, reorder), **options)


def check_orders(
    number: int,
    make: Callable[[Chooser], Example],
    backgrounds: list[Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Check so many examples that have a chain whose order can be changed."""
    for seed in count():
        order = AnyOrder(f"order {seed}")
        monkeypatch.setattr(engine_module, "compile_program", order.compile)
        number -= is_agreed(make(Chooser(Random(f"association {seed}").randint)), order, backgrounds)
        if not number:
            return


def is_agreed(example: Example, order: AnyOrder, backgrounds: list[Path]) -> bool:
    """Whether the order of a chain was changed, and the answers were as expected."""
    try:
        check(example, backgrounds)
    except NoExampleError:
        return False
    except Exception as error:
        raise AssertionError(f"{example}") from error
    return order.changed > 0


@pytest.mark.random
def test_the_order_of_sequences(backgrounds: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    check_orders(tries(150), make_chain_example, backgrounds, monkeypatch)


@pytest.mark.random
def test_the_order_in_any_query(backgrounds: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    check_orders(tries(25), make_example, backgrounds, monkeypatch)


@pytest.mark.random
@pytest.mark.long
@pytest.mark.timeout(0)
@pytest.mark.parametrize("make", [make_chain_example, make_example])
def test_the_order_at_length(
    make: Callable[[Chooser], Example], backgrounds: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    check_orders(int(os.environ.get("ETALIS_ORACLE_EXAMPLES", "3000")), make, backgrounds, monkeypatch)
