"""What is said of what stands at a place, where it is declared, and the outline of a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from lark import Token

from etalis_py.compiler.spans import Span, shorten
from etalis_py.core.counting import counted
from etalis_py.editors.text import QueryPart, QueryText, span_of
from etalis_py.editors.vocabulary import Vocabulary
from etalis_py.editors.words import description, phrase_at

__all__ = ["Entry", "EntryKind", "definition", "described", "outline"]

_WIDTH: Final = 60
_CLAUSES: Final = frozenset({"LBRACE", "WHERE", "FROM"})


class EntryKind(Enum):
    """What an entry of an outline is."""

    QUERY = "query"
    PREFIX = "prefix"
    WINDOW = "window"
    STREAM = "stream"


@dataclass(frozen=True, slots=True)
class Entry:
    """A part of a text; ``name_span`` is where its name stands."""

    name: str
    kind: EntryKind
    span: Span
    name_span: Span
    children: Sequence[Entry] = ()


def described(text: QueryText, offset: int, vocabulary: Vocabulary) -> tuple[str, Span] | None:
    """What is said of what stands at a place, as Markdown, and its place."""
    index = text.index_at(offset)
    if index is None or text.is_free_text(offset):
        return None
    token, part = text.tokens[index], text.part_at(offset)
    iri = part.iri(token)
    if iri is not None:
        return _of_name(iri, part, vocabulary), span_of(token)
    if token.type == "VAR":
        return _of_variable(token, part, text.text), span_of(token)
    found = phrase_at(text.tokens, index)
    if found is None:
        return None
    phrase, first, last = found
    said = description(phrase)
    return None if said is None else (said, span_of(text.tokens[first]).to(span_of(text.tokens[last])))


def definition(text: QueryText, offset: int) -> tuple[Span | None, str | None]:
    """Where what stands at a place is declared, if in this text; and its IRI, if it has one.

    A name is declared as window or stream, or else its prefix is; a variable where it first has a value.
    """
    index = text.index_at(offset)
    if index is None:
        return None, None
    token, part = text.tokens[index], text.part_at(offset)
    if token.type == "VAR":
        first = part.first_binding(token)
        return (None if first is None else span_of(first)), None
    iri = part.iri(token)
    declared = declaration(text, iri)
    if declared is not None:
        return declared, iri
    prefix = part.prefix_tokens.get(token.partition(":")[0]) if token.type.startswith("PNAME") else None
    return (None if prefix is None else span_of(prefix)), iri


def declaration(text: QueryText, iri: str | None) -> Span | None:
    """Where a text declares a window or a stream."""
    found = (each for part in text.parts for each in part.declarations if each.iri == iri)
    return next((span_of(each.token) for each in found), None)


def outline(text: QueryText) -> list[Entry]:
    """The queries of a text, with their prefixes, windows and streams."""
    return [_entry(part, text.text) for part in text.parts]


def _entry(part: QueryPart, text: str) -> Entry:
    """A query by its first words, up to its first clause."""
    first, last = span_of(part.tokens[0]), span_of(part.tokens[-1])
    form = next((index for index, each in enumerate(part.tokens) if each.type == part.form), 0)
    end = next((each for each in part.tokens[form + 1 :] if each.type in _CLAUSES), part.tokens[-1])
    name_span = span_of(part.tokens[form])
    name = shorten(" ".join(text[name_span.start : span_of(end).start].split()), _WIDTH)
    return Entry(
        name or str(part.tokens[form]), EntryKind.QUERY, first.to(last), name_span, list(_children(part))
    )


def _children(part: QueryPart) -> Iterator[Entry]:
    for token in part.prefix_tokens.values():
        yield Entry(str(token), EntryKind.PREFIX, span_of(token), span_of(token))
    for each in part.declarations:
        kind = EntryKind.WINDOW if "WINDOW" in each.words else EntryKind.STREAM
        yield Entry(str(each.token), kind, span_of(each.token), span_of(each.token))


def _of_name(iri: str, part: QueryPart, vocabulary: Vocabulary) -> str:
    term = vocabulary.get(iri)
    parts = [f"`<{iri}>`"]
    if term is not None:
        parts.append(f"{term.kind} **{term.label}**" if term.label else term.kind)
        if term.comment:
            parts.append(term.comment)
        if term.supers:
            parts.append("below " + ", ".join(f"`{part.short(each) or f'<{each}>'}`" for each in term.supers))
    return "\n\n".join(parts)


def _of_variable(token: Token, part: QueryPart, text: str) -> str:
    first = part.first_binding(token)
    line = text.count("\n", 0, span_of(first or token).start) + 1
    return f"`{token}`: {counted(len(part.places(token)), 'place')}, the first is in line {line}"
