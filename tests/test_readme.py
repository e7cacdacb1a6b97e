"""What README.md and docs/*.md show is so: their commands and programs run here, and print what stands there.

A comment before a fenced block says what the block is for:

    <!-- file: NAME -->    it is written to NAME, for all commands and programs of the same document
    <!-- output -->        it is what the program before it prints
    <!-- spark -->         it starts Spark; <!-- slow -->: it takes more than a few seconds

Commands stand after "$ " in console blocks and see a terminal, as a reader's do. "..." stands for any text.
"""

from __future__ import annotations

import doctest
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from threading import Thread

import pytest
from _pytest.mark.structures import ParameterSet

from etalis_py.cli import main
from etalis_py.compiler.compile import compile_program
from etalis_py.core.errors import CompileError
from etalis_py.provision.java import lead_spark_to_java
from tests.patience import PATIENCE

PROJECT = Path(__file__).resolve().parents[1]
DOCUMENTS = (
    PROJECT / "README.md",
    PROJECT / "docs" / "overview.md",
    PROJECT / "docs" / "tsunami.md",
    PROJECT / "docs" / "architecture.md",
    PROJECT / "docs" / "semantics.md",
    PROJECT / "docs" / "windows.md",
    PROJECT / "docs" / "gallery.md",
    PROJECT / "docs" / "delivery.md",
    PROJECT / "docs" / "state.md",
    PROJECT / "docs" / "prolog-rules.md",
    PROJECT / "docs" / "from-sparql.md",
    PROJECT / "docs" / "from-etalis.md",
    PROJECT / "docs" / "spaseq.md",
    PROJECT / "docs" / "etalis.md",
    PROJECT / "docs" / "why.md",
    PROJECT / "docs" / "tutorial.md",
    PROJECT / "docs" / "journey.md",
    PROJECT / "docs" / "api.md",
    PROJECT / "docs" / "data.md",
    PROJECT / "docs" / "linting.md",
    PROJECT / "docs" / "snapshots.md",
    PROJECT / "docs" / "state-folder.md",
    PROJECT / "docs" / "spark.md",
    PROJECT / "docs" / "spark-planning.md",
    PROJECT / "docs" / "spark-streaming.md",
    PROJECT / "docs" / "spark-sources.md",
)
LENDERS = {PROJECT / "docs" / name: PROJECT / "README.md" for name in ("architecture.md", "overview.md")}
"""Documents that use the files of another one."""
LINKED = (PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md")))
FILES = {"sparql", "turtle", "csv", "json", "prolog", "yaml"}
"""Languages of blocks that are always files."""

_find_blocks = re.compile(
    r"^(?:<!-- (?P<note>[^\n]*?) -->\n+)?(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
).finditer
_is_plain = re.compile(r"etalis [^|<>&;*$'\"]*").fullmatch
_strip_colours = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]").sub


@dataclass(frozen=True)
class Block:
    """A fenced block, with the number of its first line in the document."""

    document: Path
    line: int
    language: str
    note: str
    text: str

    @property
    def file(self) -> str | None:
        """The file it is to be written to."""
        return self.note.removeprefix("file: ") if self.note.startswith("file: ") else None


def blocks(document: Path) -> list[Block]:
    text = document.read_text(encoding="utf-8")
    return [
        Block(
            document, text.count("\n", 0, found.start("text")) + 1, found["language"], found["note"] or "",
            dedent(found["text"]),
        )
        for found in _find_blocks(text)
    ]  # fmt: skip


BLOCKS = [block for document in DOCUMENTS for block in blocks(document)]


def chosen(language: str) -> list[ParameterSet]:
    """The blocks in one language as parameters, with their marks."""
    return [
        pytest.param(block, marks=marks(block), id=f"{block.document.name}:{block.line}")
        for block in BLOCKS
        if block.language == language
    ]


def marks(block: Block) -> list[pytest.MarkDecorator]:
    return [getattr(pytest.mark, name) for name in ("spark", "slow") if name in block.note.split()]


@pytest.fixture
def folder(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of the document; ``etalis`` and ``python`` are this environment's."""
    block: Block = request.getfixturevalue("block")
    for each in BLOCKS:
        if each.file is not None and each.document in (block.document, LENDERS.get(block.document)):
            (tmp_path / each.file).write_text(each.text, encoding="utf-8")
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    if "spark" in block.note.split():
        monkeypatch.setenv("JAVA_HOME", str(lead_spark_to_java().home))
    return tmp_path


@contextmanager
def terminal() -> Iterator[tuple[int, list[str]]]:
    """A terminal of 110 columns, for the one program that writes to it; what it shows, without colours."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 110, 0, 0))
    printed, shown = [], []

    def read() -> None:
        with suppress(OSError):  # how Linux says that the other side is closed
            while part := os.read(ours, 1 << 16):
                printed.append(part)

    reader = Thread(target=read)
    reader.start()
    try:
        yield theirs, shown
    finally:
        os.close(theirs)
        reader.join()
        os.close(ours)
    shown.append(_strip_colours("", b"".join(printed).decode()).replace("\r\n", "\n"))


TERMINAL = {"TERM": "xterm", "COLUMNS": "110", "LC_ALL": "C.UTF-8"}


def by_shell(command: str, folder: Path) -> str:
    """What a shell command prints on a terminal."""
    with terminal() as (descriptor, shown):
        process = subprocess.Popen(
            ["bash", "-c", command],
            cwd=folder,
            env={**os.environ, **TERMINAL},
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
        )
        process.wait(timeout=PATIENCE)
    return shown[0]


def in_this_process(words: Sequence[str], folder: Path) -> str:
    """What ``etalis`` prints on a terminal; tests/cli starts processes of its own."""
    with (
        terminal() as (descriptor, shown),
        pytest.MonkeyPatch.context() as patch,
        Path(os.devnull).open() as nothing,
    ):
        for name, value in TERMINAL.items():
            patch.setenv(name, value)
        patch.chdir(folder)
        patch.setattr(sys, "stdin", nothing)
        with os.fdopen(os.dup(descriptor), "w") as out, os.fdopen(os.dup(descriptor), "w") as err:
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            main(list(words))
    return shown[0]


def check(expected: str, printed: str, what: str) -> None:
    same = doctest.OutputChecker().check_output(
        expected.rstrip() + "\n", _unpadded(printed), doctest.ELLIPSIS
    )
    assert same, f"{what} prints\n{printed}\nand not\n{expected}"


def _unpadded(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()).rstrip() + "\n"


@pytest.fixture
def _spark_of_all(request: pytest.FixtureRequest) -> None:
    """The Spark of all tests, for what runs in this process."""
    block: Block = request.getfixturevalue("block")
    if "spark" in block.note.split():
        request.getfixturevalue("spark")


@pytest.mark.usefixtures("_spark_of_all")
@pytest.mark.parametrize("block", chosen("console"))
def test_commands_print_what_is_shown(block: Block, folder: Path) -> None:
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, expected = re.sub(r"\\\n\s*", "", part).partition("\n")
        if "slow" in block.note.split() or not _is_plain(command):
            printed = by_shell(command, folder)
        else:
            printed = in_this_process(command.split()[1:], folder)
        check(expected, printed, f"$ {command}")


@pytest.mark.parametrize("block", chosen("python"))
def test_programs_print_what_is_shown(block: Block, folder: Path) -> None:
    program = folder / (block.file or "program.py")
    program.write_text(block.text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, program], cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    following = BLOCKS[BLOCKS.index(block) + 1 :]
    expected = following[0].text if following and following[0].note == "output" else ""
    check(expected, done.stdout, f"the program at line {block.line}")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_block_is_known(document: Path) -> None:
    for block in blocks(document):
        assert block.language in {"console", "python", "sh", "text"} or (
            block.language in FILES and block.file
        ), f"line {block.line}: what is this block for?"


@pytest.mark.parametrize("document", LINKED, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        place, _, heading = target.partition("#")
        if place.startswith(("http://", "https://")):
            continue
        other = (document.parent / place).resolve() if place else document
        assert other.exists(), f"{document.name} links to {target}"
        assert not heading or heading in anchors(other), f"{document.name} links to {target}"


def anchors(document: Path) -> set[str]:
    """The names that headings of a document have in links."""
    headings = re.findall(r"^#+ (.*)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_make_targets_exist() -> None:
    pages = (PROJECT / "README.md", PROJECT / "docs" / "install.md")
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = set(re.findall(r"(?:`|^)make ([a-z-]+)", text, re.MULTILINE))
    assert {"demo", "test", "setup", "help"} <= named <= targets


def test_the_first_page_is_short() -> None:
    assert len((PROJECT / "README.md").read_text(encoding="utf-8").splitlines()) <= 160


REFUSED = {
    "`LIMIT` or `OFFSET` in a sub-`SELECT`": "SELECT ?g { GRAPH ?g { SELECT ?s { ?s :q ?o } LIMIT 1 } }",
    "over windows on streams": "ASK { STREAM ?s [ELEMENTS 5] { ?s :q ?o } }",
    "`BNODE` with a label in the `FILTER`": "ASK { ?s :q ?o OPTIONAL { ?s :r ?t FILTER (?t = BNODE(?o)) } }",
}


def test_what_is_said_to_be_refused_is() -> None:
    text = (PROJECT / "docs" / "overview.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"<!-- refused -->(.*?)<!-- /refused -->", text, re.DOTALL)
    assert len(re.findall(r"^- ", listed, re.MULTILINE)) == len(REFUSED)
    for said, query in REFUSED.items():
        assert said in listed
        with pytest.raises(CompileError) as caught:
            compile_program(f"PREFIX : <urn:>\n{query}", name="query")
        assert caught.value.code == "EP201", said
