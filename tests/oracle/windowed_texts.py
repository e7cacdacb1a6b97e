"""Random queries with windows on streams, and streams for them: times are a few microseconds."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from etalis_py.core.vocabulary import RDF_TYPE
from tests.oracle.backgrounds import BACKGROUNDS
from tests.oracle.chooser import Chooser
from tests.oracle.examples import Advance, Example, Send, Step, triple_of
from tests.oracle.query_texts import TriplePattern
from tests.oracle.solutions import Occurrence
from tests.oracle.vocabulary import CLASSES, ENTITIES, PREDICATES, PROLOGUE, written

__all__ = ["make_events_example", "make_ordered_example", "make_path_example", "make_windowed_example"]

STREAMS = ("urn:s", "urn:t")
LAST = 24
_SELECTIONS = (
    *(f"PRAGMA selection {each}" for each in ("naive", "chronological", "recent")),
    "PRAGMA consumption on",
    "PRAGMA consumption on\nPRAGMA selection naive",
    "PRAGMA policy chronological",
    "PRAGMA policy recent",
)
_MODIFIERS = (
    "ORDER BY ?x ?y ?z LIMIT 2",
    "ORDER BY ?x DESC(?y) ?z",
    "ORDER BY ?x ?y ?z LIMIT 2 OFFSET 1",
    "ORDER BY DESC(?y) ?x ?z LIMIT 1",
    "ORDER BY DESC(?x) ?y ?z OFFSET 2",
)
_SUBJECTS = ("?x", "?x", "?x", "?x", "?y", "?z", "[]", ENTITIES[0])
_GROUPS = ("", "", "GROUP BY ?x", "GROUP BY ?x HAVING (COUNT(*) > 1)", "GROUP BY ?x ?y")
_OBJECTS = ("?y", "?y", "?y", "?z", "?x", "[]", *ENTITIES[:2])


def make_windowed_example(choice: Chooser) -> Example:
    """One query, or two, over one or two windows each, and a stream of up to 19 occurrences."""
    return _example(choice, lambda writer: writer.query())


def make_path_example(choice: Chooser) -> Example:
    """The same, where every other pattern is a path."""
    return _example(choice, lambda writer: writer.query(), path_in=2)


def make_ordered_example(choice: Chooser) -> Example:
    """The same, with ORDER BY, LIMIT and OFFSET."""
    return _example(choice, lambda writer: writer.query(modifiers=_MODIFIERS))


def make_events_example(choice: Chooser) -> Example:
    """The same for events in windows (RSEP-QL)."""
    return _example(choice, lambda writer: writer.match())


def _example(choice: Chooser, write: Callable[[_Writer], str], path_in: int = 8) -> Example:
    texts, patterns = [], []
    for _ in range(choice.choose((1, 1, 1, 2))):
        writer = _Writer(choice, path_in)
        texts.append(write(writer))
        patterns += writer.patterns
    order = sorted(
        ((triple_of(choice, patterns), _interval(choice)) for _ in range(choice.choose((2, *range(8, 20))))),
        key=lambda occurrence: occurrence[1][1],
    )
    graphs = choice.choose(((None,), (None, "urn:g", "urn:h")))
    places = [(choice.choose(STREAMS), choice.choose(graphs)) for _ in order]
    background = choice.number(0, len(BACKGROUNDS) - 1) if choice.rarely(2) else None
    return Example(tuple(texts), _arrivals(choice, order, places), background, entails=True)


def _interval(choice: Chooser) -> tuple[int, int]:
    end = choice.number(0, LAST)
    return (choice.number(max(0, end - 6), end) if choice.rarely(4) else end), end


def _arrivals(
    choice: Chooser, order: Sequence[Occurrence], places: Sequence[tuple[str | None, str | None]]
) -> tuple[Step, ...]:
    """Batches of any size, with heartbeats between."""
    steps: list[Step] = []
    first = 0
    for position, (_, (_, end)) in enumerate(order, 1):
        following = order[position][1][1] if position < len(order) else LAST + 20
        if position == len(order) or choice.rarely(3):
            steps.append(Send(tuple(order[first:position]), tuple(places[first:position])))
            first = position
            if choice.rarely(2):
                steps.append(Advance(choice.number(end, following)))
    return tuple(steps)


def _has_closings(extent: str) -> bool:
    return "STEP" in extent and "ELEMENTS" not in extent


def us(number: int) -> str:
    """A length in microseconds."""
    return f"PT{number / 10**6:.6f}S"


class _Writer:
    """Writes one query, and keeps the patterns that its windows are asked for.

    One in so many patterns, ``path_in``, is a path.
    """

    def __init__(self, choice: Chooser, path_in: int) -> None:
        self._choice = choice
        self._path_in = path_in
        self.patterns: list[TriplePattern] = []
        self._names = (":w", ":v")[: choice.choose((1, 1, 2))]
        self._pragmas = ""
        self._dialect = choice.choose(("rspql", "rspql", "default", "csparql", "cqels"))
        """``default``: of RSP-QL, with windows in the default graph."""
        self._declared: dict[str, str] = {}
        self._bound: dict[str, set[str]] = {}
        self._begins = True
        """Whether a window has a beginning that a start can move."""
        self._signs = 0

    def query(self, modifiers: Sequence[str] = ("", "", "", "", *_MODIFIERS)) -> str:
        choice = self._choice
        extents = [self._extent() for _ in self._names]
        windows = " ".join(map(self._window_on, self._names, extents))
        self._pragmas = choice.choose(("", "", "PRAGMA window-bounds closed-open\n"))
        self._begins = any(each.startswith("RANGE PT") for each in extents)
        if choice.rarely(4) and self._begins:
            self._pragmas += f"PRAGMA starting-at {choice.number(0, 8)}\n"
        if choice.rarely(4):
            self._pragmas += "PRAGMA partial-windows on\n"
        if choice.rarely(4):
            self._pragmas += "PRAGMA open-windows off\n"
        if choice.rarely(6):
            self._pragmas += f"PRAGMA nonempty {choice.choose(('on', 'off'))}\n"
        if choice.rarely(6):
            closes = any(map(_has_closings, extents))
            reports = ("CHANGE", "ARRIVAL", "CLOSE") if closes else ("ARRIVAL",)
            self._pragmas += f"PRAGMA report {choice.choose(reports)}\n"
        if self._dialect == "cqels":
            return self._cqels()
        kind = choice.choose(("RSTREAM", "ISTREAM", "DSTREAM"))
        closes = any(map(_has_closings, extents))
        report = choice.choose((None, None, None, "CHANGE", "CHANGE", "ARRIVAL"))
        body, modifier = self._body(), choice.choose(modifiers)
        distinct = choice.choose(("", "", "DISTINCT "))
        if choice.rarely(8):
            asked = f"ASK {windows} {{ {body} }}"
            return f"{self._pragmas}{PROLOGUE}{self._registered(kind, asked, report, closes=closes)}"
        if choice.rarely(4):
            counted = f"SELECT {self._counted()} {windows} {{ {body} }} {choice.choose(_GROUPS)}"
            return f"{self._pragmas}{PROLOGUE}{self._registered(kind, counted, report, closes=closes)}"
        shown = f"SELECT {distinct}{choice.choose(('*', '?x', '?y ?x'))}"
        select = f"{shown} {windows} WHERE {{ {body} }} {modifier}"
        return f"{self._pragmas}{PROLOGUE}{self._registered(kind, select, report, closes=closes)}"

    def _counted(self) -> str:
        """Aggregates: some of them count each value once, some are of terms that may be unbound."""
        functions = (
            "COUNT(*)",
            "COUNT(*)",
            "COUNT(DISTINCT *)",
            "COUNT(?z)",
            "COUNT(DISTINCT ?y)",
            "MAX(?y)",
        )
        functions += (
            "MIN(?z)",
            "MIN(DISTINCT ?y)",
            "SUM(IF(?y = :b, 1, 2.5))",
            "SUM(DISTINCT IF(?x = :a, 1, 2))",
        )
        functions += ("AVG(IF(?z = :b, 1, 2))", "SAMPLE(?y)", "SAMPLE(?z)", "GROUP_CONCAT(?y)")
        functions += ('GROUP_CONCAT(DISTINCT ?z; SEPARATOR=",")',)
        count = self._choice.number(1, 2)
        return " ".join(f"({self._choice.choose(functions)} AS ?c{number})" for number in range(count))

    def match(self) -> str:
        """A query with MATCH."""
        choice, self._dialect = self._choice, "rspql"
        extents = [self._extent() for _ in self._names]
        self._begins = any(each.startswith("RANGE PT") for each in extents)
        windows = " ".join(map(self._window_on, self._names, extents))
        events = " ".join(self._declaration(name) for name in ("A", "B", "C"))
        pragma = choice.choose(("", "", *_SELECTIONS))
        body = f"MATCH {{ {self._event(2)} {self._times() if choice.rarely(3) else ''} }}"
        if choice.rarely(6):
            body += f" {self._window(self._names[0])}"
        kind = choice.choose(("RSTREAM", "ISTREAM", "DSTREAM"))
        closes = any(map(_has_closings, extents))
        query = f"SELECT {choice.choose(('*', '?x', '?y ?x'))} {windows} {events} WHERE {{ {body} }}"
        registered = self._registered(kind, query, choice.choose((None, None, "CHANGE")), closes=closes)
        return f"{pragma}\n{PROLOGUE}{registered}"

    def _declaration(self, name: str) -> str:
        choice = self._choice
        pattern = (choice.choose(("?x", "?x", "?y")), PREDICATES[0], choice.choose(("?y", "?z")))
        self.patterns.append(pattern)
        self._bound[name] = {pattern[0], pattern[2]}
        triples = " ".join(map(written, pattern))
        triples += f" . {self._triple()}" if choice.rarely(4) else ""
        chosen = " FILTER (?x != :b)" if choice.rarely(6) else ""
        return f"EVENT ON {choice.choose(self._names)} {{ {triples}{chosen} }} AS {name}"

    def _event(self, depth: int) -> str:
        choice = self._choice
        if depth == 0 or choice.rarely(4):
            event = choice.choose(("A", "B", "C"))
        else:
            word = choice.choose(
                (
                    "SEQ",
                    "SEQ",
                    "SEQ",
                    "SEQ",
                    "SEQ",
                    "SEQ",
                    "EQUALS",
                    "MEETS",
                    "OVERLAPS",
                    "STARTS",
                    "DURING",
                    "FINISHES",
                    "PAR",
                    "UNION",
                    "OPTIONALSEQ",
                    "OPTIONALSEQ",
                    "EQUALSOPTIONAL",
                )
            )
            event = f"{{ {self._event(depth - 1)} {word} {self._event(depth - 1)} }}"
        if choice.rarely(6):
            bound = [self._bound[name] for name in "ABC" if f"{name} " in f"{event} "]
            for each in sorted(set.intersection(*bound))[:1]:
                event = f"{{ {event} FILTER ({each} != :b) }}"
        return f"{choice.choose(('FIRST', 'LAST'))} {event}" if choice.rarely(6) else event

    def _times(self) -> str:
        """What is asked of the times of a MATCH."""
        short = f'"PT0.00000{self._choice.number(1, 9)}S"^^<http://www.w3.org/2001/XMLSchema#duration>'
        return self._choice.choose(
            (
                f"FILTER (getDURATION() < {short})",
                "BIND (getSTARTTIME() AS ?from) BIND (getDURATION() AS ?long)",
                f"BIND (getENDTIME() AS ?to) FILTER (?to - getSTARTTIME() >= {short})",
                f"FILTER (getDURATION() > {short} || ?x = ?y)",
            )
        )

    def _window_on(self, name: str, extent: str) -> str:
        stream = written(self._choice.choose(STREAMS))
        self._declared[name] = f"{stream} [{extent}]"
        match self._dialect:
            case "rspql":
                return f"FROM NAMED WINDOW {name} ON {stream} [{extent}]"
            case "default":
                return f"FROM WINDOW ON {stream} [{extent}]"
            case "csparql":
                return f"FROM STREAM {stream} [{extent}]"
            case _:
                return ""

    def _cqels(self) -> str:
        choice = self._choice
        kind = choice.choose(("", "", "RSTREAM ", "DSTREAM "))
        select = f"SELECT {kind}{choice.choose(('*', '?x', '?y ?x'))}"
        return f"{self._pragmas}{PROLOGUE}{select} {{ {self._body()} }}"

    def _registered(self, kind: str, query: str, report: str | None, *, closes: bool) -> str:
        choice = self._choice
        if report is not None:
            if not closes and report == "CHANGE" and choice.rarely(2):
                return re.sub("^SELECT", f"SELECT {kind}", query)
            when = " NONEMPTY" if choice.rarely(3) else ""
            return f"REGISTER {kind} :out REPORT {report}{when} AS {query}"
        if closes and choice.rarely(2):
            return re.sub("^SELECT", f"SELECT {kind}", query)
        when = f" STARTING AT {choice.number(0, 8)}" if choice.rarely(3) else ""
        if not closes or choice.rarely(3):
            when = f" EVERY {us(choice.choose((1, 2, 3, 5)))}{when}"
        else:
            when = when if self._begins else ""
            when += " REPORT CLOSE" if choice.rarely(3) else ""
        if choice.rarely(3):
            when += " NONEMPTY" if "REPORT" in when else " REPORT NONEMPTY"
        return f"REGISTER {kind} :out{when} AS {query}"

    def _extent(self) -> str:
        choice = self._choice
        if choice.rarely(6) and self._dialect != "csparql":
            old = choice.number(1, 9)
            past = f"NOW-{us(old)} TO NOW-{us(choice.number(0, old - 1))}".replace(f"-{us(0)}", "")
            if choice.rarely(2) and self._dialect == "rspql":
                past += f" STEP {us(choice.choose((1, 2, 3, 5)))}"
            newest = f"ELEMENTS {choice.number(1, 4)}"
            if choice.rarely(2) and self._dialect != "csparql":
                newest += f" STEP {choice.number(1, 4)}"
            return choice.choose(
                (past, past, newest, newest, "NOW", "RANGE UNBOUNDED", f"LND {choice.number(0, 8)}")
            )
        text = f"RANGE {us(choice.number(1, 9))}"
        if not choice.rarely(4) or self._dialect == "csparql":
            text += f" STEP {us(choice.choose((1, 2, 3, 4, 6, 12)))}"
        if choice.rarely(4):
            text += f" STARTING AT {choice.number(0, 8)}"
        return text + (" WHOLE" if choice.rarely(5) else "")

    def _body(self) -> str:
        parts = [self._window(name) for name in self._names]
        if self._choice.rarely(5):
            parts.append(self._window(self._choice.choose(self._names)))
        if self._choice.rarely(4):
            last = parts.pop()
            parts.append(f"{{ {last} }} UNION {{ {self._window(self._names[0])} }}")
        parts += [self._more() for _ in range(self._choice.choose((0, 0, 1, 1, 2)))]
        if self._choice.rarely(8):
            parts[0] = f"{self._triple(kept=False)} OPTIONAL {{ {parts[0]} }}"
        if self._choice.rarely(2):
            parts.insert(self._choice.number(0, len(parts)), self._beside())
        return " ".join(parts)

    def _window(self, name: str) -> str:
        inner = " . ".join(self._triple() for _ in range(self._choice.choose((1, 1, 1, 2))))
        if self._choice.rarely(8) and self._dialect in ("rspql", "cqels"):
            inner = f"GRAPH {self._choice.choose(('?g', '?g', '?x', '<urn:g>'))} {{ {inner} }}"
        elif self._choice.rarely(self._path_in):
            subject, verb, target = self._triple().split(" ", 2)
            inner = f"{subject} {self._path(verb)} {target}" if verb.startswith(":") else inner
        inner += f" {self._filter()}" if self._choice.rarely(4) else ""
        if self._dialect == "rspql" and self._choice.rarely(10):
            name = "?w"
        match self._dialect:
            case "rspql":
                return f"WINDOW {name} {{ {inner} }}"
            case "cqels":
                return f"STREAM {self._declared[name]} {{ {inner} }}"
            case _:
                return f"{{ {inner} }}"

    def _path(self, verb: str) -> str:
        """A path that repeats ``verb``, or steps with it."""
        choice = self._choice
        if choice.rarely(2):
            other = f":{choice.choose(PREDICATES[:2]).removeprefix('urn:')}"
            verb = choice.choose(
                (
                    f"({verb}/{other})",
                    f"({verb}|{other})",
                    f"(^{verb}|{other})",
                    f"!{other}",
                    f"(^{verb})",
                    f"({verb}?/{other})",
                    f"({other}/{verb}*)",
                    f"({verb}?/^{other}?)",
                )
            )
        return verb + choice.choose(("+", "+", "*", "?"))

    def _more(self) -> str:
        """What is not monotone: it looks for what is not there, or is there at that instant alone."""
        word = self._choice.choose(("OPTIONAL", "OPTIONAL", "MINUS", "FILTER EXISTS", "FILTER NOT EXISTS"))
        if self._choice.rarely(8):
            self._signs += 1
            return f"BIND (EXISTS {{ {self._window(self._names[-1])} }} AS ?e{self._signs})"
        if self._choice.rarely(3):
            return f"{word} {{ {self._triple(kept=False)} }}"
        if self._choice.rarely(3):
            return f"{word} {{ {self._deep()} }}"
        inner = self._window(self._choice.choose(self._names))
        if self._choice.rarely(4):
            inner += f" {self._window(self._names[0])}"
        return (
            f"{word} {{ {inner} {self._filter() if word == 'OPTIONAL' and self._choice.rarely(3) else ''} }}"
        )

    def _deep(self) -> str:
        """A group whose parts may speak of what is outside of it."""
        choice = self._choice
        first, second = (self._window(choice.choose(self._names)) for _ in range(2))
        test = choice.choose(("EXISTS", "NOT EXISTS"))
        return choice.choose(
            (
                f"{first} OPTIONAL {{ {second} {self._filter()} }} {self._filter()}",
                f"{{ {first} {self._filter()} }} UNION {{ {second} {self._filter()} }}",
                f"{first} MINUS {{ {second} {self._filter()} }}",
                f"{first} BIND (IF(?x = ?y, ?z, ?x) AS ?k) FILTER (?k != :b)",
                f"{first} FILTER {test} {{ {second} {self._filter()} }}",
                f"{first} OPTIONAL {{ {second} FILTER {test} {{ {self._window(self._names[0])} }} }}",
                f"{first} FILTER {test} {{ {second} }}",
            )
        )

    def _beside(self) -> str:
        return self._choice.choose(
            (
                f"{self._triple(kept=False)} .",
                f"{self._triple(kept=False)} .",
                self._filter(),
                "VALUES ?x { :a :b }",
                "VALUES (?x ?y) { (:a :b) (:a UNDEF) (:b :c) }",
                "BIND (?x AS ?s)",
                f"{{ {self._triple(kept=False)} }} UNION {{ {self._triple(kept=False)} }}",
                f"{{ SELECT ?x WHERE {{ {self._window(self._names[-1])} }} }}",
                f"{{ SELECT (COUNT(*) AS ?n) (MIN(?y) AS ?m) WHERE {{ {self._window(self._names[-1])} }} }}",
                f"{{ SELECT ?x ?y WHERE {{ {self._window(self._names[-1])} }} ORDER BY ?y ?x LIMIT 2 }}",
                f"{{ SELECT ?x (COUNT(*) AS ?n) WHERE {{ {self._window(self._names[-1])} }} GROUP BY ?x }}",
                f"{{ SELECT ?x (MAX(?y) AS ?m) WHERE {{ {self._window(self._names[-1])} }} GROUP BY ?x }}",
            )
        )

    def _filter(self) -> str:
        return self._choice.choose(
            ("FILTER (?x != :b)", "FILTER (?x = ?y)", "FILTER (!BOUND(?z) || ?z != :c)", "FILTER (?z != ?y)")
        )

    def _triple(self, *, kept: bool = True) -> str:
        choice = self._choice
        subject, value = choice.choose(_SUBJECTS), choice.choose(_OBJECTS)
        predicate = choice.choose((*PREDICATES[:2] * 4, PREDICATES[2], RDF_TYPE, "?z"))
        if predicate == RDF_TYPE:
            value = choice.choose(CLASSES)
        if kept:
            self.patterns.append((subject, predicate, value))
        return " ".join(map(written, (subject, predicate, value)))
