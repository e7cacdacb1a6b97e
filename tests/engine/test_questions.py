"""Prolog questions to a running engine: answers one by one, what they see, and that they do no harm."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from rdflib import BNode, Literal, URIRef

from etalis_py.core.errors import RunTimeError, UsageError
from etalis_py.engine.engine import Engine
from tests.patience import PATIENCE

ONTOLOGY = """
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<urn:Oak> rdfs:subClassOf <urn:Tree> . <urn:planted> rdfs:subPropertyOf <urn:put> .
<urn:e> a <urn:Oak> ; <urn:planted> "1900-01-01"^^<http://www.w3.org/2001/XMLSchema#date> .
"""
RULES = ":- dynamic seen/1.\nseen(a).\ndouble(X, Y) :- Y is 2 * X.\nloop :- loop.\nlist :- shell(ls).\n"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    (tmp_path / "o.ttl").write_text(ONTOLOGY)
    (tmp_path / "r.pl").write_text(RULES)
    with Engine(background=tmp_path / "o.ttl", rules=tmp_path / "r.pl") as made:
        yield made


def plain(engine: Engine, goal: str, **options: Any) -> list[dict[str, Any]]:
    return [{name: _python(value) for name, value in each.items()} for each in engine.prolog(goal, **options)]


def _python(value: Any) -> Any:
    return value.toPython() if isinstance(value, Literal) else str(value)


def test_the_background_with_what_it_entails(engine: Engine) -> None:
    assert plain(engine, "rdf('urn:e', rdf:type, C)") == [{"C": "urn:Oak"}, {"C": "urn:Tree"}]
    assert plain(engine, "rdf_asserted('urn:e', rdf:type, C)") == [{"C": "urn:Oak"}]
    assert plain(engine, "rdf(X, ex:put, _)", prefixes={"ex": "urn:"}) == [{"X": "urn:e"}]
    assert plain(engine, "rdfs_subclass_of(X, 'urn:Tree'), X \\== 'urn:Tree'") == [{"X": "urn:Oak"}]
    assert plain(engine, "rdfs_subproperty_of(X, 'urn:put'), X \\== 'urn:put'") == [{"X": "urn:planted"}]
    assert plain(engine, "rdfs_individual_of(X, 'urn:Tree')") == [{"X": "urn:e"}]


def test_without_entailment_nothing_follows(tmp_path: Path) -> None:
    (tmp_path / "o.ttl").write_text(ONTOLOGY)
    with Engine(background=tmp_path / "o.ttl", entailment="none") as engine:
        assert plain(engine, "rdf('urn:e', rdf:type, C)") == [{"C": "urn:Oak"}]


def test_values_go_in_and_come_out(engine: Engine) -> None:
    assert plain(engine, "double(X, Y)", X=4) == [{"Y": 8}]
    assert plain(engine, "string_length(T, L)", T="abc") == [{"L": 3}]
    assert plain(engine, "X == true", X=True) == [{}]
    [answer] = engine.prolog("rdf(X, 'urn:planted', D)", X=URIRef("urn:e"))
    assert answer == {"D": Literal("1900-01-01", datatype=URIRef("http://www.w3.org/2001/XMLSchema#date"))}
    assert list(engine.prolog("rdf(X, _, D)", D=date(1900, 1, 1), X=URIRef("urn:e"))) == [{}, {}]
    assert plain(engine, "X = Y", Y=BNode("b")) == [{"X": "b"}]
    assert [each["X"] for each in engine.prolog("X = f(_, A, A)")] == ["f(_, A, A)"]


def test_variables_without_a_name_are_called_in_their_order(engine: Engine) -> None:
    assert plain(engine, "X = f(P, Q, _C, _C, _D, P, _A, _D)") == [{"X": "f(P, Q, _A, _A, _B, P, _, _B)"}]
    assert plain(engine, "length(L, 2), append(L, L, M)") == [{"L": "[_A, _B]", "M": "[_A, _B, _A, _B]"}]
    [answer] = engine.prolog("length(L, 100000)", seconds=10.0)  # it takes no longer than sorting
    assert len(str(answer["L"])) == 300_000


def test_what_remains_of_a_constraint(engine: Engine) -> None:
    [answer] = engine.prolog("dif(X, a), Y = Z")
    assert answer == {}
    assert answer.residuals == ("Y = Z", "dif(X, a)")
    list(engine.prolog("use_module(library(clpfd))"))
    [answer] = engine.prolog("X #> 3, X + Y #= 10, Y #> 2")
    assert answer.residuals == ("X in 4..7", "X+Y#=10", "Y in 3..6")
    [answer] = engine.prolog("freeze(X, seen(X))")
    assert answer.residuals == ("freeze(X, seen(X))",)


def test_answers_come_when_they_are_asked_for(engine: Engine) -> None:
    up, down = engine.prolog("between(1, inf, X)"), engine.prolog("between(0, inf, N), X is -N")
    values = [int(str(next(question)["X"])) for question in (up, down, up, down)]
    assert values == [1, 0, 2, -1]
    up.close()
    assert list(up) == []
    assert int(str(next(down)["X"])) == -2
    assert next(engine.prolog("X = 1")).is_last
    assert not next(engine.prolog("member(X, [1, 2])")).is_last


def test_nothing_is_left_of_questions(engine: Engine) -> None:
    def open_now() -> int:
        gc.collect()
        return int(plain(engine, "statistics(engines, Count)")[0]["Count"]) - 1

    before = open_now()
    for _ in range(20):
        list(islice(engine.prolog("repeat"), 3))
        with engine.prolog("repeat") as question:
            next(question)
        with pytest.raises(RunTimeError):
            list(engine.prolog("member(X, [1, 2]), X > 1, throw(oops)"))
    assert open_now() == before


def test_a_question_ends_with_its_engine() -> None:
    with Engine() as engine:
        question = engine.prolog("repeat")
    assert list(question) == [{}]  # that was found before
    with pytest.raises(RunTimeError, match="EP303"):
        engine.prolog("true")


@pytest.mark.parametrize(
    ("goal", "text"),
    [
        ("double(1,", "EP301 question, line 1, column 10: Prolog cannot read the question"),
        ("true. true.", "End of clause expected"),
        ("", "Prolog cannot read the question"),
        ("nothing(1)", "EP301 Prolog reports: Unknown procedure: nothing/1"),
        ("throw(oops)", "it throws oops"),
        ("loop", "it does not come to an end within 1,000,000 inferences"),
        ("halt", "No permission"),
        ("atom_length(_, X)", "not sufficiently instantiated"),
        ("numlist(1, 100000000, L), msort(L, M)", "EP301"),
    ],
)
def test_what_goes_wrong_is_told_and_the_engine_lives(engine: Engine, goal: str, text: str) -> None:
    with pytest.raises(RunTimeError) as caught:
        list(engine.prolog(goal, inferences=1_000_000))
    assert text in str(caught.value)
    assert "etalis_engine" not in str(caught.value)
    assert plain(engine, "double(1, X)") == [{"X": 2}]


def test_each_answer_has_its_time(engine: Engine) -> None:
    question = engine.prolog("member(X, [1, 2]) ; loop", seconds=2.5, inferences=10**12)
    assert [int(str(next(question)["X"])) for _ in range(2)] == [1, 2]
    with pytest.raises(RunTimeError, match=r"within 2\.5 s"):
        next(question)
    assert len(plain(engine, "between(1, 9, X), sleep(0.5)", seconds=4)) == 9  # of each answer, not of all
    with pytest.raises(RunTimeError, match=r"within 0\.8 s"):  # it is looked at more than once
        engine.prolog("repeat, fail", seconds=0.8, inferences=10**12)


def test_a_goal_that_catches_everything_is_stopped_all_the_same(engine: Engine) -> None:
    stubborn = "repeat, catch((repeat, fail), _, fail)"
    with pytest.raises(RunTimeError, match="within 100,000 inferences"):
        engine.prolog(stubborn, inferences=100_000)
    with pytest.raises(RunTimeError, match=r"within 0\.2 s"):
        engine.prolog(stubborn, seconds=0.2, inferences=10**12)
    with pytest.raises(RunTimeError, match="it aborts"):
        engine.prolog("abort")
    assert plain(engine, "double(1, X)") == [{"X": 2}]


def test_given_values_that_cannot_be(engine: Engine) -> None:
    with pytest.raises(UsageError, match="EP505 the question has no variable Y"):
        engine.prolog("X = 1", Y=1)
    with pytest.raises(UsageError, match="EP505 the value of X is not an RDF term but object"):
        engine.prolog("X = 1", X=object())


def test_a_question_writes_no_facts_of_the_engine(engine: Engine) -> None:
    for goal in ("retractall(rdf(_, _, _))", "assertz(rdf(a, b, c))", "retract((rdf(_, _, _) :- _))"):
        with pytest.raises(RunTimeError, match="No permission"):
            engine.prolog(goal)
    list(engine.prolog("assertz(seen(b)), assertz(clock(5)), assertz(trigger(a, b, c, d, e, f))"))
    assert plain(engine, "seen(X)") == [{"X": "a"}, {"X": "b"}]  # the user's own
    engine.register("SELECT ?x { ?x <urn:p> ?y }")
    engine.send(URIRef("urn:x"), URIRef("urn:p"), Literal(1), 1)
    engine.finish()
    assert [str(each["x"]) for each in engine.matches()] == ["urn:x"]


def test_an_engine_without_background_keeps_what_it_is_told() -> None:
    with Engine() as engine, Engine() as other:
        list(engine.prolog("assertz(note(1))"))
        assert plain(engine, "note(X)") == [{"X": 1}]
        with pytest.raises(RunTimeError, match="note/1"):
            other.prolog("note(_)")
        assert plain(engine, "rdf(S, P, O)") == []


def test_the_sandbox(engine: Engine) -> None:
    for goal in ("shell(ls)", "list", "open('/etc/passwd', read, S)", "etalis_engine:close_engine(x)"):
        with pytest.raises(RunTimeError, match="EP306"):
            engine.prolog(goal, sandbox=True)
    assert plain(engine, "findall(C, rdf('urn:e', rdf:type, C), L)", sandbox=True) == [
        {"L": "['urn:Oak', 'urn:Tree']"}
    ]
    assert plain(engine, "double(3, X)", sandbox=True) == [{"X": 6}]
    assert plain(engine, "occurrence(S, P, O, A, B) ; waiting(Q, F, L, A, B)", sandbox=True) == []
    list(engine.prolog("assertz(seen(b))", sandbox=True))  # what it writes, it keeps to itself
    assert plain(engine, "seen(X)") == [{"X": "a"}]


def test_each_question_in_the_sandbox_counts_from_one(engine: Engine) -> None:
    """Neither what others have asked is told by names that are made, nor by global variables and flags."""
    counted = [{"L": "[a1, a2, b1]"}]
    for _ in range(2):
        found = engine.prolog("maplist(gensym, [a, a, b], L)", sandbox=True)
        assert [{name: str(each) for name, each in one.items()} for one in found] == counted
    goal = "gensym(a, _), reset_gensym, gensym(a, X), reset_gensym(a), gensym(a, Y), X == Y, X == a1"
    assert len(list(engine.prolog(goal, sandbox=True))) == 1
    list(engine.prolog("set_prolog_flag(float_zero_div, infinity)", sandbox=True))
    assert plain(engine, "current_prolog_flag(float_zero_div, infinity)", sandbox=True) == []
    with pytest.raises(RunTimeError, match="EP306"):
        engine.prolog("nb_setval(mine, 1)", sandbox=True)


def test_no_question_in_the_sandbox_changes_another(engine: Engine) -> None:
    before = plain(engine, "rdf(S, P, O)", sandbox=True)
    first = engine.prolog("assertz(mine(1)), member(X, [1, 2])", sandbox=True)
    for goal in ("retractall(rdf(_, _, _))", "assertz(mine(2))", "set_prolog_flag(double_quotes, codes)"):
        assert len(list(engine.prolog(goal, sandbox=True))) == 1
    assert before
    assert plain(engine, "rdf(S, P, O)", sandbox=True) == before
    assert plain(engine, "current_prolog_flag(double_quotes, X)") == [{"X": "string"}]
    assert [each["X"].toPython() for each in first] == [1, 2]
    with pytest.raises(RunTimeError, match="EP306"):
        engine.prolog("mine(X)", sandbox=True)


INTERRUPTED = """
import signal
from etalis_py import Engine
signal.alarm(1800)  # the goals have no end: should the test be killed, this ends them
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in what a shell runs behind
with Engine() as engine:
    for goal in ("repeat, fail", "sleep(60)", "repeat, catch((repeat, fail), _, fail)"):
        try:
            engine.prolog(f"writeln(asked), flush_output, {goal}", inferences=10**15)
        except KeyboardInterrupt:
            print("stopped", flush=True)
    print(*(answer["X"] for answer in engine.prolog("member(X, [1, 2])")))
    try:
        print("asked", flush=True)
        while True:
            pass
    except KeyboardInterrupt:
        print("Python's again")
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_stops_the_goal_and_not_the_engine() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line.strip())
        if line == "asked\n":
            process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 0
    assert lines == ["asked", "stopped"] * 3 + ["1 2", "asked", "Python's again"]


SIGNALLED = """
import os, signal
from etalis_py import Engine
caught = []
for _ in range(40):
    with Engine() as engine:
        list(engine.prolog("member(X, [1, 2])"))
        signal.signal(signal.SIGINT, lambda *_: caught.append(1))
        os.kill(os.getpid(), signal.SIGINT)
        engine.send_batch({"start": [1, 2], "s": ["<urn:s>"] * 2, "p": ["<urn:p>"] * 2, "o": ["<urn:o>"] * 2})
print(len(caught))
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_signals_after_a_question_find_their_stack() -> None:
    done = subprocess.run([sys.executable, "-c", SIGNALLED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "40\n", "")
