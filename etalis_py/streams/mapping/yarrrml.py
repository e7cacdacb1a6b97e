"""From a file in YARRRML to what it says: which triples a record makes, when, and in which stream.

The subset is that of docs/data.md; what else YARRRML has is refused, with its place. Definition:
https://rml.io/yarrrml/spec/, and ``time`` and ``stream``, which are of this project.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from types import MappingProxyType
from typing import Final, Literal, cast

from etalis_py.core.errors import DataError
from etalis_py.core.terms import encode_ntriples
from etalis_py.core.times import SCALES, TimeUnit
from etalis_py.core.vocabulary import RDF, RDF_TYPE, RDFS, XSD
from etalis_py.streams.mapping.templates import Template
from etalis_py.streams.mapping.yaml_nodes import Node, read_yaml, text_of

__all__ = ["Part", "StreamMap", "TermMap", "TimeMap", "read_mapping"]

_DOCUMENT: Final = ("prefixes", "base", "mappings", "sources", "time", "stream", "authors")
_MAPPING: Final = ("sources", "s", "po", "graphs", "time", "stream")
_ALIASES: Final = MappingProxyType(
    {
        **dict.fromkeys(("subject", "subjects"), "s"),
        "predicateobjects": "po",
        **dict.fromkeys(("graph", "g"), "graphs"),
        **dict.fromkeys(("source",), "sources"),
        **dict.fromkeys(("mapping", "m"), "mappings"),
        **dict.fromkeys(("predicate", "predicates"), "p"),
        **dict.fromkeys(("object", "objects"), "o"),
        **dict.fromkeys(("value", "v"), "value"),
    }
)
"""The short forms of keys, and other spellings."""
_REFUSED: Final = MappingProxyType(
    {
        **dict.fromkeys(("function", "f", "fn"), "a function"),
        "condition": "a condition",
        "conditions": "a condition",
        "mapping": "a join with another mapping",
        "mappings": "a join with another mapping",
        "targets": "a target",
        "inversepredicates": "an inverse predicate",
        "external": "an external reference",
    }
)
_TIME: Final = ("start", "end", "format", "unit", "zone")
_KNOWN_PREFIXES: Final = MappingProxyType({"rdf": RDF, "rdfs": RDFS, "xsd": XSD})
_match_prefixed = re.compile(r"([A-Za-z][\w.\-]*)?:(?!//)").match
_match_language = re.compile(r"([A-Za-z]+(?:-[A-Za-z0-9]+)*)~lang").fullmatch
_match_absolute = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:").match
_match_iterator = re.compile(r"\$((?:\.[A-Za-z_][\w\-]*)*)(\[\*\])?").fullmatch


@dataclass(frozen=True, slots=True)
class TermMap:
    """How a term of a kind is made; a literal may have a datatype or a language (``@en``)."""

    template: Template
    kind: Literal["iri", "blank", "literal"]
    datatype: str | None = None
    base: str = ""


@dataclass(frozen=True, slots=True)
class TimeMap:
    """How the time of a record is read: ``format`` as of ``strptime``, None for ISO 8601 or numbers."""

    start: Template
    end: Template | None
    format: str | None
    unit: TimeUnit | None
    zone: str | None


@dataclass(frozen=True, slots=True)
class Part:
    """One mapping: triples of one subject, with one time.

    It is for the records of the file ``source`` (None: of every file), below the keys ``path`` of a document.
    """

    name: str
    subject: TermMap
    pairs: tuple[tuple[TermMap, TermMap], ...]
    time: TimeMap
    stream: TermMap | None
    graph: TermMap | None
    source: str | None
    path: tuple[str, ...]

    def is_for(self, name: str) -> bool:
        """Whether the records of a stream of this name are meant."""
        if self.source is None:
            return True
        wanted = PurePath(self.source).parts
        return PurePath(name).parts[-len(wanted) :] == wanted


@dataclass(frozen=True, slots=True)
class StreamMap:
    """A mapping; ``text`` is that of its file, whose ``name`` messages have."""

    name: str
    text: str
    parts: tuple[Part, ...]

    def for_source(self, name: str) -> tuple[Part, ...]:
        """The parts for a stream.

        Raises:
            DataError: EP435, there is none.
        """
        found = tuple(part for part in self.parts if part.is_for(name))
        if not found:
            sources = ", ".join(repr(part.source) for part in self.parts)
            raise DataError(
                "EP435",
                f"{self.name}: no mapping is for {name}: the sources are {sources}",
                hint="leave out sources: then a mapping is for all streams",
            )
        return found


def read_mapping(path: str | os.PathLike[str], text: str | None = None) -> StreamMap:
    """The mapping in a file, or in a ``text`` that is called so.

    Raises:
        DataError: EP431 it cannot be read, EP432 it is not YAML, EP433 it is not YARRRML, EP434 it has
            what this version has not.
    """
    name = os.fspath(path)
    text = text_of(name) if text is None else text
    return _Document(read_yaml(name, text)).stream_map(name, text)


def _keys(node: Node, known: tuple[str, ...], what: str) -> dict[str, Node]:
    """The nodes by their keys in the usual spelling; what is not supported is refused."""
    found: dict[str, Node] = {}
    for key, each in node.keys((), what).items():
        plain = key if key in known else _ALIASES.get(key, key)
        if plain not in known and key in _REFUSED:
            hint = "do it in the query: FILTER, BIND"
            raise each.error("EP434", f"{_REFUSED[key]} ({key!r}) is not supported", hint)
        if plain in found:
            raise each.error("EP433", f"{key!r} is there twice, under two names")
        found[plain] = each
    return Node(found, node.source, node.line, node.column, node.excerpt).keys(known, what)


class _Document:
    """Reads one document, with its prefixes."""

    def __init__(self, root: Node) -> None:
        self._root = root
        self._keys = _keys(root, _DOCUMENT, "a mapping file")
        self._prefixes: dict[str, str] = dict(_KNOWN_PREFIXES)
        if "prefixes" in self._keys:
            pairs = self._keys["prefixes"].keys((), "prefixes")
            self._prefixes |= {name: _absolute(node) for name, node in pairs.items()}
        self._base = _absolute(self._keys["base"]) if "base" in self._keys else ""
        self._sources = self._keys["sources"].keys((), "sources") if "sources" in self._keys else {}

    def stream_map(self, name: str, text: str) -> StreamMap:
        if "mappings" not in self._keys:
            raise self._root.error(
                "EP433", "there are no mappings", "mappings: {reading: {s: ..., po: [...]}}"
            )
        mappings = self._keys["mappings"].keys((), "mappings")
        parts = [part for each, node in mappings.items() for part in self._parts(each, node)]
        if not parts:
            raise self._keys["mappings"].error("EP433", "there is no mapping in it")
        return StreamMap(name, text, tuple(parts))

    def _parts(self, name: str, node: Node) -> Iterator[Part]:
        keys = _keys(node, _MAPPING, f"the mapping {name!r}")
        for needed, example in (("s", "s: ex:sensor/$(id)"), ("po", "po: [[ex:heat, $(heat)]]")):
            if needed not in keys:
                raise node.error("EP433", f"the mapping {name!r} has no {needed!r}", example)
        time = keys.get("time", self._keys.get("time"))
        if time is None:
            hint = "time: $(timestamp), in the mapping, or for all beside mappings:"
            raise node.error("EP433", f"the mapping {name!r} has no 'time'", hint)
        stream, graph = keys.get("stream", self._keys.get("stream")), keys.get("graphs")
        pairs = tuple(pair for each in keys["po"].items for pair in self._pairs(each))
        for subject in keys["s"].items:
            for source, path in self._sources_of(keys.get("sources")):
                yield Part(
                    name,
                    self._resource(subject),
                    pairs,
                    self._time(time),
                    None if stream is None else self._iri(stream, stream.text),
                    None if graph is None else self._resource(graph),
                    source,
                    path,
                )

    # ---- sources ----------------------------------------------------------------------------------------

    def _sources_of(self, node: Node | None) -> Iterator[tuple[str | None, tuple[str, ...]]]:
        if node is None:
            yield None, ()
            return
        for each in node.items:
            if isinstance(each.value, str):
                if each.value not in self._sources:
                    hint = f"known are {', '.join(self._sources) or 'none'}; a file is ['FILE.csv~csv']"
                    raise each.error("EP433", f"there is no source {each.value!r}", hint)
                yield self._source(self._sources[each.value])
            else:
                yield self._source(each)

    def _source(self, node: Node) -> tuple[str, tuple[str, ...]]:
        if isinstance(node.value, list):
            access, *more = node.value
            file, _, formulation = access.text.partition("~")
            iterator = more[0] if more else None
        else:
            keys = node.keys(("access", "referenceFormulation", "iterator"), "a source")
            if "access" not in keys:
                raise node.error("EP433", "a source without 'access'", "access: FILE.csv")
            access, iterator = keys["access"], keys.get("iterator")
            file, formulation = access.text, keys["referenceFormulation"].text if len(keys) > 1 else ""
        if formulation and formulation not in ("csv", "json", "jsonpath", "parquet"):
            raise access.error("EP434", f"a source in {formulation!r}", "known are csv, jsonpath, parquet")
        return file, () if iterator is None else _path(iterator)

    # ---- terms ------------------------------------------------------------------------------------------

    def _resource(self, node: Node) -> TermMap:
        """A subject or graph: an IRI or a blank node."""
        text = node.text.removesuffix("~iri")
        if text.startswith("_:"):
            return TermMap(Template.of(node, text[2:]), "blank")
        return self._iri(node, text)

    def _iri(self, node: Node, text: str) -> TermMap:
        template = Template.of(node, "rdf:type" if text == "a" else text)
        first = template.texts[0]
        prefix = _match_prefixed(first)
        if prefix is not None and (prefix[1] or "") in self._prefixes:
            first = self._prefixes[prefix[1] or ""] + first[prefix.end() :]
        elif first and not _match_absolute(first):
            if not self._base:
                hint = "declare it: prefixes: {ex: 'http://example.org/'}; or write a whole IRI"
                raise node.error("EP433", f"{text!r} is not an IRI and has no known prefix", hint)
            first = self._base + first
        elif (
            first
            and prefix is not None
            and not re.match(r"(https?|urn|mailto|tag|file|ftp)$", prefix[1] or "")
        ):
            known = ", ".join(sorted(self._prefixes))
            raise node.error("EP433", f"the prefix {prefix[1] or ''!r} is not declared", f"known are {known}")
        template = Template((first, *template.texts[1:]), template.references)
        if not template.references:
            _check_iri(node, first)
        return TermMap(template, "iri", base=self._base)

    def _pairs(self, node: Node) -> Iterator[tuple[TermMap, TermMap]]:
        if isinstance(node.value, list):
            if not 2 <= len(node.value) <= 3:
                hint = "write [ex:heat, $(heat), xsd:decimal]"
                raise node.error("EP433", f"a predicate and an object, not {len(node.value)} items", hint)
            predicates, objects, *kind = node.value
        else:
            keys = _keys(node, ("p", "o"), "po")
            for needed in ("p", "o"):
                if needed not in keys:
                    raise node.error("EP433", f"there is no {needed!r}", "po: [{p: ex:heat, o: $(heat)}]")
            predicates, objects, kind = keys["p"], keys["o"], []
        of_type = kind[0] if kind else None
        for predicate in [self._iri(each, each.text) for each in predicates.items]:
            is_type = predicate.template.texts == (RDF_TYPE,)
            for one in self._objects(objects, shared=isinstance(node.value, dict)):
                yield predicate, self._object(one, of_type, is_type=is_type)

    def _objects(self, node: Node, *, shared: bool) -> list[Node]:
        """Several objects; with keys ``o: [$(heat), xsd:decimal]`` is one, with its datatype."""
        if not shared or not isinstance(node.value, list):
            return node.items
        is_one = len(node.value) == 2 and all(isinstance(each.value, str) for each in node.value)
        if is_one and (_match_language(node.value[1].text) or node.value[1].text.startswith("xsd:")):
            return [node]
        return node.value

    def _object(self, node: Node, of_type: Node | None, *, is_type: bool) -> TermMap:
        term_type = None
        if isinstance(node.value, dict):
            keys = _keys(node, ("value", "datatype", "language", "type"), "an object")
            if "value" not in keys:
                raise node.error(
                    "EP433", "an object without 'value'", "o: {value: $(heat), datatype: xsd:decimal}"
                )
            value, term_type = keys["value"], keys.get("type")
            of_type = keys.get("datatype", of_type)
            if "language" in keys:
                return self._literal(value, keys["language"], language=True)
        elif isinstance(node.value, list):
            if not 1 <= len(node.value) <= 2:
                raise node.error("EP433", "an object is [value], or [value, datatype]")
            value, *more = node.value
            of_type = more[0] if more else of_type
        else:
            value = node
        text = value.text
        if term_type is not None and term_type.text not in ("iri", "literal"):
            raise term_type.error("EP433", f"the type {term_type.text!r}", "known are iri and literal")
        wants_iri = text.endswith("~iri") or (term_type is not None and term_type.text == "iri")
        if of_type is None and (wants_iri or is_type):
            return self._resource(value)
        prefix = _match_prefixed(text)
        is_name = prefix is not None and (prefix[1] or "") in self._prefixes
        if of_type is None and is_name and term_type is None:
            return self._iri(value, text)
        if wants_iri:
            raise value.error("EP433", "an IRI has neither datatype nor language")
        return self._literal(value, of_type, language=False)

    def _literal(self, value: Node, of_type: Node | None, *, language: bool) -> TermMap:
        template = Template.of(value)
        if of_type is None:
            return TermMap(template, "literal")
        found = _match_language(
            of_type.text if not language else of_type.text.removesuffix("~lang") + "~lang"
        )
        if found is not None:
            return TermMap(template, "literal", "@" + found[1].lower())
        if language:
            raise of_type.error("EP433", f"{of_type.text!r} is not a language", "language: en")
        datatype = self._iri(of_type, of_type.text)
        if datatype.template.references:
            raise of_type.error("EP434", "a datatype that depends on the record")
        return TermMap(template, "literal", datatype.template.texts[0])

    # ---- time -------------------------------------------------------------------------------------------

    def _time(self, node: Node) -> TimeMap:
        if isinstance(node.value, str):
            keys = {"start": node}
        else:
            keys = _keys(node, _TIME, "time")
            if "start" not in keys:
                raise node.error("EP433", "a time without 'start'", "time: {start: $(timestamp), unit: ms}")
        templates = {name: Template.of(keys[name]) for name in ("start", "end") if name in keys}
        for name, template in templates.items():
            if not template.references:
                raise keys[name].error("EP433", f"the {name} is the same for all records", "write $(column)")
        unit, layout, zone = (keys.get(name) for name in ("unit", "format", "zone"))
        if unit is not None and unit.text not in SCALES:
            raise unit.error("EP433", f"the unit {unit.text!r}", f"known are {', '.join(SCALES)}")
        if unit is not None and layout is not None:
            raise unit.error("EP433", "a unit is for numbers, a format for texts", "leave out one of them")
        if layout is not None:
            _check_format(layout)
        if zone is not None:
            _check_zone(zone)
        return TimeMap(
            templates["start"],
            templates.get("end"),
            None if layout is None else layout.text,
            None if unit is None else cast("TimeUnit", unit.text),
            None if zone is None else zone.text,
        )


def _absolute(node: Node) -> str:
    _check_iri(node, node.text)
    return node.text


def _check_iri(node: Node, iri: str) -> None:
    try:
        encode_ntriples(f"<{iri}>")
    except ValueError as error:
        raise node.error("EP433", f"{iri!r} {error}", "write a whole IRI: http://example.org/") from None


def _path(node: Node) -> tuple[str, ...]:
    found = _match_iterator(node.text)
    if found is None:
        raise node.error("EP434", f"the iterator {node.text!r}", "write $[*] or $.items[*]")
    return tuple(found[1].split(".")[1:])


def _check_format(node: Node) -> None:
    try:
        datetime.strptime("", node.text)  # noqa: DTZ007 - only the format is looked at
    except ValueError as error:
        if "does not match" not in str(error):
            hint = "as of Python's strptime: %d.%m.%Y %H:%M:%S"
            raise node.error("EP433", f"the format {node.text!r}: {error}", hint) from None
    if not re.search(r"%[YyGcx]", node.text):
        raise node.error("EP433", f"the format {node.text!r} has no year", "write %Y for it")


def _check_zone(node: Node) -> None:
    from zoneinfo import ZoneInfo

    if re.fullmatch(r"[+-][0-9]{2}:[0-9]{2}|Z|UTC", node.text):
        return
    try:
        ZoneInfo(node.text)
    except (KeyError, ValueError, OSError):
        hint = "such as Europe/Vienna, UTC or +01:00"
        raise node.error("EP433", f"there is no zone {node.text!r} here", hint) from None
