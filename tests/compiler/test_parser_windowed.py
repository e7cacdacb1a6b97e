"""Windowed queries as RSP-QL, C-SPARQL, CQELS and SPARQLstream write them."""

from __future__ import annotations

from typing import TypeAlias

import pytest

from etalis_py import CompileError, QuerySyntaxError
from etalis_py.compiler.compile import compile_program
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.parser import parse
from etalis_py.compiler.parse.syntax import Duration, Length, PrefixedName
from etalis_py.compiler.parse.syntax_walk import walk

PREFIX = "PREFIX : <urn:> "
_Written: TypeAlias = "tuple[int, str] | None"


def windows(text: str) -> tuple[syntax.StreamWindow, ...]:
    return parse(PREFIX + text).form.windows


@pytest.mark.parametrize(
    ("clause", "name", "word"),
    [
        ("FROM NAMED WINDOW :w ON :s", ":w", "WINDOW"),
        ("FROM NAMED WINDOW :w ON STREAM :s", ":w", "WINDOW"),
        ("from named window :w on :s", ":w", "WINDOW"),
        ("FROM NAMED WINDOW :w :s", ":w", "WINDOW"),
        ("FROM WINDOW ON :s", None, "WINDOW"),
        ("FROM STREAM :s", None, "STREAM"),
        ("FROM NAMED STREAM :s", ":s", "STREAM"),
    ],
)
def test_a_window_has_a_stream_and_may_have_a_name(clause: str, name: str | None, word: str) -> None:
    (window,) = windows(f"SELECT * {clause} [RANGE PT10S STEP PT5S] {{ }}")
    assert isinstance(window.stream, PrefixedName)
    assert window.stream.local == "s"
    assert (None if window.name is None else f":{window.name.local}") == name  # type: ignore[union-attr]
    assert window.word == word


@pytest.mark.parametrize(
    ("written", "begin", "end", "step"),
    [
        ("NOW-10 S", (10, "s"), None, None),
        ("NOW - 10 s SLIDE 5 s", (10, "s"), None, (5, "s")),
        ("NOW-1h TO NOW-10m STEP 1m", (1, "h"), (10, "m"), (1, "m")),
        ("FROM NOW-5 MIN TO NOW", (5, "min"), None, None),
    ],
)
def test_windows_of_the_past(written: str, begin: _Written, end: _Written, step: _Written) -> None:
    (window,) = windows(f"SELECT * FROM NAMED STREAM :s [{written}] {{ }}")
    assert window.extent == syntax.PastExtent(
        *(None if each is None else _length(*each) for each in (begin, end, step)), span=_SPAN
    )
    with pytest.raises(QuerySyntaxError, match="cannot hold what will come"):
        windows("SELECT * FROM NAMED STREAM :s [NOW+10 S] { }")


def test_older_forms() -> None:
    (window,) = windows(
        "SELECT * FROM NAMED WINDOW :w [RANGE 2s, SLIDE 2s] ON STREAM :s { WINDOW ?w { ?s ?p ?o } }"
    )
    assert window.name == window.name
    assert window.extent == syntax.TimeExtent(_length(2, "s"), _length(2, "s"), span=_SPAN)
    (window,) = windows("SELECT * FROM NAMED :s WIN [RANGE 5s] AS :w { }")
    assert (window.stream, window.name, window.word) == (_name("s"), _name("w"), "WIN")
    (window,) = windows("SELECT * FROM NAMED WINDOW ON STREAM :s [RANGE 5s] AS :w { }")
    assert (window.stream, window.name, window.word) == (_name("s"), _name("w"), "WINDOW")
    (window,) = windows("SELECT * FROM WINDOW [RANGE 5s] ON STREAM :s { }")
    assert (window.stream, window.name, window.word) == (_name("s"), None, "WINDOW")


def test_words_that_name_streams() -> None:
    query = parse("SELECT * FROM STREAM Docks [RANGE 5s STEP 5s] { STREAM Docks { ?s ?p ?o } }")
    (window,) = query.form.windows
    (pattern,) = (each for each in walk(query.form) if isinstance(each, syntax.StreamPattern))
    assert isinstance(window.stream, syntax.IriRef)
    assert isinstance(pattern.name, syntax.IriRef)
    assert (window.stream.text, pattern.name.text, pattern.extent) == ("Docks", "Docks", None)


_SPAN = parse("ASK { }").span


def _length(number: int, unit: str | None) -> Length:
    return Length(number, unit, span=_SPAN)


def _name(local: str) -> PrefixedName:
    return PrefixedName("", local, span=_SPAN)


def _seconds(count: int) -> Duration:
    return _duration(f"PT{count}.000000S")


def _duration(text: str) -> Duration:
    return Duration(text, span=_SPAN)


@pytest.mark.parametrize(
    ("written", "extent"),
    [
        ("RANGE PT10M", syntax.TimeExtent(_duration("PT10M"), span=_SPAN)),
        ("RANGE PT10m STEP PT1m", syntax.TimeExtent(_duration("PT10M"), _duration("PT1M"), span=_SPAN)),
        ("range 3000ms slide 1s", syntax.TimeExtent(_length(3000, "ms"), _length(1, "s"), span=_SPAN)),
        ("RANGE 30m TUMBLING", syntax.TimeExtent(_length(30, "m"), _length(30, "m"), span=_SPAN)),
        ("RANGE 5 STEP 5", syntax.TimeExtent(_length(5, None), _length(5, None), span=_SPAN)),
        ("RANGE 1h30m STEP 1m 30s", syntax.TimeExtent(_seconds(5400), _seconds(90), span=_SPAN)),
        ("RANGE 5000000ns", syntax.TimeExtent(_duration("PT0.005000S"), span=_SPAN)),
        ("RANGE UNBOUNDED", syntax.TimeExtent(None, span=_SPAN)),
        ("RANGE 1h WHOLE", syntax.TimeExtent(_length(1, "h"), whole=True, span=_SPAN)),
        ("ELEMENTS 5", syntax.CountExtent(5, triples=False, span=_SPAN)),
        ("ROWS 5 STEP 2", syntax.CountExtent(5, triples=False, step=2, span=_SPAN)),
        ("TRIPLES 5", syntax.CountExtent(5, triples=True, span=_SPAN)),
        ("RANGE TRIPLES 5", syntax.CountExtent(5, triples=True, span=_SPAN)),
        ("NOW", syntax.NowExtent(span=_SPAN)),
        ("NOW-PT6M TO NOW-PT5M", syntax.PastExtent(_duration("PT6M"), _duration("PT5M"), span=_SPAN)),
        (
            "FROM NOW-PT2H TO NOW STEP PT1H",
            syntax.PastExtent(_duration("PT2H"), None, _duration("PT1H"), span=_SPAN),
        ),
    ],
)
def test_extents(written: str, extent: syntax.StreamExtent) -> None:
    assert windows(f"SELECT * FROM NAMED WINDOW :w ON :s [{written}] {{ }}")[0].extent == extent


def test_the_window_of_a_pattern_may_stand_before_its_stream() -> None:
    """So the grammar of CQELS has it; its examples have it behind."""
    first, second = (
        parse(f"{PREFIX}SELECT * {{ STREAM {written} {{ ?s ?p ?o }} }}").form.where
        for written in ("[RANGE 5s SLIDE 1s] :s", ":s [RANGE 5s SLIDE 1s]")
    )
    assert first == second


def test_where_windows_start() -> None:
    (window,) = windows(
        'SELECT * FROM NAMED WINDOW :w ON :s [RANGE 1h STARTING AT "2026-01-01T00:00:00Z"] { }'
    )
    assert isinstance(window.extent, syntax.TimeExtent)
    assert window.extent.starting_at is not None
    assert window.extent.starting_at.lexical == "2026-01-01T00:00:00Z"
    (window,) = windows("SELECT * FROM NAMED WINDOW :w ON :s [LND 5] { }")
    assert isinstance(window.extent, syntax.Landmark)
    assert window.extent.begin.lexical == "5"


def test_a_registration_says_what_is_given_and_when() -> None:
    text = "REGISTER ISTREAM :out EVERY 5s STARTING AT 0 REPORT CHANGE NONEMPTY AS"
    query = parse(
        f"{PREFIX} {text} SELECT * FROM NAMED WINDOW :w ON :s [RANGE 5s] {{ WINDOW :w {{ ?s ?p ?o }} }}"
    )
    registration = query.registration
    assert registration is not None
    assert (registration.word, registration.name) == ("ISTREAM", _name("out"))
    assert (registration.every, registration.report) == (_length(5, "s"), "CHANGE")
    assert registration.nonempty
    assert registration.starting_at is not None


def test_a_registration_may_stand_before_the_prefixes() -> None:
    window = "FROM STREAM :t [RANGE 10s STEP 5s]"
    text = f"REGISTER QUERY hot COMPUTED EVERY 10s AS PREFIX : <urn:> ASK {window} {{ ?s :p 1 }}"
    query = parse(text)
    assert query.registration is not None
    assert (query.registration.word, query.registration.name) == ("QUERY", "hot")
    assert len(query.prologue.declarations) == 1


def test_the_stream_of_a_relation_may_stand_in_the_form() -> None:
    form = parse(PREFIX + "SELECT ISTREAM DISTINCT ?s { ?s ?p ?o }").form
    assert isinstance(form, syntax.Select)
    assert (form.to_stream, form.duplicates) == ("ISTREAM", "DISTINCT")
    form = parse(PREFIX + "CONSTRUCT DSTREAM { ?s ?p ?o } { ?s ?p ?o }").form
    assert isinstance(form, syntax.Construct)
    assert (form.to_stream, form.stream) == ("DSTREAM", None)


def test_cqels_has_windows_in_the_pattern() -> None:
    where = parse(
        PREFIX + "SELECT ?s { STREAM :t [RANGE 10s SLIDE 5s] { ?s ?p ?o } STREAM :u [NOW] { } }"
    ).form.where
    assert where is not None
    first, second = where.elements
    assert isinstance(first, syntax.StreamPattern)
    assert first.extent == syntax.TimeExtent(_length(10, "s"), _length(5, "s"), span=_SPAN)
    assert isinstance(second, syntax.StreamPattern)
    assert second.extent == syntax.NowExtent(span=_SPAN)


def test_units_may_be_words() -> None:
    (past,) = parse(
        "SELECT * FROM NAMED STREAM <urn:s> [NOW - 1 HOURS SLIDE 10 MINUTES] { ?s ?p ?o }"
    ).form.windows
    assert past.extent == syntax.PastExtent(_length(1, "h"), None, _length(10, "m"), span=_SPAN)
    (window,) = windows("SELECT * FROM NAMED WINDOW :w ON :s [RANGE 2 days STEP 30 Seconds] { }")
    assert window.extent == syntax.TimeExtent(_length(2, "d"), _length(30, "s"), span=_SPAN)


def test_windows_of_aggregates_read_as_before() -> None:
    form = parse("SELECT (COUNT(*) AS ?n) { ?s ?p ?o } WINDOW [NOW-PT2H TO NOW-PT1H]").form
    assert isinstance(form.modifiers.window, syntax.PastWindow)


@pytest.mark.parametrize(
    ("extent", "message"),
    [
        ("RANGE 5 weeks", "is not a unit of time"),
        ("ELEMENTS 0", "a window of nothing is always empty"),
        ("RANGE PT", "unexpected 'PT'"),
        ("RANGE PT5X", "is not a duration"),
    ],
)
def test_what_is_no_window(extent: str, message: str) -> None:
    with pytest.raises(QuerySyntaxError, match=message):
        windows(f"SELECT * FROM NAMED WINDOW :w ON :s [{extent}] {{ }}")


def test_what_cannot_be_run_is_refused() -> None:
    text = "SELECT * FROM NAMED WINDOW :w ON :s [TRIPLES 5] { WINDOW :w { GRAPH ?g { ?s ?p ?o } } }"
    with pytest.raises(CompileError, match="cannot be run by this version"):
        compile_program(PREFIX + text, name="q")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { WINDOW :w { ?s ?p ?o } }",
        "SELECT ISTREAM * { ?s ?p ?o }",
        "REGISTER QUERY q AS SELECT * { ?s ?p ?o }",
        "SELECT (getWINDOWEND(:w) AS ?e) { ?s ?p ?o }",
    ],
)
def test_a_window_is_declared(text: str) -> None:
    with pytest.raises(CompileError, match=r"EP217 .*declares no window"):
        compile_program(PREFIX + text, name="q")
