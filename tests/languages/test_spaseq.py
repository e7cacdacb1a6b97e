"""SPAseq: the paper's queries as it prints them, its examples, and the syntax of its program.

Answers are the oracle's and the engine's; ``spaseq/query-1.spaseq`` and on are Queries 1 to 6 of the paper.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from etalis_py.cli import main
from etalis_py.compiler.languages.languages import language_of, read_program
from etalis_py.core.errors import EtalisWarning, QueryError
from etalis_py.core.explanations import MESSAGES
from etalis_py.core.terms import Encoded, ntriples
from etalis_py.core.vocabulary import XSD_INTEGER
from etalis_py.engine.engine import Engine
from tests.oracle.program import World, answers
from tests.oracle.running import batch_of, tally
from tests.oracle.solutions import Answer, Placed, Triple
from tests.oracle.vocabulary import SECOND

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOLDER = Path(__file__).with_name("spaseq")
PAPER = sorted(FOLDER.glob("query-*.spaseq"))
EXAMPLE = "http://example/"

# What is odd in the paper's queries: the code of the warning, line and column.
ODD = {
    "query-1": ["EW40 10:12"],
    "query-2": ["EW06 2:8", "EW06 2:16", "EW06 2:19", "EW06 12:13", "EW08 19:7", "EW40 19:11"],
    "query-3": [],
    "query-4": ["EW41 7:15"],
    "query-5": ["EW06 3:8", "EW06 3:16", "EW06 3:19"],
    "query-6": ["EW40 24:15"],
}

HEAD = "PREFIX : <http://example/>\nSELECT * WITHIN 100 SECONDS\n"
STREAMS = "FROM STREAM S1 <urn:s1> FROM STREAM S2 <urn:s2>\n"
POWER = "DEFINE GPM A ON S1 { ?h :pow ?p . ?h :loc ?l }\nDEFINE GPM B ON S2 { ?w :value ?v . ?w :loc ?l }"
EXAMPLE_6 = """10 s1 h1 pow p1, 10 s1 h1 loc l1, 15 s1 h2 pow p2, 15 s1 h2 loc l1,
15 s2 w1 value v1, 15 s2 w1 loc l2, 20 s2 w1 value v1, 20 s2 w1 loc l1, 25 s2 w2 value v2, 25 s2 w2 loc l1"""
EXAMPLE_9 = """10 s1 h1 pow p1, 10 s1 h1 loc l1, 25 s1 h2 pow p2, 25 s1 h2 loc l2,
15 s2 w1 value v1, 15 s2 w1 loc l1, 20 s2 w2 value v2, 20 s2 w2 loc l1"""
EXAMPLE_4 = f"{EXAMPLE_6}, 10 s2 w3 value v3, 10 s2 w3 loc l1"
FIGURE_1 = "1 s1 a1 is a, 2 s1 b1 is b, 3 s1 c1 is c, 4 s1 a2 is a, 5 s1 a3 is a, 6 s1 b2 is b, 7 s1 c2 is c"
LETTERS = "\n".join(f"DEFINE GPM {each.upper()} ON S1 {{ ?{each} :is :{each} }}" for each in "abc")
PRICES = """1 s1 g price 5, 2 s1 h price 9, 3 s1 g price 7, 3 s2 g volume 1, 4 s1 g price 6, 5 s1 h price 4,
6 s1 g price 8, 7 s2 g volume 2"""
RISE = """DEFINE GPM A ON S1 { ?g :price ?p1 }
DEFINE GPM B ON S1 { ?g :price ?p2 . FILTER (?p2 > ?p1) }
DEFINE GPM C ON S2 { ?g :volume ?v }
DEFINE GPM D ON S1 { ?g :price ?p3 . FILTER (?p3 < ?p1) }"""

# name: (sequence, definitions, stream, variables, answers as "start-end values")
ANSWERS = {
    "example 6, skip till any": (
        "A:B", POWER, EXAMPLE_6, "h w", ["10-20 h1 w1", "10-25 h1 w2", "15-20 h2 w1", "15-25 h2 w2"],
    ),
    "example 7, skip till next": ("A ; B", POWER, EXAMPLE_6, "h w", ["10-20 h1 w1", "15-20 h2 w1"]),
    "example 8, strict contiguity": ("A, B", POWER, EXAMPLE_6, "h w", ["15-20 h2 w1"]),
    "example 9, Kleene+": ("A; B+", POWER, EXAMPLE_9, "h w v", ["10-15 h1 w1 v1", "10-20 h1 w2 v2"]),
    "Kleene+ first": ("B+", POWER, EXAMPLE_9, "w", ["15-15 w1", "15-20 w2", "20-20 w2"]),
    "example 5, disjunction": (
        "(A|B)", POWER, EXAMPLE_9, "h w", ["10-10 h1 -", "15-15 - w1", "20-20 - w2", "25-25 h2 -"],
    ),
    "example 4, conjunction": ("A & B", POWER, EXAMPLE_4, "h w", ["10-10 h1 w3"]),
    "figure 1, strict": ("A, B, C", LETTERS, FIGURE_1, "a b c", ["1-3 a1 b1 c1", "5-7 a3 b2 c2"]),
    "figure 1, next": (
        "A; B; C", LETTERS, FIGURE_1, "a b c", ["1-3 a1 b1 c1", "4-7 a2 b2 c2", "5-7 a3 b2 c2"],
    ),
    "figure 1, any": (
        "A:B:C", LETTERS, FIGURE_1, "a b c",
        ["1-3 a1 b1 c1", "1-7 a1 b1 c2", "1-7 a1 b2 c2", "4-7 a2 b2 c2", "5-7 a3 b2 c2"],
    ),
    "optional": ("A, B?, C", LETTERS, "1 s1 a1 is a, 2 s1 c1 is c, 3 s1 a2 is a, 4 s1 b1 is b, 5 s1 c2 is c",
                 "a b c",
                 ["1-2 a1 - c1", "3-5 a2 b1 c2"]),
    "negation, next": ("A; B!; C", LETTERS, "1 s1 a1 is a, 2 s1 c1 is c, 3 s1 b1 is b, 4 s1 c2 is c",
                       "a c", ["1-2 a1 c1"]),
    "negation first": ("B!, C", LETTERS, "1 s1 c1 is c, 2 s1 b1 is b, 3 s1 c2 is c", "c", ["1-1 c1"]),
    "filters see earlier GPMs": (
        "A; B", RISE, PRICES, "g p1 p2", ["1-3 g 5 7", "3-6 g 7 8", "4-6 g 6 8"],
    ),
    "filters of a conjunction see earlier GPMs": ("A; (B & C)", RISE, PRICES, "g p1 p2 v", ["1-3 g 5 7 1"]),
    "filters of a disjunction see earlier GPMs": (
        "A; (B | D)", RISE, PRICES, "g p1 p2 p3",
        ["1-3 g 5 7 -", "2-5 h 9 - 4", "3-4 g 7 - 6", "4-6 g 6 8 -"],
    ),
    "the last of an iteration": ("A; B+; C", RISE, PRICES, "g p1 p2 v",
        ["1-7 g 5 6 2", "1-7 g 5 7 2", "3-7 g 7 8 2", "4-7 g 6 8 2"]),
    "a comma at the end": ("A, B,", LETTERS, "1 s1 a1 is a, 2 s1 b1 is b", "a b", ["1-2 a1 b1"]),
}  # fmt: skip


def query(sequence: str, definitions: str, between: str = "") -> str:
    """SEQ stands within the braces, as in the paper."""
    return f"{HEAD}{between}{STREAMS}WHERE {{ SEQ ({sequence})\n{definitions} }}"


def stream(text: str) -> list[Placed]:
    """``second stream subject predicate object``, by commas."""
    found = []
    for line in text.split(","):
        second, name, subject, predicate, value = line.split()
        target: Encoded = (int(value), XSD_INTEGER) if value.isdigit() else EXAMPLE + value
        triple: Triple = (EXAMPLE + subject, EXAMPLE + predicate, target)
        found.append(Placed(triple, (int(second) * SECOND, int(second) * SECOND), f"urn:{name}"))
    return sorted(found, key=lambda each: each.interval[1])


def of_oracle(text: str, placed: list[Placed]) -> list[Answer]:
    """What the translated query means."""
    times = [each.interval[1] for each in placed]
    queries = [each.query for each in read_program(text)]
    return answers(queries, World(frozenset(), clock=(min(times), max(times)), placed=frozenset(placed)))[0]


def of_engine(text: str, placed: list[Placed]) -> list[Answer]:
    """What the engine gives."""
    with Engine() as engine, warnings.catch_warnings():
        warnings.simplefilter("ignore", EtalisWarning)
        engine.register(text, name="0")
        occurrences = [(each.triple, each.interval) for each in placed]
        engine.send_encoded(batch_of(occurrences, [(each.stream, None) for each in placed]))
        engine.finish()
        return tally(list(engine.matches()), 1)[0]


def shown(found: list[Answer], variables: str) -> list[str]:
    """Times and values, in order."""
    lines = []
    for bindings, start, end in found:
        values = dict(bindings)  # type: ignore[call-overload]
        cells = " ".join(_cell(values.get(each)) for each in variables.split())
        lines.append(f"{start // SECOND}-{end // SECOND} {cells}")
    return sorted(lines)


def _cell(value: Encoded | None) -> str:
    if value is None:
        return "-"
    return str(value[0]) if isinstance(value, tuple) else value.removeprefix(EXAMPLE)


@pytest.mark.parametrize("name", ANSWERS)
def test_answers(name: str) -> None:
    sequence, definitions, events, variables, expected = ANSWERS[name]
    text, placed = query(sequence, definitions), stream(events)
    assert shown(of_oracle(text, placed), variables) == sorted(expected)
    assert shown(of_engine(text, placed), variables) == sorted(expected)


# ---- Clauses -------------------------------------------------------------------------------------------


def test_the_window_slides() -> None:
    text = query("A; B", LETTERS).replace("100 SECONDS", "2 SECONDS")
    placed = stream("1 s1 a1 is a, 3 s1 b1 is b, 4 s1 a2 is a, 7 s1 b2 is b")
    assert shown(of_engine(text, placed), "a b") == shown(of_oracle(text, placed), "a b") == ["1-3 a1 b1"]


def test_windows_that_tumble() -> None:
    """Windows of 10 s from the epoch on: an event at 10 is of the second one (Definition 16)."""
    text = query("A; B", LETTERS).replace("100 SECONDS", "10 SECONDS")
    placed = stream("1 s1 a1 is a, 9 s1 a2 is a, 10 s1 b1 is b, 12 s1 a3 is a, 19 s1 b2 is b, 20 s1 b3 is b")
    assert shown(of_engine(text, placed), "a b") == ["1-10 a1 b1", "12-19 a3 b2", "9-10 a2 b1"]
    tumbling = text.replace("SELECT *", "PRAGMA window tumbling\nSELECT *")
    assert shown(of_engine(tumbling, placed), "a b") == ["12-19 a3 b2"]
    with pytest.raises(QueryError, match=r"EP204 .*window cannot be 'cubic'"):
        of_engine(text.replace("SELECT *", "PRAGMA window cubic\nSELECT *"), placed)


def test_events_of_another_partition_are_not_between() -> None:
    text = query("A, B", RISE, "partition by (?g)\n")
    found = shown(of_engine(text, stream(PRICES)), "g p1 p2")
    assert found == shown(of_oracle(text, stream(PRICES)), "g p1 p2")
    assert found == ["1-3 g 5 7", "4-6 g 6 8"]
    alone = query("A, B", RISE)
    assert shown(of_oracle(alone, stream(PRICES)), "g p1 p2") == []


def test_partitions_may_be_named_one_by_one() -> None:
    """As the program's grammar has it."""
    two = query("A, B", RISE, "PARTITION BY (?g)\nPARTITION BY (?p1)\n")
    with pytest.raises(QueryError, match=r"EP122.*p1"):
        read_program(two)
    once = query("A, B", RISE, "PARTITION BY (?g)\nPARTITION BY (?g)\n")
    assert shown(of_engine(once, stream(PRICES)), "g p1 p2") == ["1-3 g 5 7", "4-6 g 6 8"]


def test_a_gpm_on_several_streams() -> None:
    text = query("A; B", "DEFINE GPM A ON S1, S2 { ?x :is :a }\nDEFINE GPM B ON S2 { ?y :is :b }")
    placed = stream("1 s1 a1 is a, 2 s2 a2 is a, 3 s1 b1 is b, 4 s2 b2 is b")
    assert shown(of_engine(text, placed), "x y") == ["1-4 a1 b2", "2-4 a2 b2"]


def test_triples_of_one_event() -> None:
    """The value and the place of W1 at 15 and at 20 are of two events."""
    text = query("B", POWER)
    placed = stream("15 s2 w1 value v1, 20 s2 w1 loc l1, 25 s2 w1 value v2, 25 s2 w1 loc l2")
    assert shown(of_engine(text, placed), "w v l") == ["25-25 w1 v2 l2"]


def test_construct() -> None:
    text = query("A; B", LETTERS).replace("SELECT *", "CONSTRUCT { ?a :then ?b }")
    found = of_engine(text, stream("1 s1 a1 is a, 2 s1 b1 is b"))
    triple = tuple(EXAMPLE + each for each in ("a1", "then", "b1"))
    assert found == [(frozenset([triple]), SECOND, 2 * SECOND)]


def test_the_syntax_of_the_program() -> None:
    """SEQ in front of the braces, small letters, a dot behind a filter, no WHERE."""
    text = """prefix pred:<http://example/>
    SELECT ?g ?p1 ?p2 WITHIN 10 SECONDS partition by (?g) FROM STREAM S1 <urn:s1>
    SEQ (A;B+) {
      DEFINE GPM A ON S1 { ?g pred:price ?p1. }
      define gpm B on S1 { ?g pred:price ?p2. Filter (?p2 > ?p1). }
    }"""
    found = shown(of_engine(text, stream(PRICES)), "g p1 p2")
    assert found == ["1-3 g 5 7", "1-4 g 5 6", "1-6 g 5 8", "3-6 g 7 8", "4-6 g 6 8"]


def test_the_samples_of_the_program() -> None:
    """Of its folders data and tests-jar: how they write conjunctions, disjunctions, typed values and dots."""
    head = "prefix c: <http://example/company#>\nprefix pred:<http://example/>\n"
    a, b = (
        "DEFINE GPM A ON S1 { ?c1 pred:price ?p1. }",
        "DEFINE GPM B ON S1 { ?c2 pred:price ?p2.\nFilter (?p2 < ?p1 ). }",
    )
    c = "DEFINE GPM C ON S1 { ?c3 pred:price ?p3. Filter (?p3 >= '7'^^xsd:integer && ?p3 > ?p1).  }"
    placed = stream("1 s1 g price 6, 2 s1 h price 5, 2 s1 i price 8, 3 s1 g price 9")
    expected = {
        "(A, (B&C))": ["1-2 6 5 8"],
        "(A, (B|C))": ["1-2 6 - 8", "1-2 6 5 -", "2-3 5 - 9", "2-3 8 - 9"],
        "(A, B?, C)": ["1-2 6 - 8", "1-3 6 5 9", "2-3 5 - 9", "2-3 8 - 9"],
        "(A, B!, C)": ["1-2 6 - 8", "2-3 5 - 9", "2-3 8 - 9"],
    }
    for sequence, found in expected.items():
        text = f"{head}SELECT ?p1 ?p2 ?p3 WITHIN 10 SECONDS\nFROM STREAM S1 <urn:s1>\n"
        text += f"WHERE\nSEQ {sequence}\n{{ {a}\n{b}\n{c} }}"
        assert shown(of_engine(text, placed), "p1 p2 p3") == found, sequence


def test_background(tmp_path: Path) -> None:
    """GRAPH asks the background beside the event."""
    known = tmp_path / "known.trig"
    known.write_text("@prefix : <http://example/> . :db { :g :name :gas } ", encoding="utf-8")
    events = tmp_path / "events.csv"
    events.write_text("start,s,p,o,stream\n1,<http://example/g>,<http://example/price>,<urn:x>,<urn:s1>\n")
    file = tmp_path / "names.spaseq"
    file.write_text(query("A", "DEFINE GPM A ON S1 { ?g :price ?p GRAPH :db { ?g :name ?n } }"))
    out = tmp_path / "out.csv"
    words = ["run", str(file), "--stream", str(events), "--background", str(known), "--output", str(out)]
    assert main([*words, "--results", "csv"]) == 0
    assert "http://example/gas" in out.read_text(encoding="utf-8")


# ---- The paper's queries, and what is odd ---------------------------------------------------------------


@pytest.mark.parametrize("file", PAPER, ids=lambda file: file.stem)
def test_the_papers_queries_run_as_printed(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    with Engine() as engine, warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always", EtalisWarning)
        engine.register(text, name="q", source=str(file))
        found = [each.message for each in noted if isinstance(each.message, EtalisWarning)]
        assert [f"{each.code} {_place(each)}" for each in found] == ODD[file.stem]
        engine.finish()


def _place(warning: EtalisWarning) -> str:
    assert warning.place is not None
    return f"{warning.place.line}:{warning.place.column}"


@pytest.mark.parametrize("file", PAPER, ids=lambda file: file.stem)
def test_the_papers_queries_are_explained(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(file), "-W", "none"]) == 0
    assert "answers ?" in capfd.readouterr().out


def test_query_2_has_no_answer_and_its_correction_has() -> None:
    text = (
        (FOLDER / "query-2.spaseq")
        .read_text(encoding="utf-8")
        .replace("http://creditCard.org/boats", "urn:s1")
    )
    text = text[: text.index("GRAPH")] + "} }"  # nothing is known
    placed = stream("1 s1 k id n1, 1 s1 k amount 10, 1 s1 k loc l, 2 s1 k id n1, 2 s1 k amount 20")
    assert of_engine(text, placed) == []
    corrected = text.replace("?s1 > 0", "?amount1 > 0").replace("?vessel ?n ?cname", "?card ?amount2")
    assert shown(of_engine(corrected, placed), "card amount2") == ["1-2 k 20"]


WRONG = {
    "EP101": query("A B", LETTERS),
    "EP120": query("A, B!", LETTERS),
    "EP121": query("A, E", LETTERS),
    "EP122": query("A; B", RISE, "PARTITION BY (?p1)\n"),
}
TWICE = {
    "a GPM": query("A", LETTERS + LETTERS),
    "a stream": query("A", LETTERS, "FROM STREAM S1 <urn:s3>\n"),
    "no stream": query("A", "DEFINE GPM A ON S9 { ?x ?y ?z }"),
    "no triple": query("A", "DEFINE GPM A ON S1 { BIND (1 AS ?x) }"),
}
ODD_TEXTS = {
    "EW40": query("A", LETTERS).replace("PREFIX : <http://example/>\n", ""),
    "EW41": query("A, B!, C", LETTERS),
    "EW42": query("A", LETTERS.partition("\nDEFINE GPM C")[0]),
}


@pytest.mark.parametrize("code", WRONG)
def test_what_is_wrong(code: str) -> None:
    with pytest.raises(QueryError, match=code):
        read_program(WRONG[code])


@pytest.mark.parametrize("text", TWICE.values(), ids=TWICE)
def test_names(text: str) -> None:
    with pytest.raises(QueryError, match="EP121"):
        read_program(text)


@pytest.mark.parametrize("code", ["EP121", "EP122", *ODD_TEXTS])
def test_messages(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("query.spaseq").write_text((WRONG | ODD_TEXTS)[code], encoding="utf-8")
    main(["check", "query.spaseq"])
    said = capfd.readouterr().err.removeprefix("warning: ")
    assert said == (MESSAGES / f"{code}.txt").read_text(encoding="utf-8")


def test_the_language_is_told_by_the_suffix_or_the_text() -> None:
    assert language_of("", "x.spaseq") == "spaseq"
    assert language_of(query("A", LETTERS), "x.rq") == "spaseq"
    assert language_of("ASK { ?x ?y 'DEFINE GPM' } # DEFINE GPM", "x.rq") == "ep-sparql"


def test_several_queries_in_a_text() -> None:
    assert len(read_program(f"{query('A', LETTERS)}\n;;\n{query('A;B', LETTERS)}")) == 2


def test_a_language_can_be_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "query.txt"
    file.write_text("SELECT * WITHIN", encoding="utf-8")
    assert main(["check", str(file), "--language", "spaseq"]) == 2
    assert "expected a whole number" in capfd.readouterr().err


@pytest.mark.spark
def test_spark_takes_it(spark: SparkSession) -> None:
    from etalis_py.spark_udfs import detect

    rows = [(each.interval[0], *map(ntriples, each.triple), f"<{each.stream}>") for each in stream(EXAMPLE_6)]
    events = spark.createDataFrame(rows, ["start", "s", "p", "o", "stream"])
    found = detect(events, query("A:B", POWER)).select("h.value", "w.value").collect()
    names = sorted(tuple(value.removeprefix(EXAMPLE) for value in row) for row in found)
    assert names == [("h1", "w1"), ("h1", "w2"), ("h2", "w1"), ("h2", "w2")]
