"""What a kept run may be given, what it refuses, and how it goes on when its streams have grown."""

from __future__ import annotations

import errno
import json
import os
import signal
from collections import Counter
from pathlib import Path

import pytest

from etalis_py.checkpoints import open_folder
from etalis_py.cli.interrupts import Stopped
from etalis_py.embedding import prolog
from tests.checkpoints.runs import line_for, ndjson
from tests.cli.test_writing import wait_until_read
from tests.errors.test_messages import compare
from tests.patience import PATIENCE

KEPT = "--state kept"


def kept(form: str = "csv") -> str:
    return f"{line_for(form)} {KEPT}"


def test_a_signal_makes_a_checkpoint(start, etalis, work: Path) -> None:
    """And standard input is given again from its beginning: what was taken is passed over."""
    lines = (work / "s0.ndjson").read_bytes().splitlines(keepends=True)
    assert etalis("run pairs.rq --stream s0.ndjson --output whole").code == 0
    expected = (work / "whole").read_bytes()
    line = f"run pairs.rq --stream - --stream-format ndjson --output out {KEPT}"
    process = start(line)
    process.stdin.write(b"".join(lines[:60]))
    process.stdin.flush()
    wait_until_read(process)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (143, b"")
    written = (work / "out").read_bytes()
    assert written.endswith(b"\n")
    assert expected.startswith(written)
    with open_folder("kept") as folder:
        assert folder.kept is not None
        assert folder.kept.streams[0]["rows"] == 60
    process = start(line)
    _, err = process.communicate(b"".join(lines[1:]), timeout=PATIENCE)
    assert (process.returncode, err.split()[0]) == (2, b"EP579")
    process = start(line)
    _, err = process.communicate(b"".join(lines), timeout=PATIENCE)
    assert (process.returncode, err) == (0, b"")
    assert (work / "out").read_bytes() == expected


@pytest.mark.usefixtures("in_small_pieces")
def test_a_signal_within_a_call_into_prolog(etalis, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends the call, of a batch or a checkpoint, and the engine with it: the checkpoint before counts."""
    assert etalis(line_for("csv", output="whole")).code == 0
    line = f"{kept()} --state-every 1us"
    run = prolog._run
    counts: Counter[str] = Counter()

    def broken_off(way: object, module: str, predicate: str, inputs: tuple[object, ...]) -> object:
        call = "feed" if predicate == "feed_block" else predicate
        counts[call] += 1
        if call in ("feed", "snapshot_parts") and counts[call] == 5:
            raise Stopped(signal.SIGTERM)
        return run(way, module, predicate, inputs)

    with monkeypatch.context() as patch:
        patch.setattr(prolog, "_run", broken_off)
        done = [etalis(line), etalis(line)]
    assert [(each.code, each.err) for each in done] == [(143, "")] * 2
    assert min(counts["feed"], counts["snapshot_parts"]) >= 5
    assert etalis(line).code == 0
    assert (work / "out").read_bytes() == (work / "whole").read_bytes()


@pytest.mark.usefixtures("in_small_pieces")
def test_a_run_goes_on_when_its_streams_have_grown(etalis, work: Path) -> None:
    for form in ("ndjson", "csv"):
        whole = (work / "s0.ndjson").read_text().splitlines(keepends=True)
        line = line_for(form).replace(" s3.trig", "").replace(" s1.csv s2.ndjson.gz", "")
        assert etalis(line.replace("--output out", "--output whole")).code == 0
        for count in (1, 30, 31, 31, 70, len(whole)):
            (work / "s0.ndjson").write_text("".join(whole[:count]))
            assert etalis(f"{line} --state kept-{form}").code == 0
        assert (work / "out").read_bytes() == (work / "whole").read_bytes()


@pytest.mark.usefixtures("in_small_pieces")
@pytest.mark.parametrize("form", ["json", "table", "parquet", "csv"])
def test_final_rows(etalis, work: Path, form: str) -> None:
    """They are written at the end, in any form, and again when the stream has grown."""
    whole = (work / "s0.ndjson").read_text().splitlines(keepends=True)
    line = f"run counts.rq --stream s0.ndjson --final --results {form} --state kept"
    for count in (40, len(whole)):
        (work / "s0.ndjson").write_text("".join(whole[:count]))
        assert etalis(f"{line} --output out").code == 0
    assert etalis(f"{line.replace('--state kept', '')} --output whole").code == 0
    assert (work / "out").read_bytes() == (work / "whole").read_bytes()


def test_final_keeps_what_may_be_the_last(etalis, work: Path) -> None:
    """The second part of the stream has no match, and no ASK is denied that was true in the first."""
    rows = [(1, "<urn:a>", "<urn:is>", "<urn:low>"), (2, "<urn:a>", "<urn:is>", "<urn:high>")]
    line = "run pairs.rq ask.rq never.rq --stream s.ndjson --final --state kept --output out"
    (work / "s.ndjson").write_text(ndjson([*rows, (3, "<urn:b>", "<urn:has>", "1".join('""'))]))
    assert etalis(line).code == 0
    (work / "s.ndjson").write_text((work / "s.ndjson").read_text() + ndjson([(9, *["<urn:z>"] * 3)]))
    assert etalis(line).code == 0
    found = [json.loads(each) for each in (work / "out").read_text().splitlines()]
    assert [(each["query"], each.get("boolean")) for each in found] == [
        ("pairs", None), ("ask", True), ("never", False),
    ]  # fmt: skip
    assert found[2]["end"] == "1970-01-01T00:00:00.000009Z"


def test_bad_data_is_corrected(etalis, work: Path) -> None:
    text = (work / "s1.csv").read_text()
    assert etalis("run pairs.rq --stream s1.csv --on-late 50us --output whole").code == 0
    line = "run pairs.rq --stream s1.csv --on-late 50us --output out --state kept"
    (work / "s1.csv").write_text(text[: len(text) // 2].rpartition("\n")[0] + "\nbroken\n")
    done = etalis(line)
    assert (done.code, done.err.split()[0]) == (3, "EP405")
    with open_folder("kept") as folder:
        assert folder.kept is not None
        assert folder.kept.streams[0]["rows"] > 10
    (work / "s1.csv").write_text(text)
    assert etalis(line).code == 0
    assert (work / "out").read_bytes() == (work / "whole").read_bytes()


@pytest.mark.parametrize(
    ("option", "what"),
    [
        ("--engine spark", "--engine spark"),
        ("--at 1", "--at"),
        ("--why", "--why"),
        ("--rates measure", "--rates measure"),
        ("--results json", "json"),
        ("--results table", "table"),
        ("--results parquet", "parquet"),
        ("--output /dev/null", "/dev/null"),
    ],
)
def test_what_does_not_go_with_it(etalis, work: Path, option: str, what: str) -> None:
    words = f"run pairs.rq --stream s0.ndjson {KEPT} --output out {option}"
    done = etalis(words)
    assert (done.code, done.err.split()[0]) == (2, "EP516")
    assert what in done.err
    assert "hint: " in done.err


def test_standard_output_is_refused(etalis, work: Path) -> None:
    done = etalis(f"run pairs.rq --stream s0.ndjson {KEPT}")
    assert (done.code, done.err.split()[0]) == (2, "EP516")
    done = etalis("run pairs.rq --stream s0.ndjson --output out --state-every 5s")
    assert (done.code, done.err.split()[0]) == (2, "EP501")


CHANGES = {
    "the query 'counts' has changed": ("counts.rq", lambda text: text.replace("> 2", "> 1")),
    "--background b.ttl has changed": ("b.ttl", lambda text: text + "<urn:a> a <urn:B> ."),
    "--rules r.pl has changed": ("r.pl", lambda text: text + "q(1).\n"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_has_changed(etalis, work: Path, change: str) -> None:
    (work / "b.ttl").write_text("<urn:s1> a <urn:A> .")
    (work / "r.pl").write_text("p(1).\n")
    line = f"{kept()} --background b.ttl --rules r.pl"
    assert etalis(line).code == 0
    before = (work / "out").read_bytes()
    name, changed = CHANGES[change]
    (work / name).write_text(changed((work / name).read_text()))
    refuse(etalis, line, "EP578", change)
    assert (work / "out").read_bytes() == before


@pytest.mark.parametrize(
    ("option", "change"),
    [
        ("--policy recent", "--policy was unrestricted and is now recent"),
        ("--on-late drop", "--on-late was 50 us and is now drop"),
        ("--background b.ttl", "--background b.ttl is new"),
        ("--entailment none", "--entailment was rdfs and is now none"),
        ("--stream s0.ndjson", "--stream was"),
        ("--results tsv", "--results was csv and is now tsv"),
    ],
)
def test_an_option_that_has_changed(etalis, work: Path, option: str, change: str) -> None:
    (work / "b.ttl").write_text("<urn:s1> a <urn:A> .")
    assert etalis(kept()).code == 0
    refuse(etalis, f"{kept()} {option}", "EP578", change)


def test_another_version(etalis, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert etalis(kept()).code == 0
    monkeypatch.setattr("etalis_py.__version__", "99", raising=False)
    refuse(etalis, kept(), "EP578", "the version of etalis_py was", "and is now 99")


def refuse(etalis, line: str, code: str, *parts: str) -> None:
    done = etalis(line)
    assert (done.code, done.err.split()[0]) == (2, code), done.err
    assert all(part in done.err for part in (*parts, "hint: ")), done.err


@pytest.mark.parametrize("name", ["s0.ndjson", "s1.csv", "s2.ndjson.gz", "s3.trig"])
def test_a_stream_that_is_shorter(etalis, work: Path, name: str) -> None:
    import gzip

    assert etalis(kept()).code == 0
    data = (work / name).read_bytes()
    if name.endswith("gz"):
        data = gzip.compress(b"\n".join(gzip.decompress(data).splitlines()[:9]) + b"\n")
    else:
        data = b"\n".join(data.splitlines()[:9]) + b"\n"
    (work / name).write_bytes(data)
    refuse(etalis, kept(), "EP579", name)


def test_results_that_are_others(etalis, work: Path) -> None:
    assert etalis(kept()).code == 0
    data = (work / "out").read_bytes()
    (work / "out").write_bytes(data[:20])
    refuse(etalis, kept(), "EP580", "out")
    (work / "out").write_bytes(data.replace(b"urn:s", b"urn:t"))
    refuse(etalis, kept(), "EP580", "out", "have changed")
    (work / "out").unlink()
    refuse(etalis, kept(), "EP580", "out")
    (work / "out").write_bytes(data + b"something that was written later")
    assert etalis(kept()).code == 0
    assert (work / "out").read_bytes() == data


def test_two_runs_in_one_folder(etalis, work: Path) -> None:
    with open_folder("kept"):
        refuse(etalis, kept(), "EP577", "kept")
    assert etalis(kept()).code == 0


def test_a_folder_that_cannot_be_used(etalis, work: Path) -> None:
    (work / "file").touch()
    refuse(etalis, kept().replace("--state kept", "--state file"), "EP517", "file")
    (work / "kept").mkdir()
    (work / "kept/checkpoint").write_bytes(b"something else")
    refuse(etalis, kept(), "EP517", "not a checkpoint")
    (work / "kept/checkpoint").unlink()
    assert etalis(kept()).code == 0
    data = (work / "kept/checkpoint").read_bytes()
    for place in (30, len(data) // 2, len(data) - 1):
        (work / "kept/checkpoint").write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        refuse(etalis, kept(), "EP517", "damaged")
    (work / "kept/checkpoint").write_bytes(data[:-5])
    refuse(etalis, kept(), "EP517", "damaged")
    (work / "kept/checkpoint").write_bytes(data[:11] + b"\xff" + data[12:])
    refuse(etalis, kept(), "EP517", "format")
    (work / "kept/checkpoint").write_bytes(data)
    assert etalis(kept()).code == 0


@pytest.mark.usefixtures("in_small_pieces")
def test_a_disk_that_is_full_for_a_while(etalis, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = f"{kept()} --state-every 1us"
    assert etalis(line_for("csv", output="whole --on-late 50us", more="")).code == 0
    count = 0
    sync = os.fsync

    def full(descriptor: int) -> None:
        nonlocal count
        count += 1
        if count == 8:
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    done = etalis(line)
    assert done.code == 4
    assert done.err.startswith("EP517 the state of the run cannot be written to kept: No space left")
    assert etalis(line).code == 0
    assert (work / "out").read_bytes() == (work / "whole").read_bytes()


def test_messages(etalis, work: Path) -> None:
    """As docs/errors.md has them."""
    line = f"run pairs.rq --stream s0.ndjson --output out {KEPT}"

    def told(code: str, more: str = "") -> None:
        done = etalis(line + more)
        assert done.code == 2
        compare(code, done.err)

    told("EP516", " --results json")
    with open_folder("kept"):
        told("EP577")
    assert etalis(line).code == 0
    told("EP578", " --policy recent")
    text = (work / "s0.ndjson").read_text()
    (work / "s0.ndjson").write_text(text[:-30])
    told("EP579")
    (work / "s0.ndjson").write_text(text)
    (work / "out").unlink()
    told("EP580")
    (work / "kept/checkpoint").write_text("something else")
    told("EP517")
