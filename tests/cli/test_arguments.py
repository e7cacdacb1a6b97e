"""Words of a command line that do not fit: EP5xx, exit code 2, a hint."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from etalis_py.cli import main
from etalis_py.cli.arguments import COMMANDS
from tests.patience import PATIENCE


@pytest.mark.parametrize(
    ("line", "code", "message", "hint"),
    [
        ("", "EP501", "no command", "run, explain, check"),
        ("rnu rise.rq", "EP501", "'rnu'", "'etalis run'"),
        ("rise.rq --stream s", "EP501", "'rise.rq'", "'etalis run rise.rq'"),
        ("run", "EP501", "missing: QUERY.rq", "etalis run --help"),
        ("run rise.rq", "EP501", "there is no stream to read", "--at TIME"),
        ("run rise.rq --steam s", "EP501", "'--steam'", "--stream"),
        ("run rise.rq --stream s --reslts=csv", "EP501", "'--reslts'", "--results"),
        ("run --stream s rise.rq", "EP501", "missing: QUERY.rq", "before the options"),
        ("run rise.rq --stream s --results html", "EP501", "'html'", "--help"),
        ("explain rise.rq other.rq", "EP502", "other.rq", "path"),
        ("run nowhere.rq --stream rise.ndjson", "EP502", "nowhere.rq", "path"),
        ("run . --stream rise.ndjson", "EP502", "folder", "*.rq"),
        ("run rise.rq sub/rise.rq --stream rise.ndjson", "EP503", "'rise'", "rename"),
        ("run rise.rq --stream rise.ndjson --on-late soon", "EP505", "'soon'", "5s"),
        ("run rise.rq --stream rise.ndjson --max-derivations 0", "EP505", "cannot be 0", "above 0"),
        ("run rise.rq --stream rise.ndjson --at noon", "EP505", "'noon'", "2011-03-11T"),
        ("run rise.rq --stream rise.ndjson --graph goods.ttl", "EP505", "'goods.ttl'", "urn:goods=goods.ttl"),
        ("run rise.rq --stream rise.ndjson --graph goods=g.ttl", "EP505", "'goods'", "urn:goods"),
        ("run rise.rq --stream rise.ndjson --graph <a b>=g.ttl", "EP505", "'<a'", "urn:goods=goods.ttl"),
        ("run rise.rq --stream rise.ndjson --graph urn:g=", "EP505", "'urn:g='", "urn:goods=goods.ttl"),
        ("run rise.rq --stream rise.ndjson --policy newest", "EP501", "newest", "--help"),
        ("run rise.rq --stream rise.ndjson --output no/where", "EP507", "no/where", "--output"),
        ("run rise.rq --stream rise.ndjson --output rise.ndjson", "EP507", "would overwrite", "--output"),
        ("run rise.rq --stream rise.ndjson --at 0", "EP523", "rise.ndjson", "--at"),
        ("run rise.rq --stream rise.what", "EP521", "rise.what", "--stream-format"),
        ("demo earthquake", "EP501", "'earthquake'", "--help"),
        ("demo", "EP501", "missing: DEMO", "etalis demo takes tsunami or delivery"),
    ],
)
def test_message(etalis, folder: Path, line: str, code: str, message: str, hint: str) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "rise.rq").write_text((folder / "rise.rq").read_text())
    before = (folder / "rise.ndjson").read_text()
    done = etalis(line)
    assert (done.code, done.out) == (2, b"")
    first, *others = done.err.rstrip("\n").split("\n")
    assert first.startswith(f"{code} ")
    assert message in first
    assert hint in "".join(others)
    assert (folder / "rise.ndjson").read_text() == before


def test_a_query_that_is_no_text(etalis, folder: Path) -> None:
    (folder / "latin.rq").write_bytes(b"SELECT ?x\nWHERE { ?x <urn:\xe9> ?y }")
    done = etalis("run latin.rq --stream rise.ndjson")
    assert done.code == 2
    assert done.err.startswith("EP502 latin.rq, line 2: the query is not UTF-8 text: it has the byte 0xE9")


@pytest.mark.parametrize(
    "line",
    ["--help", *(f"{command} --help" for command in COMMANDS), "demo tsunami --help", "demo delivery --help"],
)
def test_help(etalis, line: str) -> None:
    done = etalis(line)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(b"usage: etalis")
    assert max(map(len, done.out.decode().splitlines())) <= 110


def test_version(etalis) -> None:
    import etalis_py

    assert etalis("--version").out.decode() == f"etalis {etalis_py.__version__}\n"


def test_every_command_is_listed(etalis) -> None:
    shown = etalis("--help").out.decode()
    assert all(f"\n    {name} " in shown for name in COMMANDS)


def test_a_closed_output_is_told(start) -> None:
    command = f"exec {sys.executable} -m etalis_py run rise.rq --stream rise.ndjson >&-"
    process = start("", args=["sh", "-c", command])
    assert process.stderr.read().startswith(b"EP507 standard output is closed")
    assert process.wait(PATIENCE) == 2


def test_a_fault_of_our_own_is_told_as_such(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    from etalis_py.cli import doctor

    def break_down(_: object) -> int:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(doctor, "run", break_down)
    assert main(["doctor"]) == 4
    assert capsys.readouterr().err.startswith(
        "EP309 a fault in etalis_py itself: ZeroDivisionError: oh\nhint: "
    )
