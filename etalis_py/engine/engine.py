"""The engine: queries in, occurrences in, matches out.

It lives in a Prolog module of its own, which goes with ``close()``; two engines share nothing. Events cross
to Prolog in batches, column by column, and nothing crosses for a single event.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any

from typing_extensions import Self, Unpack

from etalis_py.compiler.algebra.policies import PolicyName
from etalis_py.compiler.compile import CompiledQuery, compile_program
from etalis_py.compiler.languages.language_names import LanguageName
from etalis_py.compiler.lint.findings import Check
from etalis_py.compiler.lint.functions import unknown_functions
from etalis_py.compiler.lint.linter import ALL_CHECKS, CHECKS, GROWTH_CHECKS, lint_program
from etalis_py.compiler.user_predicates import check_user_predicates
from etalis_py.core.column_types import column_types
from etalis_py.core.errors import CompileError, EtalisWarning, UsageError, show
from etalis_py.core.times import TimeUnit
from etalis_py.embedding import prolog
from etalis_py.engine.answer_columns import Answers, Receiver
from etalis_py.engine.answer_table import answer_table
from etalis_py.engine.answer_tables import AnswerTables
from etalis_py.engine.asking import Asking
from etalis_py.engine.background import load_background, state_queries, tell_states
from etalis_py.engine.can_be_asked import CanBeAsked
from etalis_py.engine.deliveries import Deliveries
from etalis_py.engine.feeding import Feed
from etalis_py.engine.functions import Functions, let_call
from etalis_py.engine.guard import Guard
from etalis_py.engine.has_state import HasState
from etalis_py.engine.knowledge import Knowledge
from etalis_py.engine.limits import set_limits
from etalis_py.engine.match_sequence import Matches
from etalis_py.engine.matches import Match
from etalis_py.engine.option_values import FileNames, check_function, check_query_text, check_time_unit
from etalis_py.engine.options import EngineKeywords, EngineOptions, takes_options
from etalis_py.engine.recall import recall_of
from etalis_py.engine.rule_base import RuleBase
from etalis_py.streams.batch import Batch
from etalis_py.streams.table import Moment, TableReader, Triple, moment, one_element, one_time

if TYPE_CHECKING:
    import pyarrow as pa
    from rdflib.term import Identifier

    from etalis_py.compiler.association.event_rates import RateSource
    from etalis_py.compiler.parse.syntax import DatasetClause
    from etalis_py.engine.kept import Kept
    from etalis_py.engine.snapshots import Snapshots
    from etalis_py.engine.threads import Threads
    from etalis_py.no_answers.report import NoAnswers
    from etalis_py.ontologies.background import Background
    from etalis_py.rates import Rates
    from etalis_py.streams.mapping.mapped_tables import MapFile, MappedTables
    from etalis_py.why import Why
    from etalis_py.why.plan_view import PlanView

__all__ = ["Engine"]

_module_numbers = itertools.count(1)


class Engine(CanBeAsked, HasState):
    """Runs EP-SPARQL queries over one stream.

    Its options are those of `EngineOptions`. One that reaches a limit of memory, answers or time raises
    EP308, EP310 or EP311, and cannot go on.

    >>> with Engine() as engine:
    ...     _ = engine.register("SELECT ?x { ?x <urn:is> 'low' } SEQ { ?x <urn:is> 'high' }", name="rise")
    ...     engine.send_batch(
    ...         {"start": [1, 5], "s": ["<urn:a>"] * 2, "p": ["<urn:is>"] * 2, "o": ['"low"', '"high"']}
    ...     )
    ...     engine.finish()
    ...     [(match.start, match.end, match.encoded) for match in engine.matches("rise")]
    [(1, 5, {'x': 'urn:a'})]
    """

    @takes_options(EngineKeywords)
    def __init__(self, background: FileNames = (), **options: Unpack[EngineKeywords]) -> None:
        self._options = given = EngineOptions.of(background, **options)
        prolog.load_runtime()
        self._module = f"etalis_engine_{next(_module_numbers)}"
        self._queries: dict[str, CompiledQuery] = {}
        self._by_number: dict[int, CompiledQuery] = {}
        self._traced: dict[int, CompiledQuery] = {}
        """Those that were removed, where answers can be explained."""
        self._deliveries = self._new_deliveries()
        self._background: Background | None = None
        self._asking: Asking | None = None
        self._tables = TableReader()
        self._mapped: MappedTables | None = None
        self._functions = Functions(given.functions, given.max_regex_steps)
        self._guard = Guard()
        self._threads: Threads | None = None
        try:
            prolog.do(
                "etalis_engine", "open_engine", self._module, given.max_derivations, given.blank_node_prefix
            )
            let_call(self._module, self._functions)
            prolog.do("etalis_user_functions", "use_functions", self._module, "etalis_py.engine.functions")
            set_limits(self._module, given)
            if given.record_changes:
                prolog.do("etalis_changes", "record_changes", self._module)
            if given.trace:
                prolog.do("etalis_trace", "start_trace", self._module)
            if given.at is not None:
                prolog.do("etalis_feed", "set_instant", self._module, given.at)
            self._background = self._load_background(given)
            self._knowledge = Knowledge(self._background.module if self._background else None)
            self._rules = self._new_rules(shares=given.share and not given.trace)
            self._state_queries = state_queries(
                self._background, self._knowledge, at_instant=given.at is not None
            )
            self._by_number.update((each.plan.number, each) for each in self._state_queries)
            self._rules.add(self._state_queries, ())
            tell_states(self._module, self._background)
            if given.threads > 1:
                self._threads = self._new_threads(given)
            self._feed = self._new_feed(given)
            self._asking = Asking(
                self._module, self._guard, self._knowledge.module, self._rules, self._feed.settle
            )
        except BaseException:
            self._give_back()
            raise

    def _new_feed(self, given: EngineOptions) -> Feed:
        parts = (self._module, self._guard, self._rules, self._deliveries, self._by_number)
        options: dict[str, Any] = {
            "on_late": given.on_late,
            "at": given.at,
            "at_end": given.at_end,
            "recall": recall_of(self._module, given.recall),
            "functions": self._functions,
        }
        if self._threads is None:
            return Feed(*parts, **options)
        from etalis_py.engine.dealt_feed import DealtFeed

        return DealtFeed(*parts, threads=self._threads, **options)

    def _load_background(self, options: EngineOptions) -> Background | None:
        return load_background(self._module, options)

    def _new_threads(self, given: EngineOptions) -> Threads:
        from etalis_py.engine.threads import Threads

        return Threads(self._module, given, self._knowledge, self._functions, self._rules, self._queries)

    def _new_deliveries(self) -> Deliveries:
        if not self._options.trace:
            return Deliveries()
        from etalis_py.why.deliveries import TracedDeliveries

        return TracedDeliveries()

    def _new_rules(self, *, shares: bool) -> RuleBase:
        return RuleBase(self._module, self._knowledge, at_instant=self._options.at is not None, shares=shares)

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
        language: LanguageName | None = None,
    ) -> list[str]:
        """Add the query or queries of a text; they see the instant that is open and what comes after it.

        With ``on_match`` each match is handed to it, when the call that brought it about has done its work (a
        callback may raise: the matches after it are handed out by the next call); else ``matches()`` gives
        it. Returns the names under
        which the queries are known: ``name`` (``query``, ``query-2``... where none is given), and
        ``name-2``, ``name-3`` for further queries of the text (separated by ``;;``). ``base`` is the base IRI
        of a text without BASE. With the ``rates`` of events (``{"ex:p": 100}``: 100 a second) the order is
        chosen in which chains of SEQ and joins are evaluated; the answers are the same. ``policy`` is in the
        place of the engine's, for queries that have none of their own. ``language`` is ``ep-sparql``,
        ``spaseq`` (docs/spaseq.md), ``etalis`` (docs/etalis.md), or a dialect of queries with windows on
        streams (docs/windows.md); without it ``source`` or the text says it.

        Raises:
            QuerySyntaxError, CompileError: nothing of the text is registered then.
            UsageError: EP505, rates that cannot be read, no text of a query, an ``on_match`` that is no
                function.
        """
        check_query_text(query)
        check_function("on_match", on_match)
        with self._guard.lock:
            self._guard.check_usable()
            name = self._free_name() if name is None else name
            known = None if rates is None else self._known(rates)
            policy = policy or self._options.policy
            compiled = self._compiled(query, name, source, base, policy, known, language)
            self._check(compiled)
            if self._threads is not None:
                self._threads.check(compiled)
            self._warn_of(compiled)
            self._guard.change(self._install, compiled, on_match)
            return [each.name for each in compiled]

    def unregister(self, name: str | Iterable[str]) -> None:
        """Remove a query, or several, between two calls: it gives no more answers, also of the open instant.

        The others give the answers that they give without this; what they share with it, they keep. Its
        goals go, and its name is free. Answers that it has given and that nobody has taken are still given
        by ``matches()`` of all queries. Several that were registered together are best removed together.

        >>> with Engine() as engine:
        ...     names = engine.register("SELECT ?x { ?x <urn:is> 'a' } ;; SELECT ?x { ?x <urn:is> 'b' }")
        ...     engine.unregister("query")
        ...     engine.send_batch({"start": [1], "s": ["<urn:x>"], "p": ["<urn:is>"], "o": ['"b"']})
        ...     engine.finish()
        ...     [match.query for match in engine.matches()]
        ['query-2']

        Raises:
            UsageError: EP505, there is no such query; none is removed then.
        """
        with self._guard.lock:
            self._guard.check_usable()
            names = [name] if isinstance(name, str) else list(dict.fromkeys(name))
            for each in names:
                if each not in self._queries:
                    raise self._unknown(each)
            if names:
                self._guard.change(self._remove, names)

    def _remove(self, names: Sequence[str]) -> None:
        self._feed.settle()
        gone = {self._queries[each].plan.number: self._queries.pop(each) for each in names}
        for number in gone:
            del self._by_number[number]
        if self._options.trace:
            self._traced |= gone
        for heir in self._rules.remove(gone):
            self._queries[heir.name] = self._by_number[heir.plan.number] = heir
        self._deliveries.forget(gone)
        if self._threads is not None:
            self._threads.remove(names)

    def _unknown(self, name: str) -> UsageError:
        known = ", ".join(self._queries) or "none"
        return UsageError("EP505", f"there is no query named {name!r}", hint=f"there are: {known}")

    def lint(self, query: str, *, source: str | None = None, base: str | None = None) -> list[EtalisWarning]:
        """What is legal in the query or queries of a text and probably not meant (docs/linting.md).

        Nothing is registered. It tells what ``register`` warns of, and what is kept for ever on a stream
        without an end.

        >>> with Engine() as engine:
        ...     [each.code for each in engine.lint("SELECT ?x { ?x <urn:p> ?y FILTER (getDURATION() < 5) }")]
        ['EW01']

        Raises:
            QuerySyntaxError, CompileError: as ``register``.
        """
        with self._guard.lock:
            self._guard.check_usable()
            compiled = self._compiled(query, self._free_name(), source, base, self._options.policy)
            self._check(compiled)
            return self._linted(compiled, ALL_CHECKS)

    def lint_registered(
        self, names: Sequence[str], checks: Sequence[Check] = ALL_CHECKS
    ) -> list[EtalisWarning]:
        """As `lint`, of the queries to which one ``register`` gave these names; or what some checks find."""
        with self._guard.lock:
            return self._linted([self._queries[name] for name in names], checks)

    def _warn_of(self, compiled: Sequence[CompiledQuery]) -> None:
        show(self._linted(compiled))

    def _linted(
        self, compiled: Sequence[CompiledQuery], checks: Sequence[Check] = CHECKS
    ) -> list[EtalisWarning]:
        at_instant = self._options.at is not None
        if checks is not GROWTH_CHECKS:
            checks = (*checks, unknown_functions(self._functions.known))
        return lint_program(compiled, self._knowledge, at_instant=at_instant, checks=checks)

    def install(
        self, compiled: Sequence[CompiledQuery], on_match: Callable[[Match], object] | None = None
    ) -> list[str]:
        """Add queries that are compiled already, parts of queries among them, as Spark's planner cuts them.

        Their numbers must be those of no other query of the engine. Returns their names. ``on_match`` is as
        that of ``register``.

        Raises:
            CompileError: EP206 a name that is taken, EP207 an unknown Prolog predicate.
        """
        with self._guard.lock:
            self._guard.check_usable()
            self._check(compiled)
            if self._threads is not None:
                self._threads.check(compiled)
            self._guard.change(self._install, list(compiled), on_match)
            return [each.name for each in compiled]

    def _compiled(
        self,
        query: str,
        name: str,
        source: str | None,
        base: str | None,
        policy: PolicyName,
        rates: RateSource | None = None,
        language: LanguageName | None = None,
        trace: bool | None = None,
    ) -> list[CompiledQuery]:
        return compile_program(
            query,
            name=name,
            source=source,
            taken_numbers=self._taken_numbers(),
            background=self._knowledge.may_match,
            at_instant=self._options.at is not None,
            base=base,
            policy=policy,
            rates=rates,
            trace=self._options.trace if trace is None else trace,
            has_graphs=self._knowledge.has_graphs,
            language=language,
            starting_at=self._options.starting_at,
            dataset=self._given_dataset(),
        )

    def _given_dataset(self) -> Sequence[DatasetClause]:
        """What is in the place of FROM and FROM NAMED; none: what the text says."""
        return ()

    def _taken_numbers(self) -> set[int]:
        waiting, inherited = self._deliveries.numbers(), self._rules.inherited_numbers
        return {*self._by_number, *self._traced, *waiting, *inherited}

    def why_nothing(self, name: str, events: Any = None) -> NoAnswers:
        """Why a query has no answers: how often each of its patterns matched, and what its filters said.

        ``events`` are those to try it on, in a form that ``send_batch`` takes, at most the first 10,000; with
        ``recall`` those that the engine has kept will do. They are tried in an engine of their own.

        >>> events = {"start": [1], "s": ["<urn:a>"], "p": ["<urn:heat>"], "o": ['"35"']}
        >>> with Engine() as engine:
        ...     _ = engine.register("SELECT ?x { ?x <urn:heat> ?y FILTER (?y > 9) }", name="hot")
        ...     print(engine.why_nothing("hot", events))
        hot: no answers
           line 1: ?x <urn:heat> ?y: 1 time
        -> line 1: FILTER (?y > 9): true never, an error 1 time: "35" (a string) is compared with 9 (a number)

        Raises:
            UsageError: EP505 there is no such query, EP513 no events are known.
            DataError: EP4xx for events that cannot be read.
        """
        from etalis_py.no_answers.finding import find_out

        if name not in self._queries:
            raise self._unknown(name)
        batches = self._recalled() if events is None else TableReader().batches(events)
        plain = self._options.keywords(
            on_late="error", recall=False, trace=False, record_changes=False, threads=1
        )
        with Engine(**plain) as trial:
            [found] = find_out(trial, list(self._queries.values()), [name], batches)
        return found

    def _recalled(self) -> Iterator[Batch]:
        if self._options.recall is False:
            hint = "pass them in: why_nothing(name, events); or let the engine keep them: Engine(recall=True)"
            raise UsageError("EP513", "this engine does not keep the events it has seen", hint=hint)
        kept = (
            tuple(each.values()) for each in self.prolog("occurrence(S, P, O, Start, End, Stream, Graph)")
        )
        rows = (((s, p, o), start.toPython(), end.toPython(), *names) for s, p, o, start, end, *names in kept)
        for triple, start, end, stream, graph in sorted(rows, key=itemgetter(2)):
            yield one_element([triple], start, end, stream=stream, graph=graph or None)

    def _check(self, compiled: Sequence[CompiledQuery]) -> None:
        for each in compiled:
            if each.name in self._queries:
                raise CompileError("EP206", f"there is already a query named {each.name!r}")
            check_user_predicates(each, self._knowledge.user_predicates)

    def _known(self, rates: Rates | Mapping[str, float]) -> RateSource:
        from etalis_py.rates import RatesFor, as_rates

        return RatesFor(as_rates(rates), self._knowledge)

    def query(self, name: str) -> CompiledQuery:
        """What the compiler made of a registered query."""
        return self._queries[name]

    def explain(self, names: str | Iterable[str] | None = None) -> PlanView:
        r"""The plan of one query, of several, or of all: ``str`` gives it on one screen, ``svg()`` a picture.

        Behind those of several or all come the patterns that begin and end states. A notebook shows the
        picture.

        >>> with Engine() as engine:
        ...     _ = engine.register("SELECT ?x { { ?x <urn:up> 1 } SEQ { ?x <urn:down> 1 } }")
        ...     print(str(engine.explain("query")).partition("\n\n")[0])
        answers ?x
        └─ SEQ on ?x; goals wait for ever
           ├─ ?x <urn:up> 1
           └─ ?x <urn:down> 1

        Raises:
            KeyError: there is no such query.
        """
        from etalis_py.why.plan_view import PlanView

        with self._guard.lock:
            if isinstance(names, str):
                return PlanView([self._queries[names]], self._knowledge.triggers)
            asked = self._queries if names is None else names
            return PlanView([*map(self.query, asked), *self._state_queries], self._knowledge.triggers)

    def explain_text(self, query: str) -> PlanView:
        """As `explain`, of the query or queries of a text, which are not registered.

        Raises:
            QuerySyntaxError, CompileError: as ``register``.
        """
        from etalis_py.why.plan_view import PlanView

        with self._guard.lock:
            self._guard.check_usable()
            compiled = self._compiled(query, self._free_name(), None, None, self._options.policy, trace=False)
            self._check(compiled)
            return PlanView(compiled, self._knowledge.triggers)

    def kept(self) -> dict[str, list[Kept]]:
        """By query, how many matches each of its operators keeps, for how long, and in how many bytes."""
        from etalis_py.engine.kept import kept

        with self._guard.lock:
            self._guard.check_usable()
            lanes = () if self._threads is None else self._threads.known
            modules = [lane.engine.module for lane in lanes] or [self._module]
            shared = self._rules.taken_from, self._rules.goals_from
            return kept(self._rules.loaded, *shared, modules)

    @property
    def query_names(self) -> tuple[str, ...]:
        """The names of the registered queries, in the order in which they came."""
        return tuple(self._queries)

    @property
    def state_queries(self) -> tuple[CompiledQuery, ...]:
        """What the compiler made of the patterns that begin and end the states of the rules files."""
        return tuple(self._state_queries)

    @property
    def knowledge(self) -> Knowledge:
        """What the compiler knows of the background."""
        return self._knowledge

    @property
    def background(self) -> Background | None:
        """What it loaded beside its stream."""
        return self._background

    @property
    def options(self) -> EngineOptions:
        """Those that it was made with."""
        return self._options

    def settle(self) -> None:
        """Have Prolog know all that came: it is asked next."""
        with self._guard.lock:
            self._guard.change(self._feed.settle)

    @property
    def at(self) -> int | None:
        """The one instant of the run, if it has but one."""
        return self._options.at

    @property
    def threads(self) -> int:
        """How many threads work: those of the option, if the queries have a common join key, else 1.

        Before the first element, how many there would be.
        """
        return 1 if self._threads is None else self._threads.planned

    @property
    def clock(self) -> int | None:
        """The instant that is open, or in which the engine failed; None before the first element."""
        return self._feed.clock

    @property
    def late(self) -> int:
        """How many late elements were dropped (``on_late="drop"``)."""
        return self._feed.late

    @property
    def failure(self) -> str | None:
        """Why the engine cannot be used any more ("" if it is closed); None, if it can."""
        return self._guard.failure

    @property
    def function_errors(self) -> dict[str, int]:
        """How many calls of each function of ``functions`` raised, by IRI."""
        return dict(self._functions.errors)

    @property
    def regex_errors(self) -> dict[str, int]:
        """How many matches of each regular expression took more than ``max_regex_steps``, by its text."""
        return dict(self._functions.overruns)

    def _free_name(self) -> str:
        names = itertools.chain(["query"], (f"query-{number}" for number in itertools.count(2)))
        return next(name for name in names if name not in self._queries)

    def _install(
        self, compiled: list[CompiledQuery], on_match: Callable[[Match], object] | None = None
    ) -> None:
        self._rules.add(compiled, self._by_number.values())
        for each in compiled:
            self._functions.prepare(each.plan.root)
            kept = replace(each, generated=None)
            self._queries[each.name] = self._by_number[each.plan.number] = kept
            if each.max_answers is not None:
                self._limit_answers(each)
            kind = (each.name, each.variables, each.form, each.stream, each.prefixes)
            self._deliveries.receive({each.plan.number: Receiver(*kind, on_match)})
        if self._threads is not None:
            self._threads.add(compiled)

    # ---- elements ---------------------------------------------------------------------------------------

    def send(
        self,
        subject: Identifier,
        predicate: Identifier,
        object: Identifier,  # noqa: A002 - the field's name for it
        start: Moment,
        end: Moment | None = None,
        *,
        stream: Identifier | None = None,
        graph: Identifier | None = None,
    ) -> None:
        """Send one occurrence of a triple of rdflib terms.

        Times are microseconds since the epoch, UTC, or datetimes. A point event has no ``end``. ``stream`` is
        the IRI of its stream (None: the default stream), ``graph`` the IRI or blank node that names the
        element it belongs to, if it has a name. Use ``send_batch`` for speed.

        Raises:
            DataError: EP407 to EP410 for what is not an occurrence, EP413 if it is late.
        """
        triple = subject, predicate, object
        is_plain = end is None and stream is None and graph is None
        if not (is_plain and self._feed.send_point(triple, start)):
            self._feed.send_together(one_time((triple,), start, end, stream=stream, graph=graph))

    def send_element(
        self,
        triples: Iterable[Triple],
        start: Moment,
        end: Moment | None = None,
        *,
        stream: Identifier | None = None,
        graph: Identifier | None = None,
    ) -> None:
        """Send the triples of one element, such as an rdflib Graph: they have one time.

        The arguments are those of ``send``. Without ``graph``, all triples of one stream and one interval are
        one element, however they are sent. An element without triples is nothing.

        >>> from rdflib import Graph
        >>> with Engine() as engine:
        ...     _ = engine.register("SELECT ?x { ?x <urn:is> ?y }", name="all")
        ...     engine.send_element(Graph().parse(data="<urn:a> <urn:is> 1 . <urn:b> <urn:is> 2 ."), start=5)
        ...     engine.finish()
        ...     sorted(match.encoded["x"] for match in engine.matches())
        ['urn:a', 'urn:b']

        Raises:
            DataError: EP407 to EP410 for what is no element, EP413 if it is late.
        """
        self._feed.send_together(one_time(triples, start, end, stream=stream, graph=graph))

    def send_batch(
        self,
        table: Any,
        *,
        time_unit: TimeUnit | None = None,
        map: MapFile | None = None,  # noqa: A002 - the word of the command line
    ) -> None:
        """Send many: a table of pandas, polars or Arrow, or whatever has ``__arrow_c_stream__``, or
        a dict of lists. A stream of Arrow (a RecordBatchReader) is read part by part.

        Columns ``start``, ``s``, ``p``, ``o``, and optional ``end`` (= start), ``stream``, ``graph`` (as of
        ``send``); terms in N-Triples syntax, times as xsd:dateTime text, Arrow timestamps or numbers:
        microseconds, or what ``time_unit`` says (``"s"``, ``"ms"``, ``"us"``). With ``map``, a file in
        YARRRML (docs/data.md), the columns are those that it names.

        Raises:
            DataError: EP4xx for a row that cannot be read or is late; the rows before it were taken. EP418,
                the times seem to be in another unit. EP431 to EP435 for the mapping.
            UsageError: EP505, there is no such unit.
        """
        check_time_unit(time_unit)
        if map is None:
            self._feed.send(self._tables.batches(table, time_unit, self._feed.hearing))
        else:
            self._feed.send(self._mapped_tables().batches(table, map, time_unit))

    def _mapped_tables(self) -> MappedTables:
        if self._mapped is None:
            from etalis_py.streams.mapping.mapped_tables import MappedTables

            self._mapped = MappedTables()
        return self._mapped

    def send_encoded(self, batch: Batch) -> None:
        """Send a batch whose terms are encoded already, as the readers of ``etalis_py.streams`` give it.

        Raises:
            DataError: EP413 for an element that is late; those before it were taken.
        """
        self._feed.send(iter((batch,)))

    def advance(self, time: Moment) -> None:
        """Say that nothing that ends before ``time`` (microseconds, UTC, or a datetime) will come.

        Closes the instants before ``time``; elements that end at ``time`` may still come.
        """
        self._feed.advance(moment(time))
        self._functions.tell_overruns()

    def finish(self) -> None:
        """Say that the input has ended: close the last instant."""
        self._feed.finish()
        self._functions.tell_overruns()

    def give_certain(self) -> None:
        """Say that the input ended early: give what further elements of the last instant cannot take back.

        Elements that wait to be re-ordered are not used: what is missing may belong before them.
        """
        self._feed.give_certain()

    # ---- answers ----------------------------------------------------------------------------------------

    def matches(self, name: str | None = None) -> Matches:
        """Take the matches found so far, of one query or of all; each is given once.

        They are a sequence, and a table of plain values: `Matches.to_pandas`, `to_polars`, `to_arrow`.

        Raises:
            KeyError: there is no such query.
        """
        with self._guard.lock:
            number = None if name is None else self._queries[name].plan.number
            known = self._deliveries.receivers
            asked = known if number is None else {number: known[number]}
            return Matches(self._deliveries.take_columns(number), asked)

    def table(self, name: str, *, columns: Mapping[str, str] = MappingProxyType({})) -> pa.Table:
        """Take the answers of one query found so far as an Arrow table; each is given once, here or by
        ``matches``.

        Columns ``start`` and ``end`` (timestamps in microseconds, UTC), then one for each variable: a
        dictionary of texts in N-Triples syntax, null where the variable is unbound. A CONSTRUCT or DESCRIBE
        has a row for each triple, with columns ``s``, ``p`` and ``o``; an ASK has times only. Where a
        variable is called ``start`` or ``end``, the column of times is ``_start`` or ``_end``. ``columns``
        are variables whose columns have plain values of a type as `detect` takes it (``{"price":
        "double"}``); what does not fit is null.

        >>> with Engine() as engine:
        ...     _ = engine.register("SELECT ?x ?y { ?x <urn:is> ?y }", name="all")
        ...     engine.send_batch({"start": [5], "s": ["<urn:a>"], "p": ["<urn:is>"], "o": ['"high"']})
        ...     engine.finish()
        ...     table = engine.table("all")
        >>> table.column_names, table["y"].to_pylist()
        (['start', 'end', 'x', 'y'], ['"high"'])

        Raises:
            KeyError: there is no such query.
            UsageError: EP509, no such variable or type; EP528, a time that does not fit 64 bits. The answers
                are still there.
        """
        with self._guard.lock:
            query = self._queries[name]
            number = query.plan.number
            receiver = self._deliveries.receivers[number]
            types = column_types(columns, query.variables if query.form == "select" else ())
            make = partial(answer_table, receiver, types=types)
            return self._deliveries.taken_as(make, number)

    def tables(self, *, columns: Mapping[str, str] = MappingProxyType({})) -> AnswerTables:
        """Take the answers of all queries found so far, as Arrow tables: by its name that of each query that
        has some.

        They are as those of ``table``, for one query after the other; it takes a fraction of the time where
        there are many. Queries with the same variables have parts of one table, which is made at once, and
        that of a query when it is asked for; so the dictionary of a column may have terms that are not in it.

        >>> with Engine() as engine:
        ...     for name in ("is", "has", "was"):
        ...         _ = engine.register(f"SELECT ?x ?y {{ ?x <urn:{name}> ?y }}", name=name)
        ...     events = {"s": ["<urn:a>"] * 2, "p": ["<urn:is>", "<urn:has>"], "o": ['"new"', '"time"']}
        ...     engine.send_batch({"start": [5, 6], **events})
        ...     engine.finish()
        ...     {name: table["y"].to_pylist() for name, table in engine.tables().items()}
        {'is': ['"new"'], 'has': ['"time"']}

        Raises:
            UsageError: as ``table``.
        """
        with self._guard.lock:
            receivers = self._deliveries.all_receivers
            names = [name for each in receivers.values() for name in each.variables] if columns else []
            make = partial(AnswerTables.of, receivers, types=column_types(columns, names))
            return self._deliveries.taken_as(make)

    def _repr_html_(self) -> str:
        from etalis_py.notebook.html import engine_html

        return engine_html(self)

    def answers(self) -> Answers:
        """Take the answers found so far, of all queries, in the engine's own columns; each is given once."""
        with self._guard.lock:
            return self._deliveries.taken_as(self._deliveries.joined)

    def why(self, match: Match) -> Why:
        """What an answer is made of: a tree down to the occurrences and background triples behind it.

        Only of an engine with ``trace=True`` that is not closed; see `etalis_py.why`.

        Raises:
            UsageError: EP561, nothing is known of it.
        """
        from etalis_py.why.explainer import explain_match

        with self._guard.lock:
            self._guard.check_idle()
            queries = self._traced | self._by_number
            return explain_match(match, queries, self._module, self._background)

    @property
    def feed(self) -> Feed:
        """What is behind ``send_encoded``, ``advance``, ``finish`` and ``give_certain``, portion by portion.

        For callers that hand answers on while a batch runs, without callbacks.
        """
        return self._feed

    def _to_ask(self) -> Asking:
        assert self._asking is not None, "it is there when the engine is"
        return self._asking

    # ---- state ------------------------------------------------------------------------------------------

    def _new_snapshots(self) -> Snapshots:
        from etalis_py.engine.snapshots import Snapshots

        digest = None if self._background is None else self._background.digest
        given = self._options
        options = {
            **self._feed.options,
            "blank_node_prefix": given.blank_node_prefix,
            "trace": given.trace,
        }
        if self._functions.known:
            options["functions"] = sorted(self._functions.known)
        parts = (self._module, self._threads, self._guard, self._feed, self._rules, self._deliveries)
        return Snapshots(*parts, self._look_up_queries, options, digest, given.record_changes)

    def _look_up_queries(self) -> None:
        """Prolog has the queries under the numbers that a snapshot gave them."""
        receivers = {each.name: each for each in self._deliveries.receivers.values()}
        loaded = self._rules.loaded
        self._by_number.clear()
        self._deliveries.receive_only(
            {each.plan.number: receivers[each.name] for each in loaded if each.name in self._queries}
        )
        for each in loaded:
            self._by_number[each.plan.number] = each
            if each.name in self._queries:
                self._queries[each.name] = each
            if each.max_answers is not None:
                self._limit_answers(each)

    def _limit_answers(self, query: CompiledQuery) -> None:
        prolog.do("etalis_limits", "limit_answers", self._module, query.plan.number, query.max_answers)

    def close(self) -> None:
        """Close the last instant, and give back everything the engine owns; may be called again.

        Matches that were found can still be taken; nothing can be sent. `discard` leaves the instant open.
        """
        with self._guard.lock:
            self._guard.check_idle()
            try:
                if self._module and self._guard.failure is None:
                    self.finish()
            finally:
                self.discard()

    def discard(self) -> None:
        """Give back everything the engine owns, and leave the last instant open; may be called again.

        For an engine whose state goes on elsewhere, or whose input broke off: no answer comes that further
        elements of that instant could have changed. Matches that were found can still be taken.

        >>> engine = Engine()
        >>> _ = engine.register("SELECT ?x { ?x <urn:is> 'low' }")
        >>> engine.send_batch({"start": [1], "s": ["<urn:a>"], "p": ["<urn:is>"], "o": ['"low"']})
        >>> engine.discard()
        >>> list(engine.matches())
        []
        """
        with self._guard.lock:
            self._guard.check_idle()
            if self._module:
                self._guard.failure = ""
                self._feed.abandon()
                self._give_back()
                self._functions.tell_overruns()

    def _give_back(self) -> None:
        if self._threads is not None:
            self._threads.close()
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
            self.discard()
