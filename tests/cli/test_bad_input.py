"""Bad input: its own code, a message with place and hint, the exit code; and what was answered stays."""

from __future__ import annotations

from pathlib import Path

import pytest

GOOD = """\
start,s,p,o
1970-01-01T00:00:01Z,<http://example.org/a>,<http://example.org/low>,"1"
1970-01-01T00:00:02Z,<http://example.org/a>,<http://example.org/high>,"2"
1970-01-01T00:00:03Z,<http://example.org/b>,<http://example.org/low>,"3"
1970-01-01T00:00:03Z,<http://example.org/a>,<http://example.org/high>,"3"
""".replace(',"', ',"""').replace('"\n', '"""\n')
A, B = ("http://example.org/a",), ("http://example.org/b",)


def check(done, code: str, exit_code: int, *parts: str) -> None:
    """The error is as promised: code and place, text, hint; no traceback; and nothing else was said."""
    first, *others = done.err.rstrip("\n").split("\n")
    assert first.startswith(f"{code} "), done.err
    assert done.code == exit_code
    assert "Traceback" not in done.err
    assert others[-1].startswith("hint: ") or exit_code == 2
    for part in parts:
        assert part in done.err


@pytest.mark.parametrize(
    ("query", "code", "parts"),
    [
        ("SELECT ?x WHERE { ?x ?y }", "EP101", ["q.rq, line 1, column 25", "\n                        ^\n"]),
        ("SELECT ?x WHERE {", "EP102", ["q.rq, line 1, column 18"]),
        ("SELECT ?x\nWHERE { ?x exx:p ?y }", "EP106", ["q.rq, line 2, column 12", "'exx:'"]),
        ("SELECT ?x WHERE { ?x ?p ?y FILTER(<urn:f>(DISTINCT ?x)) }", "EP202", ["q.rq, line 1, column 34"]),
        ("SELECT ?x WHERE { ?x ?p ?y SERVICE <urn:s> { ?x ?q 1 } }", "EP209", ["q.rq, line 1, column 28"]),
    ],
)
def test_a_bad_query(etalis, folder: Path, query: str, code: str, parts: list[str]) -> None:
    (folder / "q.rq").write_text(query)
    done = etalis("run q.rq --stream rise.ndjson")
    assert done.out == b""
    check(done, code, 2, *parts)


@pytest.mark.parametrize(
    ("row", "code", "parts"),
    [
        ('1970-01-01T00:00:04Z,<urn:b>,<urn:p>,"x', "EP411", ["bad.csv, line 6"]),
        (
            "1970-01-01T00:00:04Z,<urn:b>,urn:p,<urn:o>\n",
            "EP407",
            ["bad.csv, line 6, row 5", "'p'"],
        ),
        (
            "yesterday,<urn:b>,<urn:p>,<urn:o>\n",
            "EP409",
            ["bad.csv, line 6, row 5", "yesterday"],
        ),
        ('1970-01-01T00:00:04Z,"""b""",<urn:p>,<urn:o>\n', "EP408", ["bad.csv, line 6, row 5", "'s'"]),
        ("1970-01-01T00:00:04Z,<urn:b>\n", "EP405", ["bad.csv, line 6, row 5"]),
        ("1970-01-01T00:00:02Z,<urn:b>,<urn:p>,<urn:o>\n", "EP413", ["bad.csv, row 5", "00:00:02Z"]),
        ("1970-01-01T00:00:04Z,<urn:b>,<urn:p>,<urn", "EP411", ["bad.csv, line 6, row 5"]),
    ],
)
def test_what_was_answered_before_a_bad_row_stays(etalis, folder: Path, row: str, code: str, parts) -> None:
    (folder / "bad.csv").write_text(GOOD + row)
    done = etalis("run rise.rq --stream bad.csv")
    check(done, code, 3, *parts)
    # The second answer is of the instant that was open: nothing could take it back.
    assert done.found == [A, A]


def test_an_answer_that_the_missing_rows_could_take_back_is_not_given(etalis, folder: Path) -> None:
    (folder / "alone.rq").write_text(
        "PREFIX ex: <http://example.org/> SELECT ?x ?y WHERE { { ?x ex:low ?v } OPTIONAL { ?x ex:high ?y } }"
    )
    (folder / "bad.csv").write_text(GOOD + "broken\n")
    done = etalis("run alone.rq --stream bad.csv")
    assert done.code == 3
    assert done.found == [A], "b's row is of the open instant, in which b's ex:high may be missing"


def test_missing_columns(etalis, folder: Path) -> None:
    (folder / "bad.csv").write_text("start,subject,p,o\n")
    check(etalis("run rise.rq --stream bad.csv"), "EP404", 3, "bad.csv", "'s'", "'subject'")
    (folder / "bad.ndjson").write_text('{"start": 1, "s": "<urn:a>", "p": "<urn:p>"}\n')
    check(etalis("run rise.rq --stream bad.ndjson"), "EP404", 3, "bad.ndjson, line 1", "'o'")


def test_an_empty_or_unreadable_stream(etalis, folder: Path) -> None:
    (folder / "empty.csv").write_text("")
    check(etalis("run rise.rq --stream empty.csv"), "EP402", 3, "empty.csv")
    check(etalis("run rise.rq --stream nowhere.csv"), "EP401", 3, "nowhere.csv", "no such file")
    (folder / "folder.csv").mkdir()
    check(etalis("run rise.rq --stream folder.csv"), "EP401", 3, "folder.csv", "folder")
    (folder / "latin.csv").write_bytes(GOOD.encode() + b"1970-01-01T00:00:04Z,<urn:\xe9>,<urn:p>,<urn:o>\n")
    check(etalis("run rise.rq --stream latin.csv"), "EP403", 3, "latin.csv, line 6, column 27")


def test_background_with_a_syntax_error(etalis, folder: Path) -> None:
    (folder / "bad.ttl").write_text("<urn:a> a <urn:B>\n<urn:c> a <urn:D> .")
    done = etalis("run rise.rq --stream rise.ndjson --background bad.ttl")
    check(done, "EP422", 3, "bad.ttl, line 2, column 1")
    assert done.out == b""


def test_a_prolog_file_that_raises(etalis, folder: Path) -> None:
    (folder / "bad.pl").write_text("big(X) :- X > 3.\n:- X is foo + 1, big(X).\n")
    done = etalis("run rise.rq --stream rise.ndjson --rules bad.pl")
    assert done.err.startswith("EP444 bad.pl, line 2")
    assert done.code == 3


def test_a_predicate_that_raises_while_it_runs(etalis, folder: Path) -> None:
    (folder / "bad.pl").write_text("big(_) :- atom_length(_, _).\n")
    (folder / "q.rq").write_text("SELECT ?x WHERE { ?x ?p ?y FILTER(prolog:big(?y)) }")
    done = etalis("run q.rq --stream rise.ndjson --rules bad.pl")
    assert done.err.startswith("EP301 ")
    assert done.code == 4


def test_a_recursion_without_end(etalis, folder: Path) -> None:
    (folder / "q.rq").write_text(
        "CONSTRUCT { ?x <urn:count> ?next } WHERE { ?x <urn:count> ?now BIND(?now + 1 AS ?next) }"
    )
    (folder / "s.csv").write_text(
        'start,s,p,o\n1,<urn:a>,<urn:count>,"""1""^^<http://www.w3.org/2001/XMLSchema#integer>"\n'
    )
    done = etalis("run q.rq --stream s.csv --max-derivations 100")
    check(done, "EP302", 4, "100")


def test_verbose_shows_the_traceback_after_the_message(etalis, folder: Path) -> None:
    done = etalis("run rise.rq --stream nowhere.csv --verbose")
    first, *_, last = done.err.splitlines()
    assert first.startswith("EP401 nowhere.csv")
    assert "Traceback (most recent call last):" in done.err
    assert last.startswith("hint:")


def test_a_document_is_whole_after_an_error(etalis, folder: Path) -> None:
    import json

    (folder / "bad.csv").write_text(GOOD + "broken\n")
    done = etalis("run rise.rq --stream bad.csv --results json")
    assert done.code == 3
    assert len(json.loads(done.out)["results"]["bindings"]) == 2


SECONDS = """\
start,s,p,o
1773820801,<http://example.org/a>,<http://example.org/low>,"1"
1773820802.5,<http://example.org/a>,<http://example.org/high>,"2"
""".replace(',"', ',"""').replace('"\n', '"""\n')


def test_seconds_are_refused_with_the_option_that_reads_them(etalis, folder: Path) -> None:
    (folder / "s.csv").write_text(SECONDS)
    done = etalis("run rise.rq --stream s.csv")
    check(
        done, "EP418", 3, "s.csv, line 2, row 1", "2026-03-18T08:00:01Z", "hint: --time-unit s reads seconds"
    )
    done = etalis("run rise.rq --stream s.csv --time-unit s --results csv")
    assert (done.code, done.err) == (0, "")
    assert b"2026-03-18T08:00:01Z,2026-03-18T08:00:02.5Z" in done.out
    done = etalis("explain rise.rq --profile s.csv --time-unit s")
    assert (done.code, done.err) == (0, "")
    assert etalis("explain rise.rq --profile s.csv").code == 3


def test_options_are_named_as_the_command_line_has_them(etalis, folder: Path) -> None:
    (folder / "late.csv").write_text(GOOD + GOOD.splitlines()[1] + "\n")
    done = etalis("run rise.rq --stream late.csv")
    check(done, "EP413", 3, "with --on-late drop, or wait for them with a (longer) duration as --on-late")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("run rise.rq rise.ndjson", "hint: --stream rise.ndjson?"),
        ("run rise.rq --stream rise.ndjson --policy recents", "hint: did you mean recent?"),
        ("run rise.rq --stream none*.csv", "EP401 none*.csv: the stream cannot be read: no file matches"),
    ],
)
def test_what_is_told_of_words_in_the_wrong_place(etalis, line: str, told: str) -> None:
    done = etalis(line)
    assert done.code in (2, 3)
    assert told in done.err


def test_no_answers_is_not_said_where_the_data_breaks_off(etalis, folder: Path) -> None:
    (folder / "bad.csv").write_text("\n".join([*GOOD.splitlines()[:2], "broken", ""]))
    done = etalis("run rise.rq --stream bad.csv --results table")
    assert (done.code, done.out) == (3, b"")
    (folder / "bad.csv").write_text("\n".join([*GOOD.splitlines()[:2], ""]))
    assert etalis("run rise.rq --stream bad.csv --results table").out == b"rise: no answers\n"
