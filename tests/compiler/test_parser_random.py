"""Whatever the text, it is read, or refused at a place of it."""

from __future__ import annotations

import hypothesis
from hypothesis import strategies

from etalis_py.compiler.explain.syntax_printer import print_syntax
from etalis_py.compiler.parse.parser import parse_program
from etalis_py.core.errors import QuerySyntaxError

PIECES = r"""
SELECT * ASK CONSTRUCT WHERE { } { } ( ) ( ) [ ] . ; , ;; ?x ?y :p <i> 'a' 1 -1 2.5 true a ^ ^^ | / + * ! !=
= < && || FILTER BIND AS VALUES UNDEF OPTIONAL MINUS UNION SEQ EQUALS OPTIONALSEQ NOT EXISTS IN GROUP BY COUNT
STR LIMIT WINDOW RANGE PT1H NOW TO PRAGMA PREFIX : @en _:b \u0041 # \
"""
pieces = strategies.sampled_from(
    [*PIECES.split(), '"""', "\n", "\0", "xsd:a", "?x ?y ?z .", "FILTER(?x > 1)"]
)


def read(text: str) -> None:
    try:
        queries = parse_program(text)
    except QuerySyntaxError as error:
        line = error.place.line if error.place else None
        if line is None or line > text.count("\n") + 1:
            raise AssertionError(text) from error
    else:
        assert all(print_syntax(query) for query in queries)


@hypothesis.given(strategies.lists(pieces, max_size=30).map(" ".join))
def test_a_heap_of_tokens(text: str) -> None:
    read(text)
    read(f"ASK {{ {text} }}")
    read(f"ASK {{ FILTER({text}) }}")


@hypothesis.given(strategies.text(max_size=40))
def test_a_heap_of_characters(text: str) -> None:
    read(text)
    read(f"ASK {{ ?x ?y {text} }}")
