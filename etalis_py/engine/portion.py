"""Queries that Prolog got together: they have seen the same events, and share what they have in common.

When one of them leaves, the first that uses what was its part takes that over, with the names under which its
goals are kept, and the rules of all of them are loaded anew. Where nobody uses its parts, only its own go.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import chain
from typing import Any

from etalis_py.compiler.compile import CompiledQuery, program_text
from etalis_py.compiler.plan.own_nodes import own_nodes
from etalis_py.compiler.plan.plan import walk
from etalis_py.compiler.plan.renaming import names_of, renamed
from etalis_py.compiler.plan.sharing import Sharing, joins_triples, share
from etalis_py.compiler.plan.widths import with_widest_windows
from etalis_py.compiler.rules.generate import generate_rules
from etalis_py.compiler.rules.prolog_terms import Atom, Compound, Term
from etalis_py.compiler.rules.rules import RuleKind, RuleSet
from etalis_py.core.value_class import value_class
from etalis_py.embedding import prolog
from etalis_py.engine.crossing import store_description

__all__ = ["Portion"]


@value_class
class _Parts:
    """What is in Prolog, by name: nodes, stores, and predicates with their arity."""

    nodes: frozenset[str] = frozenset()
    stores: frozenset[str] = frozenset()
    predicates: frozenset[tuple[str, int]] = frozenset()

    @classmethod
    def joined(cls, parts: Iterable[_Parts]) -> _Parts:
        """All that is in one of ``parts``."""
        found = tuple(parts)
        return cls(
            frozenset(chain.from_iterable(each.nodes for each in found)),
            frozenset(chain.from_iterable(each.stores for each in found)),
            frozenset(chain.from_iterable(each.predicates for each in found)),
        )


class Portion:
    """The queries of one portion in the engine ``module``; ``shares``: equal parts are computed once.

    ``prepare`` gives the queries with other rules, which are loaded.
    """

    def __init__(
        self,
        module: str,
        queries: Sequence[CompiledQuery],
        *,
        shares: bool,
        prepare: Callable[[Iterable[CompiledQuery]], Iterable[CompiledQuery]] = iter,
    ) -> None:
        self.queries: list[CompiledQuery] = []
        """As they are without the others. What is theirs has the names that it has in Prolog."""
        self.fingerprints: list[list[str]] = []
        """Name and digest of the rules of each query."""
        self.sharing = Sharing((), {}, {}, {})
        self._module = module
        self._shares = shares
        self._prepare = prepare
        self._parts: dict[int, _Parts] = {}
        self._load(self._widened(queries) if shares else queries)

    def _load(self, queries: Sequence[CompiledQuery]) -> None:
        known = _Parts.joined(self._parts.values())
        self.queries = [replace(each, generated=None) for each in queries]
        self.fingerprints, self._parts = [], {}
        for query in self._prepare(self._shared(queries) if self._shares else queries):
            rules, number = query.rules, query.plan.number
            stores = [store_description(each) for each in rules.stores]
            predicates = [*query.solutions, *query.timeless]
            text = program_text(rules)
            self.fingerprints.append([query.name, _digest(query, stores, predicates, text)])
            self._parts[number] = parts = _parts_of(query, rules, predicates)
            if not known.nodes.isdisjoint(parts.nodes):
                stores = [each for each in stores if each[0] not in known.stores]
                predicates = [each for each in predicates if each not in known.predicates]
                text = program_text(generate_rules(query.plan, known.nodes))
            solutions = set(query.solutions)
            declared = [(*each, each in solutions) for each in predicates]
            prolog.do("etalis_engine", "add_query", self._module, number, stores, declared, text)

    @staticmethod
    def _widened(queries: Sequence[CompiledQuery]) -> list[CompiledQuery]:
        plans = with_widest_windows([each.plan for each in queries])
        return [
            query if plan is query.plan else replace(query, plan=plan, generated=None)
            for query, plan in zip(queries, plans, strict=True)
        ]

    def _shared(self, queries: Sequence[CompiledQuery]) -> Iterator[CompiledQuery]:
        self.sharing = share([each.plan for each in queries])
        for query, plan in zip(queries, self.sharing.plans, strict=True):
            yield query if plan is query.plan else replace(query, plan=plan, generated=None)

    # ---- queries leave ----------------------------------------------------------------------------------

    def remove(self, numbers: Collection[int]) -> dict[int, dict[str, str]]:
        """Remove the queries with these numbers, and give back what none of the others uses.

        By the number of each query that inherits parts: the names of these, by those that it had for them.
        """
        gone = [each for each in self.queries if each.plan.number in numbers]
        if not gone:
            return {}
        inherited: dict[int, dict[str, str]] = {}
        names = frozenset(chain.from_iterable(names_of(each.plan) for each in gone))
        before = _Parts.joined(self._parts.values())
        left = [each for each in self.queries if each.plan.number not in numbers]
        removed = [each.plan.number for each in gone]
        if self._is_used(gone, names):
            inherited = self._inherited(left, names)
            prolog.do("etalis_removal", "remove_rules", self._module, list(self._parts))
            self._load([_renamed(each, inherited.get(each.plan.number)) for each in left])
        else:
            prolog.do("etalis_removal", "remove_rules", self._module, removed)
            self.queries, self.sharing = left, self.sharing.without(names)
            stays = {each.name for each in left}
            self.fingerprints = [each for each in self.fingerprints if each[0] in stays]
            self._parts = {number: each for number, each in self._parts.items() if number not in removed}
        now = _Parts.joined(self._parts.values())
        nodes, stores = sorted(before.nodes - now.nodes), sorted(before.stores - now.stores)
        predicates = sorted(before.predicates - now.predicates)
        prolog.do("etalis_removal", "forget_parts", self._module, removed, nodes, stores, predicates)
        return inherited

    def _links(self) -> Iterator[tuple[str, str]]:
        """The name of each node or test, or pair, and the one that does its work, or keeps its goals."""
        sharing = self.sharing
        for links in (sharing.taken_from, sharing.tests_from, sharing.goals_from):
            yield from links.items()

    def _is_used(self, gone: Sequence[CompiledQuery], names: Collection[str]) -> bool:
        """Whether others use what ``gone`` has, with these ``names``, or have a window that serves it."""
        if any(one not in names and other in names for one, other in self._links()):
            return True
        taken = self.sharing.taken_from
        nodes = (node for query in gone for node in walk(query.plan.root) if joins_triples(node))
        return any(taken.get(node.name, node.name) not in names for node in nodes)

    def _inherited(
        self, queries: Sequence[CompiledQuery], names: Collection[str]
    ) -> dict[int, dict[str, str]]:
        """What of ``names`` the first query has that uses it: by number, its own name for it and that."""
        links = dict(self._links())
        free = set(names)
        found = {}
        for query in queries:
            own = {links[name]: name for name in names_of(query.plan) if links.get(name) in free}
            free.difference_update(own)
            if own:
                found[query.plan.number] = {name: other for other, name in own.items()}
        return found


def _renamed(query: CompiledQuery, names: Mapping[str, str] | None) -> CompiledQuery:
    return replace(query, plan=renamed(query.plan, names), generated=None) if names else query


def _parts_of(query: CompiledQuery, rules: RuleSet, predicates: Iterable[tuple[str, int]]) -> _Parts:
    heads = (each.head for each in rules.rules if each.kind is not RuleKind.TRIGGER)
    return _Parts(
        frozenset(each.name for each in own_nodes(query.plan)),
        frozenset(each.name for each in rules.stores),
        frozenset(chain(predicates, map(_indicator, heads))),
    )


def _indicator(head: Term) -> tuple[str, int]:
    match head:
        case Compound(functor=name, arguments=arguments):
            return name, len(arguments)
        case Atom(name=name):
            return name, 0
        case _:
            raise AssertionError("a rule has a head")


def _digest(query: CompiledQuery, *rules: Any) -> str:
    """Identifies the rules of a query and the form of its answers."""
    return blake2b(repr((query.form, query.variables, rules)).encode(), digest_size=16).hexdigest()
