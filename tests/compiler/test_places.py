"""What cannot stand in STREAM, EVENT and GRAPH over elements is refused, and the message says what to do."""

from __future__ import annotations

import pytest

from etalis_py.compiler.compile import compile_program
from etalis_py.core.errors import QueryError

REFUSED = {
    "STREAM :s { STREAM :t { ?x :p ?y } }": "STREAM cannot stand within STREAM or EVENT",
    "STREAM :s { EVENT :t { ?x :p ?y } }": "EVENT with a stream cannot stand in STREAM or EVENT",
    "EVENT { EVENT { ?x :p ?y } }": "EVENT with a stream cannot stand in STREAM or EVENT",
    "EVENT { STREAM :s { ?x :p ?y } }": "STREAM cannot stand within STREAM or EVENT",
    "EVENT { GRAPH :g { ?x :p ?y } }": "GRAPH cannot stand in an element",
    "STREAM :s { GRAPH :g { GRAPH :h { ?x :p ?y } } }": "GRAPH cannot stand in an element",
    "EVENT { { ?x :p ?y } SEQ { ?y :q ?z } }": "SEQ cannot stand in an element",
    "EVENT { ?x :p ?y MINUS { ?y :q ?z } }": "MINUS cannot stand in an element",
    "EVENT { ?x :p ?y { SELECT ?y { ?y :q ?z } } }": "a sub-SELECT cannot stand in an element",
    "EVENT { ?x :p+ ?y }": "a path with + cannot stand in one element",
    "STREAM ?s { ?x :p+ ?y }": "a path with + cannot stand in STREAM ?stream",
    "STREAM :s { ?x :p* ?y }": "a path with * cannot stand in STREAM",
    "STREAM ?s { OPTIONAL { ?x :p ?y } }": "STREAM with a variable needs a triple in every solution",
    "EVENT { VALUES ?x { 1 } }": "EVENT needs a triple in every solution",
    "STREAM ?s { ?x :p ?y OPTIONAL { ?x :q ?s } }": "?s may have a value or not",
    "EVENT ?s { { ?x :p ?s } UNION { ?x :q ?y } }": "?s may have a value or not",
    "STREAM :s { GRAPH ?g { ?x :p ?y OPTIONAL { ?x :q ?g } } }": "?g may have a value or not",
}


@pytest.mark.parametrize("pattern", REFUSED)
def test_is_refused(pattern: str) -> None:
    with pytest.raises(QueryError) as caught:
        compile_program(f"PREFIX : <urn:> SELECT * WHERE {{ {pattern} }}", name="q")
    assert caught.value.code == "EP213"
    assert REFUSED[pattern] in str(caught.value)
    assert "hint: " in str(caught.value)
