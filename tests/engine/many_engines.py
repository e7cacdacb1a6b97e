"""Prints what a thousand engines leave behind: bytes in C and Prolog, and blocks of Python's.

In a process of its own: Prolog puts off collecting garbage where its stacks have once been large.
"""

from __future__ import annotations

import sys

from etalis_py.engine.engine import Engine
from tests.engine.conftest import table
from tests.memory import used_bytes

SEQ = "PREFIX : <urn:> SELECT ?x ?y { { ?x :p ?y } SEQ { ?y :q ?z } }"
ROWS = [(1, "a", "p", "b"), (2, "b", "q", "c")]


def use_one(number: int) -> None:
    with Engine(functions={"urn:f": abs}) as engine:
        engine.register(SEQ + " ;; " + SEQ.replace("SEQ", "OPTIONAL"))
        engine.send_batch(table([*ROWS, (3, "b", "q", f'"only {number}"')]))
        engine.finish()
        assert len(list(engine.matches())) == 3


def in_use() -> tuple[int, int]:
    return used_bytes(), sys.getallocatedblocks()


def main() -> None:
    for number in range(200):
        use_one(number)
    before = in_use()
    for number in range(1000):
        use_one(number)
    print(*(after - earlier for after, earlier in zip(in_use(), before, strict=True)))


if __name__ == "__main__":
    main()
