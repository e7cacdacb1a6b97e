"""Queries, events and commands with piped input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

BOX1 = "warm  1970-01-01T00:00:10Z .. 1970-01-01T00:00:30Z  box=:box1  place=:freezer"


def answers(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("[")]


def test_a_query_sees_what_comes_after_it(shell: Callable[..., Any]) -> None:
    ran = shell(
        ":load goods.ttl\n:load warm.rq\n:stream events.csv\n:advance\n"
        "SELECT ?x { ?x <urn:cold:sold> ?y }\n\n"
        ":send <urn:cold:box7> <urn:cold:sold> <urn:cold:shop> 1970-01-01T00:01:00Z\n"
    )
    assert answers(ran.out) == [
        f"[1]  {BOX1}",
        "[2]  query  1970-01-01T00:01:00Z  x=:box7",
    ]
    assert "% events.csv: 3 events; :advance closes the last instant" in ran.out
    assert ran.err == ""


def test_the_plan_is_told_without_what_the_trace_adds(shell: Callable[..., Any]) -> None:
    ran = shell(":explain warm\n", "warm.rq")
    assert ran.out[1:3] == ["--- plan of warm ---", "answers ?box ?place"]
    assert not [line for line in ran.out if "_:why" in line]


def test_files_and_options_of_the_command_line(shell: Callable[..., Any]) -> None:
    ran = shell(":stream events.csv\n", "warm.rq", "--background", "goods.ttl", "--rules", "mine.pl")
    assert answers(ran.out) == [f"[1]  {BOX1}"]
    assert "EP421" in shell("", "--background", "none.ttl", code=3).err
    assert "EP502" in shell("", "none.rq", code=2).err


def test_a_query_ends_with_two_semicolons_an_empty_line_or_the_input(shell: Callable[..., Any]) -> None:
    query = "SELECT ?x {\n  # who?\n  ?x <urn:p> ?y\n}"
    ran = shell(f"# first\n{query} ;;\n{query}\n;;\n{query}\n\n:queries\n{query}")
    assert [line for line in ran.out if "registered" in line] == [
        "% query: registered", "% query-2: registered", "% query-3: registered", "% query-4: registered",
    ]  # fmt: skip
    assert [line.split()[0] for line in ran.out if "SELECT" in line] == ["query", "query-2", "query-3"]


def test_prefixes_hold_for_queries_questions_and_terms(shell: Callable[..., Any]) -> None:
    ran = shell(
        ":prefix ex: <urn:cold:>\n:query warm SELECT ?x {\n ?x ex:p ?y }\n\n"
        ':send ex:a ex:p "five"@en 5\n:send ex:b ex:p "1.5"^^xsd:decimal 6\n:send ex:c a 7 7\n'
        ":send ex:d ex:p -7 8\n"
        ":send ex:e ex:p true 1970-01-01T00:00:09Z 1970-01-01T00:00:10Z\n:advance\n"
        "?- occurrence(ex:b, P, O, _, _).\n"
    )
    assert [line.split()[-1] for line in answers(ran.out)] == ["x=ex:a", "x=ex:b", "x=ex:d", "x=ex:e"]
    assert ran.out[-2:] == ["P = ex:p,", "O = 3r2^^xsd:decimal."]
    assert ran.err == ""


def test_errors_are_messages_and_count_the_lines_that_were_typed(shell: Callable[..., Any]) -> None:
    ran = shell(
        ":prefix ex: <urn:cold:>\nSELECT ?x {\n  ?x ex:p }\n;;\n:run SELECT ?x { ?x ex:p }\n\n"
        ":lod x\n:frobnicate\n:\n:send ex:a ex:p\n:send foo:a ex:p ex:b\n:send 5 ex:p ex:b\n"
        ":send <a b> ex:p ex:b\n"
        ":send ex:a ex:p ex:b tomorrow\n:send ex:a ex:p ex:b 10 5\n:load\n:load none.ttl\n:load none.rq\n"
        ":load none\n"
        ":stream none.csv\n:stream events.csv fast\n:advance\n:advance soon\n:goals none\n:explain none\n"
        ":drop none\n"
        ":policy odd\n:prefix ex\n:save goods.ttl\n:save none/none\n:query\n\n:run\n\n?- true.\n"
    )
    assert ran.out == ["true."]
    assert "EP101 line 2, column 11: unexpected '}'" in ran.err
    assert "EP101 line 1, column 21: unexpected '}'" in ran.err
    codes = [line.split()[0] for line in ran.err.splitlines() if line.startswith("EP")]
    assert codes[2:] == [
        "EP501", "EP501", "EP501", "EP501", "EP505", "EP408", "EP407", "EP505", "EP410", "EP501", "EP421",
        "EP502", "EP502", "EP401", "EP505", "EP501", "EP505", "EP505", "EP505", "EP505", "EP505", "EP501",
        "EP505", "EP304", "EP501", "EP501",
    ]  # fmt: skip
    assert "hint: did you mean :load?" in ran.err


def test_what_the_engine_waits_for(shell: Callable[..., Any]) -> None:
    ran = shell(":goals\n:stream events.csv\n:goals warm\n", "warm.rq")
    assert ran.out[1] == "% nothing waits"
    assert ran.out[3:] == [
        "warm waits at { ?box :unloaded ?dock } SEQ { ?box :cooled ?place }",
        "  1970-01-01T00:00:10Z  box=:box1  dock=:dock",
        "  1970-01-01T00:00:20Z  box=:box2  dock=:dock",
    ]


PATTERNS = (
    ":prefix : <urn:>\n"
    ":query run PREFIX : <urn:> SELECT ?n { { ?x :on ?y } SEQ REPEAT { ?x :heat ?h }"
    " MEASURES (COUNT(*) AS ?n) SEQ { ?x :off ?z } } ;;\n"
    ":query cold PREFIX : <urn:> SELECT ?x { { ?x :on ?y } SEQ NOT { ?x :off ?z } FOR PT30M } ;;\n"
    ":send :a :on 1 2026-01-01T10:00:00Z\n:send :a :heat 7 2026-01-01T10:01:00Z\n"
    ":send :a :heat 8 2026-01-01T10:02:00Z\n:advance\n"
)


def test_runs_and_deadlines_that_the_engine_waits_for(shell: Callable[..., Any]) -> None:
    ran = shell(PATTERNS + ":goals\n:why cold\n")
    assert ran.out[2:] == [
        "run waits at { ?x :on ?y } SEQ REPEAT { ?x :heat ?h } MEASURES (COUNT(...",
        "  2026-01-01T10:00:00Z .. 2026-01-01T10:02:00Z  2 so far  x=:a  y=1",
        "cold waits at { ?x :on ?y } SEQ NOT { ?x :off ?z } FOR PT30M",
        "  2026-01-01T10:00:00Z  until 2026-01-01T10:30:00Z  x=:a  y=1",
        "cold: no answers, though each part of it was matched",
        "   line 1: ?x :on ?y: 1 time",
        "   line 1: { ?x :on ?y } SEQ NOT { ?x :off ?z } FOR PT30M: never; 1 time if nothing more comes",
        "[1]  cold  2026-01-01T10:00:00Z .. 2026-01-01T10:30:00Z  x=:a",
    ]


def test_background_that_is_loaded_later_holds_from_the_beginning(shell: Callable[..., Any]) -> None:
    ran = shell(":stream events.csv\n:advance\n:load goods.ttl\n:load mine.pl\n?- double(2, X).\n", "warm.rq")
    assert answers(ran.out) == [f"[1]  {BOX1}"]  # what was frozen is cooled, says goods.ttl
    assert ran.out[-1] == "X = 4."


def test_replay_lets_a_new_query_see_everything(shell: Callable[..., Any]) -> None:
    ran = shell(
        ":stream events.csv\n:advance\n:query late SELECT ?x { ?x <urn:cold:unloaded> ?y }\n\n"
        ":replay\n:replay\n"
        ":drop late\n:queries\n:restart\n:goals\n",
        "warm.rq",
    )
    assert [line.split()[-1] for line in answers(ran.out)] == ["x=:box1", "x=:box2"]
    assert [line.split()[0] for line in ran.out if "PREFIX" in line] == ["warm"]
    assert ran.out[-1] == "% nothing waits"


def test_a_query_that_is_run_once(shell: Callable[..., Any]) -> None:
    ran = shell(
        ":run SELECT ?x (COUNT(*) AS ?n) { ?x ?p ?o } GROUP BY ?x ORDER BY ?x ;;\n"
        ":stream events.csv\n:run\nSELECT ?x ?y { ?x :cooled ?y }\n\n:run ASK { :box1 a :Chilled }\n\n",
        "--background", "goods.ttl",
    )  # fmt: skip
    assert "x=:box1  y=:freezer" in ran.out
    assert "true" in ran.out
    assert ran.out.count("% 1 answer") == 2


def test_a_policy_holds_for_the_queries_after_it(shell: Callable[..., Any]) -> None:
    pair = "SELECT ?x { { ?x <urn:p> ?y } SEQ { ?z <urn:q> ?x } }"
    events = "".join(f":send <urn:{s}> <urn:{p}> <urn:{o}> {t}\n" for s, p, o, t in (
        ("a", "p", "b", 1), ("a", "p", "c", 2), ("d", "q", "a", 3),
    ))  # fmt: skip
    ran = shell(f":query all {pair}\n\n:policy recent\n:query newest {pair}\n\n{events}")
    assert sorted(line.split()[1] for line in answers(ran.out)) == ["all", "all", "newest"]


def test_what_is_saved_can_be_repeated(shell: Callable[..., Any], folder: Path) -> None:
    script = (
        ":prefix c: <urn:cold:>\n:load goods.ttl\n:query warm SELECT ?box ?place {\n"
        "  { ?box c:unloaded ?d } SEQ { ?box c:cooled ?place }\n} ;;\n:stream events.csv\n"
        ":policy recent\n"
        ":query sold\nSELECT ?x { ?x c:sold ?y }\n\n"
        ":send c:box1 c:sold c:shop 1970-01-01T00:01:00Z\n:advance\n"
    )
    first = shell(script + ":save session.etalis\n")
    again = shell(":load session.etalis\n")
    piped = shell((folder / "session.etalis").read_text())
    named = shell("", "session.etalis")
    assert answers(first.out) == answers(again.out) == answers(piped.out) == answers(named.out) != []
    shell(":load session.etalis\n:save second.etalis\n")
    assert (folder / "second.etalis").read_text() == (folder / "session.etalis").read_text()


def test_files_that_load_each_other_are_an_error(shell: Callable[..., Any], folder: Path) -> None:
    (folder / "a.etalis").write_text(":load a.etalis\n")
    ran = shell(":load a.etalis\n?- true.\n")
    assert "the files load each other in a circle" in ran.err
    assert ran.out == ["true."]


def test_late_and_broken_events_leave_the_session_alive(shell: Callable[..., Any], folder: Path) -> None:
    (folder / "bad.csv").write_text("start,s,p,o\n50,<urn:a>,<urn:p>,<urn:b>\nx,<urn:a>,<urn:p>,<urn:b>\n")
    ran = shell(
        ":stream events.csv\n:send :a :b :c 5\n:stream bad.csv\n"
        ":send :box2 :cooled :fridge 1970-01-01T00:01:00Z\n"
        ":load goods.ttl\n:advance\n",
        "warm.rq",
    )
    assert "EP413" in ran.err
    assert "EP409" in ran.err or "EP413 bad.csv" in ran.err
    assert [line.split()[-2] for line in answers(ran.out)] == ["box=:box1", "box=:box2"]


def test_a_stream_at_a_speed_takes_its_time(shell: Callable[..., Any]) -> None:
    ran = shell(":stream events.csv 100x\n", "warm.rq", "--background", "goods.ttl")
    assert answers(ran.out) == [f"[1]  {BOX1}"]


def test_an_engine_that_has_failed_can_begin_anew(shell: Callable[..., Any]) -> None:
    ran = shell(
        ":prefix c: <urn:c:>\n:query on CONSTRUCT { ?x c:n ?m } { ?x c:n ?n BIND(?n + 1 AS ?m) }\n\n"
        ":send c:a c:n 1 1\n:advance\n:send c:a c:n 1 5\n:restart\n:drop on\n:send c:a c:n 1 5\n?- true.\n",
        "--max-derivations", "100",
    )  # fmt: skip
    assert [line.split()[0] for line in ran.err.splitlines() if line.startswith("EP")] == ["EP302", "EP303"]
    assert "hint: :restart starts again" in ran.err
    assert ran.out[-1] == "true."


def test_errors_show_a_query_as_it_was_typed(shell: Callable[..., Any]) -> None:
    ran = shell(":prefix c: <urn:c:>\nSELECT ?x { ?x c:p c:q FILTER (?y >) }\n\n?- numlist(1, 10000, L).\n")
    assert "EP101 line 1, column 36: unexpected ')'" in ran.err
    assert "SELECT ?x { ?x c:p c:q FILTER (?y >) }\n" + " " * 35 + "^\n" in ran.err
    assert len(ran.out[0]) < 1000
    assert "..." in ran.out[0] or "|" in ran.out[0]


def test_why_an_answer_was_given(shell: Callable[..., Any], folder: Path) -> None:
    ran = shell(
        ":stream events.csv\n:advance\n:why 1\n:load goods.ttl\n:why 1\n:why 1 why.svg\n:why x\n"
        ":why 1 no/why.svg\n",
        "warm.rq",
    )
    assert any("rdfs7: :frozen rdfs:subPropertyOf :cooled" in line for line in ran.out)
    assert (folder / "why.svg").read_text().startswith("<svg")
    assert [line.split()[0] for line in ran.err.splitlines() if line.startswith("EP")] == [
        "EP505", "EP501", "EP304",
    ]  # fmt: skip


def test_why_a_query_has_no_answers(shell: Callable[..., Any]) -> None:
    ran = shell(
        ":stream events.csv\n:prefix c: <urn:cold:>\n"
        ":query sold SELECT ?x { ?x c:sold ?y }\n\n"
        ":query late SELECT ?x { ?x c:unloaded ?y FILTER (?y = c:x) }\n\n"
        ":why sold\n:why late\n:replay\n:load goods.ttl\n:load warm.rq\n:replay\n:advance\n:why warm\n"
    )
    assert "-> line 1: ?x c:sold ?y: never; the stream has c:unloaded 2 times, c:frozen 1 time" in ran.out
    assert any(line.startswith("-> line 1: FILTER (?y = c:x): true never, false") for line in ran.out)
    assert "EP505 warm has answers" in ran.err


def test_help_tells_of_every_command(shell: Callable[..., Any]) -> None:
    from etalis_py.shell.command_table import COMMANDS

    ran = shell(":help\n:help stream\n:quit\n?- true.\n")
    for name in COMMANDS:
        assert any(line.strip().startswith(f":{name} ") for line in ran.out), name
    assert ran.out[-2:] == [
        ":stream [IRI=]FILE [SPEED]",
        "    send the events of a file, to a stream with an IRI; 60x: an hour's in a minute",
    ]


def test_what_is_run_once_sees_the_streams(shell: Callable[..., Any]) -> None:
    ran = shell(":stream urn:a=events.csv\n:run SELECT DISTINCT ?s { STREAM ?s { ?x ?p ?y } } ;;\n")
    assert ran.out[-2:] == ["s=<urn:a>", "% 1 answer"]


def test_a_file_is_sent_to_a_stream_with_a_name(shell: Callable[..., Any], folder: Path) -> None:
    (folder / "late.csv").write_text("start,s,p,o\n1,<urn:s>,<urn:p>,<urn:o>\n")
    ran = shell(
        ":load warm.rq\n:stream cold:dock=events.csv\n:load goods.ttl\n:replay\n:prefix : <urn:cold:>\n"
        ":stream <urn:a>=late.csv\n:stream :dock=late.csv\n:stream urn:b=none.csv\n:stream dock=late.csv\n"
        ":save session.etalis\n"
    )
    assert "% events.csv: 3 events; :advance closes the last instant" in ran.out
    told = [line for line in ran.err.splitlines() if line.startswith("EP")]
    late = "that ends at 1970-01-01T00:00:00.000001Z comes too late"
    assert f"EP413 late.csv, row 1: an element of the stream <urn:a> {late}" in told[0]
    assert f"an element of the stream <urn:cold:dock> {late}" in told[1]
    assert told[2].startswith("EP401 none.csv: ")
    assert told[3] == "EP505 :stream: 'dock' is not an absolute IRI"
    assert ":stream <cold:dock>=events.csv" in (folder / "session.etalis").read_text().splitlines()


def test_a_query_that_leaves_the_running_engine(shell: Callable[..., Any]) -> None:
    """What it made stays, it hears no more, and its name is free; to drop it is as if it had never been."""
    make = ":query make CONSTRUCT {{ ?x ex:n ?y }} {{ ?x ex:{0} ?y }}\n\n"
    ran = shell(
        ":prefix ex: <urn:cold:>\n" + make.format("m") + "SELECT ?x { ?x ex:n ?y }\n\n"
        ":send ex:a ex:m 1 1\n:advance\n:unregister make\n:unregister make\n:send ex:b ex:m 1 5\n:advance\n"
        ":queries\n" + make.format("o") + ":send ex:c ex:o 1 9\n:advance\n:save kept.etalis\n:drop make\n"
        ":send ex:d ex:o 1 20\n:advance\n?- waiting(Q, _, _, _, _).\n",
    )
    shown = [line for line in answers(ran.out) if "query" in line]
    assert [line.split()[-1] for line in shown] == ["x=ex:a", "x=ex:c"]
    assert "% make: unregistered" in ran.out
    assert "there is no query named 'make'" in ran.err
    assert [line.split()[0] for line in ran.out if "SELECT" in line] == ["query"]
    again = shell(":load kept.etalis\n")
    assert [line for line in answers(again.out) if "query" in line] == shown
