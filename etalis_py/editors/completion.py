"""What can be written at a place: words, prefixes, variables, functions, classes and properties."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from etalis_py.compiler.algebra.functions import FUNCTIONS
from etalis_py.compiler.parse.names import KNOWN_PREFIXES, WELL_KNOWN_NAMESPACES
from etalis_py.editors.text import QueryPart, QueryText
from etalis_py.editors.vocabulary import Vocabulary
from etalis_py.editors.words import description, keywords

__all__ = ["Completion", "Kind", "completions"]

MOST: Final = 500
"""So many names of a vocabulary are offered."""
_find_word = re.compile(r"(<[^<>\s]*|[?$]\w*|[\w.\-]*:?[\w.\-]*)\Z").search
_is_after_prefix = re.compile(r"\bPREFIX\s+[\w.\-]*:?\Z", re.IGNORECASE).search


class Kind(Enum):
    """What a completion is."""

    WORD = "word"
    FUNCTION = "function"
    PREFIX = "prefix"
    VARIABLE = "variable"
    CLASS = "class"
    PROPERTY = "property"


@dataclass(frozen=True, slots=True)
class Completion:
    """A text to be put in the place of what stands from ``start`` on."""

    text: str
    kind: Kind
    start: int
    detail: str = ""
    documentation: str | None = None


def completions(text: QueryText, offset: int, vocabulary: Vocabulary) -> list[Completion]:
    """What can stand at a place, or can be made of what is begun there; none in comments and strings."""
    if text.is_free_text(offset):
        return []
    before = text.text[:offset]
    found = _find_word(before)
    word = found[0] if found else ""
    start = offset - len(word)
    part = text.part_at(offset)
    if _is_after_prefix(before):
        return list(_declarations(part, start))
    if word[:1] in ("?", "$"):
        return [Completion(f"{word[0]}{each[1:]}", Kind.VARIABLE, start) for each in part.variables(offset)]
    if word.startswith("<"):
        return list(_names(vocabulary, part, start, word, in_full=True))
    if ":" in word:
        return list(_names(vocabulary, part, start, word))
    return [*_words(part, start), *_prefixes(part, start), *_names(vocabulary, part, start, word)]


def _words(part: QueryPart, start: int) -> Iterator[Completion]:
    """All words, those first that can stand there."""
    fitting = part.words_at(start)
    for each in sorted(keywords(), key=lambda word: word.upper() not in fitting):
        is_function = each.upper() in FUNCTIONS
        kind = Kind.FUNCTION if is_function else Kind.WORD
        yield Completion(each, kind, start, _arguments(each) if is_function else "", description(each))


def _arguments(name: str) -> str:
    """How many arguments a function takes, in words."""
    signature = FUNCTIONS[name.upper()]
    if name.upper() == "IRI":
        return "1 argument"
    if signature.variadic:
        return "any number of arguments"
    least, most = signature.least, signature.most
    count = str(least) if least == most else f"{least} to {most}"
    return f"{count} argument{'s' if most != 1 else ''}"


def _prefixes(part: QueryPart, start: int) -> Iterator[Completion]:
    for name, namespace in part.prefixes.items():
        yield Completion(f"{name}:", Kind.PREFIX, start, namespace)


def _declarations(part: QueryPart, start: int) -> Iterator[Completion]:
    """Prefixes that many use, with their IRIs."""
    for name, namespace in {**WELL_KNOWN_NAMESPACES, **KNOWN_PREFIXES}.items():
        if name not in part.prefix_tokens and name != "prolog":
            yield Completion(f"{name}: <{namespace}>", Kind.PREFIX, start, namespace)


def _names(
    vocabulary: Vocabulary, part: QueryPart, start: int, word: str, *, in_full: bool = False
) -> Iterator[Completion]:
    count = 0
    for term in vocabulary.terms:
        name = f"<{term.iri}>" if in_full else part.short(term.iri)
        if name is None or not name.lower().startswith(word.lower()):
            continue
        kind = Kind.CLASS if term.is_class else Kind.PROPERTY
        yield Completion(name, kind, start, term.label or term.kind, term.comment)
        count += 1
        if count >= MOST:
            return
