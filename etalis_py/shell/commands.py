"""What the commands do that begin with ``:``, one function each; their help is in ``command_table``."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Final, cast

from etalis_py.cli.query_files import read_query
from etalis_py.compiler.algebra.policies import POLICIES, PolicyName
from etalis_py.core.counting import counted
from etalis_py.core.errors import DataError, RunTimeError, UsageError
from etalis_py.core.formats import BACKGROUND_FORMATS, by_suffix
from etalis_py.engine.option_values import check_choice, parse_delay, parse_moment
from etalis_py.shell.command_table import COMMANDS, WORDS
from etalis_py.shell.goals import goal_lines
from etalis_py.shell.once import run_once
from etalis_py.shell.stats import stats_lines
from etalis_py.streams import Batch, StreamFile

if TYPE_CHECKING:
    from etalis_py.shell.answers import Printer
    from etalis_py.shell.loop import Shell

__all__ = ["do_command"]

_QUERIES: Final = (".rq", ".sparql", ".spaseq", ".event")
_BACKGROUND: Final = (*by_suffix(BACKGROUND_FORMATS), ".gz")
_MOMENT: Final = 1_000_000


def do_command(shell: Shell, name: str, text: str) -> None:
    """Do what a command says, with the text behind it.

    Raises:
        UsageError: EP501, there is no such command; and what the command raises.
    """
    _DO[_known(name)](shell, text)


def _known(name: str) -> str:
    found = WORDS.get(name, name)
    if found in COMMANDS:
        return found
    near = get_close_matches(name, COMMANDS, n=1)
    hint = f"did you mean :{near[0]}?" if near else ":help lists all commands"
    raise UsageError("EP501", f"there is no command :{name}", hint=hint)


def _load(shell: Shell, text: str) -> None:
    path = _file(text, ":load FILE")
    if path.endswith(_QUERIES):
        file = read_query(path)
        names = shell.session.add_query(file.text, file=file)
        shell.printer.note(f"{', '.join(names)}: registered")
    elif path.endswith(_BACKGROUND):
        shell.session.load(path)
        shell.printer.note(f"{path}: loaded")
    else:
        shell.run_file(path)


def _stream(shell: Shell, text: str) -> None:
    file, speed = _stream_file(shell, text), None
    words = text.rsplit(maxsplit=1)
    if len(words) == 2 and not Path(file.path).exists():
        file, speed = _stream_file(shell, words[0]), _speed(words[1])
    count = shell.session.stream(file, None if speed is None else _Pace(speed, shell.printer))
    shell.printer.note(f"{file.path}: {counted(count, 'event')}; :advance closes the last instant")


def _stream_file(shell: Shell, text: str) -> StreamFile:
    """A file, and the IRI of its stream, which may have a prefix."""
    word = text.strip()
    name, equals, path = word.rpartition("=")
    iri = shell.session.names.expanded(name)
    file = StreamFile.parse(word if iri is None else f"<{iri}>{equals}{path}", ":stream")
    return StreamFile(_file(file.path, ":stream [IRI=]FILE [SPEED]"), file.stream)


def _speed(text: str) -> float:
    try:
        speed = float(text.removesuffix("x"))
    except ValueError:
        speed = 0.0
    if not 0 < speed < float("inf"):
        raise UsageError(
            "EP505", f":stream: {text!r} is not a speed", hint="write 60x to run an hour's events in a minute"
        )
    return speed


class _Pace:
    """Waits before each instant, so that events come ``speed`` times as fast as they happened.

    Says before it waits for the first time how it is stopped.
    """

    def __init__(self, speed: float, printer: Printer) -> None:
        self._speed = speed
        self._printer: Printer | None = printer
        self._began: tuple[float, int] | None = None

    def __call__(self, end: int) -> None:
        now = clock.monotonic()
        if self._began is None:
            self._began = (now, end)
        due = self._began[0] + (end - self._began[1]) / 1_000_000 / self._speed
        if due > now:
            if self._printer:
                self._printer.note(f"waiting for the next event, at {self._speed:g}x; Ctrl-C stops it")
                self._printer = None
            clock.sleep(due - now)


def _send(shell: Shell, text: str) -> None:
    names = shell.session.names
    words = names.words(text)
    if not 3 <= len(words) <= 5:
        raise UsageError(
            "EP501",
            f":send has {len(words)} of 3 to 5 words",
            hint=":send SUBJECT PREDICATE OBJECT [START [END]]",
        )
    places = ("subject", "predicate", "object")
    s, p, o = (names.term(word, place) for word, place in zip(words, places, strict=False))
    times = [parse_moment(word, ":send") for word in words[3:]] or [_next_moment(shell)]
    start, end = times[0], times[-1]
    if end < start:
        raise DataError("EP410", "the event ends before its start", hint=":send s p o START END")
    shell.session.send(Batch([start], [end], [s], [p], [o], None, [":send"], [1]))


def _next_moment(shell: Shell) -> int:
    """Now; a second after the newest event where that is later."""
    known = shell.session.engine.clock
    now = clock.time_ns() // 1_000_000_000 * _MOMENT
    return now if known is None else max(now, known + _MOMENT)


def _advance(shell: Shell, text: str) -> None:
    known = shell.session.engine.clock
    if not text:
        if known is None:
            raise UsageError("EP501", ":advance: nothing has happened yet", hint=":advance TIME begins")
        shell.session.advance(known + 1)
        return
    if text.startswith(("+", "P")):
        base = known or 0
        shell.session.advance(base + parse_delay(text.removeprefix("+"), ":advance"))
    else:
        shell.session.advance(parse_moment(text, ":advance"))


def _queries(shell: Shell, _text: str) -> None:
    for name in shell.session.query_names():
        query = shell.session.engine.query(name)
        shown = " ".join(query.text.text.split())
        shell.printer.line(
            f"{shell.printer.coloured('name', name)}  {shown[:100]}{'...' if len(shown) > 100 else ''}"
        )
    if not shell.session.query_names():
        shell.printer.note("no query is registered")


def _goals(shell: Shell, text: str) -> None:
    _known_query(shell, text)
    for line in goal_lines(shell.session, text or None):
        shell.printer.line(line)


def _explain(shell: Shell, text: str) -> None:
    from etalis_py.compiler.explain.overview import overview_text

    _known_query(shell, text)
    engine = shell.session.engine
    names = [text] if text else shell.session.query_names()
    if not names:
        shell.printer.note("no query is registered")
    for name in names:
        shell.printer.line(f"--- plan of {name} ---")
        shell.printer.line(overview_text(engine.query(name), engine.knowledge.triggers))


def _lars(shell: Shell, text: str) -> None:
    _known_query(shell, text)
    shell.printer.line(shell.session.engine.explain([text] if text else None).lars())


def _why(shell: Shell, text: str) -> None:
    from etalis_py.why.text import legible

    number, _, name = text.partition(" ")
    if number in shell.session.query_names():
        shell.printer.line(str(shell.session.why_nothing(number)))
        return
    if not number.isdigit():
        hint = ":why N [FILE.svg], N as in [1]; or :why QUERY, of a query without answers"
        raise UsageError("EP501", f":why: {number!r} is neither a number nor a query", hint=hint)
    why = shell.session.why(int(number))
    if not name.strip():
        shell.printer.line(legible(str(why)))
        return
    path = _file(name, ":why N FILE.svg")
    _write(Path(path), why.svg())
    shell.printer.note(f"{path}: a picture of answer [{number}]")


def _plot(shell: Shell, text: str) -> None:
    from etalis_py.why.timeline import Timeline

    matches = list(shell.session.answers.values())
    if not matches:
        hint = ":why QUERY says why a query has none"
        raise UsageError("EP505", ":plot: there is no answer yet", hint=hint)
    timeline = Timeline(matches, shell.session.names.prefixes)
    if not text:
        shell.printer.line(timeline.text(get_terminal_size().columns - 1))
        return
    path = _file(text, ":plot FILE.svg")
    _write(Path(path), timeline.svg())
    shell.printer.note(f"{path}: a picture of {counted(len(matches), 'answer')}")


def _stats(shell: Shell, _text: str) -> None:
    for line in stats_lines(shell.session):
        shell.printer.line(line)


def _clear(shell: Shell, _text: str) -> None:
    shell.printer.clear()


def _known_query(shell: Shell, name: str) -> None:
    if name and name not in shell.session.query_names():
        raise UsageError("EP505", f"there is no query named {name!r}", hint=shell.session.query_hint())


def _query(shell: Shell, text: str) -> None:
    name, _, query = text.partition("\n") if "\n" in text.split(" ", 1)[0] else _head(text)
    if not query.strip():
        raise UsageError("EP501", ":query has no query", hint=":query NAME, then the query, then ;;")
    shell.register(query, name.strip())


def _head(text: str) -> tuple[str, str, str]:
    name = text.split(maxsplit=1)[0] if text.split() else ""
    return name, "", text[len(name) :]


def _run(shell: Shell, text: str) -> None:
    if not text:
        raise UsageError("EP501", ":run has no query", hint=":run, then the query, then ;;")
    matches = run_once(shell.session, text)
    for match in matches:
        shell.print_plain(match)
    shell.printer.note(counted(len(matches), "answer"))


def _drop(shell: Shell, text: str) -> None:
    shell.session.drop_query(text)
    shell.printer.note(f"{text}: dropped")


def _unregister(shell: Shell, text: str) -> None:
    shell.session.remove_query(text)
    shell.printer.note(f"{text}: unregistered")


def _policy(shell: Shell, text: str) -> None:
    if text:
        check_choice(":policy", text, POLICIES)
        shell.session.set_policy(cast("PolicyName", text))
    shell.printer.note(f"policy of queries from now on: {shell.session.policy}")


def _prefix(shell: Shell, text: str) -> None:
    if text:
        words = text.split()
        if len(words) != 2 or not words[0].endswith(":") or ":" not in words[1]:
            raise UsageError(
                "EP501", f":prefix: {text!r} is not a declaration", hint=":prefix ex: <http://example.org/>"
            )
        shell.session.set_prefix(words[0][:-1], words[1].strip("<>"))
        return
    for prefix, namespace in sorted(shell.session.names.prefixes.items()):
        shell.printer.line(f"{prefix}: <{namespace}>")


def _save(shell: Shell, text: str) -> None:
    path = Path(_file(text, ":save FILE"))
    if path.suffix in (*_QUERIES, *_BACKGROUND):
        raise UsageError(
            "EP505", f":save {path}: this is the suffix of another kind of file", hint=":save FILE.etalis"
        )
    lines = [*shell.beginning, *map(str, shell.session.actions)]
    _write(path, "".join(f"{line}\n" for line in lines))
    shell.printer.note(f"{path}: {counted(len(lines), 'statement')}")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RunTimeError("EP304", f"{path} cannot be written: {error.strerror or error}") from error


def _restart(shell: Shell, _text: str) -> None:
    shell.session.restart()
    shell.printer.note("a new engine, with the same files and queries")


def _replay(shell: Shell, _text: str) -> None:
    shell.session.replay()


def _help(shell: Shell, text: str) -> None:
    if text:
        name = text.removeprefix(":")
        command = COMMANDS[_known(name)]
        shell.printer.line(f":{name} {command.takes}".rstrip() + f"\n    {command.help}")
        return
    shell.printer.line(_HEAD)
    width = max(len(f":{name} {command.takes}") for name, command in COMMANDS.items())
    for name, command in COMMANDS.items():
        shown = f":{name} {command.takes}".ljust(width)
        shell.printer.line(f"  {shown}  {command.help}")


def _quit(shell: Shell, _text: str) -> None:
    shell.ended = True


def _file(text: str, use: str) -> str:
    name = text.strip()
    if len(name) > 1 and name[0] == name[-1] and name[0] in "'\"":
        name = name[1:-1]
    if not name:
        raise UsageError("EP501", f"{use.split(maxsplit=1)[0]} has no file", hint=use)
    return str(Path(name).expanduser())


_HEAD: Final = """\
EP-SPARQL, ended by ;; or an empty line: registers a query, which sees everything from now on.
?- goal.  asks in Prolog, ; for the next answer: rdf/3, rdfs_subclass_of/2, waiting/5, occurrence/5, ...
"""

_DO: Final[Mapping[str, Callable[[Shell, str], None]]] = {
    "load": _load,
    "stream": _stream,
    "send": _send,
    "advance": _advance,
    "query": _query,
    "run": _run,
    "queries": _queries,
    "goals": _goals,
    "why": _why,
    "plot": _plot,
    "stats": _stats,
    "explain": _explain,
    "lars": _lars,
    "unregister": _unregister,
    "drop": _drop,
    "policy": _policy,
    "prefix": _prefix,
    "replay": _replay,
    "restart": _restart,
    "save": _save,
    "clear": _clear,
    "help": _help,
    "quit": _quit,
}
