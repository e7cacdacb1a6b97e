"""From the words of a command line to an exit code.

0, or 2 for a bad query or bad arguments, 3 for bad data, 4 for a failure while running, 130 after Ctrl-C, 143
after SIGTERM, 129 after SIGHUP.
"""

from __future__ import annotations

import errno
import io
import sys
from collections.abc import Sequence
from typing import Final

from etalis_py.cli.arguments import check_words, command_parser
from etalis_py.cli.messages import Messages
from etalis_py.cli.standard_streams import hold_standard_streams, is_reader_gone
from etalis_py.core.errors import EtalisError, EtalisWarning, QueryError, RunTimeError

__all__ = ["main"]

STOPPED: Final = 130
"""The exit code of a program that Ctrl-C has stopped, as shells have it: 128 + SIGINT."""
_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; ``argv`` is without the name of the program. Never raises for what a user did."""
    hold_standard_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    messages = Messages(quiet="--quiet" in words, verbose="--verbose" in words)
    with messages:
        try:
            return _run(words, messages)
        except SystemExit as done:  # argparse, after --help
            return int(done.code or 0)
        except KeyboardInterrupt as stopped:
            return int(getattr(stopped, "exit_code", STOPPED))
        except EtalisError as error:
            messages.error(error)
            return error.exit_code
        except EtalisWarning as warning:  # -W error
            messages.error(warning)
            return QueryError.exit_code
        except Exception as error:  # noqa: BLE001 - a user never sees a traceback first
            if isinstance(error, BrokenPipeError) and is_reader_gone(error):
                _forget_output()
                return 0  # the reader of the answers has enough of them
            wrapped = _as_our_own(error)
            messages.error(wrapped)
            return wrapped.exit_code


def _run(words: list[str], messages: Messages) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may lack what explain draws trees with
    check_words(words)
    arguments = command_parser().parse_args(words)
    messages.treat_warnings(getattr(arguments, "warnings", None))
    code: int = arguments.run(arguments)
    if sys.stdout is not None:
        sys.stdout.flush()
    return code


def _as_our_own(error: Exception) -> EtalisError:
    """A full disk, or what cannot be a user's mistake, as an error of the project that keeps its cause."""
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        _forget_output()
        where = f" to {error.filename}" if error.filename else ""
        hint = "make room, or write to another place"
        wrapped = RunTimeError("EP304", f"nothing more can be written{where}: {error.strerror}", hint=hint)
    else:
        kind = type(error).__name__
        hint = "please report it with what --verbose shows"
        wrapped = RunTimeError("EP309", f"a fault in etalis_py itself: {kind}: {error}", hint=hint)
    wrapped.__cause__ = error
    return wrapped


def _forget_output() -> None:
    """Keep Python from writing to a closed pipe or a full disk once more when it ends."""
    import os

    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # it has no file behind it, or is closed
        sys.stdout = None
