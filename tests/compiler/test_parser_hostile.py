"""Input that nobody writes by hand: it is read or refused, in time in proportion and with a clear error."""

from __future__ import annotations

import pytest

from etalis_py.compiler.explain.syntax_printer import print_syntax
from etalis_py.compiler.parse.parser import parse
from etalis_py.core.errors import QuerySyntaxError

MILLION = 10**6


@pytest.mark.parametrize(
    "text",
    [
        f'ASK {{ ?x ?y "{"a" * MILLION}" }}',
        'ASK { ?x ?y "' + r"\n" * (MILLION // 2) + '" }',
        'ASK { ?x ?y """' + 'a"\n' * (MILLION // 3) + '""" }',
        f"ASK {{ ?x ?y <{'a' * MILLION}> }}",
        f"ASK {{ ?x ?y {'1' * MILLION} }}",
        f"ASK {{ ?x ?y ?z {';' * 10_000} }}",
        f"ASK {{ FILTER{'(' * 10_000}1{')' * 10_000} }}",
        f"ASK {{ FILTER({'?x = 1 || ' * 2_000} ?x = 2) }}",
        f"ASK {{ ?x {'<a>/' * 4_000}<b> ?y }}",
        f"ASK {{ FILTER({'1 + ' * 4_000} 1) }}",
        f"ASK {{ {'{ } SEQ ' * 4_000} {{ }} }}",
        f"ASK {{ VALUES ?x {{ {'1 ' * 5_000} }} }}",
        f"ASK {{ {'?x ?y ?z . ' * 2_000} }}",
        "#" * MILLION + "\nASK { }",
    ],
    ids=lambda text: text[:20],
)
def test_long_input_is_read(text: str) -> None:
    print_syntax(parse(text))


@pytest.mark.parametrize(
    "text",
    [
        f"ASK {'{' * 5_000}{'}' * 5_000}",
        f"ASK {{ FILTER({'(1 + ' * 1_000} 1 {')' * 1_000}) }}",
        f"ASK {{ {'OPTIONAL {' * 500} {'}' * 500} }}",
        f"ASK {{ ?x ?y {'(' * 5_000}1{')' * 5_000} }}",
        f"ASK {{ ?x ?y {'[ ?y ' * 5_000}1{']' * 5_000} }}",
        f"ASK {{ FILTER({'NOT EXISTS { FILTER(' * 200} 1 {')}' * 200}) }}",
    ],
    ids=lambda text: text[:20],
)
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text)
    assert caught.value.code == "EP107"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("EP102", "ASK " + "{" * 5_000),
        ("EP101", "ASK { FILTER" + "(" * 5_000 + "}"),
        ("EP104", 'ASK { ?x ?y "' + "a" * MILLION),
        ("EP104", 'ASK { ?x ?y """' + 'a"\n' * (MILLION // 3)),
        ("EP105", 'ASK { ?x ?y "' + r"\n" * (MILLION // 2) + r'\q" }'),
        ("EP101", "ASK { ?x ?y " + "a." * (MILLION // 2)),
        ("EP106", "ASK { ?x ?y " + "a." * (MILLION // 2) + "a:b }"),
        ("EP101", "ASK { ?x ?y <" + "a" * MILLION),
        ("EP103", "ASK { ?x ?y \0 }"),
        ("EP103", "ASK { ?x \U0001f300 ?y }"),
        ("EP103", "ASK { ?x ?y '\ud83d' }"),
        ("EP101", '"' * MILLION),
        ("EP102", " \r" * MILLION),
        ("EP102", ""),
    ],
)
def test_wrong_input_is_refused_shortly(code: str, text: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text)
    assert caught.value.code == code
    assert len(str(caught.value)) < 1_000


def test_the_caret_stands_below_a_wide_character() -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse('ASK { ?x ?y "\U0001f300" ; \U0001f300 }')
    assert caught.value.place is not None
    assert caught.value.place.excerpt == 'ASK { ?x ?y "\U0001f300" ; \U0001f300 }\n                   ^^'
