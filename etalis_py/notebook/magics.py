"""The commands of a notebook: ``%etalis``, ``%%epsparql``, ``%events``, ``%%prolog``.

They work on one engine, which is the variable ``engine`` of the notebook.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING, Final

from IPython.core.magic import Magics, cell_magic, line_magic, magics_class

from etalis_py.cli.arguments import Parser
from etalis_py.cli.engine_options import LIMITS, SURROUNDINGS, add_engine_options, engine_options
from etalis_py.cli.stream_options import add_map, add_time_unit
from etalis_py.core.errors import UsageError
from etalis_py.engine.engine import Engine
from etalis_py.engine.match_sequence import Matches
from etalis_py.engine.run import send_events
from etalis_py.notebook.html import PrologAnswers
from etalis_py.notebook.progress import Progress
from etalis_py.shell.predicates import did_you_mean

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["EtalisMagics"]

_ENGINE: Final = "engine"
_MOST: Final = 100


@magics_class
class EtalisMagics(Magics):
    """What ``%load_ext etalis_py`` adds to a notebook."""

    shell: InteractiveShell

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell)
        self._made: Engine | None = None
        self._said = _parsed("%etalis", "", _fill_engine)

    @line_magic
    def etalis(self, line: str) -> Engine:
        """``%etalis [--background FILE ...] [--rules FILE ...] [--map FILE] ...``: begin with a new engine.

        It is the variable ``engine``. The options are those of ``etalis shell``.
        """
        self._said = _parsed("%etalis", line, _fill_engine)
        return self._begin()

    @cell_magic
    def epsparql(self, line: str, cell: str) -> Matches | None:
        """``%%epsparql [NAME] [--events WHAT] [-o VARIABLE]``: register the queries of the cell.

        With ``--events`` a new engine, with the options of ``%etalis``, takes a file, or the table of a
        variable, to the end, and what it finds is shown; ``-o`` names a variable for that.
        """
        arguments = _parsed("%%epsparql", line, _fill_query)
        if arguments.events is None:
            if arguments.output is not None:
                hint = "%events gives the matches of the engine"
                raise UsageError("EP501", "%%epsparql: -o needs --events", hint=hint)
            names = self._engine().register(cell, name=arguments.name)
            print(f"{', '.join(names)}: registered")  # noqa: T201 - the cell's output
            return None
        engine = self._begin()
        engine.register(cell, name=arguments.name)
        matches = self._send(engine, arguments.events)
        if arguments.output is not None:
            self.shell.user_ns[arguments.output] = matches
        return matches

    @line_magic
    def events(self, line: str) -> Matches:
        """``%events WHAT [--open]``: send a file, or the table of a variable, and show what the engine finds.

        With ``--open`` more events of the last instant may come.
        """
        arguments = _parsed("%events", line, _fill_events)
        return self._send(self._engine(), arguments.events, is_open=arguments.open)

    @cell_magic
    def prolog(self, line: str, cell: str) -> PrologAnswers:
        """``%%prolog [--most N]``: put the goal of the cell to the engine, and show its answers."""
        arguments = _parsed("%%prolog", line, _fill_prolog)
        engine = self._engine()
        prefixes = {
            name: iri for each in engine.query_names for name, iri in engine.query(each).prefixes.items()
        }
        named = {name: iri for name, iri in prefixes.items() if name}
        with did_you_mean(engine), engine.prolog(cell.strip(), written=True, prefixes=named) as question:
            answers = list(islice(question, arguments.most))
            return PrologAnswers(answers, is_all=next(question, None) is None)

    def _engine(self) -> Engine:
        """That of the notebook; a new one where there is none, or it is closed."""
        found = self.shell.user_ns.get(_ENGINE)
        return found if isinstance(found, Engine) and found.failure is None else self._begin()

    def _begin(self) -> Engine:
        options = engine_options(self._said)
        if self._made is not None:
            self._made.discard()
        self._made = Engine(**options.keywords(recall=True, trace=True))
        self.shell.user_ns[_ENGINE] = self._made
        return self._made

    def _send(self, engine: Engine, what: str, *, is_open: bool = False) -> Matches:
        """Send a file, or what a variable holds; what was found."""
        events = self.shell.user_ns.get(what, what)
        progress = Progress()
        try:
            for count in send_events(engine, events, map=self._said.map, time_unit=self._said.time_unit):
                progress.tell(count)
        finally:
            progress.end()
        if not is_open:
            engine.finish()
        return engine.matches()


def _parsed(magic: str, line: str, fill: Callable[[argparse.ArgumentParser], None]) -> argparse.Namespace:
    """What the words behind a magic say.

    Raises:
        UsageError: EP501.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError("EP501", f"{magic}: {error}", hint="close the quotes") from error
    parser = Parser(fill=fill, prog=magic, add_help=False)
    found: argparse.Namespace = parser.parse_args(words)
    return found


def _fill_engine(parser: argparse.ArgumentParser) -> None:
    add_engine_options(parser, *SURROUNDINGS, "entailment", "on_late", *LIMITS)
    add_map(parser)
    add_time_unit(parser)


def _fill_query(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?")
    parser.add_argument("--events", metavar="WHAT")
    parser.add_argument("-o", "--output", metavar="VARIABLE")


def _fill_events(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("events", metavar="WHAT")
    parser.add_argument("--open", action="store_true")


def _fill_prolog(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--most", type=int, default=_MOST, metavar="N")
