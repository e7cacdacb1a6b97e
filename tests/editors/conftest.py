"""An editor: a client that starts ``etalis lsp`` and speaks with it over its standard input."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient

from tests.patience import PATIENCE

URI = "file:///work/fall.rq"


class Editor:
    """A client with one or several open texts; it waits for what the server says of them."""

    def __init__(self) -> None:
        self.client = LanguageClient("editor", "1")
        self.messages: list[str] = []
        self._found: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self._versions: dict[str, int] = {}

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def publish(parameters: types.PublishDiagnosticsParams) -> None:
            self._found.put_nowait(parameters)

        @self.client.feature(types.WINDOW_SHOW_MESSAGE)
        def show(parameters: types.ShowMessageParams) -> None:
            self.messages.append(parameters.message)

    async def start(self, *words: str, settings: Any = None, root: Path | None = None) -> None:
        await self.client.start_io(sys.executable, "-m", "etalis_py", "lsp", *words)
        await self.client.initialize_async(
            types.InitializeParams(
                types.ClientCapabilities(),
                initialization_options=settings,
                root_uri=None if root is None else root.as_uri(),
            )
        )
        self.client.initialized(types.InitializedParams())

    async def open(self, text: str, uri: str = URI) -> list[types.Diagnostic]:
        """Open a text; what is wrong with it."""
        self._versions[uri] = 0
        item = types.TextDocumentItem(uri, "ep-sparql", 0, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.diagnostics(uri)

    def type(self, text: str, uri: str = URI) -> None:
        """Let a text be another one."""
        self._versions[uri] += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self._versions[uri], uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    async def diagnostics(self, uri: str = URI) -> list[types.Diagnostic]:
        """What the server says next of a text: it must be of its newest version."""
        found = await asyncio.wait_for(self._found.get(), PATIENCE)
        assert (found.uri, found.version) == (uri, self._versions[uri])
        return list(found.diagnostics)

    @property
    def waits(self) -> bool:
        """Whether the server has said nothing that was not asked for."""
        return self._found.empty()

    async def stop(self) -> None:
        await asyncio.wait_for(self.client.shutdown_async(None), PATIENCE)
        self.client.exit(None)
        await self.client.stop()


@pytest.fixture
def edit() -> Callable[[Callable[[Editor], Coroutine[Any, Any, None]]], None]:
    """Runs a test with an editor."""

    def run(session: Callable[[Editor], Coroutine[Any, Any, None]]) -> None:
        async def whole() -> None:
            editor = Editor()
            try:
                await session(editor)
            finally:
                await editor.stop()

        asyncio.run(whole())

    return run


def at(text: str, uri: str = URI) -> tuple[str, dict[str, Any]]:
    """A text without its ``|``, and the place where that stood."""
    before, _, after = text.partition("|")
    line = before.count("\n")
    character = len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
    return before + after, {
        "text_document": types.TextDocumentIdentifier(uri),
        "position": types.Position(line, character),
    }
