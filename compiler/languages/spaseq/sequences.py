"""The sequence of a SPAseq query as a chain of EP-SPARQL (docs/spaseq.md, "Operators").

``,`` is SEQ STRICT, ``;`` SEQ NEXT, ``:`` SEQ. ``X+`` is REPEAT STRICT, where it is first REPEAT NEXT. ``X!``
is NOT; ``X?`` stands for two chains. Of what an iteration of ``X+`` binds, other parts see the last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import Final

from etalis_py.compiler.languages.remarks import Remark
from etalis_py.compiler.languages.spaseq.gpms import Gpms
from etalis_py.compiler.languages.spaseq.syntax import Item, Separator
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.syntax import Combination, Group, Negated, Repeat, Selection, Step, Variable
from etalis_py.compiler.spans import Span
from etalis_py.core.value_class import value_class

__all__ = ["Chains", "Link"]

MOST_OPTIONS: Final = 6


@value_class
class Link:
    """An item, and the separator in front of it; the first has none."""

    item: Item
    separator: Separator | None


class Chains:
    """Makes chains. ``shown`` are the variables that stand outside of GPMs, None for all of them."""

    def __init__(self, gpms: Gpms, partition: tuple[Variable, ...], shown: frozenset[str] | None) -> None:
        self._gpms = gpms
        self._partition = partition
        self._shown = shown
        self.remarks: list[Remark] = []

    def group(self, links: Sequence[Link]) -> Step | Combination:
        """The chain, or the UNION of the chains with and without each ``X?``."""
        optional = [link for link in links if link.item.operator == "?"]
        if len(optional) > MOST_OPTIONS:
            hint = "each ? doubles the chains: split the query"
            message = f"more than {MOST_OPTIONS} items with ? in one sequence"
            raise Fault("EP107", message, optional[MOST_OPTIONS].item.span, hint)
        self._remark_negations(links)
        found: Step | Combination | None = None
        for choice in product((True, False), repeat=len(optional)):
            left_out = [link for link, kept in zip(optional, choice, strict=True) if not kept]
            kept_links = [link for link in links if link not in left_out]
            if not kept_links or (left_out and all(link.item.operator == "!" for link in kept_links)):
                continue
            chain = self._chain(kept_links)
            if found is None:
                found = chain
            else:
                span = _span(links)
                found = Combination("UNION", _braced(found, span), _braced(chain, span), span=span)
        assert found is not None
        return found

    def _chain(self, links: Sequence[Link]) -> Step | Combination:
        chain: Step | Combination | None = None
        known: frozenset[str] = frozenset()
        negated: list[Item] = []
        for place, link in enumerate(links):
            item = link.item
            if item.operator == "!":
                negated.append(item)
                continue
            later = [each.item for each in links[place + 1 :]]
            step = self._step(item, known, later, is_first=chain is None, is_alone=bool(negated))
            so_far = _span(links[: place + 1])
            chain = self._joined(chain, negated, link, step, so_far)
            known, negated = known | self._gpms.variables(item), []
        if negated:
            hint = "after WITHIN it cannot be told apart from what comes later: name what follows it"
            message = f"{_names(negated[0])}! is the last of the sequence"
            raise Fault("EP120", message, negated[0].span, hint)
        assert chain is not None
        return chain

    def _joined(
        self, chain: Step | Combination | None, negated: Sequence[Item], link: Link, step: Step, span: Span
    ) -> Step | Combination:
        """The chain with one step more; where something was negated, none of it between."""
        none = self._none(negated) if negated else None
        if chain is None:
            return step if none is None else Combination("SEQ", none, _braced(step, span), span=span)
        if none is None:
            return Combination("SEQ", chain, step, self._selection(link), span=span)
        before = Combination("SEQ", chain, none, span=span)
        selection = self._selection(link)
        if selection is not None and selection.word == "STRICT":
            selection = None
        return Combination("SEQ", before, _braced(step, span), selection, span=span)

    def _none(self, negated: Sequence[Item]) -> Negated:
        groups = [self._gpms.group(each) for each in negated]
        span = negated[0].span.to(negated[-1].span)
        if len(groups) == 1:
            return Negated(groups[0], span=span)
        either: Group | Combination = groups[0]
        for each in groups[1:]:
            either = Combination("UNION", either, each, span=span)
        return Negated(Group((either,), span=span), span=span)

    def _selection(self, link: Link) -> Selection | None:
        assert link.separator is not None
        match link.separator.mark:
            case ",":
                per = self._partition
                return Selection("STRICT", per, span=link.separator.span)
            case ";":
                return Selection("NEXT", span=link.separator.span)
            case ":":
                return None

    # ---- one step ------------------------------------------------------------------------------------

    def _step(
        self, item: Item, known: frozenset[str], later: Sequence[Item], *, is_first: bool, is_alone: bool
    ) -> Step:
        """What an item matches. ``is_alone``: it will stand in braces, so that it follows nothing."""
        group = self._gpms.group(item)
        if item.operator != "+":
            return group
        own = self._gpms.variables(item)
        partition = [each for each in self._partition if each.name in own]
        per = {each.name: each for each in partition}
        if is_alone:
            per |= {name: Variable(name, span=item.span) for name in sorted(own & known)}
        is_scoped = not is_first and bool(partition)
        seen = self._seen(own - known - per.keys(), later)
        return Repeat(
            low=1, high=None, mode="NEXT" if is_first else "STRICT", longest=False,
            among=None if is_first or is_scoped or not per else self._anything(item),
            per=tuple(per.values()), group=group, measures=tuple(self._last(each, item) for each in seen),
            span=item.span,
        )  # fmt: skip

    def _anything(self, item: Item) -> Group:
        """Any triple at all, where PER shares variables and is no scope."""
        terms = [Variable(f"_:any {place}", span=item.span) for place in range(3)]
        properties = syntax.PropertyObjects(terms[1], (terms[2],), span=item.span)
        triple = syntax.SubjectTriples(terms[0], (properties,), span=item.span)
        return Group((syntax.TriplesBlock((triple,), span=item.span),), span=item.span)

    def _seen(self, own: frozenset[str], later: Sequence[Item]) -> Iterator[str]:
        """The variables of an iteration that stand elsewhere."""
        elsewhere = frozenset(name for each in later for name in self._gpms.mentioned(each))
        return (name for name in sorted(own) if self._shown is None or name in self._shown | elsewhere)

    def _last(self, name: str, item: Item) -> syntax.ExpressionAs:
        variable = Variable(name, span=item.span)
        last = syntax.Aggregate("LAST", variable, distinct=False, span=item.span)
        return syntax.ExpressionAs(last, variable, span=item.span)

    def _remark_negations(self, links: Sequence[Link]) -> None:
        for link, following in pairwise(links):
            separator = following.separator
            if link.item.operator == "!" and separator is not None and separator.mark == ",":
                hint = f"write {_names(link.item)}!: or {_names(link.item)}!;"
                message = f"other events may lie where {_names(link.item)}! stands: ',' is read as ':'"
                self.remarks.append(Remark("EW41", message, separator.span, hint))


def _span(links: Sequence[Link]) -> Span:
    return links[0].item.span.to(links[-1].item.span)


def _braced(step: Step | Combination, span: Span) -> Group:
    return step if isinstance(step, Group) else Group((step,), span=span)


def _names(item: Item) -> str:
    if not item.joined:
        return item.names[0].text
    return f"({item.joined.join(each.text for each in item.names)})"
