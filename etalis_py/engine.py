"""The engine: queries in, occurrences in, matches out.

It lives in a Prolog module of its own, which goes with ``close()``; two engines share nothing. Events cross
to Prolog in batches, column by column, and nothing crosses for a single event.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import Self

from etalis_py import prolog
from etalis_py.asking import Asking
from etalis_py.can_be_asked import CanBeAsked
from etalis_py.compiler.compile import CompiledQuery, compile_program
from etalis_py.compiler.user_predicates import check_user_predicates
from etalis_py.deliveries import Deliveries, Receiver
from etalis_py.engine_background import load_background, state_queries, tell_states
from etalis_py.engine_options import (
    POLICIES,
    FileNames,
    GraphNames,
    PolicyName,
    check_choice,
    file_list,
    graph_files,
)
from etalis_py.errors import CompileError
from etalis_py.feeding import Feed
from etalis_py.has_state import HasState
from etalis_py.knowledge import Knowledge
from etalis_py.matches import Match
from etalis_py.recall import check_recall, recall_of
from etalis_py.rule_base import RuleBase
from etalis_py.streams.batch import Batch
from etalis_py.streams.table import Moment, TableReader, moment, one_occurrence

if TYPE_CHECKING:
    from rdflib.term import Identifier

    from etalis_py.compiler.event_rates import RateSource
    from etalis_py.ontologies.background import Background
    from etalis_py.rates import Rates
    from etalis_py.snapshots import Snapshots
    from etalis_py.why import Why

__all__ = ["Engine"]

_module_numbers = itertools.count(1)


class Engine(CanBeAsked, HasState):
    """Runs EP-SPARQL queries over one stream.

    Args:
        background: a file of background knowledge (RDF or Prolog), or several.
        graphs: RDF files by the IRI of the named graph they hold, which only ``GRAPH`` and ``FROM`` see.
        rules: a file, or several, with Prolog predicates that queries call as ``prolog:name(...)``.
        policy: ``"unrestricted"``: all combinations are answers; ``"chronological"`` and ``"recent"``: of
            several partners the earliest or the latest is taken, and answers use occurrences up. A query
            may have its own (``PRAGMA policy recent``).
        entailment: ``"rdfs"`` or ``"none"``.
        on_late: what happens to an element that ends before the instant that is open: ``"error"``;
            ``"drop"`` (counted in ``late``); or a delay within which elements are put back in order (what is
            later than that is an error).
        max_derivations: new triples that CONSTRUCT queries may add within one instant; ten times as many
            may be made again.
        blank_node_prefix: how the labels of the blank nodes begin that CONSTRUCT queries make.
        at: the one instant of the run, as microseconds (UTC) or a datetime: everything happens then, and the
            answers, given by ``finish``, are those of plain SPARQL over stream and background together.
        share: whether what queries have in common is computed once, where they are registered before the
            first element or between two that are sent. No answer depends on it.
        recall: keep recent occurrences, for questions (``occurrence(S, P, O, Start, End)``): True for as long
            as the windows of the queries, or a time to keep them; never more than the newest 100,000.
        trace: whether answers tell what they are made of, for ``why``. No answer depends on it, but it
            costs time and memory (docs/why.md).
        record_changes: whether ``changes`` can tell what changed in the state (docs/snapshots.md).

    >>> with Engine() as engine:
    ...     _ = engine.register("SELECT ?x { ?x <urn:is> 'low' } SEQ { ?x <urn:is> 'high' }", name="rise")
    ...     engine.send_batch(
    ...         {"start": [1, 5], "s": ["<urn:a>"] * 2, "p": ["<urn:is>"] * 2, "o": ['"low"', '"high"']}
    ...     )
    ...     engine.finish()
    ...     [(match.start, match.end, match.encoded) for match in engine.matches("rise")]
    [(1, 5, {'x': 'urn:a'})]
    """

    def __init__(
        self,
        background: FileNames = (),
        *,
        graphs: GraphNames = MappingProxyType({}),
        rules: FileNames = (),
        policy: PolicyName = "unrestricted",
        entailment: Literal["rdfs", "none"] = "rdfs",
        on_late: Literal["error", "drop"] | timedelta = "error",
        max_derivations: int = 100_000,
        blank_node_prefix: str = "etalis",
        at: Moment | None = None,
        share: bool = True,
        recall: bool | timedelta = False,
        trace: bool = False,
        record_changes: bool = False,
    ) -> None:
        check_choice("policy", policy, POLICIES)
        check_choice("entailment", entailment, ("rdfs", "none"))
        if not isinstance(on_late, timedelta):
            check_choice("on_late", on_late, ("error", "drop"), "or a timedelta")
        check_recall(recall)
        named = graph_files(graphs)
        prolog.load_runtime()
        self._module = f"etalis_engine_{next(_module_numbers)}"
        self._queries: dict[str, CompiledQuery] = {}
        self._by_number: dict[int, CompiledQuery] = {}
        self._trace = trace
        self._deliveries = self._new_deliveries()
        self._policy: PolicyName = policy
        self._background: Background | None = None
        self._asking: Asking | None = None
        self._tables = TableReader()
        self._labels = blank_node_prefix
        self._records_changes = record_changes
        prolog.do("etalis_engine", "open_engine", self._module, max_derivations, blank_node_prefix)
        if record_changes:
            prolog.do("etalis_changes", "record_changes", self._module)
        if trace:
            prolog.do("etalis_trace", "start_trace", self._module)
        self._at = None if at is None else moment(at)
        if self._at is not None:
            prolog.do("etalis_feed", "set_instant", self._module, self._at)
        try:
            self._background = self._load_background(
                file_list(background), named, file_list(rules), entailment
            )
            self._knowledge = Knowledge(self._background.module if self._background else None)
            self._rules = self._new_rules(shares=share and not trace)
            self._state_queries = state_queries(
                self._background, self._knowledge, at_instant=self._at is not None
            )
            self._by_number.update((each.plan.number, each) for each in self._state_queries)
            self._rules.add(self._state_queries, ())
            tell_states(self._module, self._background)
        except BaseException:
            self._give_back()
            raise
        self._asking = Asking(self._module, self._knowledge.module, self._rules)
        self._feed = Feed(
            self._module,
            self._rules,
            self._deliveries,
            self._by_number,
            on_late=on_late,
            at=self._at,
            recall=recall_of(self._module, recall),
        )

    def _load_background(
        self,
        sources: list[str],
        graphs: dict[str, list[str]],
        rules: list[str],
        entailment: Literal["rdfs", "none"],
    ) -> Background | None:
        return load_background(self._module, sources, graphs, rules, entailment)

    def _new_deliveries(self) -> Deliveries:
        if not self._trace:
            return Deliveries()
        from etalis_py.why.deliveries import TracedDeliveries

        return TracedDeliveries()

    def _new_rules(self, *, shares: bool) -> RuleBase:
        return RuleBase(self._module, self._knowledge, at_instant=self._at is not None, shares=shares)

    # ---- queries ----------------------------------------------------------------------------------------

    def register(
        self,
        query: str,
        name: str | None = None,
        on_match: Callable[[Match], object] | None = None,
        *,
        source: str | None = None,
        base: str | None = None,
        rates: Rates | Mapping[str, float] | None = None,
        policy: PolicyName | None = None,
    ) -> list[str]:
        """Add the query or queries of a text; they see the instant that is open and what comes after it.

        With ``on_match`` each match is handed to it, when the call that brought it about has done its work (a
        callback may raise: the matches after it are handed out by the next call); else ``matches()`` gives
        it. Returns the names under
        which the queries are known: ``name`` (``query``, ``query-2``... where none is given), and
        ``name-2``, ``name-3`` for further queries of the text (separated by ``;;``). ``base`` is the base IRI
        of a text without BASE. With the ``rates`` of events (``{"ex:p": 100}``: 100 a second) the order is
        chosen in which chains of SEQ and joins are evaluated; the answers are the same. ``policy`` is in the
        place of the engine's, for queries that have none of their own.

        Raises:
            QuerySyntaxError, CompileError: nothing of the text is registered then.
            UsageError: EP505, rates that cannot be read.
        """
        self._feed.check_usable()
        name = self._free_name() if name is None else name
        compiled = compile_program(
            query,
            name=name,
            source=source,
            first_number=len(self._by_number) + 1,
            background=self._knowledge.may_match,
            at_instant=self._at is not None,
            base=base,
            policy=policy or self._policy,
            rates=None if rates is None else self._known(rates),
            trace=self._trace,
        )
        self._check(compiled)
        self._install(compiled, on_match)
        return [each.name for each in compiled]

    def install(self, compiled: Sequence[CompiledQuery]) -> list[str]:
        """Add queries that are compiled already, parts of queries among them, as Spark's planner cuts them.

        Their numbers must be those of no other query of the engine. Returns their names.

        Raises:
            CompileError: EP206 a name that is taken, EP207 a Prolog predicate that there is not.
        """
        self._feed.check_usable()
        self._check(compiled)
        self._install(list(compiled))
        return [each.name for each in compiled]

    def _check(self, compiled: Sequence[CompiledQuery]) -> None:
        for each in compiled:
            if each.name in self._queries:
                raise CompileError("EP206", f"there is a query named {each.name!r} already")
            check_user_predicates(each, self._knowledge.user_predicates)

    def _known(self, rates: Rates | Mapping[str, float]) -> RateSource:
        from etalis_py.rates import RatesFor, as_rates

        return RatesFor(as_rates(rates), self._knowledge)

    def query(self, name: str) -> CompiledQuery:
        """What the compiler made of a registered query."""
        return self._queries[name]

    @property
    def state_queries(self) -> tuple[CompiledQuery, ...]:
        """What the compiler made of the patterns that begin and end the states of the rules files."""
        return tuple(self._state_queries)

    @property
    def knowledge(self) -> Knowledge:
        """What the compiler knows of the background."""
        return self._knowledge

    @property
    def clock(self) -> int | None:
        """The instant that is open, or in which the engine failed; None before the first element."""
        return self._feed.clock

    @property
    def late(self) -> int:
        """How many late elements were dropped (``on_late="drop"``)."""
        return self._feed.late

    def _free_name(self) -> str:
        names = itertools.chain(["query"], (f"query-{number}" for number in itertools.count(2)))
        return next(name for name in names if name not in self._queries)

    def _install(
        self, compiled: list[CompiledQuery], on_match: Callable[[Match], object] | None = None
    ) -> None:
        self._rules.add(compiled, self._by_number.values())
        for each in compiled:
            kept = replace(each, generated=None)
            self._queries[each.name] = self._by_number[each.plan.number] = kept
            receiver = Receiver(each.name, each.variables, each.form, on_match)
            self._deliveries.receivers[each.plan.number] = receiver

    # ---- elements ---------------------------------------------------------------------------------------

    def send(
        self,
        subject: Identifier,
        predicate: Identifier,
        object: Identifier,  # noqa: A002 - the field's name for it
        start: Moment,
        end: Moment | None = None,
    ) -> None:
        """Send one occurrence of a triple of rdflib terms.

        Times are microseconds since the epoch, UTC, or datetimes. A point event has no ``end``. Use
        ``send_batch`` for speed.

        Raises:
            DataError: EP407 to EP410 for what is no occurrence, EP413 if it is late.
        """
        self.send_encoded(one_occurrence(subject, predicate, object, start, end))

    def send_batch(self, table: Any) -> None:
        """Send many occurrences: an Arrow table or a dict of lists.

        Columns ``start``, ``end`` (optional, = start), ``s``, ``p``, ``o``, ``graph`` (optional); terms in
        N-Triples syntax, times as integer microseconds or xsd:dateTime text.

        Raises:
            DataError: EP4xx for a row that cannot be read or is late; the rows before it were taken.
        """
        for batch in self._tables.batches(table):
            self.send_encoded(batch)

    def send_encoded(self, batch: Batch) -> None:
        """Send a batch whose terms are encoded already, as the readers of ``etalis_py.streams`` give it.

        Raises:
            DataError: EP413 for an element that is late; those before it were taken.
        """
        self._feed.send(batch)

    def advance(self, time: Moment) -> None:
        """Say that nothing that ends before ``time`` (microseconds, UTC, or a datetime) will come.

        Closes the instants before ``time``; elements that end at ``time`` may still come.
        """
        self._feed.advance(moment(time))

    def finish(self) -> None:
        """Say that the input has ended: close the last instant."""
        self._feed.finish()

    def give_certain(self) -> None:
        """Say that the input broke off: give what further elements of the last instant cannot take back.

        Elements that wait to be re-ordered are not used: what is missing may belong before them.
        """
        self._feed.give_certain()

    # ---- answers ----------------------------------------------------------------------------------------

    def matches(self, name: str | None = None) -> Iterator[Match]:
        """Take the matches found so far, of one query or of all; each is given once."""
        if name is not None and name not in self._queries:
            raise KeyError(name)
        return iter(self._deliveries.take(name))

    def why(self, match: Match) -> Why:
        """What an answer is made of: a tree down to the occurrences and background triples behind it.

        Only of an engine with ``trace=True`` that is not closed; see `etalis_py.why`.

        Raises:
            UsageError: EP561, nothing is known of it.
        """
        from etalis_py.why.explainer import explain_match

        return explain_match(match, self._by_number, self._module, self._background)

    def _to_ask(self) -> Asking:
        self._feed.check_usable()
        assert self._asking is not None, "it is there when the engine is"
        return self._asking

    # ---- state ------------------------------------------------------------------------------------------

    def _new_snapshots(self) -> Snapshots:
        from etalis_py.snapshots import Snapshots

        digest = None if self._background is None else self._background.digest
        options = {**self._feed.options, "blank_node_prefix": self._labels, "trace": self._trace}
        parts = (self._module, self._feed, self._rules, self._deliveries)
        return Snapshots(*parts, options, digest, self._records_changes)

    def close(self) -> None:
        """Close the last instant, and give back everything the engine owns; may be called again.

        Matches that were found can still be taken; nothing can be sent.
        """
        try:
            if self._module and self._feed.failure is None:
                self.finish()
        finally:
            self._discard()

    def _discard(self) -> None:
        if self._module:
            self._give_back()
            self._feed.failure = ""

    def _give_back(self) -> None:
        if self._asking is not None:
            self._asking.close()
        prolog.do("etalis_engine", "close_engine", self._module)
        if self._background is not None:
            self._background.close()
        self._module = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()
        else:  # what the open instant would have been is not known
            self._discard()
