"""The messages of the command line: one trigger a code, and the whole text that a user then sees.

Codes of the parser, the streams, the results, the background, the demos and of set-up have their triggers
where those are tested; ``test_every_code.py`` sees to it that no code lacks its text.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import ClassVar

import pytest

from etalis_py.cli import main
from etalis_py.core.column_types import column_types
from etalis_py.core.errors import EtalisError, EtalisWarning, RunTimeError
from etalis_py.core.explanations import MESSAGES
from etalis_py.embedding import native
from etalis_py.engine.engine import Engine
from etalis_py.engine.run_time_problems import run_time_error
from etalis_py.spark_udfs.planning.arguments import check_options
from etalis_py.spark_udfs.session import session
from etalis_py.spark_udfs.streaming.bucket_state import BucketState, Head
from etalis_py.spark_udfs.streaming.detecting import check_surroundings
from etalis_py.spark_udfs.streaming.watermarks import watermark_column
from etalis_py.streams.table import TableReader
from tests.patience import PATIENCE
from tests.spark.streaming.memory import MemoryHandle

PREFIX = "PREFIX ex: <http://example.org/>\n"
FALL = PREFIX + "SELECT ?x WHERE { { ?x ex:price ?a } SEQ { ?x ex:price ?b } FILTER(?b < ?a) }\n"
LOOP = (
    PREFIX + "CONSTRUCT { ?x ex:calm true }\nWHERE { { ?x ex:seen ?y } EQUALSOPTIONAL { ?x ex:calm ?z } "
    "FILTER(!BOUND(?z)) }\n"
)
CROSS = PREFIX + "SELECT * WHERE { ?x ex:n ?a . ?y ex:n ?b }\n"
MANY = "start,s,p,o\n" + "".join(
    f"1970-01-01T00:00:02Z,<http://example.org/{number}>,<http://example.org/n>,<urn:v>\n"
    for number in range(3)
)
COUNT = PREFIX + "CONSTRUCT { ?x ex:n ?m }\nWHERE { ?x ex:n ?n BIND(?n + 1 AS ?m) }\n"
EVENTS = """\
start,s,p,o
2011-03-11T05:46:23Z,<http://example.org/a>,<http://example.org/n>,<http://example.org/b>
2011-03-11T05:46:22Z,<http://example.org/a>,<http://example.org/n>,<http://example.org/b>
"""
ONE = 'start,s,p,o\n0,<http://example.org/a>,<http://example.org/n>,"""1""^^<http://www.w3.org/2001/XMLSchema#integer>"\n'

RUN = "run q.rq --stream events.csv"
TRIGGERS: dict[str, tuple[str, dict[str, str]]] = {
    "EP201": (
        RUN,
        {
            "q.rq": PREFIX
            + "SELECT ?g ?x FROM NAMED ex:g\nWHERE { GRAPH ?g { SELECT ?x { ?x ex:sold ?z } LIMIT 1 } }\n"
        },
    ),
    "EP202": (RUN, {"q.rq": PREFIX + "SELECT ?x WHERE { ?x ex:price ?y FILTER(ex:cheap(DISTINCT ?y)) }\n"}),
    "EP203": (RUN, {"q.rq": PREFIX + "SELECT ?x WHERE { ?x ex:price ?y FILTER(xsd:integer(?y, 2) > 1) }\n"}),
    "EP204": (RUN, {"q.rq": "PRAGMA policy newest\n" + FALL}),
    "EP205": (RUN, {"q.rq": LOOP}),
    "EP206": ("run q.rq q-2.rq --stream events.csv", {"q.rq": f"{FALL};;\n{FALL}", "q-2.rq": FALL}),
    "EP207": (
        f"{RUN} --rules near.pl",
        {"q.rq": "SELECT ?x WHERE { ?x ?p ?y FILTER(prolog:nere(?x, ?y)) }\n", "near.pl": "near(_, _).\n"},
    ),
    "EP209": (
        RUN,
        {"q.rq": PREFIX + "SELECT ?x ?n\nWHERE { ?x ex:n ?n SERVICE ex:other { ?x ex:price ?y } }\n"},
    ),
    "EP210": (
        RUN,
        {"q.rq": PREFIX + "SELECT (AVG(?n) AS ?mean)\nWHERE { ?x ex:n ?n }\nWINDOW [RANGE P1M]\n"},
    ),
    "EP211": (RUN, {"q.rq": PREFIX + "DESCRIBE * WHERE { ex:a ex:n 5 }\n"}),
    "EP212": (
        RUN,
        {"q.rq": f"PRAGMA policy recent\n{PREFIX}SELECT ?x ?y\nWHERE {{ ?x ex:n 5 . ?x ex:near+ ?y }}\n"},
    ),
    "EP213": (
        RUN,
        {"q.rq": PREFIX + "SELECT ?x ?y\nWHERE { EVENT { { ?x ex:n 5 } SEQ { ?x ex:near ?y } } }\n"},
    ),
    "EP214": (RUN, {"q.rq": PREFIX + "SELECT *\nWHERE { REPEAT ANY PER ?x { ?x ex:near ?y } }\n"}),
    "EP215": (
        RUN,
        {"q.rq": PREFIX + "SELECT *\nWHERE { { ?x ex:n 5 } SEQ STRICT PER ?z { ?x ex:near ?y } }\n"},
    ),
    "EP216": (RUN, {"q.rq": PREFIX + "SELECT *\nWHERE { REPEAT 0 TO 3 PER ?x { ?x ex:near ?y } }\n"}),
    "EP217": (
        RUN,
        {
            "q.rq": PREFIX
            + "SELECT ?x FROM NAMED WINDOW ex:w ON ex:s [RANGE PT1H STEP PT5M]\n"
            + "WHERE { WINDOW ex:v { ?x ex:n 5 } }\n"
        },
    ),
    "EP218": (
        RUN,
        {
            "q.rq": PREFIX
            + "REGISTER RSTREAM ex:out REPORT CLOSE AS\n"
            + "SELECT ?x FROM NAMED WINDOW ex:w ON ex:s [RANGE PT1H] WHERE { WINDOW ex:w { ?x ex:n 5 } }\n"
        },
    ),
    "EP222": (
        "rewrite q.rq --to csparql",
        {
            "q.rq": PREFIX
            + "SELECT ?x (getWINDOWEND(ex:w) AS ?end) FROM NAMED WINDOW ex:w ON ex:s [RANGE 5m STEP 1m]\n"
            + "WHERE { WINDOW ex:w { ?x ex:n ?n } }\n"
        },
    ),
    "EP223": (
        RUN,
        {
            "q.rq": PREFIX
            + "REGISTER RSTREAM ex:high AS SELECT ?x FROM NAMED WINDOW ex:w ON ex:s [RANGE 5m STEP 1m]\n"
            + "WHERE { WINDOW ex:w { ?x ex:n 5 } }\n;;\n"
            + PREFIX
            + "SELECT ?x FROM NAMED WINDOW ex:w ON ex:high [RANGE 5m STEP 1m]\n"
            + "WHERE { WINDOW ex:w { ?x ex:n ?n } }\n"
        },
    ),
    "EP221": (
        "explain q.rq --stage lars",
        {
            "q.rq": PREFIX
            + "SELECT (AVG(?n) AS ?mean) FROM NAMED WINDOW ex:w ON ex:s [RANGE 5m STEP 1m]\n"
            + "WHERE { WINDOW ex:w { ?x ex:n ?n } }\n"
        },
    ),
    "EP220": (
        RUN,
        {
            "q.rq": PREFIX
            + "SELECT ?x FROM STREAM ex:s [RANGE 1h STEP 10m]\n"
            + "WHERE { STREAM ex:t [RANGE 5m] { ?x ex:n 5 } }\n"
        },
    ),
    "EP301": (
        f"{RUN} --rules odd.pl",
        {
            "q.rq": "SELECT ?x WHERE { ?x ?p ?y FILTER(prolog:odd(?y)) }\n",
            "odd.pl": "odd(Y) :- 1 is Y mod two.\n",
        },
    ),
    "EP302": (f"{RUN} --max-derivations 1000", {"q.rq": COUNT, "events.csv": ONE}),
    "EP310": (f"{RUN} -W none --max-answers-per-instant 8", {"q.rq": CROSS, "events.csv": MANY}),
    "EP318": (
        f"{RUN} -W none --max-derivations 8",
        {
            "q.rq": PREFIX + "SELECT (1 AS ?n)\nWHERE { REPEAT 1 TO 4 ANY { ?x ex:n ?y } }\n",
            "events.csv": "start,s,p,o\n"
            + "".join(f"{n},<urn:a>,<http://example.org/n>,<urn:b>\n" for n in range(9)),
        },
    ),
    "EP413": (RUN, {"q.rq": FALL, "events.csv": EVENTS}),
    "EP501": ("run q.rq --steam events.csv", {"q.rq": FALL}),
    "EP502": ("run p.rq --stream events.csv", {"q.rq": FALL}),
    "EP503": ("run a/q.rq b/q.rq --stream events.csv", {"a/q.rq": FALL, "b/q.rq": FALL}),
    "EP505": (f"{RUN} --on-late soon", {"q.rq": FALL}),
    "EP511": (f"{RUN} --functions mine:FUNCTIONS", {"q.rq": FALL}),
    "EP507": (f"{RUN} --output out/found.csv", {"q.rq": FALL}),
}


def compare(code: str, text: str) -> None:
    golden = MESSAGES / f"{code}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text)
    assert text == golden.read_text()
    assert text.startswith(f"{code} ")


@pytest.mark.parametrize("code", TRIGGERS)
def test_command_line(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd) -> None:
    monkeypatch.chdir(tmp_path)
    line, files = TRIGGERS[code]
    for name, text in {"events.csv": ONE, **files}.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    assert main(line.split()) in (2, 3, 4)
    compare(code, capfd.readouterr().err)


def test_a_closed_engine() -> None:
    engine = Engine()
    engine.close()
    with pytest.raises(EtalisError) as caught:
        engine.finish()
    compare("EP303", f"{caught.value}\n")


def test_an_engine_that_is_used_in_the_middle_of_its_own_work() -> None:
    with Engine() as engine:
        engine._guard._changes = True
        with pytest.raises(EtalisError) as caught:
            engine.finish()
        compare("EP307", f"{caught.value}\n")
        engine._guard._changes = False


def test_a_pause_with_too_many_steps() -> None:
    with Engine() as engine:
        engine.register("SELECT (COUNT(*) AS ?n) { ?x <urn:p> ?y } WINDOW [RANGE PT1H STEP PT1S]")
        times = [1_767_225_600_000_000, 4_070_908_800_000_000]
        with pytest.raises(EtalisError) as caught:
            engine.send_batch(
                {"start": times, "s": ["<urn:a>"] * 2, "p": ["<urn:p>"] * 2, "o": ["<urn:b>"] * 2}
            )
    compare("EP316", f"{caught.value}\n")


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("ETALIS_CACHE", str(tmp_path))
    flags = {"Compiler": "gcc", "Home": "/", "Version": 1, "Arch": "none"}
    with pytest.raises(RunTimeError) as caught:
        native.load_native(lambda _goal, _inputs: flags)
    compare("EP317", f"{caught.value}\n")


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("EP308", "memory-limit q1_join_3 500000000"),
        ("EP311", "time-limit q1_join_3_left 2.5"),
        ("EP312", "out-of-memory none stack"),
    ],
)
def test_a_limit(code: str, problem: str) -> None:
    with Engine() as engine:
        engine.register(CROSS, name="pairs", source="q.rq")
        compare(code, f"{run_time_error(problem, [engine.query('pairs')], 2_000_000)}\n")


def test_another_engine_in_the_middle_of_its_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("etalis_py.engine.feeding.MOST_ANSWERS_AT_ONCE", 1)
    data = {"start": [1, 2, 3], "s": ["<urn:a>"] * 3, "p": ["<urn:p>"] * 3, "o": ["<urn:b>"] * 3}
    with Engine() as one, Engine() as other:
        for engine in (one, other):
            engine.register("SELECT ?x { ?x <urn:p> ?y }")
        steps, others = (each.feed.sending(TableReader().batches(data)) for each in (one, other))
        next(steps)
        next(others)
        with pytest.raises(EtalisError) as caught:
            next(steps)
        assert list(others)
    compare("EP313", f"{caught.value}\n")


def test_many_answers_at_one_instant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("etalis_py.engine.feeding.MOST_ANSWERS_AT_ONCE", 1)
    with Engine() as engine:
        engine.register("SELECT ?x { ?x <urn:p> ?y }")
        engine.send_batch(
            {"start": [1] * 2, "s": ["<urn:a>", "<urn:c>"], "p": ["<urn:p>"] * 2, "o": ["<urn:b>"] * 2}
        )
        with pytest.warns(EtalisWarning) as caught:
            engine.finish()
    compare("EW65", f"{caught[0].message}\n")


def test_a_question_that_is_not_safe() -> None:
    with Engine() as engine, pytest.raises(EtalisError) as caught:
        engine.prolog("open(secrets, read, File)", sandbox=True)
    compare("EP306", f"{caught.value}\n")


def test_an_answer_without_a_trace() -> None:
    with Engine() as engine:
        engine.register("SELECT ?x { ?x <urn:p> ?y }")
        engine.send_batch({"start": [1], "s": ["<urn:a>"], "p": ["<urn:p>"], "o": ["<urn:b>"]})
        engine.finish()
        [match] = engine.matches()
        with pytest.raises(EtalisError) as caught:
            engine.why(match)
    compare("EP561", f"{caught.value}\n")


def test_a_full_disk(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full")
    (tmp_path / "q.rq").write_text("SELECT ?x WHERE { ?x ?y ?z }")
    (tmp_path / "events.csv").write_text(ONE)
    command = [sys.executable, "-m", "etalis_py", *RUN.split()]
    with full.open("wb") as out:
        done = subprocess.run(
            command, stdout=out, stderr=subprocess.PIPE, cwd=tmp_path, timeout=PATIENCE, check=False
        )
    assert done.returncode == 4
    compare("EP304", done.stderr.decode())


def test_a_fault_of_our_own(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    from etalis_py.cli import doctor

    def break_down(_: object) -> int:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(doctor, "run", break_down)
    assert main(["doctor"]) == 4
    compare("EP309", capsys.readouterr().err)


def test_columns_of_different_length() -> None:
    with Engine() as engine, pytest.raises(EtalisError) as caught:
        engine.send_batch({"start": [1, 2], "s": ["<urn:a>"], "p": ["<urn:p>"], "o": ["<urn:o>"]})
    compare("EP504", f"{caught.value}\n")


def test_a_typed_column_that_there_cannot_be() -> None:
    with pytest.raises(EtalisError) as caught:
        column_types({"price": "doubel"}, ["share", "price"])
    compare("EP509", f"{caught.value}\n")


class StreamingFrame:
    """As much of a streaming DataFrame as is looked at first."""

    isStreaming = True  # noqa: N815 - Spark's name for it
    schema = ()

    class sparkSession:  # noqa: N801
        conf: ClassVar[dict[str, str]] = {}


def test_a_streaming_data_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EtalisError) as caught:
        check_options(StreamingFrame(), partitions=4, on_late=None, buckets=None)
    compare("EP506", f"{caught.value}\n")
    with pytest.raises(EtalisError) as caught:
        watermark_column(StreamingFrame())
    compare("EP581", f"{caught.value}\n")
    with pytest.raises(EtalisError) as caught:
        check_surroundings(StreamingFrame())
    compare("EP582", f"{caught.value}\n")
    monkeypatch.setattr("etalis_py.spark_udfs.streaming.detecting.find_spec", lambda _: None)
    with pytest.raises(EtalisError) as caught:
        check_surroundings(StreamingFrame())
    compare("EP583", f"{caught.value}\n")


def test_state_of_another_stream() -> None:
    handle = MemoryHandle()
    BucketState(handle, "one").write_head(Head.new("one", "b"))
    with pytest.raises(EtalisError) as caught:
        BucketState(handle, "another").head()
    compare("EP585", f"{caught.value}\n")
    handle.values["head"] = (0, *handle.values["head"][1:])
    with pytest.raises(EtalisError) as caught:
        BucketState(handle, "one").head()
    compare("EP584", f"{caught.value}\n")


def test_spark_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        @property
        def builder(self) -> None:
            raise OSError(
                "[JAVA_GATEWAY_EXITED] Java gateway process exited before sending its port number.\n..."
            )

    monkeypatch.setattr(session, "lead_spark_to_java", lambda: None)
    with pytest.raises(EtalisError) as caught:
        session._start(Broken(), "test", None)
    compare("EP305", f"{caught.value}\n")


def test_no_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoPySpark(MetaPathFinder):
        def find_spec(self, name: str, *_: object) -> None:
            if name == "pyspark":
                raise ModuleNotFoundError("No module named 'pyspark'")

    for name in [name for name in sys.modules if name.partition(".")[0] == "pyspark"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [NoPySpark(), *sys.meta_path])
    with pytest.raises(EtalisError) as caught:
        session._builder()
    compare("EP536", f"{caught.value}\n")


def test_an_element_at_another_instant() -> None:
    with Engine(at=5) as engine, pytest.raises(EtalisError) as caught:
        engine.send_batch({"start": [5, 6], "s": ["<urn:a>"] * 2, "p": ["<urn:p>"] * 2, "o": ["<urn:b>"] * 2})
    compare("EP417", f"{caught.value}\n")
