r"""RDF terms: N-Triples text, the encoded form that crosses to Prolog, rdflib terms, SPARQL JSON.

An IRI or a blank node is a ``str`` (``"http://..."``, ``"_:b0"``); a literal is a tuple, see
`etalis_py.core.literals`. Reading is strict (RDF 1.1 N-Triples section 7: absolute IRIs only, no character
that the grammar forbids unless by ``\u`` escape); writing escapes whatever needs it, so any term
comes out as it went in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from etalis_py.core.coded import Coded
from etalis_py.core.literals import Encoded, canonical_lexical, encode_literal, read_typed
from etalis_py.core.term_problems import why_no_term
from etalis_py.core.vocabulary import XSD_STRING

if TYPE_CHECKING:
    from rdflib.term import BNode, Identifier, URIRef
    from rdflib.term import Literal as RdflibLiteral

__all__ = [
    "Encoded",
    "Position",
    "TermCache",
    "TermPositionError",
    "encode_column",
    "encode_literal",
    "encode_ntriples",
    "from_rdflib",
    "from_sparql_json",
    "lexical_form",
    "ntriples",
    "rdflib_types",
    "to_rdflib",
    "to_sparql_json",
]

# N-Triples section 7. The first alternative of each pair has no escapes and is all that usual data needs.
_SCHEME: Final = r"[A-Za-z][A-Za-z0-9+.\-]*:"
_IRI_CHARS: Final = r'[^\x00-\x20<>"{}|^`\\\ud800-\udfff]*'
_LANGUAGE: Final = r"[A-Za-z]+(?:-[A-Za-z0-9]+)*"
_LABEL_START: Final = (
    r"A-Za-z0-9_:\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d"
    r"\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_LABEL_REST: Final = _LABEL_START + r"\-\u00b7\u0300-\u036f\u203f\u2040"
BLANK: Final = rf"_:[{_LABEL_START}](?:[{_LABEL_REST}.]*[{_LABEL_REST}])?"

_match_plain = re.compile(
    rf"<({_SCHEME}{_IRI_CHARS})>"
    rf'|"([^"\\\n\r\ud800-\udfff]*)"(?:\^\^<({_SCHEME}{_IRI_CHARS})>|@({_LANGUAGE}))?'
).fullmatch
_match_escaped = re.compile(
    r'<((?:[^\x00-\x20<>"{}|^`\\\ud800-\udfff]|\\[uU])*)>'
    r'|"([^"\\\n\r\ud800-\udfff]*(?:\\.[^"\\\n\r\ud800-\udfff]*)*)"'
    rf'(?:\^\^<((?:[^\x00-\x20<>"{{}}|^`\\\ud800-\udfff]|\\[uU])*)>|@({_LANGUAGE}))?'
).fullmatch
_match_name = re.compile(r'("(?:.*)"\^\^)?([A-Za-z][\w.\-]*|):([^\s<>"{}|^`\\]*)', re.DOTALL).fullmatch
_match_scheme = re.compile(_SCHEME).match
_replace_escape = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL).sub
_SHORT_ESCAPES: Final = {
    "t": "\t",
    "b": "\b",
    "n": "\n",
    "r": "\r",
    "f": "\f",
    '"': '"',
    "'": "'",
    "\\": "\\",
}
_find_in_literal = re.compile(r'[\x00-\x1f\x7f"\\]').search
_replace_in_iri = re.compile(r'[\x00-\x20<>"{}|^`\\]').sub
_find_in_iri = re.compile(r'[\x00-\x20<>"{}|^`\\]').search
_LITERAL_ESCAPES: Final = {
    **{code: f"\\u{code:04X}" for code in (*range(0x20), 0x7F)},
    **{ord(char): "\\" + name for name, char in _SHORT_ESCAPES.items() if char != "'"},
}


_NO_PREFIXES: Final[Mapping[str, str]] = MappingProxyType({})


def encode_ntriples(text: str) -> Encoded:
    r"""Read one term in N-Triples syntax.

    Raises ValueError; its text says what is wrong and reads on after the name of the term's place.

    >>> encode_ntriples("<urn:a>"), encode_ntriples("_:b0"), encode_ntriples(r'"a\nb"@EN')
    ('urn:a', '_:b0', ('a\nb', '@en'))
    """
    match = _match_plain(text)
    if match is None:
        return text if is_blank_node(text) else _encode_escaped(text)
    last = match.lastindex
    if last == 1:
        return match[1]
    if last == 3:
        return read_typed(match[2], match[3])
    if last == 2:
        return match[2], XSD_STRING
    return match[2], "@" + match[4].lower()


def is_blank_node(text: str) -> bool:
    """Whether a text is a blank node in N-Triples syntax."""
    return (
        text.startswith("_:") and re.fullmatch(BLANK, text) is not None
    )  # slow to compile, and seldom needed


def _encode_escaped(text: str) -> Encoded:
    match = _match_escaped(text)
    if match is None:
        raise ValueError(why_no_term(text))
    iri, lexical, datatype, language = match.groups()
    if iri is not None:
        return _absolute(_replace_escape(_iri_escape, iri))
    lexical = _replace_escape(_literal_escape, lexical)
    if language is not None:
        return lexical, "@" + language.lower()
    if datatype is None:
        return lexical, XSD_STRING
    return read_typed(
        lexical, _absolute(_replace_escape(_iri_escape, datatype), "is a literal whose datatype ")
    )


def _literal_escape(match: re.Match[str]) -> str:
    if match[3] is None:
        return _iri_escape(match)
    if match[3] not in _SHORT_ESCAPES:
        raise ValueError(f"has the unknown escape {match[0]!r}")
    return _SHORT_ESCAPES[match[3]]


def _iri_escape(match: re.Match[str]) -> str:
    digits = match[1] or match[2]
    if digits is None:
        raise ValueError(f"has the unknown escape {match[0]!r}")
    code = int(digits, 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise ValueError(f"has the escape {match[0]!r}, which is not a character")
    return chr(code)


def _absolute(iri: str, before: str = "") -> str:
    if not _match_scheme(iri):
        raise ValueError(f"{before}is a relative IRI; N-Triples has only absolute ones")
    return iri


def ntriples(term: Encoded) -> str:
    r"""Write one term in N-Triples syntax; control characters are escaped, so it stays on one line.

    >>> ntriples(("a\nb", "@en")), ntriples("urn:a"), ntriples(("x", XSD_STRING))
    ('"a\\nb"@en', '<urn:a>', '"x"')
    """
    if isinstance(term, str):
        return term if term.startswith("_:") else f"<{_escape_iri(term)}>"
    text = term[1] if len(term) == 3 else canonical_lexical(term[0], term[1])
    if _find_in_literal(text):
        text = text.translate(_LITERAL_ESCAPES)
    datatype = term[-1]
    if datatype == XSD_STRING:
        return f'"{text}"'
    if datatype[0] == "@":
        return f'"{text}"{datatype}'
    return f'"{text}"^^<{_escape_iri(datatype)}>'


def _escape_iri(iri: str) -> str:
    if _find_in_iri(iri):
        return _replace_in_iri(lambda match: f"\\u{ord(match[0]):04X}", iri)
    return iri


def lexical_form(term: Encoded) -> tuple[str, str | None, str | None]:
    """Text, datatype and language of a term: one of the two is None; for an IRI or blank node both are.

    >>> lexical_form((5, XSD_STRING.replace("string", "integer")))[0], lexical_form("urn:a")
    ('5', ('urn:a', None, None))
    """
    if isinstance(term, str):
        return term, None, None
    text = term[1] if len(term) == 3 else canonical_lexical(term[0], term[1])
    kind = term[-1]
    return (text, None, kind[1:]) if kind[0] == "@" else (text, kind, None)


def to_sparql_json(term: Encoded) -> dict[str, str]:
    """A term as in SPARQL 1.1 Query Results JSON Format, section 3.2.2."""
    text, datatype, language = lexical_form(term)
    if language is not None:
        return {"type": "literal", "value": text, "xml:lang": language}
    if datatype is None:
        return {"type": "bnode", "value": text[2:]} if text[:2] == "_:" else {"type": "uri", "value": text}
    if datatype == XSD_STRING:
        return {"type": "literal", "value": text}
    return {"type": "literal", "value": text, "datatype": datatype}


def from_sparql_json(term: Mapping[str, str]) -> Encoded:
    """The term that `to_sparql_json` tells.

    >>> from_sparql_json(to_sparql_json(("hi", "@en")))
    ('hi', '@en')
    """
    value = term["value"]
    if term["type"] == "literal":
        return encode_literal(value, term.get("datatype"), term.get("xml:lang"))
    return f"_:{value}" if term["type"] == "bnode" else value


def to_rdflib(term: Encoded) -> Identifier:
    """The same term for rdflib; a lexical form is kept as it is, ``xsd:string`` is left unsaid."""
    from rdflib.term import BNode, URIRef
    from rdflib.term import Literal as RdflibLiteral

    text, datatype, language = lexical_form(term)
    if language is not None:
        return RdflibLiteral(text, lang=language)
    if datatype is None:
        return BNode(text[2:]) if text[:2] == "_:" else URIRef(text)
    if datatype == XSD_STRING:
        return RdflibLiteral(text)
    return RdflibLiteral(text, datatype=URIRef(datatype), normalize=False)


def from_rdflib(term: object) -> Encoded:
    """Encode an rdflib term.

    Raises ValueError for anything that is not an RDF term (a Variable, a plain str) or has no N-Triples form.
    """
    iris, literals, blank_nodes = rdflib_types()
    if isinstance(term, iris):
        iri = _absolute(str(term))
        return iri if iri.isascii() else _encodable(iri)
    if isinstance(term, literals):
        datatype = term.datatype
        return encode_literal(str(term), None if datatype is None else str(datatype), term.language)
    if isinstance(term, blank_nodes):
        if not is_blank_node("_:" + term):
            raise ValueError(f"{str(term)!r} is not a label a blank node can have")
        return "_:" + term
    raise ValueError(f"is not an RDF term but {type(term).__name__}")


@cache
def rdflib_types() -> tuple[type[URIRef], type[RdflibLiteral], type[BNode]]:
    """Those of IRIs, literals and blank nodes; loaded with the first term, since rdflib is slow to load."""
    from rdflib.term import BNode, URIRef
    from rdflib.term import Literal as RdflibLiteral

    return URIRef, RdflibLiteral, BNode


def _encodable(iri: str) -> str:
    encode_literal(iri)
    return iri


Position: TypeAlias = Literal["subject", "predicate", "object", "stream", "graph"]


class TermPositionError(ValueError):
    """A term that is well formed, and stands where RDF allows no term of its kind."""


def _no_text(value: object) -> ValueError:
    return ValueError("is missing" if value is None else f"is not text but {type(value).__name__}")


class TermCache(dict[Any, "Encoded"]):
    """Terms already read, by their N-Triples text, for one position of a triple, or for the names beside it.

    A term is checked against its position when it is first seen. ``scope`` is put before the label of
    every blank node, so that files read together keep theirs apart. With ``prefixes`` IRIs may be prefixed
    names. Holds at most some 20,000 short texts between two columns.
    """

    limit = 20_000
    longest = 256

    def __init__(
        self, position: Position = "object", scope: str = "", prefixes: Mapping[str, str] = _NO_PREFIXES
    ) -> None:
        super().__init__()
        self.position = position
        self.scope = scope
        self.prefixes = prefixes

    def __missing__(self, text: object) -> Encoded:
        if not isinstance(text, str):
            raise _no_text(text)
        term = self._read(text)
        if not isinstance(term, str):
            if self.position != "object":
                raise TermPositionError(f"is a literal, which cannot be a {self.position}")
        elif term[0] == "_":
            if self.position in ("predicate", "stream"):
                raise TermPositionError(f"is a blank node, which cannot be a {self.position}")
            if self.scope:
                term = f"_:{self.scope}{term[2:]}"
        if len(text) <= self.longest:
            self[text] = term
        return term

    def _read(self, text: str) -> Encoded:
        try:
            return encode_ntriples(text)
        except ValueError:
            full = _in_full(text, self.prefixes) if self.prefixes else None
            if full is None:
                raise
        return encode_ntriples(full)


def _in_full(text: str, prefixes: Mapping[str, str]) -> str | None:
    """A prefixed name, or a literal whose datatype is one, in N-Triples syntax; None for anything else.

    >>> _in_full("ex:a", {"ex": "urn:"}), _in_full('"5"^^ex:b', {"ex": "urn:"}), _in_full("b", {"ex": "urn:"})
    ('<urn:a>', '"5"^^<urn:b>', None)
    """
    match = _match_name(text)
    if match is None or match[2] not in prefixes:
        return None
    return f"{match[1] or ''}<{prefixes[match[2]]}{match[3]}>"


def encode_column(texts: Sequence[object], cache: TermCache) -> Sequence[Encoded]:
    """Encode a column of N-Triples texts; each distinct text is read once.

    Raises ValueError (TermPositionError) at the first that is wrong; the caller finds the row.
    """
    if len(cache) > cache.limit:
        cache.clear()
    if isinstance(texts, Coded):
        try:
            return Coded(list(map(cache.__getitem__, texts.values)), texts.codes)
        except ValueError:  # it may be one that is not in this part of the column
            pass
    return list(map(cache.__getitem__, texts))
