"""The grammar itself: it has no conflicts, and the tree builder knows its rules."""

from __future__ import annotations

import logging
from pathlib import Path

import lark
import pytest

from etalis_py.compiler.parse import grammar_table
from etalis_py.compiler.parse.grammar_table import TokenFeed, TreeBuilder, query_parser


def conflicts(grammar: str, caplog: pytest.LogCaptureFixture) -> list[str]:
    """What lark decides silently: it prefers to shift where it could also reduce."""
    with caplog.at_level(logging.DEBUG, logger=lark.logger.name):
        lark.Lark(grammar, start="query", parser="lalr", lexer=TokenFeed, debug=True)
    return [record.getMessage() for record in caplog.records if "conflict" in record.getMessage().lower()]


def test_no_conflicts(caplog: pytest.LogCaptureFixture) -> None:
    assert not conflicts(Path(grammar_table.__file__).with_name("grammar.lark").read_text(), caplog)


def test_a_conflict_would_be_seen(caplog: pytest.LogCaptureFixture) -> None:
    assert conflicts('query: sum\nsum: sum "+" sum | "a"', caplog)


def test_every_rule_has_its_method() -> None:
    rules = {str(rule.alias or rule.origin.name) for rule in query_parser().rules}
    named = {rule for rule in rules if not rule.startswith("_")}
    methods = {name for name in dir(TreeBuilder) if not name.startswith("_")}
    assert named == methods
