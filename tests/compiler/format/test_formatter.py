"""Formatting keeps a query: its tree, its comments, and what is formatted already."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from etalis_py.compiler.algebra.translate import translate
from etalis_py.compiler.format.formatter import WIDTH, format_text
from etalis_py.compiler.parse.parser import parse_program
from etalis_py.compiler.refusals import QueryText
from etalis_py.core.errors import CompileError, QuerySyntaxError
from tests.conftest import PROJECT

CASES = Path(__file__).with_name("cases")
NAMES = sorted(path.stem for path in CASES.glob("*.rq") if ".formatted" not in path.name)
FOLDERS = ("etalis_py", "tests", "docs")
_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|<[^<>\s]*>|(#[^\r\n]*)')
_GAPS = ("\n", "\n\n\n", "  # c{}\n", "\n# c{}\n", "\n\n# c{}\n\n# d{}\n\n", "\t")


@pytest.mark.parametrize("name", NAMES)
def test_cases(name: str) -> None:
    text = (CASES / f"{name}.rq").read_text(encoding="utf-8")
    formatted = format_text(text)
    assert formatted == (CASES / f"{name}.formatted.rq").read_text(encoding="utf-8")
    assert format_text(formatted) == formatted


def check(text: str) -> bool:
    """Whether the text is EP-SPARQL; if so, that formatting changes no more than its looks."""
    try:
        before = parse_program(text)
    except QuerySyntaxError:
        return False
    formatted = format_text(text)
    after = parse_program(formatted)
    assert after == before
    assert [meaning(each, formatted) for each in after] == [meaning(each, text) for each in before]
    assert format_text(formatted) == formatted
    assert not re.search(r"^[^'\"\n]* $", formatted, re.MULTILINE)
    return True


def meaning(query, text: str) -> object:
    """The algebra of a query, or the code with which it is refused."""
    try:
        return translate(query, QueryText(text, None), None)
    except CompileError as refused:
        return refused.code


def texts_of(path: Path) -> Iterator[str]:
    """A query file; what stands in the blocks of a page; what could be queries in the strings of a test."""
    text = path.read_bytes().decode("utf-8", "replace")
    if path.suffix == ".rq":
        yield text
    elif path.suffix == ".md":
        yield from re.findall(r"```\w*\n(.*?)```", text, re.DOTALL)
    else:
        for long, short in re.findall(
            r'"""(.*?)"""|"((?:SELECT|ASK|CONSTRUCT|DESCRIBE|PREFIX|REGISTER)[^"\n]*)"', text, re.DOTALL
        ):
            yield long or short


@pytest.mark.parametrize(
    ("pattern", "least"),
    [("**/*.rq", 250), ("docs/*.md", 60), ("tests/**/*.py", 250)],
    ids=["rq", "docs", "tests"],
)
def test_texts_of_the_project(pattern: str, least: int) -> None:
    files = [path for path in PROJECT.glob(pattern) if path.relative_to(PROJECT).parts[0] in FOLDERS]
    assert sum(check(text) for path in files for text in texts_of(path)) >= least


def test_queries_of_the_w3c(shared_w3c: Path) -> None:
    assert sum(check(text) for path in shared_w3c.rglob("*.rq") for text in texts_of(path)) > 300


@pytest.mark.parametrize("seed", range(2))
def test_comments_and_ends_of_lines_anywhere(seed: int) -> None:
    """Blanks between words become ends of lines and comments: all comments stay, in their order."""
    choice = random.Random(seed)
    for path in sorted((PROJECT / "tests").rglob("*.rq")):
        text = path.read_text(encoding="utf-8")
        parts = re.split(r"(?<=[\w?>})]) (?=[\w?<{(])", _without_comments(text))
        if '"""' in text or len(parts) < 2:
            continue
        mixed = parts[0]
        for number, part in enumerate(parts[1:]):
            gap = choice.choice(_GAPS).format(number, number) if choice.random() < 0.3 else " "
            mixed += gap + part
        if check(mixed):
            assert comments(format_text(mixed)) == comments(mixed)


def _without_comments(text: str) -> str:
    return _COMMENT.sub(lambda found: "" if found[1] else found[0], text)


def comments(text: str) -> list[str]:
    return [found.rstrip() for found in _COMMENT.findall(text) if found]


def test_lines_are_not_wider_than_they_must() -> None:
    for path in (PROJECT / "etalis_py").rglob("*.rq"):
        lines = _without_comments(format_text(path.read_text(encoding="utf-8"))).splitlines()
        assert [line for line in lines if len(line.rstrip()) > WIDTH] == []


def test_ends_of_lines_stay_those_of_the_file() -> None:
    assert format_text("ask{}\r\n# so\r\n") == "ASK {}\r\n# so\r\n"
    assert format_text('ask{?x ?y """a\r\nb"""}\nlimit 1\n') == 'ASK { ?x ?y """a\r\nb""" }\nLIMIT 1\n'


def test_escapes_stay_as_they_are_written() -> None:
    assert format_text(r"ask{?x <urn:\u0061> '\u0062\n'}") == "ASK { ?x <urn:\\u0061> '\\u0062\\n' }\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [("ASK { ?x ?y }", "EP101"), ("", "EP102"), ("ASK { ?x ?y 'a }", "EP104"), ("# nothing", "EP102")],
)
def test_what_is_no_query(text: str, code: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        format_text(text, "q.rq")
    with pytest.raises(QuerySyntaxError) as expected:
        parse_program(text, "q.rq")
    assert (caught.value.code, str(caught.value)) == (code, str(expected.value))


@pytest.mark.parametrize(
    "text",
    [
        "ASK " + "{" * 3_000 + "}" * 3_000,
        "ASK { FILTER " + "(" * 3_000 + "1" + ")" * 3_000 + " }",
    ],
    ids=["groups", "brackets"],
)
def test_what_is_nested_too_deeply(text: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        format_text(text)
    assert caught.value.code == "EP107"


@pytest.mark.parametrize(
    "text",
    [
        "ASK " + "{" * 190 + "}" * 190,
        "ASK { FILTER (" + " + ".join(["1"] * 150) + " > 1) }",
        "ASK { FILTER (" + " || ".join(["?x"] * 1_000) + ") }",
        "ASK { " + " SEQ ".join(["{ ?x a <urn:A> }"] * 150) + " }",
    ],
    ids=["groups", "sum", "or", "chain"],
)
def test_what_is_nested_as_deeply_as_may_be(text: str) -> None:
    formatted = format_text(text)
    assert parse_program(formatted) == parse_program(text)
    assert format_text(formatted) == formatted


def test_a_prefix_may_be_undeclared() -> None:
    assert format_text("ask{?x a ex:Storm}") == "ASK { ?x a ex:Storm }\n"
