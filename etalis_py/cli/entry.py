"""From the words of a command line to an exit code.

0, or 2 for a bad query or bad arguments, 3 for bad data, 4 for a failure while running, 130 after Ctrl-C.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

from etalis_py.cli.arguments import check_words, command_parser
from etalis_py.cli.messages import Messages
from etalis_py.errors import EtalisError, RunTimeError

__all__ = ["main"]

STOPPED = 130
"""The exit code of a program that Ctrl-C has stopped, as shells have it: 128 + SIGINT."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; ``argv`` is without the name of the program. Never raises for what a user did."""
    words = list(sys.argv[1:] if argv is None else argv)
    messages = Messages(quiet="--quiet" in words, verbose="--verbose" in words)
    with messages:
        try:
            return _run(words)
        except SystemExit as done:  # argparse, after --help
            return int(done.code or 0)
        except KeyboardInterrupt:
            return STOPPED
        except BrokenPipeError:
            _forget_output()
            return 0  # whoever reads the answers has enough of them
        except EtalisError as error:
            messages.error(error)
            return error.exit_code
        except Exception as error:  # noqa: BLE001 - a user never sees a traceback first
            wrapped = _as_our_own(error)
            messages.error(wrapped)
            return wrapped.exit_code


def _run(words: list[str]) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may lack what explain draws trees with
    check_words(words)
    arguments = command_parser().parse_args(words)
    code: int = arguments.run(arguments)
    if sys.stdout is not None:
        sys.stdout.flush()
    return code


def _as_our_own(error: Exception) -> EtalisError:
    """What cannot be a user's mistake, as an error of the project that keeps it as its cause."""
    kind = type(error).__name__
    hint = "please report it with what --verbose shows"
    wrapped = RunTimeError("EP309", f"a fault in etalis_py itself: {kind}: {error}", hint=hint)
    wrapped.__cause__ = error
    return wrapped


def _forget_output() -> None:
    """Keep Python from writing to the closed pipe once more when it ends."""
    import os

    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # it has no file behind it, or is closed
        sys.stdout = None
