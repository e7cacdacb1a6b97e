"""Prolog questions in the shell, with piped input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def test_answers_as_at_the_prompt_of_prolog(shell: Callable[..., Any]) -> None:
    ran = shell(
        "?- member(X, [1, 2, 3]).\n;\n;\n?- member(X, [1, 2, 3]).\n?- member(X, [1, 2]), X > 2.\n"
        "?- X = \"a b\", Y = 'http://x.y/z', Z = f(_, A, A).\n?- dif(X, a), Y = Z.\n?- true.\n"
        "?- member(X,\n  [1]).\n"
    )
    assert ran.out == [
        "X = 1 ;", "X = 2 ;", "X = 3.", "X = 1 .", "false.", 'X = "a b",', "Y = 'http://x.y/z',",
        "Z = f(_, A, A).", "Y = Z,", "dif(X, a).", "true.", "X = 1.",
    ]  # fmt: skip
    assert ran.err == ""


def test_constraints_that_remain(shell: Callable[..., Any]) -> None:
    ran = shell("?- use_module(library(clpfd)).\n?- X #> 3, X #< 6.\n?- X #> 3, X #< 6, label([X]).\n;\n")
    assert ran.out == ["true.", "X in 4..5.", "X = 4 ;", "X = 5."]


def test_what_a_question_sees(shell: Callable[..., Any]) -> None:
    ran = shell(
        ":stream events.csv\n?- rdf(:box1, rdf:type, C).\n?- rdfs_subclass_of(X, c:'Chilled').\n",
        "warm.rq", "--background", "goods.ttl", "--rules", "mine.pl",
    )  # fmt: skip
    assert "EP301" in ran.err  # Prolog has no :box1
    ran = shell(
        ":prefix c: <urn:cold:>\n:stream events.csv\n?- rdf(c:box1, rdf:type, C).\n;\n"
        "?- rdf(X, c:cooled, Y) ; occurrence(X, c:frozen, Y, _, _).\n?- waiting(warm, For, Bindings, S, _).\n"
        "?- double(4, X).\n?- X = c:box1, atom(X).\n",
        "warm.rq", "--background", "goods.ttl", "--rules", "mine.pl",
    )  # fmt: skip
    assert ran.out[2:] == [
        "C = c:'Chilled' ;", "C = c:'Fish' .", "X = c:box1,", "Y = c:freezer.",
        'For = "{ ?box :unloaded ?dock } SEQ { ?box :cooled ?place }",',
        "Bindings = [box=c:box1, dock=c:dock],", "S = 10000000 .", "X = 8.", "X = c:box1.",
        "[1]  warm  1970-01-01T00:00:10Z .. 1970-01-01T00:00:30Z  box=:box1  place=:freezer",
    ]  # fmt: skip


def test_errors_are_messages_and_the_session_lives(shell: Callable[..., Any]) -> None:
    ran = shell(
        "?- foo(.\n?- nothing(1).\n?- X is a + 1.\n?- throw(oops).\n?- loop.\n?- repeat, fail.\n"
        "?- length(L, 100000000000).\n?- X = [1|X], msort(X, Y).\n?- X is 1 << (1 << 40).\n?- true.\n",
        "--rules", "mine.pl",
    )  # fmt: skip
    assert ran.out == ["true."]
    errors = [line for line in ran.err.splitlines() if line.startswith("EP")]
    assert len(errors) == 9
    assert all(line.startswith("EP301") for line in errors)
    assert ran.err.count("it needs more stack than there is") == 2  # told before any of it is taken
    assert ran.err.count("does not come to an end within 100,000,000 inferences") >= 2


def test_output_of_a_goal_comes_in_its_place(shell: Callable[..., Any]) -> None:
    ran = shell('?- format("one").\n?- format("two~n").\n?- read(X).\n?- member(X, [1, 2]), writeln(X).\n;\n')
    assert ran.out == [
        "onetrue.", "two", "true.", "X = end_of_file.", "1", "X = 1 ;", "2", "X = 2.",
    ]  # fmt: skip


def test_what_a_question_writes_stays_for_the_next(shell: Callable[..., Any]) -> None:
    ran = shell("?- assertz(note(5)).\n?- note(X).\n?- retractall(rdf(_, _, _)).\n?- note(X).\n")
    assert ran.out == ["true.", "X = 5.", "X = 5."]
    assert "No permission" in ran.err


def test_halt_ends_the_session(shell: Callable[..., Any]) -> None:
    assert shell("?- true.\n?- halt.\n?- true.\n").out == ["true."]


def test_a_name_that_nearly_is_one(shell: Callable[..., Any]) -> None:
    for typed, meant in (
        ("rdf_aserted(a, b, c)", "rdf_asserted"),
        ("dubble(2, X)", "double"),
        ("wating(Q, F, B, S, E)", "waiting/5 or waiting/6?"),
    ):
        assert f"did you mean {meant}" in shell(f"?- {typed}.\n", "--rules", "mine.pl").err
    assert "hint" not in shell("?- xyzzy(1).\n").err


def test_the_sandbox(shell: Callable[..., Any]) -> None:
    ran = shell(
        "?- shell(ls).\n?- open('/etc/passwd', read, S).\n?- member(X, [1]).\n?- rdfs_subclass_of(X, Y).\n",
        "--sandbox", "--background", "goods.ttl",
    )  # fmt: skip
    assert ran.err.count("EP306") == 2
    assert ran.out[0] == "X = 1."
    assert "No permission to call sandboxed" in ran.err
