"""The LALR(1) parsers that lark makes of grammar.lark and what extends it, kept in the user's cache.

Making the table takes 0.3 s, reading it from the cache a tenth of that. Where the cache cannot be written,
the table is rebuilt each time.
"""

from __future__ import annotations

import hashlib
import logging
import platform
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import lark
from lark.lexer import Lexer, PatternStr

from etalis_py.compiler.parse.tree_expressions import ExpressionBuilder
from etalis_py.compiler.parse.tree_patterns import PatternBuilder
from etalis_py.compiler.parse.tree_queries import QueryBuilder
from etalis_py.compiler.parse.tree_terms import TermBuilder
from etalis_py.core.cache import checked_number, new_file, ready_folder, seal
from etalis_py.core.collection import without_collection

__all__ = [
    "GRAMMAR",
    "TokenFeed",
    "TreeBuilder",
    "combinators",
    "grammar_words",
    "load_parser",
    "query_parser",
    "words_of",
]

GRAMMAR: Final = Path(__file__).with_name("grammar.lark")
_LOG = logging.getLogger(__name__)


class TreeBuilder(TermBuilder, ExpressionBuilder, PatternBuilder, QueryBuilder):
    """Makes the node of every rule of grammar.lark as soon as the rule is read."""


class TokenFeed(Lexer):
    """Hands the tokens of ``tokens.tokenize`` to lark."""

    def __init__(self, configuration: Any) -> None:
        del configuration

    def lex(self, lexer_state: Any, parser_state: Any = None) -> Iterator[lark.Token]:
        """What lark is given as text is an iterable of tokens already."""
        del parser_state
        tokens: Iterable[lark.Token] = lexer_state
        yield from tokens


@lru_cache(maxsize=1)
def query_parser() -> lark.Lark:
    """The parser; its result is a ``syntax.Query``. Made once a process."""
    return load_parser(GRAMMAR.read_text(encoding="utf-8"), "query", TreeBuilder())


def load_parser(grammar: str, start: str, builder: object) -> lark.Lark:
    """The parser of a grammar whose rules ``builder`` makes nodes of, from the cache if it is there."""
    version = f"{lark.__version__} {platform.python_version()} {type(builder).__module__} {start}"
    digest = hashlib.sha256(f"{version}{grammar}".encode()).hexdigest()[:16]
    folder = ready_folder("grammar")
    cached = folder and folder / f"{digest}.lark-table"
    if cached and checked_number(cached) is not None:
        try:
            with cached.open("rb") as file, without_collection():
                return lark.Lark.load(file)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with the file, the grammar is there
            _LOG.debug("cannot read %s: %s", cached, error)
    parser = lark.Lark(
        grammar,
        start=start,
        parser="lalr",
        lexer=TokenFeed,
        transformer=builder,
        keep_all_tokens=True,
        maybe_placeholders=False,
    )
    if cached:
        _keep(parser, cached)
    return parser


def _keep(parser: lark.Lark, cached: Path) -> None:
    """Write the table so that another process sees all of it or nothing."""
    try:
        with new_file(cached.parent, cached.suffix) as new:
            with new.open("wb") as file:
                parser.save(file)
            seal(new, 0)
            new.replace(cached)
    except OSError as error:
        _LOG.debug("cannot write %s: %s", cached, error)


@lru_cache(maxsize=1)
def grammar_words() -> Mapping[str, str]:
    """The terminal of every keyword (in capitals) and of every punctuation mark of the grammar."""
    return words_of(query_parser())


def words_of(parser: lark.Lark) -> Mapping[str, str]:
    """The terminal of every keyword and of every punctuation mark that a parser knows."""
    words = {
        terminal.pattern.value: terminal.name
        for terminal in parser.terminals
        if isinstance(terminal.pattern, PatternStr)
    }
    return MappingProxyType({**words, "PRAGMA": "PRAGMA"})


@lru_cache(maxsize=1)
def combinators() -> frozenset[str]:
    """The words between two groups, in capitals, without OPTIONAL, which may stand in other places."""
    rules = (each for each in query_parser().rules if each.origin.name == "_combinator")
    return frozenset(each.expansion[0].name for each in rules)
