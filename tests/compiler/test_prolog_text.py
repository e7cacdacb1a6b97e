"""The printer of Prolog terms: whatever a term holds, reading its text gives it back and nothing else."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
    TRUE,
    Atom,
    Compound,
    Number,
    Term,
    Text,
    Var,
    conjunction,
    if_then_else,
    list_term,
    rdf_term,
    struct,
)
from etalis_py.compiler.rules.prolog_text import clause_text, term_text
from etalis_py.core.terms import encode_literal
from etalis_py.core.vocabulary import XSD_INTEGER
from etalis_py.embedding import prolog

HOSTILE = [
    "",
    "'",
    '"',
    "\\",
    "\n",
    "'), halt, ('",
    "\x00",
    "[]",
    "{}",
    "%",
    "0'",
    "\u202eabc",
    "😀",
    "`",
    "a.\n:- halt.\n",
]
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
characters = st.one_of(texts, st.sampled_from(HOSTILE))


def read_back(text: str) -> tuple[str, str]:
    """The atom and the string of the term t(Atom, String) that Prolog reads from ``text``."""
    import janus_swi  # noqa: TID251 - the test asks Prolog itself

    prolog.load_runtime()
    answer = janus_swi.query_once(
        "term_to_atom(t(A, S), Text), atom(A), string(S), atom_codes(A, AC), string_codes(S, SC)",
        {"Text": text},
    )
    return "".join(map(chr, answer["AC"])), "".join(map(chr, answer["SC"]))


@given(characters, characters)
@example("'), halt, ('", '"), halt, ("')
@example("\\", "\x00\x7f\x80\ufeff\u2028")
@example("\U000d8000", "\uffff\ue000")  # SWI-Prolog 9.2.9 refuses the escape of the first
def test_atoms_and_strings_come_back(atom: str, string: str) -> None:
    assert read_back(term_text(struct("t", Atom(atom), Text(string)))) == (atom, string)


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (Number(-5), "(-5)"),
        (Number(Fraction(3, 2)), "3r2"),
        (Number(1e22), "1.0e22"),
        (Number(math.inf), "1.0Inf"),
        (Number(math.nan), "1.5NaN"),
        (list_term((Atom("a"), Var("X"))), "[a, X]"),
        (rdf_term(encode_literal("05", XSD_INTEGER)), f"lexical(5, \"05\")^^'{XSD_INTEGER}'"),
        (rdf_term(encode_literal("hi", None, "en")), "'@'(\"hi\", en)"),
        (rdf_term(None), "'$unbound'"),
        (struct("is", Var("X"), struct("-", struct("-", Var("A"), Var("B")), Var("C"))), "X is (A - B) - C"),
    ],
)  # fmt: skip
def test_forms(term: Term, text: str) -> None:
    assert term_text(term) == text


def test_a_clause_has_one_goal_a_line() -> None:
    body = conjunction(Atom("a"), if_then_else(Atom("b"), Atom("c"), FAIL), TRUE)
    assert clause_text(Compound("h", (Var("X"),)), body) == (
        "h(X) :-\n    a,\n    (   b\n    ->  c\n    ;   fail\n    )."
    )
