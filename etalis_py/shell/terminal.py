"""Statements from a terminal: editing, history, completion and colours by prompt_toolkit."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from prompt_toolkit import PromptSession
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import ColorDepth

from etalis_py.core.cache import cache_folder
from etalis_py.shell.colours import STYLE, StatementLexer
from etalis_py.shell.completion import ShellCompleter
from etalis_py.shell.predicates import own_predicates
from etalis_py.shell.statements import is_complete

if TYPE_CHECKING:
    from etalis_py.shell.session import Session

__all__ = ["Terminal"]

_NEXT: Final = (";", " ", "n", Keys.Tab)
_HELP: Final = ("h", "?")
_KEYS: Final = "  ; next answer, Enter stops"
_STOP: Final = (".", "q", Keys.Enter, Keys.ControlJ, Keys.Escape, Keys.ControlC, Keys.ControlD)


class Terminal:
    """Reads statements; Enter ends one that is complete, and begins a line of one that is not.

    Ctrl-C gives up what is typed, Ctrl-D ends the session.
    """

    def __init__(self, session: Session) -> None:
        plain = "NO_COLOR" in os.environ
        self._shows_keys = True
        self._session: PromptSession[str] = PromptSession(
            history=_history(),
            lexer=StatementLexer(),
            style=STYLE,
            completer=ShellCompleter(
                session.names, lambda: own_predicates(session.engine), session.query_names
            ),
            complete_while_typing=False,
            multiline=Condition(self._goes_on),
            prompt_continuation=lambda width, _number, _wrapped: "... ".rjust(width),
            key_bindings=_statement_keys(),
            color_depth=ColorDepth.DEPTH_1_BIT if plain else None,
            enable_open_in_editor=False,
        )

    def _goes_on(self) -> bool:
        """Whether Enter makes a new line."""
        buffer = self._session.default_buffer
        return not is_complete(buffer.text.split("\n")) if buffer.text.strip() else False

    def statement(self) -> str | None:
        """The text of the next statement; None after Ctrl-D. Raises KeyboardInterrupt after Ctrl-C.

        While a line is typed Ctrl-C is a key. Signals are left to Python: prompt_toolkit's handler would lose
        one that comes when the line is complete already.
        """
        try:
            return self._session.prompt([("class:prompt", "etalis> ")], handle_sigint=False)
        except EOFError:
            return None

    def wants_more(self) -> bool:
        """Whether the key that is pressed asks for the next answer: ``;`` or space do, Enter does not.

        Keys are read without a prompt, which would be drawn over the line that the answer ends with. What
        they do is shown behind it until the first is pressed in the session, and after ``h``.
        """
        keyboard = self._session.input
        pressed = get_typeahead(keyboard)
        with keyboard.raw_mode():
            while not keyboard.closed:
                for at, press in enumerate(pressed):
                    if press.key in _NEXT or press.key in _STOP:
                        store_typeahead(keyboard, pressed[at + 1 :])
                        self._shows_keys = False
                        return press.key in _NEXT
                    self._shows_keys = self._shows_keys or press.key in _HELP
                with self._keys_shown():
                    select.select([keyboard.fileno()], [], [])
                pressed = [*keyboard.read_keys(), *keyboard.flush_keys()]
        return False

    @contextmanager
    def _keys_shown(self) -> Iterator[None]:
        """Within, the cursor stands before a line that says what the keys do, if it is to be shown."""
        output = self._session.output
        if self._shows_keys:
            output.write(_KEYS)
            output.cursor_backward(len(_KEYS))
            output.flush()
        yield
        if self._shows_keys:
            output.erase_end_of_line()
            output.flush()


def _statement_keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("escape", "enter")
    def _accept(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    return keys


def _history() -> History:
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = Path(folder, "shell_history")
        path.touch(0o600)
        if os.access(path, os.W_OK):
            return FileHistory(str(path))
    except OSError:
        pass
    return InMemoryHistory()
