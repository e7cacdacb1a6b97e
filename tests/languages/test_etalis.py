"""ETALIS: each operator worked out by hand, forms of its examples, what is odd and what has no counterpart.

Answers are the engine's and, where no policy chooses, the oracle's; a snapshot after each instant changes
none.
"""

from __future__ import annotations

import contextlib
import random
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from etalis_py.cli import main
from etalis_py.compiler.languages.etalis.reader import read_etalis, static_rules
from etalis_py.compiler.languages.language_names import LanguageName
from etalis_py.compiler.languages.languages import language_of, read_program
from etalis_py.core.errors import EtalisWarning, QueryError, QuerySyntaxError
from etalis_py.core.explanations import MESSAGES
from etalis_py.core.terms import ntriples
from etalis_py.core.vocabulary import XSD_BOOLEAN, XSD_INTEGER
from etalis_py.engine.engine import Engine
from tests.oracle.program import World, answers
from tests.oracle.solutions import Placed
from tests.oracle.vocabulary import SECOND

NAMESPACE = "urn:etalis:"
ALL = ":- set_etalis_flag(event_consumption_policy, unrestricted).\n"

# name: (rules, events as "start-end name(arguments)", answers as "start-end name(arguments)")
CASES = {
    # a1 --- b1 --- b2        the most recent a, used up by the first b
    "seq, the most recent": (
        "d(X,Y) <- a(X) seq b(Y).",
        "1 a(p), 2 a(q), 3 b(r), 4 b(s)",
        ["1-4 d(p,s)", "2-3 d(q,r)"],
    ),
    # all pairs
    "seq, all": (ALL + "d(X,Y) <- a(X) seq b(Y).", "1 a(p), 2 a(q), 3 b(r)", ["1-3 d(p,r)", "2-3 d(q,r)"]),
    "seq of three": (
        ALL + "d(X,Z) <- a(X) seq b(Y) seq c(Z) where (1 < Y, Y < 4).",
        "1 a(p), 2 b(3), 3 b(7), 4 c(r)",
        ["1-4 d(p,r)"],
    ),
    "and, in any order": (
        ALL + "d(X) <- a(X) and b(X).",
        "1 b(p), 2 a(p), 3 b(p), 4 a(q)",
        ["1-2 d(p)", "2-3 d(p)"],
    ),
    "or": ("d(X) <- a(X) or b(X).", "1 a(p), 2 b(q), 3 c(r)", ["1-1 d(p)", "2-2 d(q)"]),
    # [a  ]
    #   [b  ]                  they have time in common
    "par": (ALL + "d(X,Y) <- a(X) par b(Y).", "1-3 a(p), 2-4 b(q), 4-5 b(r)", ["1-4 d(p,q)"]),
    "equals": (ALL + "d(X,Y) <- a(X) equals b(Y).", "1-3 a(p), 1-3 b(q), 2-3 b(r)", ["1-3 d(p,q)"]),
    #  [a]    [a2 ]
    # [b      ]                bounds may coincide
    "during": (
        ALL + "d(X,Y) <- a(X) during b(Y).",
        "2-3 a(p), 3-5 a(q), 1-5 b(r), 4-6 a(s)",
        ["1-5 d(p,r)", "1-5 d(q,r)"],
    ),
    "starts, by the start alone": (
        ALL + "d(X,Y) <- a(X) starts b(Y).",
        "1-2 a(p), 1-5 b(q), 2-6 b(r)",
        ["1-5 d(p,q)"],
    ),
    "finishes, by the end alone": (
        ALL + "d(X,Y) <- a(X) finishes b(Y).",
        "1-4 a(p), 2-4 b(q), 3-5 b(r)",
        ["1-4 d(p,q)"],
    ),
    "meets, a point too": (ALL + "d(X,Y) <- a(X) meets b(Y).", "2 a(p), 2-5 b(q), 3-6 b(r)", ["2-5 d(p,q)"]),
    # a1 - c - b1 | a2 - b2
    "cnot": (
        ALL + "d(X) <- (a(X) seq b(X)) cnot c(Y).",
        "1 a(p), 2 c(z), 3 b(p), 4 a(q), 5 b(q)",
        ["4-5 d(q)"],
    ),
    "cnot, three steps": (
        ALL + "d(X) <- (a(X) seq b(X) seq e(X)) cnot c(_).",
        "1 a(p), 2 b(p), 3 c(z), 4 e(p), 5 a(q), 6 b(q), 7 e(q)",
        ["5-7 d(q)"],
    ),
    #  b - c - a | a - b        of what is no sequence: none within
    "cnot of and": (
        ALL + "d(X) <- (a(X) and b(X)) cnot c(_).",
        "1 b(p), 2 c(z), 3 a(p), 4 a(q), 5 b(q)",
        ["4-5 d(q)"],
    ),
    "cnot of one event": (ALL + "d(X) <- a(X) cnot c(_).", "1-4 a(p), 2 c(z), 2-5 a(q)", ["2-5 d(q)"]),
    "a rule within a rule": (
        ALL + "d(X) <- a(X) seq (e(X) <- b(X) seq c(X)).",
        "1 a(p), 2 b(p), 3 c(p)",
        ["1-3 d(p)", "2-3 e(p)"],
    ),
    "fnot": (ALL + "d(X) <- b(X) fnot a(Y).", "1 b(p), 2 a(z), 3 b(q)", ["1-1 d(p)"]),
    "star_times": (
        ALL + "d(X) <- a(X) seq b(X) star_times.",
        "1 a(p), 2 b(p), 3 b(q), 4 b(p)",
        ["1-1 d(p)", "1-2 d(p)", "1-4 d(p)"],
    ),
    "ntimes": (ALL + "d(X) <- b(X) ntimes 3.", "1 b(p), 2 b(q), 3 b(p), 4 b(p)", ["1-4 d(p)"]),
    "forall_seq": (ALL + "d(X,Y) <- a(X) forall_seq b(Y).", "1 a(p), 2 b(q), 3 b(r)", ["1-2 d(p,q)"]),
    "count": (
        ALL + "d(s,N) <- s seq aggregate(count, a(_), N).",
        "1 s, 2 a(5), 3 a(6)",
        ["1-1 d(s,0)", "1-2 d(s,1)", "1-3 d(s,2)"],
    ),
    "sum": (
        ALL + "d(s,N) <- s seq aggregate(sum(Y), a(Y), N).",
        "1 s, 2 a(5), 3 a(6)",
        ["1-1 d(s,0)", "1-2 d(s,5)", "1-3 d(s,11)"],
    ),
    "max": (
        ALL + "d(s,N) <- s seq aggregate(max(Y), a(Y), N) where (N > 5).",
        "1 s, 2 a(5), 3 a(6), 4 a(2)",
        ["1-3 d(s,6)", "1-4 d(s,6)"],
    ),
    "where computes": (
        ALL + "d(X,N) <- a(X,V) where (V > 1, N is V * 2 + 1).",
        "1 a(p,1), 2 a(q,4)",
        ["2-2 d(q,9)"],
    ),
    "where, or and not": (
        ALL + "d(X) <- a(X,V) where (\\+ (V < 3) ; V =:= 1).",
        "1 a(p,1), 2 a(q,2), 3 a(r,3)",
        ["1-1 d(p)", "3-3 d(r)"],
    ),
    "a condition between": (
        ALL + "d(X,M) <- m(T) seq a(X,V) seq prolog(M is min(V, T)).",
        "1 m(7), 2 a(p,9), 3 a(q,2)",
        ["1-2 d(p,7)", "1-3 d(q,2)"],
    ),
    "a window of a label": (
        ALL + "r([property(event_rule_window, 2)]): d(X) <- a(X) seq b(X).",
        "1 a(p), 3 b(p), 4 b(p)",
        ["1-3 d(p)"],
    ),
    "a window by property": (
        ALL + "r: d(X) <- a(X) seq b(X). event_rule_property(r, event_rule_window, 2).",
        "1 a(p), 3 b(p), 4 b(p)",
        ["1-3 d(p)"],
    ),
    "within": (ALL + "d(X) <- a(X) seq b(X) within 2.", "1 a(p), 3 b(p), 4 b(p)", ["1-3 d(p)"]),
    "an alarm": (ALL + "exceptionAlarm(d(X), 2) <- a(X).", "1 a(p), 2 c(z), 5 c(z)", ["1-3 d(p)"]),
    "recursion": (
        "reach(X,Y) <- edge(X,Y). reach(X,Z) <- reach(X,Y) seq edge(Y,Z).",
        "1 edge(p,q), 2 edge(q,r)",
        ["1-1 reach(p,q)", "1-2 reach(p,r)", "2-2 reach(q,r)"],
    ),
    "events of many": (
        ALL + "d(X,Y,1) <- a(X,Y,V) seq b(X,Y,V).",
        "1 a(p,q,5), 2 b(p,q,6), 3 b(p,q,5)",
        ["1-3 d(p,q,1)"],
    ),
    "numbers as first arguments": (
        ALL + ":- set_etalis_flag(events_of_two, nodes).\nd(X,Y) <- a(X) seq b(Y) where (X < Y).",
        "1 a(5), 2 b(4), 3 b(6)",
        ["1-3 d(5,6)"],
    ),
    "operators of old versions": (
        ALL + "d(X) <- a(X) * b(X).  e(X) <- a(X) /\\ b(X).",
        "1 a(p), 2 b(p)",
        ["1-2 d(p)", "1-2 e(p)"],
    ),
    "quoted operators": (
        ALL + "d(X) <- a(X) 'SEQ' b(X) 'where' (X \\= q).",
        "1 a(p), 2 a(q), 3 b(p), 4 b(q)",
        ["1-3 d(p)"],
    ),
    # a1 ---- b1 | a2 -- b2    in seconds
    "times of the pattern": (
        ALL + "d(X,N) <- a(X) seq b(X) check (t1(T1), t2(T2), datime_minus_datime(T2, T1, N), N < 3).",
        "1 a(p), 4 b(p), 5 a(q), 7 b(q)",
        ["5-7 d(q,2)"],
    ),
    #  a -- b ------ c         those of a step within
    "times of a step": (
        ALL + "d(X,N) <- (a(X) seq b(X) timestamp (t1(S), t2(T), datime_minus_datime(T, S, N))) seq c(X).",
        "1 a(p), 3 b(p), 7 c(p)",
        ["1-7 d(p,2)"],
    ),
    "times of a step, by a goal behind it": (
        ALL
        + "d(X,N) <- (a(X) seq b(X) seq prolog(t2(T))) seq c(X) where (t2(E), datime_minus_datime(E, T, N)).",
        "1 a(p), 3 b(p), 7 c(p)",
        ["1-7 d(p,4)"],
    ),
    "a time some seconds later": (
        ALL + "d(X) <- a(X) seq b(X) where (t1(S), datime_plus_sec(S, 2, T), \\+ (t2(T))).",
        "1 a(p), 3 b(p), 4 b(p)",
        ["1-4 d(p)"],
    ),
    "do computes": (
        "n(X,0) <- s(X).  n(X,M) <- n(X,N) seq a(X) do (M is N + 1, write(M), nl).",
        "1 s(p), 2 a(p), 3 a(p)",
        ["1-1 n(p,0)", "1-2 n(p,1)", "1-3 n(p,2)"],
    ),
    "do before the arrow": (ALL + "d(X,M) do M is N * 2 <- a(X,N).", "1 a(p,3)", ["1-1 d(p,6)"]),
    "the least of two, by a goal": (
        ALL + "d(X,M) <- m(T) seq a(X,V) seq prolog(min(V, T, M)).",
        "1 m(7), 2 a(p,9), 3 a(q,2)",
        ["1-2 d(p,7)", "1-3 d(q,2)"],
    ),
    "brackets right behind signs": (
        ALL + "d(X,N) <- a(X,V) where ('is'(N, 2+(V-1)*3), '<'(N, 9)).",
        "1 a(p,1), 2 a(q,9)",
        ["1-1 d(p,2)"],
    ),
    "within behind where": (
        ALL + "d(X) <- a(X) seq b(X) where (X \\= q) within (2.0).",
        "1 a(p), 2 a(q), 3 b(p), 3 b(q), 4 b(p)",
        ["1-3 d(p)"],
    ),
    "iff": (ALL + "d(X) iff a(X).", "1 a(p)", ["1-1 d(p)"]),
    "no blank before a bracket": (ALL + "d(X) <-(a(X) seq b(X)).", "1 a(p), 2 b(p)", ["1-2 d(p)"]),
}

PLAIN = {name: case for name, case in CASES.items() if case[0].startswith(ALL)}


def events(text: str) -> list[Placed]:
    """``start-end name(arguments)`` in seconds, by commas with a blank."""
    found = []
    for place, line in enumerate(text.split(", ")):
        times, event = line.split(maxsplit=1)
        first, _, last = times.partition("-")
        interval = int(first) * SECOND, int(last or first) * SECOND
        name, _, inner = event.partition("(")
        arguments = [_term(each) for each in inner.rstrip(")").split(",")] if inner else []
        iri = NAMESPACE + name
        stream: Any = NAMESPACE + "stream"
        match arguments:
            case []:
                triples = [(stream, iri, (True, XSD_BOOLEAN))]
            case [only]:
                triples = [(stream, iri, only)]
            case [subject, target]:
                triples = [(subject, iri, target)]
            case _:
                node: Any = f"{NAMESPACE}node{place}"
                triples = [(node, f"{iri}_{at}", each) for at, each in enumerate(arguments, 1)]
        found += [Placed(triple, interval) for triple in triples]
    return sorted(found, key=lambda each: each.interval[1])


def _term(text: str) -> Any:
    return (int(text), XSD_INTEGER) if text.lstrip("-").isdigit() else NAMESPACE + text


def table(placed: list[Placed]) -> dict[str, list[Any]]:
    return {
        "start": [each.interval[0] for each in placed],
        "end": [each.interval[1] for each in placed],
        **{name: [ntriples(each.triple[at]) for each in placed] for at, name in enumerate("spo")},
    }


def shown(start: int, end: int, triples: Any) -> str:
    """An event as it is written."""
    (_, predicate, _), *_ = triples
    name = predicate.removeprefix(NAMESPACE)
    values = [_shown(value) for _, _, value in sorted(triples, key=lambda each: each[1])]
    if name[-2:-1] == "_":
        name = name[:-2]
    elif triples[0][0] != NAMESPACE + "stream":
        values.insert(0, _shown(triples[0][0]))
    return f"{start // SECOND}-{end // SECOND} {name}({','.join(values)})"


def _shown(value: Any) -> str:
    return str(value[0]) if isinstance(value, tuple) else value.removeprefix(NAMESPACE)


def of_engine(
    text: str, placed: list[Placed], *, cuts: bool = False, language: LanguageName = "etalis"
) -> list[str]:
    """What the engine gives; with ``cuts`` another one goes on after each event."""
    found: list[str] = []
    engine = Engine()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EtalisWarning)
        engine.register(text, name="r", language=language)
        for part in [[each] for each in placed] if cuts else [placed]:
            engine.send_batch(table(part))
            found += [shown(each.start, each.end, each.encoded_triples) for each in engine.matches()]
            if cuts:
                state = engine.snapshot()
                engine.discard()
                engine = Engine()
                engine.register(text, name="r", language=language)
                engine.restore([state])
    engine.finish()
    found += [shown(each.start, each.end, each.encoded_triples) for each in engine.matches()]
    engine.close()
    return sorted(found)


@pytest.mark.parametrize("name", CASES)
def test_answers(name: str) -> None:
    text, stream, expected = CASES[name]
    placed = events(stream)
    assert of_engine(text, placed) == sorted(expected)
    assert of_engine(text, placed, cuts=True) == sorted(expected)


@pytest.mark.parametrize("name", PLAIN)
def test_the_oracle_agrees(name: str) -> None:
    text, stream, expected = CASES[name]
    placed = events(stream)
    times = [each.interval[1] for each in placed]
    world = World(frozenset(), clock=(min(times), max(times)), placed=frozenset(placed))
    given = answers([each.query for each in read_program(text, language="etalis")], world)
    found = [shown(start, end, tuple(triples)) for each in given for triples, start, end in each]
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("name", CASES)
def test_order_within_an_instant_does_not_matter(name: str) -> None:
    text, stream, expected = CASES[name]
    placed = events(stream)
    random.Random(name).shuffle(placed)
    placed.sort(key=lambda each: each.interval[1])
    assert of_engine(text, placed) == sorted(expected)


def test_proofs() -> None:
    text = ALL + "d(X) <- (a(X) seq b(X)) cnot c(Y)."
    with Engine(trace=True) as engine:
        engine.register(text, name="r", language="etalis")
        engine.send_batch(table(events("1 a(p), 2 b(p), 3 c(q)")))
        [match] = engine.matches()
        proof = str(engine.why(match))
    assert "NOT" in proof
    assert ":stream :a :p" in proof


@pytest.mark.spark
def test_spark_deals_it_out_by_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("d.event").write_text(ALL + "d(X, Y) <- a(X, Y) seq b(X, Y) within 5.", encoding="utf-8")
    placed = events("1 a(p,q), 2 a(r,q), 3 b(p,q), 4 b(p,s), 8 b(r,q)")
    rows = [f"{each.interval[0]},{','.join(f'<{part}>' for part in each.triple)}" for each in placed]
    Path("d.csv").write_text("\n".join(["start,s,p,o", *rows]) + "\n", encoding="utf-8")
    words = ["d.event", "--stream", "d.csv", "--time-unit", "us", "--results", "ndjson", "-W", "none"]
    given = []
    for engine in ("local", "spark"):
        assert main(["run", *words, "--engine", engine]) == 0
        given.append(capfd.readouterr().out)
    assert given[0] == given[1]
    assert "urn:etalis:d" in given[0]
    assert main(["explain", "d.event", "--stage", "spark", "-W", "none"]) == 0
    assert "dealt out by ?X, ?Y" in capfd.readouterr().out


# ---- the page --------------------------------------------------------------------------------------------

PAGE = (Path(__file__).parents[2] / "docs" / "etalis.md").read_text(encoding="utf-8")
OPERATORS = PAGE.partition("## Operators")[2].partition("\nAlso:")[0]
ROWS = re.findall(r"^\| `(.+?)` \| `(.+?)` \|", OPERATORS, re.MULTILINE)


@pytest.mark.parametrize(("rule", "pattern"), ROWS, ids=[rule for rule, _ in ROWS])
def test_both_forms_of_the_page_give_the_same(rule: str, pattern: str) -> None:
    """The event d(X) by the rule of the page, and by the query beside it, on random streams."""
    rule, pattern = rule.replace("\\|", "|"), pattern.replace("\\|", "|")
    query = f"PREFIX : <{NAMESPACE}> CONSTRUCT {{ :stream :d ?X }} WHERE {{ {pattern} }}"
    told = 0
    for seed in range(12):
        draw = random.Random(f"{rule} {seed}")
        lines = []
        for end in sorted(draw.choices(range(2, 9), k=12)):
            start = draw.randint(max(1, end - 2), end)
            event = draw.choice([f"{name}({value})" for name in "aabbc" for value in (1, 2)] + ["s"])
            lines.append(f"{start}-{end} {event}")
        placed = events(", ".join(lines))
        found = of_engine(f"{ALL}d(X) <- {rule}.", placed)
        assert found == of_engine(query, placed, language="ep-sparql")
        told += len(found)
    assert told


# ---- files -------------------------------------------------------------------------------------------

COLD = """\
:- prefix('', 'urn:cold:').
print_trigger(spoilt/2).
late: spoilt(Box, Dock) <- unloaded(Box, Dock) seq cooled(Box, _Place) where (chilled(Box)).
% static rules
chilled(Box) :- kind(Box, Kind), member(Kind, [vaccine, fish]).
db(kind(box2, fish)).
kind(box3, stone).
"""
BOXES = "start,s,p,o\n" + "".join(
    f"{hour},<urn:cold:{box}>,<urn:cold:{event}>,<urn:cold:x>\n"
    for hour, event in enumerate(("unloaded", "cooled"), start=1)
    for box in ("box2", "box3")
)


def test_a_file_with_static_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cold.event").write_text(COLD, encoding="utf-8")
    Path("boxes.csv").write_text(BOXES, encoding="utf-8")
    words = ["cold.event", "--rules", "cold.event", "-W", "none"]
    assert main(["run", *words, "--stream", "boxes.csv", "--results", "nquads"]) == 0
    out = capfd.readouterr().out
    assert "<urn:cold:box2> <urn:cold:spoilt> <urn:cold:x>" in out
    assert "box3" not in out
    assert main(["explain", *words]) == 0
    assert "adds { ?Box :spoilt ?Dock }" in capfd.readouterr().out


OWN = """\
d(X,N) <- a(X) where (min(X, 2, N)).
min(_, Y, Z) :- Z is Y * 10.
"""


def test_predicates_of_a_file_go_before_those_of_etalis(tmp_path: Path) -> None:
    assert of_rules(ALL + OWN, events("1 a(p)"), tmp_path) == ["1-1 d(p,20)"]


GOALS = """\
d(X,N) <- a(X) event_multiply (kind(X, N)).
e(X,N) <- a(X) where (kind(X, N), N > 1).
f(X) <- a(X) where (kind(X, 2)).
g(X,N) <- a(X) seq b(X) event_multiply (kind(X, _), kind(X, N)).
h(X) <- a(X) where (\\+ kind(X, 3)).
kind(p, 1).  kind(p, 2).  kind(q, 3).
"""


def test_goals_with_several_answers(tmp_path: Path) -> None:
    """event_multiply gives an event for each answer; so does a condition that binds."""
    file = tmp_path / "goals.event"
    file.write_text(ALL + GOALS, encoding="utf-8")
    with Engine(rules=file) as engine:
        engine.register(ALL + GOALS, name="r", language="etalis")
        engine.send_batch(table(events("1 a(p), 2 a(q), 3 b(q)")))
        engine.finish()
        found = [shown(each.start, each.end, each.encoded_triples) for each in engine.matches()]
    assert sorted(found) == [
        "1-1 d(p,1)", "1-1 d(p,2)", "1-1 e(p,2)", "1-1 f(p)", "1-1 h(p)",
        "2-2 d(q,3)", "2-2 e(q,3)", "2-3 g(q,3)",
    ]  # fmt: skip


AUCTION = """\
% a bid by card counts where the card is good; the best so far is taken on, until the auction ends
:- set_etalis_flag(event_consumption_policy, recent).
carded: offered(Who, Price) <- card_bid(Who, Price) where (card(Who, good)).
offered(Who, Price) <- cash_bid(Who, Price).
best(nobody, 0) <- opened.
best(Who, Price) <- best(_, Before) seq offered(Who, Price) where (Before < Price).
sold(Who, Price) <- best(Who, Price) seq closed.
card(ann, good).
card(bob, lost).
"""
DELIVERY = """\
% a request goes to each driver who is good enough and near; without an answer in three seconds again
:- set_etalis_flag(event_consumption_policy, unrestricted).
asked(Job, Driver) <- (request(Job, Least) event_multiply driver(Driver, Rank)) and near(Driver, Job)
        where (Rank >= Least).
exceptionAlarm(overdue(Job), 3) <- request(Job, _).
again(Job) <- overdue(Job) cnot answer(Job, _).
driver(ann, 5).  driver(bob, 2).  driver(eve, 4).
"""


def test_an_auction(tmp_path: Path) -> None:
    """Opened, ann 5 (card), bob 9 (bad card), eve 7, dan 6, closed."""
    placed = events(
        "1 opened, 2 card_bid(ann,5), 3 card_bid(bob,9), 4 cash_bid(eve,7), 5 cash_bid(dan,6), 6 closed"
    )
    found = of_rules(AUCTION, placed, tmp_path)
    assert [each for each in found if "sold" in each] == ["1-6 sold(eve,7)"]
    assert [each for each in found if "offered" in each] == [
        "2-2 offered(ann,5)",
        "4-4 offered(eve,7)",
        "5-5 offered(dan,6)",
    ]


def test_deliveries(tmp_path: Path) -> None:
    """job1 is answered at 3, job2 never: asked for again at 5."""
    placed = events(
        "1 request(job1,4), 1 near(ann,job1), 1 near(bob,job1), 2 request(job2,1), "
        "3 answer(job1,ann), 3 near(eve,job2), 9 tick"
    )
    found = of_rules(DELIVERY, placed, tmp_path)
    assert [each for each in found if "asked" in each] == ["1-1 asked(job1,ann)", "2-3 asked(job2,eve)"]
    assert [each for each in found if "again" in each] == ["2-5 again(job2)"]


def of_rules(text: str, placed: list[Placed], folder: Path) -> list[str]:
    """What a file gives whose static rules are loaded."""
    file = folder / "rules.event"
    file.write_text(text, encoding="utf-8")
    with Engine(rules=file) as engine, warnings.catch_warnings():
        warnings.simplefilter("ignore", EtalisWarning)
        engine.register(text, name="r", source=str(file))
        engine.send_batch(table(placed))
        engine.finish()
        return sorted(shown(each.start, each.end, each.encoded_triples) for each in engine.matches())


def test_static_rules_keep_their_lines() -> None:
    lines = static_rules(COLD).split("\n")
    assert lines[4].startswith("':-'('chilled'(Box)")
    assert lines[5] == "'kind'('urn:cold:box2', 'urn:cold:fish')."


def test_labels_are_names() -> None:
    with Engine() as engine:
        names = engine.register("x: d(X) <- a(X). e(X) <- a(X).", name="r", language="etalis")
        assert names == ["x", "r-2"]
        engine.unregister("x")
        engine.send_batch(table(events("1 a(p)")))
        engine.finish()
        assert [each.query for each in engine.matches()] == ["r-2"]


def test_a_file_says_its_language() -> None:
    assert language_of("d <- a.", "rules/d.EVENT") == "etalis"


# ---- what is wrong ------------------------------------------------------------------------------------

WRONG = {
    "EP101": [
        "d(X) <- a(X) seq seq b(X).", "d(X) <- a(X) seq.", "d(X) <- (a(X) seq b(X).", "d(X) <- a(X)", "p(1).",
        "d(X) :- a(X) seq b(X).", "d(X) <- a(X) where (X = seq).", "d(X) <- a(X) seq / b(X).",
    ],
    "EP123": ["d(X,Y) <- a(X).", "d(X) <- a(X) where (Y > 1).", "d(Y) <- a(X) seq b(Y) star_times."],
    "EP124": ["d(X) <- a(X, p(1)).", "d(5, X) <- a(X).", "d <- d(X).", "d(X) <- a([X])."],
    "EP125": ["d(X) <- a(X, ex:p)."],
    "EP126": [
        "d(X) <- a(X) do assert(seen(X)).",
        "d(X) <- a(X) where (incCounter(c), counter(c, N)).",
        "d(X) <- a(X) do ins_event_rule(e(Y) <- b(Y)).",
        "d(X) <- a(X) do (event(b(X))).",
        "d(X) <- b(X) star_times.",
        "d(X) <- a(X) seq aggregate(median(Y), b(Y), X).",
        "d(X) <- a(X) ntimes 0.",
        "d(X) <- a(X) seq b(X) within N.",
        "exceptionAlarmAbsoluteDatime(d(X), T) <- a(X).",
        "r([property(colour, 3)]): d(X) <- a(X).",
        ":- set_etalis_flag(java_notification, on). d(X) <- a(X).",
        "use_module(other). d(X) <- a(X).",
        "d(X) <- X.",
        "d(X) <- a(X) where X > 3 and X < 5.",
        "d(T) <- a(X) where (T is t2(X)).",
    ],
}  # fmt: skip
ODD = {
    "EW45": "print_trigger(d/1).\nd(X) <- a(X) seq b(X).",
    "EW46": "d(X) <- (a(X) seq b(X)) cnot c(X).",
    "EW47": "d(X, Y) <- a(X) seq b(Y) where (X < Y).",
}


@pytest.mark.parametrize(("code", "text"), [(code, each) for code, texts in WRONG.items() for each in texts])
def test_what_is_wrong(code: str, text: str) -> None:
    with pytest.raises(QueryError, match=code) as raised:
        read_etalis(text)
    assert raised.value.place is not None


@pytest.mark.parametrize("code", ["EP123", "EP124", "EP125", "EP126", *ODD])
def test_messages(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("query.event").write_text(ODD[code] if code in ODD else WRONG[code][0], encoding="utf-8")
    main(["check", "query.event"])
    said = capfd.readouterr().err.removeprefix("warning: ")
    assert said == (MESSAGES / f"{code}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("d(X) <- a(X) SEQ b(X).", "small letters, or quotes: seq"),
        ("d(X) <- A(X) seq b(X).", "a(X), 'A'(X)"),
        ("d(X) <- a(X), b(X).", "a(X) and b(X)"),
        ("d(X) <- a(X) seq (b(X).", "not closed"),
        ("d(X) <- a(X) where X > 3 and X < 5.", "a comma means and"),
        ("d(X) :- a(X) seq b(X).", "have <-"),
    ],
)
def test_hints(text: str, hint: str) -> None:
    with pytest.raises(QuerySyntaxError, match=re.escape(hint)):
        read_etalis(text)


def test_no_text_ends_in_anything_but_an_error_of_syntax() -> None:
    draw = random.Random(5)
    pieces = [
        "d(X)",
        " <- ",
        "a(X)",
        " seq ",
        "(",
        ")",
        ".",
        "'",
        "where",
        " [",
        "]",
        ",",
        "|",
        "\\+",
        "_",
        "5",
        ":",
        " % ",
    ]
    for _ in range(3000):
        text = "".join(draw.choice(pieces) for _ in range(draw.randint(1, 12)))
        with contextlib.suppress(QuerySyntaxError):
            read_etalis(text)
