"""What repeats as a path does, without the steps that may be none."""

from __future__ import annotations

import pytest

from etalis_py.compiler.algebra.path_steps import repeated_step
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.parser import parse
from etalis_py.compiler.parse.syntax_walk import walk


def path(text: str) -> syntax.Path:
    query = parse(f"PREFIX : <urn:> ASK {{ ?x {text} ?y }}")
    (properties,) = (each for each in walk(query.form) if isinstance(each, syntax.PropertyObjects))
    assert not isinstance(properties.verb, syntax.Variable)
    return properties.verb


@pytest.mark.parametrize(
    ("written", "step", "stays"),
    [
        (":p", ":p", False),
        (":p+", ":p", False),
        (":p?", ":p", True),
        ("^(:p*)", "^:p", True),
        (":p?/:q", "(:p/:q)|:q", False),
        (":p/:q*", "(:p/(:q)+)|:p", False),
        (":p?/:q?", ":p|:q", True),
        ("(:p?/:q?)/:r", "((:p/:q)|:p|:q)/:r|:r", False),
        (":p|:q?", ":p|:q", True),
        ("!:p", "!:p", False),
        (":a?/:b?/:c?/:d?/:e?/:p", ":a?/:b?/:c?/:d?/:e?/:p", False),
    ],
)
def test_a_step_that_may_be_none_is_left_out(written: str, step: str, stays: bool) -> None:
    assert repeated_step(path(f"({written})")) == (path(f"({step})"), stays)
