"""A SPAseq query as a query of EP-SPARQL: names are looked up, and the parts put together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from etalis_py.compiler.languages.remarks import ReadQuery, Remark
from etalis_py.compiler.languages.spaseq.gpms import Gpms
from etalis_py.compiler.languages.spaseq.sequences import Chains, Link
from etalis_py.compiler.languages.spaseq.syntax import Gpm, Item, Name, SpaseqQuery
from etalis_py.compiler.languages.spaseq.tumbling import one_window, taken_window
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.syntax import Group
from etalis_py.compiler.parse.syntax_walk import walk
from etalis_py.compiler.spans import Span

__all__ = ["PAPER_NAMESPACE", "translated"]

PAPER_NAMESPACE: Final = "http://example/"
"""What ``:name`` means where no PREFIX says so: the paper's queries leave that line out."""


def translated(query: SpaseqQuery, text: str, source: str | None = None) -> ReadQuery:
    """The query of EP-SPARQL that means the same.

    Raises:
        Fault: EP107, EP120 to EP122, EP204 for a PRAGMA window that is neither sliding nor tumbling.
    """
    remarks: list[Remark] = []
    gpms = _gpms(query)
    streams = _streams(query)
    _check_names(query, gpms.keys(), streams.keys())
    links = _links(query, remarks)
    remarks += _unused(query.gpms, links)
    known = Gpms(gpms, streams)
    chains = Chains(known, _partition(query, known, links, remarks), _shown(query))
    chain = chains.group(links)
    prologue = _prologue(query, remarks)
    rest, tumbles = taken_window(prologue)
    elements = (chain, query.within, *([one_window(query.within)] if tumbles else []))
    where = Group(elements, span=query.sequence.span)
    form = _form(query, where)
    read = syntax.Query(rest, form, text=text, source=source, span=query.span)
    return ReadQuery(read, (*remarks, *chains.remarks))


def _form(query: SpaseqQuery, where: Group) -> syntax.Select | syntax.Construct:
    datasets = tuple(syntax.DatasetClause(each.iri, stream=True, span=each.span) for each in query.streams)
    if query.head.kind == "select":
        duplicates, projection, to_stream = query.head.value
        return syntax.Select(
            duplicates, projection, datasets, where, query.modifiers, query.values, (), to_stream,
            span=query.span,
        )  # fmt: skip
    return syntax.Construct(query.head.value, datasets, where, query.modifiers, query.values, span=query.span)


def _shown(query: SpaseqQuery) -> frozenset[str] | None:
    """The variables that stand outside of GPMs; None for SELECT *."""
    parts: list[syntax.Node] = [query.modifiers]
    if query.head.kind == "select":
        _, projection, _ = query.head.value
        if projection is None:
            return None
        parts += projection
    else:
        parts += query.head.value
    return frozenset(node.name for each in parts for node in walk(each) if isinstance(node, syntax.Variable))


# ---- names -------------------------------------------------------------------------------------------------


def _gpms(query: SpaseqQuery) -> dict[str, Gpm]:
    found: dict[str, Gpm] = {}
    for each in query.gpms:
        if each.name.text in found:
            raise _twice("GPM", each.name)
        found[each.name.text] = each
    return found


def _streams(query: SpaseqQuery) -> dict[str, syntax.Iri]:
    found: dict[str, syntax.Iri] = {}
    for each in query.streams:
        if each.name.text in found:
            raise _twice("stream", each.name)
        found[each.name.text] = each.iri
    return found


def _twice(what: str, name: Name) -> Fault:
    return Fault("EP121", f"there is a {what} {name.text} already", name.span, "rename one of them")


def _check_names(query: SpaseqQuery, gpms: Iterable[str], streams: Iterable[str]) -> None:
    known_gpms, known_streams = list(gpms), list(streams)
    for item in query.sequence.items:
        for each in item.names:
            if each.text not in known_gpms:
                hint = f"write DEFINE GPM {each.text} ON ... {{ ... }}; there are: {', '.join(known_gpms)}"
                raise Fault("EP121", f"no GPM {each.text} is defined", each.span, hint)
    for gpm in query.gpms:
        for each in gpm.streams:
            if each.text not in known_streams:
                known = ", ".join(known_streams) or "none"
                hint = f"write FROM STREAM {each.text} <...>; there are: {known}"
                raise Fault("EP121", f"no stream is called {each.text}", each.span, hint)


def _unused(gpms: Sequence[Gpm], links: Sequence[Link]) -> list[Remark]:
    used = {each.text for link in links for each in link.item.names}
    hint = "name it in SEQ, or leave it out"
    return [
        Remark("EW42", f"the sequence does not name GPM {each.name.text}", each.name.span, hint)
        for each in gpms
        if each.name.text not in used
    ]


def _links(query: SpaseqQuery, remarks: list[Remark]) -> list[Link]:
    items, separators = query.sequence.items, query.sequence.separators
    if len(separators) == len(items):
        message = f"nothing follows '{separators[-1].mark}'"
        remarks.append(Remark("EW41", message, separators[-1].span, "leave it out"))
    return [Link(items[0], None), *map(Link, items[1:], separators)]


def _partition(
    query: SpaseqQuery, gpms: Gpms, links: Sequence[Link], remarks: list[Remark]
) -> tuple[syntax.Variable, ...]:
    """The variables of PARTITION BY: events of another partition are not between.

    Raises:
        Fault: EP122, a GPM has one that is not the subject of its triples.
    """
    for variable in query.partition:
        for item in dict.fromkeys(link.item for link in links):
            _check_partition(variable, item, gpms, remarks)
    return query.partition


def _check_partition(variable: syntax.Variable, item: Item, gpms: Gpms, remarks: list[Remark]) -> None:
    name = variable.name
    if name not in gpms.variables(item):
        message = f"{item.names[0].text} does not have ?{name} of PARTITION BY"
        remarks.append(
            Remark("EW42", message, item.span, f"use ?{name} in it: its events are of no partition")
        )
    elif name not in gpms.subjects(item):
        message = f"PARTITION BY ?{name}, which is not the subject of a triple in {item.names[0].text}"
        hint = "what an event is about is the subject of its triples; without PARTITION BY all events count"
        raise Fault("EP122", message, variable.span, hint)


# ---- prologue ----------------------------------------------------------------------------------------------


def _prologue(query: SpaseqQuery, remarks: list[Remark]) -> syntax.Prologue:
    """With a PREFIX line for ``:`` where the query leaves it out, as the paper does."""
    declarations = query.prologue.declarations
    declared = {each.prefix for each in declarations if isinstance(each, syntax.PrefixDeclaration)}
    bare = _bare_name(query)
    if "" in declared or bare is None:
        return query.prologue
    message = f"the prefix ':' is not declared: it is read as <{PAPER_NAMESPACE}>"
    remarks.append(Remark("EW40", message, bare, f"PREFIX : <{PAPER_NAMESPACE}>"))
    iri = syntax.IriRef(PAPER_NAMESPACE, span=bare)
    prefix = syntax.PrefixDeclaration("", iri, span=bare)
    return syntax.Prologue((prefix, *declarations), span=query.prologue.span)


def _bare_name(query: SpaseqQuery) -> Span | None:
    """Where a name with an empty prefix first stands."""
    parts: list[syntax.Node] = [each.iri for each in query.streams]
    parts += [each.group for each in query.gpms]
    parts += query.head.value if query.head.kind == "template" else query.head.value[1] or ()
    parts.append(query.modifiers)
    if query.values is not None:
        parts.append(query.values)
    names = (node for each in parts for node in walk(each) if isinstance(node, syntax.PrefixedName))
    return min((each.span for each in names if not each.prefix), key=lambda span: span.start, default=None)
