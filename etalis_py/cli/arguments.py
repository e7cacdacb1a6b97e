"""The argument parser: one table of commands, errors in the project's form, nothing imported too early."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Final, NoReturn, Protocol, TypeAlias, cast

from etalis_py.core.errors import UsageError
from etalis_py.core.value_class import value_class

__all__ = ["COMMANDS", "Command", "CommandModule", "Parser", "check_words", "command_parser"]


@value_class
class Command:
    """A command and the module that has its ``add_arguments`` and ``run``; imported when it is used.

    With ``has_commands`` the module has no ``run``: its ``add_arguments`` adds commands that do.
    """

    help: str
    module: str
    has_commands: bool = False


class CommandModule(Protocol):
    """What the module of a command has."""

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        """Give the parser the arguments of the command."""

    @staticmethod
    def run(arguments: argparse.Namespace) -> int:
        """Do what the arguments say; the exit code. Raises EtalisError for errors that a user can fix."""


COMMANDS: Final = {
    "run": Command("find what queries look for in event streams", "etalis_py.cli.run"),
    "explain": Command("show what the compiler makes of a query", "etalis_py.cli.explain"),
    "check": Command("check whether queries can be run", "etalis_py.cli.check"),
    "agree": Command("check whether queries give the same rows on a stream", "etalis_py.cli.agree"),
    "rewrite": Command("write queries with windows on streams in another dialect", "etalis_py.cli.rewrite"),
    "fmt": Command("format queries", "etalis_py.cli.fmt"),
    "lsp": Command("help editors with queries", "etalis_py.cli.lsp"),
    "shell": Command("give queries, events and Prolog questions to a running engine", "etalis_py.cli.shell"),
    "serve": Command("let engines stay, and be fed, asked and watched over HTTP", "etalis_py.cli.serve"),
    "map": Command("propose a mapping for a file of ordinary data", "etalis_py.cli.map"),
    "pack": Command("make an archive of all that Spark's workers need", "etalis_py.cli.pack"),
    "doctor": Command("check what the engine needs on this machine", "etalis_py.cli.doctor"),
    "bench": Command("measure the speed of the engine on this machine", "etalis_py.cli.bench"),
    "demo": Command("run a demonstration", "etalis_py.cli.demo", has_commands=True),
}


_Fill: TypeAlias = Callable[[argparse.ArgumentParser], None]


class Parser(argparse.ArgumentParser):
    """An argument parser that raises EP501 instead of exiting, and is filled when it is used."""

    def __init__(
        self, *, fill: Callable[[argparse.ArgumentParser], None] | None = None, **options: Any
    ) -> None:
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **options)
        self._fill = fill
        self._words: list[str] = []
        self._choices: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse has it, but this parser's arguments are added first, and unknown words are refused."""
        self._words = list(args or ())
        fill, self._fill = self._fill, None
        if fill is not None:
            fill(self)
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self._refuse(unknown)
        if getattr(known, "texts", None) == known.__dict__.get("queries") == []:
            self.error("the following arguments are required: QUERY.rq")
        return known, unknown

    def error(self, message: str) -> NoReturn:
        """Raise EP501. A word that no option has is the likely reason for what argparse finds missing."""
        missing = message.removeprefix("the following arguments are required: ")
        if missing == message:
            raise UsageError("EP501", message, hint=_near_choice(message) or self._see_help)
        unknown = [word for word in self._words if word.startswith("--") and not self._knows(word)]
        if unknown:
            self._refuse(unknown)
        queries = [word for word in self._words if word.endswith((".rq", ".sparql"))]
        hint = self._see_help
        if queries and "QUERY.rq" in missing:
            hint = f"name the queries before the options: {self.prog} {' '.join(queries)} --stream ..."
        if self._choices:
            hint = f"{self.prog} takes {' or '.join(self._choices)}; {hint}"
        raise UsageError("EP501", f"missing: {missing}", hint=hint)

    def add_commands(self, commands: Mapping[str, Command], kind: str) -> None:
        """Take one of the commands; their modules are imported when they are chosen."""
        self._choices = list(commands)
        choices = self.add_subparsers(title=f"{kind}s", metavar=kind.upper(), required=True, dest=kind)
        for name, command in commands.items():
            choices.add_parser(
                name, help=command.help, description=f"{_capital(command.help)}.", fill=_filler(command)
            )

    @property
    def _see_help(self) -> str:
        return f"see {self.prog} --help"

    def _knows(self, word: str) -> bool:
        return word == "--" or word.partition("=")[0] in self._option_string_actions

    def _refuse(self, words: Sequence[str]) -> NoReturn:
        """Raise EP501 for words that no argument takes, with the nearest option."""
        wrong = next((word for word in words if word.startswith("-")), words[0])
        name = wrong.partition("=")[0]
        near = get_close_matches(name, self._option_string_actions, n=1)
        hint = f"did you mean {near[0]}?" if near else self._see_help
        what = "there is no option" if wrong.startswith("-") else "one word too many:"
        raise UsageError("EP501", f"{what} {name!r}", hint=hint)


def _near_choice(message: str) -> str | None:
    """The choice that argparse's message about a wrong one has nearest to it."""
    found = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
    near = get_close_matches(found[1].lower(), re.findall(r"[\w-]+", found[2]), n=1) if found else ()
    return f"did you mean {near[0]}?" if near else None


def command_parser() -> Parser:
    """The parser of ``etalis``."""
    parser = Parser(
        prog="etalis",
        description="Find patterns in streams of RDF events with EP-SPARQL, with background knowledge.",
        epilog="etalis COMMAND --help describes one command.",
    )
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="show the version and exit")
    parser.add_commands(COMMANDS, "command")
    return parser


def check_words(words: Sequence[str]) -> None:
    """Raise EP501 with the nearest command where the first word is not one."""
    known = ", ".join(COMMANDS)
    if not words:
        raise UsageError("EP501", "no command is given", hint=f"the commands are {known}; see etalis --help")
    first = words[0]
    if first.startswith("-") or first in COMMANDS:
        return
    near = get_close_matches(first, COMMANDS, n=1)
    hint = f"did you mean 'etalis {near[0]}'?" if near else f"the commands are {known}"
    if first.endswith((".rq", ".sparql")):
        hint = f"did you mean 'etalis run {first}'?"
    raise UsageError("EP501", f"there is no command {first!r}", hint=hint)


def _filler(command: Command) -> _Fill:
    def fill(parser: argparse.ArgumentParser) -> None:
        module = cast("CommandModule", import_module(command.module))
        module.add_arguments(parser)
        if not command.has_commands:
            parser.set_defaults(run=module.run)
            parser.add_argument(
                "--verbose",
                action="store_true",
                help="report more of what happens, and where an error was raised",
            )

    return fill


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


class _ShowVersion(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from etalis_py import __version__

        print(f"etalis {__version__}")
        parser.exit()
