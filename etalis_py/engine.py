"""The engine: queries in, occurrences in, matches out.

It lives in a Prolog module of its own, which goes with ``close()``; two engines share nothing. Events cross
to Prolog in batches, column by column, and nothing crosses for a single event.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import Self

from etalis_py import prolog
from etalis_py.asking import Asking
from etalis_py.compiler.compile import CompiledQuery, compile_program
from etalis_py.compiler.user_predicates import check_user_predicates
from etalis_py.crossing import columns_of
from etalis_py.deliveries import Deliveries, Receiver
from etalis_py.engine_options import (
    POLICIES,
    FileNames,
    GraphNames,
    PolicyName,
    check_choice,
    file_list,
    graph_files,
)
from etalis_py.errors import CompileError, RunTimeError
from etalis_py.knowledge import Knowledge
from etalis_py.lateness import check_instant, first_late, too_late
from etalis_py.matches import Match
from etalis_py.questions import MOST_INFERENCES, Question
from etalis_py.recall import recall_of
from etalis_py.reorder import Reorder
from etalis_py.rule_base import RuleBase
from etalis_py.run_time_problems import run_time_error
from etalis_py.streams.batch import Batch
from etalis_py.streams.table import Moment, TableReader, moment, one_occurrence

if TYPE_CHECKING:
    from rdflib.term import Identifier

    from etalis_py.compiler.event_rates import RateSource
    from etalis_py.ontologies.background import Background
    from etalis_py.rates import Rates
    from etalis_py.why import Why

__all__ = ["Engine"]

ROWS_AT_ONCE = 10_000
"""How many occurrences cross to Prolog in one call, which cannot be interrupted."""
MOST_ANSWERS_AT_ONCE = 100_000
"""Prolog hands over answers when it has this many, so that a batch with a great many needs little memory."""

_module_numbers = itertools.count(1)


class Engine:
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
    ) -> None:
        check_choice("policy", policy, POLICIES)
        check_choice("entailment", entailment, ("rdfs", "none"))
        if not isinstance(on_late, timedelta):
            check_choice("on_late", on_late, ("error", "drop"), "or a timedelta")
        named = graph_files(graphs)
        prolog.load_runtime()
        self._module = f"etalis_engine_{next(_module_numbers)}"
        self._queries: dict[str, CompiledQuery] = {}
        self._by_number: dict[int, CompiledQuery] = {}
        self._trace = trace
        self._deliveries = self._new_deliveries()
        delay = on_late // timedelta(microseconds=1) if isinstance(on_late, timedelta) else None
        self._policy: PolicyName = policy
        self._on_late = "error" if delay is not None else on_late
        self._reorder = None if delay is None else Reorder(delay)
        self._failure: str | None = None
        self._clock: int | None = None
        self._background: Background | None = None
        self._asking: Asking | None = None
        self._tables = TableReader()
        self.late = 0
        prolog.do("etalis_engine", "open_engine", self._module, max_derivations, blank_node_prefix)
        if trace:
            prolog.do("etalis_trace", "start_trace", self._module)
        self._at = None if at is None else moment(at)
        if self._at is not None:
            prolog.do("etalis_feed", "set_instant", self._module, self._at)
        self._background = self._load_background(file_list(background), named, file_list(rules), entailment)
        self._knowledge = Knowledge(self._background.module if self._background else None)
        self._rules = RuleBase(
            self._module, self._knowledge, at_instant=self._at is not None, shares=share and not trace
        )
        self._state_queries: list[CompiledQuery] = []
        if self._background is not None and self._background.states:
            self._use_states(self._background)
        self._recall = recall_of(self._module, recall)
        self._asking = Asking(self._module, self._knowledge.module, self._rules)

    def _load_background(
        self,
        sources: list[str],
        graphs: dict[str, list[str]],
        rules: list[str],
        entailment: Literal["rdfs", "none"],
    ) -> Background | None:
        if not sources and not graphs and not rules:
            return None
        from etalis_py.ontologies.background import Background

        module = f"{self._module}_background"
        try:
            background = Background.load(prolog, sources, entailment, module, graphs=graphs, rules=rules)
        except BaseException:
            self._discard()
            raise
        prolog.do("etalis_engine", "use_background", self._module, module, entailment)
        return background

    def _use_states(self, background: Background) -> None:
        from etalis_py.compiler.state import compile_states

        try:
            self._state_queries = compile_states(
                background.states, self._knowledge.may_match, at_instant=self._at is not None
            )
            for each in self._state_queries:
                check_user_predicates(each, self._knowledge.user_predicates)
                self._by_number[each.plan.number] = each
            self._add_state_queries()
            names = [[each.name, len(each.variables)] for each in background.states]
            prolog.do("etalis_state", "use_states", self._module, background.module, names)
        except BaseException:
            self._discard()
            raise

    def _add_state_queries(self) -> None:
        if self._state_queries:
            self._rules.add(self._state_queries, ())

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
        self._check_usable()
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
        for each in compiled:
            if each.name in self._queries:
                raise CompileError("EP206", f"there is a query named {each.name!r} already")
            check_user_predicates(each, self._knowledge.user_predicates)
        self._install(compiled, on_match)
        return [each.name for each in compiled]

    def _new_deliveries(self) -> Deliveries:
        if not self._trace:
            return Deliveries()
        from etalis_py.why.deliveries import TracedDeliveries

        return TracedDeliveries()

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
        return self._clock

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
        self._check_usable()
        check_instant(batch, self._at)
        with self._deliveries.calling_back():
            self._send(batch)

    def _send(self, batch: Batch) -> None:
        if self._reorder is None:
            self._feed(batch)
            return
        late = first_late(batch, self._reorder)
        due, _ = self._reorder.push(batch if late is None else batch.part(0, late))
        if due is not None:
            self._feed(due)
        if late is not None:
            raise too_late(batch, late, self._reorder.newest)

    def _feed(self, batch: Batch) -> None:
        self._rules.complete()
        first = 0
        while first < len(batch):
            rest = batch.part(first, first + ROWS_AT_ONCE)
            terms, columns = columns_of(rest)
            taken, late, answers, problem = prolog.call(
                "etalis_feed", "feed", self._module, terms, columns, self._on_late, MOST_ANSWERS_AT_ONCE
            )
            if taken:
                newest = max(rest.end[:taken])
                self._clock = newest if self._clock is None else max(self._clock, newest)
            self._deliveries.add(answers)
            if self._recall is not None:
                derived = self._deliveries.derived(answers)
                self._recall.keep(rest, taken, late, derived, self._by_number.values())
            self._check_problem(problem)
            if late and self._on_late == "error":
                raise too_late(batch, first + late[0])
            self.late += len(late)
            first += taken

    def advance(self, time: Moment) -> None:
        """Say that nothing that ends before ``time`` (microseconds, UTC, or a datetime) will come.

        Closes the instants before ``time``; elements that end at ``time`` may still come.
        """
        self._check_usable()
        now = moment(time)
        self._rules.complete()
        due = None if self._reorder is None else self._reorder.release(now)
        with self._deliveries.calling_back():
            if due is not None:
                self._feed(due)
            self._take(prolog.call("etalis_feed", "advance", self._module, now))
        self._clock = now if self._clock is None else max(self._clock, now)

    def finish(self) -> None:
        """Say that the input has ended: close the last instant."""
        self._check_usable()
        self._rules.complete()
        rest = None if self._reorder is None else self._reorder.flush()
        with self._deliveries.calling_back():
            if rest is not None:
                self._feed(rest)
            self._take(prolog.call("etalis_feed", "finish", self._module, "complete"))

    def give_certain(self) -> None:
        """Say that the input broke off: give what further elements of the last instant cannot take back.

        Elements that wait to be re-ordered are not used: what is missing may belong before them.
        """
        self._check_usable()
        self._rules.complete()
        with self._deliveries.calling_back():
            self._take(prolog.call("etalis_feed", "finish", self._module, "broken"))
            self._failure = "the input broke off"

    # ---- answers ----------------------------------------------------------------------------------------

    def matches(self, name: str | None = None) -> Iterator[Match]:
        """Take the matches found so far, of one query or of all; each is given once."""
        if name is not None and name not in self._queries:
            raise KeyError(name)
        return iter(self._deliveries.take(name))

    def _take(self, result: list[Any]) -> None:
        _, _, answers, problem = result
        self._deliveries.add(answers)
        if self._recall is not None:
            self._recall.keep(None, 0, [], self._deliveries.derived(answers), self._by_number.values())
        self._check_problem(problem)

    def why(self, match: Match) -> Why:
        """What an answer is made of: a tree down to the occurrences and background triples behind it.

        Only of an engine with ``trace=True`` that is not closed; see `etalis_py.why`.

        Raises:
            UsageError: EP561, nothing is known of it.
        """
        from etalis_py.why.explainer import explain_match

        return explain_match(match, self._by_number, self._module, self._background)

    def prolog(
        self,
        goal: str,
        *,
        sandbox: bool = False,
        inferences: int = MOST_INFERENCES,
        seconds: float | None = None,
        prefixes: Mapping[str, str] = MappingProxyType({}),
        written: bool = False,
        **bindings: Any,
    ) -> Question:
        """The answers to a Prolog goal, one by one: named variables and their values.

        The goal sees the background (``rdf(S, P, O)`` with what it entails, ``rdfs_subclass_of(C, D)``), the
        predicates of the rules files, ``waiting(Query, For, Bindings, Start, End)`` and
        ``occurrence(S, P, O, Start, End)`` (docs/shell.md has all of them). Numbers, strings and atoms come
        as literals and IRIs, as RDF terms do; any other value as the text that Prolog writes for it. Of an
        answer ``residuals`` has the constraints on variables that have no value.

        Args:
            goal: what is asked. The first answer is sought at once, the others when they are asked for.
            sandbox: admit only what SWI-Prolog's ``library(sandbox)`` calls safe.
            inferences: steps that each answer may take.
            seconds: time that each answer may take; None is no limit.
            prefixes: namespaces that the goal names as ``prefix:local``.
            written: give values as Prolog writes them.
            bindings: values of variables of the goal: rdflib terms, or plain numbers and text.

        >>> with Engine() as engine:
        ...     [str(answer["X"]) for answer in engine.prolog("member(X, [1, 2])")]
        ['1', '2']
        >>> with Engine() as engine:
        ...     [answer["Y"].toPython() for answer in engine.prolog("Y is X * 2", X=21)]
        [42]

        Raises:
            RunTimeError: EP301, the goal has a syntax error, raises, or does not come to an end; EP306, it is
                not safe.
            UsageError: EP505, a variable of ``bindings`` is not in the goal, or its value is no RDF term.
        """
        self._check_usable()
        assert self._asking is not None, "it is there when the engine is"
        return self._asking.ask(
            goal,
            bindings,
            sandbox=sandbox,
            inferences=inferences,
            seconds=seconds,
            prefixes=prefixes,
            written=written,
        )

    # ---- state ------------------------------------------------------------------------------------------

    def _check_problem(self, problem: str) -> None:
        if not problem:
            return
        self._failure = problem
        raise run_time_error(problem, self._by_number.values())

    def _check_usable(self) -> None:
        if self._failure is not None:
            reason = "is closed" if self._failure == "" else f"has failed: {self._failure}"
            raise RunTimeError("EP303", f"the engine {reason}")

    def close(self) -> None:
        """Close the last instant, and give back everything the engine owns; may be called again.

        Matches that were found can still be taken; nothing can be sent.
        """
        try:
            if self._module and self._failure is None:
                self.finish()
        finally:
            self._discard()

    def _discard(self) -> None:
        if self._module:
            if self._asking is not None:
                self._asking.close()
            prolog.do("etalis_engine", "close_engine", self._module)
            if self._background is not None:
                self._background.close()
            self._module, self._failure = "", ""

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
