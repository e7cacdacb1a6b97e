"""The tree builder's part for queries and solution modifiers (grammar.lark, "Queries" and after)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, cast

from lark import Token

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.lengths import read_length
from etalis_py.compiler.parse.relation_to_stream import RELATIONS_TO_STREAM, RelationToStream
from etalis_py.compiler.parse.tree_base import Child, Children, Part, count_of, has, nodes, only, span_of
from etalis_py.compiler.spans import Span
from etalis_py.core.value_class import value_class

__all__ = ["QueryBuilder", "modifiers_of"]


@value_class
class _Said:
    """What a clause of REGISTER says, and the word that it begins with."""

    word: str
    value: Any


_NOTHING: Final = _Said("", None)

_DURATION = re.compile(  # XSD 1.1, section 3.3.6.2
    r"P(?=[0-9T])(?:[0-9]+Y)?(?:[0-9]+M)?(?:[0-9]+D)?(?:T(?=[0-9])(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+(?:\.[0-9]+)?S)?)?"
)


class QueryBuilder:
    """Prologue, query forms, solution modifiers and windows."""

    def query(self, children: Children) -> syntax.Query:
        """One query."""
        prologues = nodes(children, syntax.Prologue)
        registration, form = only(children, syntax.Registration), cast("syntax.QueryForm", children[-1])
        declarations = tuple(each for prologue in prologues for each in prologue.declarations)
        first: syntax.Node = declarations[0] if prologues[0].declarations else registration or form
        prologue = syntax.Prologue(declarations, span=span_of(declarations) if declarations else Span(0, 0))
        return syntax.Query(prologue, form, registration, span=first.span.to(form.span))

    def prologue(self, children: Children) -> syntax.Prologue:
        """BASE, PREFIX and PRAGMA, any number of them."""
        declarations = cast("tuple[syntax.PrefixDeclaration, ...]", tuple(children))
        return syntax.Prologue(declarations, span=span_of(children) if children else Span(0, 0))

    def base(self, children: Children) -> syntax.BaseDeclaration:
        """``BASE <iri>``."""
        return syntax.BaseDeclaration(_iri_ref(children[1]), span=span_of(children))

    def prefix(self, children: Children) -> syntax.PrefixDeclaration:
        """``PREFIX prefix: <iri>``."""
        name, iri = str(children[1])[:-1], _iri_ref(children[2])
        return syntax.PrefixDeclaration(name, iri, span=span_of(children))

    def pragma(self, children: Children) -> syntax.Pragma:
        """``PRAGMA name value``."""
        _, name, value = children
        return syntax.Pragma(str(name).lower(), str(value).strip('"'), span=span_of(children))

    def dataset_clause(self, children: Children) -> syntax.DatasetClause:
        """``FROM NAMED iri``, ``FROM STREAM iri``."""
        iri = cast("syntax.Iri", children[-1])
        named, stream = has(children, "NAMED"), has(children, "STREAM")
        return syntax.DatasetClause(iri, named, stream, span=span_of(children))

    # ---- Windowed queries ------------------------------------------------------------------------------

    def register(self, children: Children) -> syntax.Registration:
        """``REGISTER RSTREAM name EVERY period AS``."""
        about: dict[str, Any] = {}
        for each in children:
            if isinstance(each, Part):
                if each.kind in about:
                    raise Fault("EP108", f"{each.value.word} is said twice", each.span)
                about[each.kind] = each.value
        report, nonempty = about.get("report", _Said("", (None, False))).value
        return syntax.Registration(
            cast("Any", str(children[1]).upper()), _name(children[2]),
            about.get("every", _NOTHING).value, about.get("starting_at", _NOTHING).value,
            report, nonempty, span=span_of(children),
        )  # fmt: skip

    def every(self, children: Children) -> Part:
        """``EVERY period``."""
        return Part("every", _Said("EVERY", children[-1]), span_of(children))

    def starting_at(self, children: Children) -> Part:
        """``STARTING AT time``."""
        return Part("starting_at", _Said("STARTING AT", _time(children[-1])), span_of(children))

    def report(self, children: Children) -> Part:
        """``REPORT CLOSE NONEMPTY``."""
        word = str(children[1]).upper()
        value = (None if word == "NONEMPTY" else word, has(children, "NONEMPTY"))
        return Part("report", _Said("REPORT", value), span_of(children))

    def stream_window(self, children: Children) -> syntax.StreamWindow:
        """``FROM NAMED WINDOW name ON stream [...]``."""
        iris = [child for child in children if isinstance(child, syntax.IriRef | syntax.PrefixedName)]
        extent = next(child for child in children if isinstance(child, syntax.StreamExtent))
        if has(children, "WIN"):
            return syntax.StreamWindow(iris[0], extent, iris[1], "WIN", span=span_of(children))
        named = has(children, "NAMED")
        if has(children, "WINDOW"):
            name = iris[0] if named else None
            return syntax.StreamWindow(iris[-1], extent, name, "WINDOW", span=span_of(children))
        return syntax.StreamWindow(
            iris[0], extent, iris[0] if named else None, "STREAM", span=span_of(children)
        )

    def window_behind(self, children: Children) -> syntax.StreamWindow:
        """``FROM NAMED WINDOW ON stream [..] AS name``."""
        found = self.stream_window(children)
        assert found.name is not None
        return replace(found, stream=found.name, name=found.stream)

    def event_declaration(self, children: Children) -> syntax.EventDeclaration:
        """``EVENT ON window {..} AS name``."""
        window, group = nodes(children, syntax.Node)
        return syntax.EventDeclaration(
            cast("syntax.Iri", window), cast("syntax.Group", group), str(children[-1]), span=span_of(children)
        )

    def time_extent(self, children: Children) -> syntax.TimeExtent:
        """``RANGE width STEP step STARTING AT time WHOLE``."""
        lengths = [child for child in children if isinstance(child, syntax.Duration | syntax.Length)]
        start = next((each.value.value for each in children if isinstance(each, Part)), None)
        width = lengths[0] if lengths else None
        step = width if has(children, "TUMBLING") else lengths[1] if len(lengths) > 1 else None
        return syntax.TimeExtent(width, step, start, has(children, "WHOLE"), span=span_of(children))

    def count_extent(self, children: Children) -> syntax.CountExtent:
        """``ELEMENTS count STEP step``, ``TRIPLES count``."""
        numbers = [child for child in children if isinstance(child, Token) and child.type == "INTEGER"]
        count, *step = [count_of(each) for each in numbers]
        if count == 0 or step == [0]:
            hint = f"write a number above zero: [ELEMENTS {count or 10}{' STEP 2' if step else ''}]"
            what = "a step of nothing leads nowhere" if count else "a window of nothing is always empty"
            raise Fault("EP108", what, span_of(children), hint)
        return syntax.CountExtent(
            count, has(children, "TRIPLES"), step[0] if step else None, span=span_of(children)
        )

    def landmark(self, children: Children) -> syntax.Landmark:
        """``LND time``."""
        return syntax.Landmark(_time(children[-1]), span=span_of(children))

    def past_extent(self, children: Children) -> syntax.PastExtent:
        """``NOW-PT6M TO NOW-PT5M STEP PT1M``, ``NOW-10 S``; ``NOW-0 S`` at the end is NOW."""
        begin, end = [*(child.value for child in children if isinstance(child, Part)), None][:2]
        if isinstance(end, syntax.Length) and end.number == 0:
            end = None
        step = next((child for child in children if isinstance(child, syntax.Duration | syntax.Length)), None)
        return syntax.PastExtent(begin, end, step, span=span_of(children))

    def ago(self, children: Children) -> Part:
        """``NOW-PT1H``, ``NOW-10 S``."""
        length = next(child for child in children if isinstance(child, syntax.Duration | syntax.Length))
        return Part("past", length, span_of(children))

    def signed_length(self, children: Children) -> syntax.Length | syntax.Duration:
        """``-10 S``, behind NOW."""
        number = cast("Token", children[0])
        if not number.startswith("-"):
            hint = "a window lies in the past: [NOW-10s TO NOW]"
            raise Fault("EP108", "a window cannot hold what will come", span_of(children), hint)
        return self.length([Token.new_borrow_pos("INTEGER", number[1:], number), *children[1:]])

    def now_extent(self, children: Children) -> syntax.NowExtent:
        """``NOW``."""
        return syntax.NowExtent(span=span_of(children))

    def length(self, children: Children) -> syntax.Length | syntax.Duration:
        """``10s``, ``1h30m``."""
        return read_length(cast("Sequence[Token]", children))

    # ---- Forms ---------------------------------------------------------------------------------------

    def select_query(self, children: Children) -> syntax.Select:
        """A SELECT query or sub-SELECT."""
        duplicates, projection, to_stream = cast("Part", children[0]).value
        return syntax.Select(
            duplicates, projection, **_common(children), to_stream=to_stream, span=span_of(children)
        )

    sub_select = select_query

    def select_clause(self, children: Children) -> Part:
        """``SELECT DISTINCT ?x (?y + 1 AS ?z)``."""
        duplicates = next((word for word in ("DISTINCT", "REDUCED") if has(children, word)), None)
        projection = None if has(children, "STAR") else nodes(children, syntax.Node)
        return Part("select", (duplicates, projection, _to_stream(children)), span_of(children))

    def expression_as(self, children: Children) -> syntax.ExpressionAs:
        """``(expression AS ?variable)``."""
        expression, variable = nodes(children, syntax.Node)
        return syntax.ExpressionAs(
            cast("syntax.Expression", expression), cast("syntax.Variable", variable), span=span_of(children)
        )

    def construct_query(self, children: Children) -> syntax.Construct:
        """``CONSTRUCT {..} WHERE {..}``."""
        template = _part(children, "template")
        stream, to_stream = _into(children)
        return syntax.Construct(
            template.value, **_common(children), stream=stream, to_stream=to_stream, span=span_of(children)
        )

    def construct_short(self, children: Children) -> syntax.Construct:
        """``CONSTRUCT WHERE {..}``: the template is the pattern as well."""
        template = _part(children, "template")
        triples: tuple[syntax.SubjectTriples, ...] = template.value
        block = (syntax.TriplesBlock(triples, span=span_of(triples)),) if triples else ()
        where = syntax.Group(block, span=template.span)
        stream, to_stream = _into(children)
        return syntax.Construct(
            triples,
            **{**_common(children, template.span), "where": where},
            short=True,
            stream=stream,
            to_stream=to_stream,
            span=span_of(children),
        )

    def into(self, children: Children) -> Part:
        """``STREAM iri`` of a CONSTRUCT, or ``ISTREAM``."""
        return Part("into", (only(children, syntax.Node), _to_stream(children)), span_of(children))

    def template(self, children: Children) -> Part:
        """``{ triples }`` of a CONSTRUCT."""
        return Part("template", nodes(children, syntax.SubjectTriples), span_of(children))

    def ask_query(self, children: Children) -> syntax.Ask:
        """``ASK {..}``."""
        return syntax.Ask(**_common(children), span=span_of(children))

    def describe_query(self, children: Children) -> syntax.Describe:
        """``DESCRIBE ?x <iri>``."""
        subjects = _subjects(children)
        return syntax.Describe(
            None if has(children, "STAR") else subjects, **_common(children), span=span_of(children)
        )

    # ---- Solution modifiers --------------------------------------------------------------------------

    def aggregate_clause(self, children: Children) -> Part:
        """``AGGREGATE { (?n, COUNT, {?x}) FILTER (?n > 1) }``."""
        variable, *keys = nodes(children, syntax.Variable)
        clause = syntax.AggregateClause(
            variable, nodes(children, syntax.Aggregate)[0], tuple(keys), nodes(children, syntax.Filter),
            span=span_of(children),
        )  # fmt: skip
        return Part("aggregates", clause, clause.span)

    def attached(self, children: Children) -> syntax.Aggregate:
        """``COUNT``, ``SUM(?x)``."""
        name, argument = str(children[0]).upper(), only(children, syntax.Variable)
        if argument is None and name != "COUNT":
            raise Fault("EP108", f"{name} of nothing", span_of(children), f"say of what: {name}(?x)")
        return syntax.Aggregate(cast("Any", name), argument, distinct=False, span=span_of(children))

    def group_clause(self, children: Children) -> Part:
        """``GROUP BY``."""
        return Part("group_by", nodes(children, syntax.Node), span_of(children))

    def having_clause(self, children: Children) -> Part:
        """``HAVING``."""
        return Part("having", nodes(children, syntax.Node), span_of(children))

    def skip_clause(self, children: Children) -> Part:
        """``SKIP PAST LAST PER ?x``, ``SKIP TO NEXT``."""
        per = next((child.value for child in children if isinstance(child, Part)), ())
        skip = syntax.Skip(has(children, "NEXT"), per, span=span_of(children))
        return Part("skip", skip, skip.span)

    def order_clause(self, children: Children) -> Part:
        """``ORDER BY``."""
        return Part("order_by", nodes(children, syntax.OrderCondition), span_of(children))

    def order_by(self, children: Children) -> syntax.OrderCondition:
        """A key of ORDER BY."""
        expression = cast("syntax.Expression", children[-1])
        return syntax.OrderCondition(expression, has(children, "DESC"), span=span_of(children))

    order_by_direction = order_by

    def limit_clause(self, children: Children) -> Part:
        """``LIMIT 10``."""
        return Part("limit", count_of(children[1]), span_of(children))

    def offset_clause(self, children: Children) -> Part:
        """``OFFSET 10``."""
        return Part("offset", count_of(children[1]), span_of(children))

    def values_clause(self, children: Children) -> Part:
        """``VALUES`` at the end of a query."""
        rows = nodes(children, syntax.DataRow)
        data = syntax.InlineData(nodes(children, syntax.Variable), rows, span=span_of(children))
        return Part("values", data, data.span)

    # ---- Windows -------------------------------------------------------------------------------------

    def window_clause(self, children: Children) -> Part:
        """``WINDOW [..]``."""
        return Part("window", only(children, syntax.Node), span_of(children))

    def range_window(self, children: Children) -> syntax.RangeWindow:
        """``RANGE PT10M STEP PT1M``."""
        width, *step = nodes(children, syntax.Duration)
        return syntax.RangeWindow(width, step[0] if step else None, span=span_of(children))

    def rows_window(self, children: Children) -> syntax.RowsWindow:
        """``ROWS 50``."""
        count = count_of(children[1])
        if count == 0:
            raise Fault("EP108", "a window of no rows is always empty", span_of(children))
        return syntax.RowsWindow(count, span=span_of(children))

    def past_window(self, children: Children) -> syntax.PastWindow:
        """``NOW-PT1H15M TO NOW-PT1H``."""
        begin, _, end = children
        return syntax.PastWindow(cast("Part", begin).value, cast("Part", end).value, span=span_of(children))

    def past(self, children: Children) -> Part:
        """``NOW-PT1H``."""
        return Part("past", only(children, syntax.Duration), span_of(children))

    now = past

    def duration(self, children: Children) -> syntax.Duration:
        """An xsd:duration."""
        text, span = str(children[0]), span_of(children)
        if not _DURATION.fullmatch(text.upper()):
            hint = (
                "a duration reads P1DT2H30M or PT0.5S: days before the T, hours, minutes and seconds after it"
            )
            if weeks := re.fullmatch(r"P(\d{1,9})W", text.upper()):
                hint = f"weeks are written in days: P{int(weeks[1]) * 7}D"
            raise Fault("EP108", f"'{text}' is not a duration", span, hint)
        return syntax.Duration(text.upper(), span=span)  # small letters are common in queries of RSP-QL


def _iri_ref(child: Child) -> syntax.IriRef:
    assert isinstance(child, Token)
    return syntax.IriRef(str(child)[1:-1], span=span_of([child]))


def _common(children: Children, where_span: Span | None = None) -> dict[str, Any]:
    """The arguments that all query forms have: datasets, where, modifiers and values."""
    where = only(children, syntax.Group)
    parts = [child for child in children if isinstance(child, Part)]
    clauses = [part for part in parts if part.kind not in ("select", "template", "into")]
    end = where.span.end if where else (where_span or span_of(children)).end
    modifiers, values = modifiers_of(clauses, end)
    return {
        "datasets": nodes(children, syntax.DatasetClause),
        "where": where,
        "windows": nodes(children, syntax.StreamWindow),
        "events": nodes(children, syntax.EventDeclaration),
        "modifiers": modifiers,
        "values": values,
    }


def modifiers_of(clauses: Sequence[Part], end: int) -> tuple[syntax.Modifiers, syntax.InlineData | None]:
    """What follows WHERE, which ends at ``end``, and the VALUES behind it."""
    parts = {part.kind: part for part in clauses}
    values = parts.pop("values", None)
    span = Span(
        min((part.span.start for part in clauses if part.kind != "values"), default=end),
        max((part.span.end for part in parts.values()), default=end),
    )
    aggregates = [part for part in clauses if part.kind == "aggregates"]
    parts.pop("aggregates", None)
    given = {kind: part.value for kind, part in parts.items()}
    given["aggregates"] = tuple(part.value for part in aggregates)
    return syntax.Modifiers(**given, span=span), None if values is None else values.value


def _part(children: Children, kind: str) -> Part:
    return next(child for child in children if isinstance(child, Part) and child.kind == kind)


def _into(children: Children) -> tuple[syntax.Iri | None, RelationToStream | None]:
    """The stream that the triples of a CONSTRUCT go to, and which of a windowed query's."""
    found = (child.value for child in children if isinstance(child, Part) and child.kind == "into")
    return cast("tuple[syntax.Iri | None, RelationToStream | None]", next(found, (None, None)))


def _to_stream(children: Children) -> RelationToStream | None:
    return next((word for word in RELATIONS_TO_STREAM if has(children, word)), None)


def _name(child: Child) -> syntax.Iri | str:
    return str(child) if isinstance(child, Token) else cast("syntax.Iri", child)


def _time(child: Child) -> syntax.Literal:
    """A time as a literal; a bare number is one of its units."""
    if isinstance(child, Token):
        datatype = syntax.IriRef(f"{syntax.XSD}integer", span=span_of([child]))
        return syntax.Literal(str(child), datatype, span=span_of([child]))
    return cast("syntax.Literal", child)


def _subjects(children: Children) -> tuple[syntax.Variable | syntax.Iri, ...]:
    """The variables and IRIs of DESCRIBE."""
    subjects = (syntax.Variable, syntax.IriRef, syntax.PrefixedName)
    return tuple(child for child in children if isinstance(child, subjects))
