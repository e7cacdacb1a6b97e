"""The options of an engine, for Python, Spark and the command line: default, check, errors and help of each.

To add one, add a field to `EngineOptions` and its type to `EngineKeywords`, or to `ProgramKeywords` if Spark
takes it too; then use the field where the option acts. `takes_options` puts it into the signature and the
documentation of ``Engine`` and ``detect``; a command takes it by its name (``etalis_py.cli.engine_options``).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import field, fields
from datetime import timedelta
from functools import wraps
from textwrap import fill
from typing import Any, Final, TypedDict, TypeVar

from typing_extensions import ParamSpec, Self, Unpack

from etalis_py.compiler.algebra.policies import POLICIES, PolicyName
from etalis_py.core.value_class import value_class
from etalis_py.engine.functions import Function, FunctionTable, check_functions, load_functions
from etalis_py.engine.option_values import (
    AtEnd,
    Check,
    Entailment,
    FileNames,
    GraphNames,
    Lateness,
    check_count,
    check_delay,
    check_files,
    check_flag,
    check_graphs,
    check_lateness,
    check_memory,
    check_recall,
    check_text,
    choice,
    count,
    optional,
    parse_count,
    parse_graphs,
    parse_lateness,
    parse_moment,
    parse_timedelta,
)
from etalis_py.streams.table import Moment, moment

__all__ = [
    "DEFAULTS",
    "MOST_THREADS",
    "OPTIONS",
    "EngineKeywords",
    "EngineOptions",
    "Option",
    "ProgramKeywords",
    "takes_options",
]

_Inputs = ParamSpec("_Inputs")
_Value = TypeVar("_Value")
MOST_THREADS: Final = 64
_PCRE_STEPS: Final = 10_000_000
"""What PCRE2 is built with; a pattern can only lower it (pcre2pattern, "Setting match resource limits")."""


@value_class
class Option:
    """One option; its name and type are those of its field.

    ``check`` gives the value as an engine takes it. ``decides``: answers depend on it, so state that was kept
    goes on only under the same value.

    The rest is for the command line, of which it is an option if it has a ``flag``: ``parse`` makes a value
    of the text and the flag, with ``several`` of a list of texts; ``form`` is added to the help.
    """

    check: Check
    help: str
    decides: bool = False
    flag: str | None = None
    metavar: str | None = None
    choices: tuple[str, ...] | None = None
    parse: Callable[[Any, str], Any] = lambda words, _flag: words
    several: bool = False
    form: str = ""

    def read(self, words: Any) -> Any:
        """The value that words of a command line mean.

        Raises:
            UsageError: EP505, EP506, EP510, EP511.
        """
        assert self.flag is not None, "it is an option of the command line"
        return self.check(self.flag, self.parse(words, self.flag))


def _option(check: Check, **more: Any) -> dict[str, Option]:
    return {"option": Option(check, **more)}


@value_class(kw_only=True)
class EngineOptions:
    """The options of one engine, checked."""

    background: tuple[str, ...] = field(default=(), metadata=_option(
        check_files, flag="--background", metavar="FILE", several=True,
        help="background knowledge: RDF files, or files of Prolog",
    ))  # fmt: skip
    graphs: Mapping[str, tuple[str, ...]] = field(default_factory=dict, metadata=_option(
        check_graphs, flag="--graph", metavar="IRI=FILE", parse=parse_graphs, several=True,
        help="background that only GRAPH and FROM see: RDF files by the IRI of the named graph they hold",
    ))  # fmt: skip
    rules: tuple[str, ...] = field(default=(), metadata=_option(
        check_files, flag="--rules", metavar="FILE.pl", several=True,
        help="Prolog files with predicates that queries call as prolog:name(...)",
    ))  # fmt: skip
    functions: Mapping[str, Function] = field(default_factory=dict, metadata=_option(
        lambda _name, functions: check_functions(functions),
        flag="--functions", metavar="MODULE:NAME", parse=lambda words, _flag: load_functions(words),
        form="a dictionary NAME in a module",
        help="Python functions that queries call, by their IRIs (docs/language.md)",
    ))  # fmt: skip
    policy: PolicyName = field(default="unrestricted", metadata=_option(
        choice(*POLICIES), decides=True, flag="--policy", choices=POLICIES,
        help="which combinations are answers, unless a query says it itself (PRAGMA policy recent): all; "
        "or of several partners the earliest (chronological) or the latest (recent), used once",
    ))  # fmt: skip
    entailment: Entailment = field(default="rdfs", metadata=_option(
        choice("rdfs", "none"), decides=True, flag="--entailment", choices=("rdfs", "none"),
        help="what background and stream entail",
    ))  # fmt: skip
    on_late: Lateness = field(default="error", metadata=_option(
        check_lateness, decides=True, flag="--on-late", metavar="error|drop|DURATION", parse=parse_lateness,
        form="such as 5s, 100ms or PT1M",
        help="what happens to an element that ends before the open instant: error: it is an error; drop: it "
        "is dropped and counted; a duration: it is put in order, and if it is later than that, is an error",
    ))  # fmt: skip
    max_derivations: int = field(default=100_000, metadata=_option(
        check_count, flag="--max-derivations", metavar="N", parse=parse_count,
        help="most new triples that CONSTRUCT queries may add within one instant; they may "
        "repeat ten times as many",
    ))  # fmt: skip
    max_memory: int | None = field(default=None, metadata=_option(
        optional(check_memory), flag="--max-memory", metavar="SIZE", form="such as 500MB or 2GiB",
        help="most resident memory of the process, checked 20 times a second while an engine works; more "
        "is an error",
    ))  # fmt: skip
    max_answers_per_instant: int | None = field(default=None, metadata=_option(
        optional(check_count), flag="--max-answers-per-instant", metavar="N", parse=parse_count,
        help="most answers of one query at one instant, unless a query says it itself (PRAGMA "
        "max_answers_per_instant 1000)",
    ))  # fmt: skip
    max_time_per_instant: timedelta | None = field(default=None, metadata=_option(
        optional(check_delay), flag="--max-time-per-instant", metavar="DURATION", parse=parse_timedelta,
        form="such as 10s or PT1M",
        help="most time for the work of one instant",
    ))  # fmt: skip
    max_regex_steps: int = field(default=1_000_000, metadata=_option(
        count(_PCRE_STEPS), flag="--max-regex-steps", metavar="N", parse=parse_count,
        help="most steps of one match of a regular expression, up to 10,000,000; a match that "
        "takes more is an error of its expression, and is counted",
    ))  # fmt: skip
    blank_node_prefix: str = field(default="etalis", metadata=_option(
        check_text, help="how labels begin of the blank nodes that CONSTRUCT queries make"
    ))  # fmt: skip
    at: int | None = field(default=None, metadata=_option(
        optional(lambda _name, time: moment(time)),
        decides=True, flag="--at", metavar="TIME", parse=parse_moment,
        help="the one instant of the run, at which everything happens: the answers come at the end and "
        "are those of plain SPARQL over stream and background together",
    ))  # fmt: skip
    starting_at: int | None = field(default=None, metadata=_option(
        optional(lambda _name, time: moment(time)),
        decides=True, flag="--starting-at", metavar="TIME", parse=parse_moment,
        help="when windows on streams, and EVERY, begin, where a query does not say so",
    ))  # fmt: skip
    at_end: AtEnd = field(default="all", metadata=_option(
        choice("all", "stop"), flag="--at-end", choices=("all", "stop"),
        help="what is told after the last event: all that follows if nothing more comes, until windows are "
        "empty; or nothing, as if more might come",
    ))  # fmt: skip
    share: bool = field(default=True, metadata=_option(
        check_flag,
        help="whether what queries have in common is computed only once, if they are registered before the "
        "first element or between the same two; answers do not depend on it",
    ))  # fmt: skip
    recall: bool | timedelta = field(default=False, metadata=_option(
        check_recall,
        help="keep recent occurrences, for questions (occurrence(S, P, O, Start, End)): True for as long as "
        "the windows of the queries, or for this long; never more than the newest 100,000",
    ))  # fmt: skip
    trace: bool = field(default=False, metadata=_option(
        check_flag,
        help="whether the engine keeps what answers are made of, for `why`; answers do not depend on it, but "
        "it costs time and memory (docs/why.md)",
    ))  # fmt: skip
    record_changes: bool = field(default=False, metadata=_option(
        check_flag, help="whether `changes` can give what changed in the state (docs/snapshots.md)"
    ))  # fmt: skip
    threads: int = field(default=1, metadata=_option(
        count(MOST_THREADS), flag="--threads", metavar="N", parse=parse_count,
        help="how many engines share the work, each in a thread of its own, with the events of some join "
        "keys; without a key one works (etalis explain --stage threads says why); answers are the same",
    ))  # fmt: skip

    @classmethod
    def of(cls, background: FileNames = (), **given: Unpack[EngineKeywords]) -> Self:
        """The options that were given, checked; the others have their defaults.

        Raises:
            UsageError: EP505, a value that an option cannot have; EP506, a limit of memory where the system
                does not tell how much there is; EP510, values that are not functions.
            DataError: EP409, ``at`` is not a time.
        """
        named = {"background": background, **given}
        return cls(**{name: OPTIONS[name].check(name, value) for name, value in named.items()})

    @property
    def has_background(self) -> bool:
        """Whether Prolog has to be asked what queries mean."""
        return bool(self.background or self.graphs or self.rules)

    @property
    def delay(self) -> int:
        """Microseconds within which late elements are put back in order; 0: they are not."""
        return self.on_late // timedelta(microseconds=1) if isinstance(self.on_late, timedelta) else 0

    def keywords(self, **others: Any) -> dict[str, Any]:
        """All of them as keywords of an engine, with ``others`` in the place of their own."""
        return {**{each.name: getattr(self, each.name) for each in fields(self)}, **others}


OPTIONS: Final[Mapping[str, Option]] = {each.name: each.metadata["option"] for each in fields(EngineOptions)}
"""All options, by name."""
DEFAULTS: Final = EngineOptions()


class ProgramKeywords(TypedDict, total=False):
    """The options beside ``background`` that ``detect`` takes, as they are given."""

    graphs: GraphNames
    rules: FileNames
    functions: FunctionTable
    policy: PolicyName
    entailment: Entailment
    starting_at: Moment | None
    max_derivations: int
    max_memory: int | str | None
    max_answers_per_instant: int | None
    max_time_per_instant: timedelta | None
    max_regex_steps: int


class EngineKeywords(ProgramKeywords, total=False):
    """The options beside ``background`` that an engine takes, as they are given."""

    on_late: Lateness
    blank_node_prefix: str
    at: Moment | None
    at_end: AtEnd
    share: bool
    recall: bool | timedelta
    trace: bool
    record_changes: bool
    threads: int


def takes_options(keywords: type) -> Callable[[Callable[_Inputs, _Value]], Callable[_Inputs, _Value]]:
    """Let a function whose ``**options`` are ``keywords`` show them, and refuse others (TypeError)."""

    def decorate(function: Callable[_Inputs, _Value]) -> Callable[_Inputs, _Value]:
        signature = _with_options(inspect.signature(function), keywords)

        @wraps(function)
        def taking(*inputs: _Inputs.args, **named: _Inputs.kwargs) -> _Value:
            signature.bind(*inputs, **named)
            return function(*inputs, **named)

        taking.__signature__ = signature  # type: ignore[attr-defined]
        shown = [name for name in signature.parameters if name in OPTIONS]
        about = f"{inspect.getdoc(function)}\n\n" if function.__doc__ else ""
        taking.__doc__ = f"{about}Options:\n" + "\n".join(map(_help_line, shown))
        return taking

    return decorate


def _with_options(signature: inspect.Signature, keywords: type) -> inspect.Signature:
    kind = inspect.Parameter.KEYWORD_ONLY
    *own, others = sorted(signature.parameters.values(), key=lambda each: each.kind)
    assert others.kind is inspect.Parameter.VAR_KEYWORD
    options = [
        inspect.Parameter(name, kind, default=getattr(DEFAULTS, name)) for name in keywords.__annotations__
    ]
    return signature.replace(parameters=[*own, *options])


def _help_line(name: str) -> str:
    text = f"{name}: {OPTIONS[name].help}."
    return fill(text, 100, initial_indent="    ", subsequent_indent="        ")
