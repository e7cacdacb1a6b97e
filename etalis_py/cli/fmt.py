"""``etalis fmt``: queries in one style."""

from __future__ import annotations

import argparse
import shutil
import sys
from difflib import unified_diff
from pathlib import Path
from typing import Final

from etalis_py.cli.query_files import QueryFile, read_queries, read_query
from etalis_py.cli.standard_streams import say
from etalis_py.compiler.languages.languages import language_of
from etalis_py.core.cache import new_file
from etalis_py.core.counting import counted
from etalis_py.core.errors import EtalisError, UsageError

__all__ = ["add_arguments", "run"]

_STDIN: Final = "-"
_CHANGES: Final = 1
"""The exit code of --check where something would change."""
_EPILOG: Final = """\
exit codes: 0, 1 where --check or --diff finds a file that is not formatted, 2 where one is no query

examples:
  etalis fmt queries/*.rq
  etalis fmt --check queries/*.rq
  etalis fmt < fall.rq
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the parser the arguments of the command."""
    parser.epilog = _EPILOG
    parser.add_argument(
        "files", nargs="*", metavar="QUERY.rq",
        help="query files, which are written anew (default: standard input, to standard output)",
    )  # fmt: skip
    parser.add_argument(
        "--check", action="store_true", help="write nothing; name the files that would change"
    )
    parser.add_argument("--diff", action="store_true", help="write nothing; show what would change")


def run(arguments: argparse.Namespace) -> int:
    """Format the files; one that is no query stays as it is, and the others are formatted."""
    code, changed = 0, 0
    for path in arguments.files or [_STDIN]:
        try:
            changed += _format(path, arguments)
        except EtalisError as error:
            say(str(error))
            code = error.exit_code
    if changed and (arguments.check or arguments.diff):
        return code or _CHANGES
    if changed:
        say(f"{counted(changed, 'file')} formatted")
    return code


def _format(path: str, arguments: argparse.Namespace) -> bool:
    """Format one file; whether it was not formatted already, for standard input only with --check or --diff.

    Raises:
        UsageError: EP502 a file that cannot be read or written, EP506 for another language.
        QuerySyntaxError: it is no query.
    """
    file = read_queries([path])[0] if path == _STDIN else read_query(path)
    formatted = _formatted(file)
    if arguments.check or arguments.diff:
        if formatted == file.text:
            return False
        if arguments.check:
            print(f"{path}: is not formatted")
        if arguments.diff:
            lines = unified_diff(
                file.text.splitlines(keepends=True),
                formatted.splitlines(keepends=True),
                path,
                f"{path} (formatted)",
            )
            sys.stdout.writelines(
                line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
            )
        return True
    if path == _STDIN:
        sys.stdout.write(formatted)
        return False
    if formatted == file.text:
        return False
    _write(Path(path), formatted)
    return True


def _formatted(file: QueryFile) -> str:
    from etalis_py.compiler.format.formatter import format_text

    language = language_of(file.text, file.path)
    if language != "ep-sparql":
        raise UsageError(
            "EP506", f"{file.path} is {language}: only EP-SPARQL can be formatted", hint="leave it out"
        )
    return format_text(file.text, file.path)


def _write(path: Path, text: str) -> None:
    """Write all of a file or nothing."""
    target = path.resolve()
    try:
        with new_file(target.parent, target.suffix) as new:
            new.write_bytes(text.encode())
            shutil.copymode(target, new)
            new.replace(target)
    except OSError as error:
        raise UsageError(
            "EP507", f"{path} cannot be written: {error.strerror}", hint="check the permissions of its folder"
        ) from error
