"""Writes the TextMate grammars of VS Code from those of the languages: python -m tests.editors.grammars."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from lark.grammar import Terminal

from etalis_py.compiler.languages.etalis.operators import WORDS
from etalis_py.compiler.languages.spaseq import reader
from etalis_py.compiler.parse.grammar_table import combinators, grammar_words, query_parser, words_of
from tests.conftest import PROJECT

EXTENSION = PROJECT / "etalis_py" / "editors" / "vscode"
SYNTAXES = EXTENSION / "syntaxes"
_CALLS = (
    *("_no_argument", "_one_argument", "_two_arguments", "_three_arguments", "_two_or_three", "built_in"),
    "aggregate",
)
_ESCAPE = r"%[0-9A-Fa-f]{2}|\\."
_DIGITS = r"(?:\b\d+(?:\.\d*)?|\.\d+)"
_STRING_ESCAPE = {"name": "constant.character.escape", "match": r"\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)"}


def functions() -> set[str]:
    """The words that stand before a bracket with arguments."""
    first = [rule.expansion[0] for rule in query_parser().rules if rule.origin.name in _CALLS]
    names = {each.name for each in first if isinstance(each, Terminal)}
    return {word for word, name in grammar_words().items() if name in names and word[0].isalpha()}


def sparql_words(name: str) -> Mapping[str, str]:
    """The words and marks of EP-SPARQL or SPAseq."""
    return grammar_words() if name == "ep-sparql" else words_of(reader._parser())


def ep_sparql() -> dict[str, Any]:
    """The grammar of EP-SPARQL."""
    return _sparql("ep-sparql", "EP-SPARQL")


def spaseq() -> dict[str, Any]:
    """The grammar of SPAseq: that of EP-SPARQL with more words."""
    return _sparql("spaseq", "SPAseq")


def _sparql(name: str, title: str) -> dict[str, Any]:
    calls, pairs = functions(), combinators()
    others = {each for each in sparql_words(name) if each[0].isalpha() and each != "a"} - calls - pairs
    return _grammar(
        name,
        title,
        [
            {"name": "comment.line.number-sign", "match": "#.*$"},
            {"name": "string.other.iri", "match": r"<[^<>\"{}|^`\\\s]*>"},
            *_strings('"""', "'''", '"', "'"),
            {"name": "variable.other", "match": r"[?$]\w+"},
            {"name": "constant.other.blank-node", "match": r"_:\w[\w.-]*"},
            {
                "match": rf"((?:[^\W\d_][\w.-]*)?:)((?:[\w:]|{_ESCAPE})(?:[\w:.-]*[\w:-]|{_ESCAPE})*)?",
                "captures": {"1": {"name": "entity.name.namespace"}, "2": {"name": "entity.name.tag"}},
            },
            {"name": "constant.language.language-tag", "match": r"@[A-Za-z]+(?:-[A-Za-z0-9]+)*"},
            {"name": "constant.language.boolean", "match": r"(?i)\b(?:true|false)\b"},
            {"name": "constant.numeric.duration", "match": r"\bP(?=T?\d)[\dA-Za-z.]*\b"},
            {
                "name": "constant.numeric",
                "match": r"[+-]?(?:\b\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+|[a-z]+\b)?",
            },
            {"name": "keyword.operator.combinator", "match": _any_of(pairs)},
            {"name": "support.function", "match": _any_of(calls) + r"(?=\s*\()"},
            {"name": "keyword.control", "match": _any_of(others - {"TRUE", "FALSE"} | calls)},
            {"name": "keyword.control.type", "match": r"\ba\b(?!:)"},
            {"name": "keyword.operator", "match": r"\^\^|\|\||&&|[!<>]=|[*/|^?+!=<>-]"},
            {"name": "punctuation", "match": r"[{}()\[\].,;]"},
        ],
    )


def etalis() -> dict[str, Any]:
    """The grammar of ETALIS rules, which are Prolog with operators of their own."""
    return _grammar(
        "etalis",
        "ETALIS",
        [
            {"name": "comment.line.percentage", "match": "%.*$"},
            {"name": "comment.block", "begin": r"/\*", "end": r"\*/"},
            *_strings('"', "'"),
            {"name": "keyword.operator.combinator", "match": _any_of(WORDS, any_case=False)},
            {"name": "keyword.operator.rule", "match": r"<-|:-|\?-|-->"},
            {"name": "variable.other", "match": r"\b[A-Z_]\w*"},
            {"name": "constant.numeric", "match": r"\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"},
            {"name": "entity.name.function", "match": r"\b[a-z]\w*(?=\()"},
            {"name": "constant.other.atom", "match": r"\b[a-z]\w*"},
            {"name": "keyword.operator", "match": r"[-+*/\\^<>=~:?@#&$]+"},
            {"name": "punctuation", "match": r"[()\[\].,;|!]"},
        ],
    )


GRAMMARS = {"ep-sparql": ep_sparql, "spaseq": spaseq, "etalis": etalis}


def written(grammar: dict[str, Any]) -> str:
    """The text of a grammar's file."""
    return json.dumps(grammar, indent=2) + "\n"


def _grammar(name: str, title: str, patterns: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "name": title,
        "scopeName": f"source.{name}",
        "patterns": [_scoped(each, name) for each in patterns],
    }


def _scoped(pattern: dict[str, Any], name: str) -> dict[str, Any]:
    """A pattern whose names end with that of the language."""
    scoped = dict(pattern)
    if "name" in scoped:
        scoped["name"] = f"{scoped['name']}.{name}"
    if "captures" in scoped:
        scoped["captures"] = {key: _scoped(each, name) for key, each in scoped["captures"].items()}
    if "patterns" in scoped:
        scoped["patterns"] = [_scoped(each, name) for each in scoped["patterns"]]
    return scoped


def _strings(*quotes: str) -> list[dict[str, Any]]:
    """Strings; those in one quotation mark end with their line at the latest."""
    kinds = {'"': "double", "'": "single"}
    return [
        {
            "name": f"string.quoted.{'triple' if len(each) > 1 else kinds[each]}",
            "begin": each,
            "end": each if len(each) > 1 else f"{each}|$",
            "patterns": [_STRING_ESCAPE],
        }
        for each in quotes
    ]


def _any_of(words: Iterable[str], *, any_case: bool = True) -> str:
    return ("(?i)" if any_case else "") + rf"\b(?:{'|'.join(sorted(words))})\b"


if __name__ == "__main__":
    for name, make in GRAMMARS.items():
        (SYNTAXES / f"{name}.tmLanguage.json").write_text(written(make()), encoding="utf-8")
