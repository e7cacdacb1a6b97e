"""Whether two outcomes of a query are the same, as the W3C's test suites define it.

Solutions are compared as bags, triples as sets, blank nodes up to isomorphism. Two literals are the same if
they have the same datatype, and

- the same lexical form, or
- both are numbers of equal value: results give ``"2.0"^^xsd:decimal`` where another form of the same value is
  as right, since the operators of SPARQL are defined on values and leave the lexical form open.

Datatypes count, also where values are equal (``"2"^^xsd:integer`` is not ``"2"^^xsd:decimal``). Language tags
are the same in any case of letters (RDF 1.1 Concepts, section 3.3).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Final

from tests.w3c.outcomes import Outcome, Row, Solutions, Term, Triples, shown

__all__ = ["difference"]

_XSD: Final = "http://www.w3.org/2001/XMLSchema#"
_EXACT: Final = {
    *("decimal", "integer", "long", "int", "short", "byte", "nonNegativeInteger", "positiveInteger"),
    *(
        "nonPositiveInteger",
        "negativeInteger",
        "unsignedLong",
        "unsignedInt",
        "unsignedShort",
        "unsignedByte",
    ),
}
_is_decimal = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)").fullmatch
_is_double = re.compile(r"[+-]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|INF)|NaN").fullmatch


def difference(expected: Outcome, found: Outcome, *, ordered_by: Sequence[str] = ()) -> str:
    """What is wrong with ``found``; the empty text if nothing is.

    ``ordered_by``: the variables that the query orders its rows by, most important first; ``found`` then must
    have them in the expected order (rows that agree on them may change places, and so may blank nodes).

    >>> difference(True, False)
    'true was expected, and false found'
    """
    match expected, found:
        case bool(), bool():
            right = expected is found
            return "" if right else f"{shown(expected)} was expected, and {shown(found)} found"
        case Triples(), Triples():
            return _rows_differ(_distinct(expected.triples), _distinct(found.triples), "triples")
        case Solutions(), Solutions():
            return _solutions_differ(expected, found, ordered_by)
        case _:
            kinds = [type(each).__name__.lower() for each in (expected, found)]
            return f"{kinds[0]} were expected, and {kinds[1]} found"


def _solutions_differ(expected: Solutions, found: Solutions, ordered_by: Sequence[str]) -> str:
    names = sorted(expected.variables)
    if names != sorted(found.variables):
        return f"the variables {names} were expected, and {sorted(found.variables)} found"
    right, given = (
        [tuple(map(_canonical, row)) for row in each.columns(names)] for each in (expected, found)
    )
    told = _rows_differ(right, given, "rows")
    if told or not ordered_by:
        return told
    keys = [names.index(name) for name in ordered_by]
    for number, pair in enumerate(zip(right, given, strict=True), 1):
        if len({tuple(_without_label(row[key]) for key in keys) for row in pair}) > 1:
            return f"row {number} is not in order: {pair[0]} was expected there, and {pair[1]} found"
    return ""


def _distinct(triples: Iterable[Row]) -> list[Row]:
    return list(dict.fromkeys(tuple(map(_canonical, triple)) for triple in triples))


def _canonical(term: Term | None) -> Term | None:
    """A term with one form for each value."""
    if term is None or term[0] != "literal":
        return term
    _, text, datatype, language = term
    kind = datatype.removeprefix(_XSD) if datatype.startswith(_XSD) else ""
    if kind in _EXACT and _is_decimal(text):
        text = str(Fraction(text))
    elif kind in ("double", "float") and _is_double(text):
        text = repr(float(text.replace("INF", "inf")))
    return "literal", text, datatype, language.lower()


def _is_blank(term: Term | None) -> bool:
    return term is not None and term[0] == "bnode"


def _without_label(term: Term | None) -> Term | None:
    """A term, all blank nodes alike: their order is open."""
    return ("bnode",) if _is_blank(term) else term


def _rows_differ(expected: Sequence[Row], found: Sequence[Row], what: str) -> str:
    """Compare bags of canonical rows."""
    outlines = [Counter(tuple(map(_without_label, row)) for row in rows) for rows in (expected, found)]
    missing, surplus = outlines[0] - outlines[1], outlines[1] - outlines[0]
    if missing or surplus:
        lines = [f"{len(expected)} {what} were expected, and {len(found)} found"]
        lines += [f"  missing {count} x {_text(row)}" for row, count in missing.items()]
        lines += [f"  surplus {count} x {_text(row)}" for row, count in surplus.items()]
        return "\n".join(lines)
    with_blanks = [[row for row in rows if any(map(_is_blank, row))] for rows in (expected, found)]
    if not _isomorphic(*with_blanks):
        return f"the blank nodes of the {what} are not connected as expected: {shown(Triples(tuple(found)))}"
    return ""


def _text(row: Row) -> str:
    return " ".join("UNBOUND" if term is None else " ".join(filter(None, term)) for term in row)


def _isomorphic(expected: Sequence[Row], found: Sequence[Row]) -> bool:
    """Whether a one-to-one renaming of blank nodes makes one bag of rows of the other."""
    left, right = Counter(expected), Counter(found)
    colors = [_colors(left), _colors(right)]
    if Counter(colors[0].values()) != Counter(colors[1].values()):
        return False
    fits: dict[Term, list[Term]] = {
        node: [other for other, color in colors[1].items() if color == mine]
        for node, mine in colors[0].items()
    }
    nodes = sorted(fits, key=lambda node: len(fits[node]))

    def assign(number: int, renaming: dict[Term, Term]) -> bool:
        if number == len(nodes):
            return Counter({_renamed(row, renaming.__getitem__): left[row] for row in left}) == right
        taken = set(renaming.values())
        free = (other for other in fits[nodes[number]] if other not in taken)
        return any(assign(number + 1, {**renaming, nodes[number]: other}) for other in free)

    return assign(0, {})


def _renamed(row: Row, name: Callable[[Term], Term]) -> Row:
    return tuple(name(term) if term is not None and _is_blank(term) else term for term in row)


def _colors(rows: Counter[Row]) -> dict[Term, int]:
    """A number for each blank node, from where it stands and beside which: isomorphic ones share it."""
    colors = {term: 0 for row in rows for term in row if term is not None and _is_blank(term)}
    for _ in range(len(colors)):  # so far does a difference spread
        seen: dict[Term, list[str]] = defaultdict(list)
        for row, count in rows.items():
            outline = [str(colors[term]) if term in colors else repr(term) for term in row]
            for place, term in enumerate(row):
                if term in colors:
                    alike = [other == term for other in row]
                    seen[term].append(repr((place, alike, outline, count)))
        colors = {term: hash(tuple(sorted(texts))) for term, texts in seen.items()}
    return colors
