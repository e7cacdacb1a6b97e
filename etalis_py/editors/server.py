"""The language server: the protocol around what this folder knows of texts."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument

from etalis_py import __version__
from etalis_py.compiler.format.formatter import format_text
from etalis_py.compiler.languages.languages import language_of
from etalis_py.compiler.spans import Span
from etalis_py.core.errors import EtalisError, QueryError
from etalis_py.core.explanations import explanation
from etalis_py.editors.completion import Kind, completions
from etalis_py.editors.description import Entry, EntryKind, declaration, definition, described, outline
from etalis_py.editors.diagnosis import Diagnosis, Problem
from etalis_py.editors.text import QueryText, span_of
from etalis_py.editors.vocabulary import Vocabulary, vocabulary_of

if TYPE_CHECKING:
    from etalis_py.engine.options import EngineOptions

__all__ = ["QueryServer", "new_server", "serve"]

WAIT: Final = 0.2
"""Seconds without typing after which a text is looked at."""
_NAME: Final = "etalis"
_KINDS: Final = {
    Kind.WORD: types.CompletionItemKind.Keyword,
    Kind.FUNCTION: types.CompletionItemKind.Function,
    Kind.PREFIX: types.CompletionItemKind.Module,
    Kind.VARIABLE: types.CompletionItemKind.Variable,
    Kind.CLASS: types.CompletionItemKind.Class,
    Kind.PROPERTY: types.CompletionItemKind.Property,
}
_SYMBOLS: Final = {
    EntryKind.QUERY: types.SymbolKind.Function,
    EntryKind.PREFIX: types.SymbolKind.Namespace,
    EntryKind.WINDOW: types.SymbolKind.Interface,
    EntryKind.STREAM: types.SymbolKind.Event,
}


class QueryServer(LanguageServer):
    """What a server knows beside its texts: options of the command line, and those of the editor."""

    def __init__(self, options: EngineOptions) -> None:
        super().__init__(_NAME, __version__)
        self._options = options
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._use(options)

    def use_settings(self, settings: Any) -> None:
        """Take over what the editor says: ``{"background": [files]}``, or that under ``etalis``."""
        if isinstance(settings, dict):
            settings = settings.get(_NAME, settings)
        background = settings.get("background") if isinstance(settings, dict) else None
        if background is None:
            return
        files = [background] if isinstance(background, str) else [str(each) for each in background]
        self._diagnosis.close()
        self._use(replace(self._options, background=(*self._options.background, *map(self._path, files))))

    def _use(self, options: EngineOptions) -> None:
        self._diagnosis = Diagnosis(options)
        self._background = options.background
        self._vocabulary: Vocabulary | None = None

    def _path(self, name: str) -> str:
        """A file of a setting; it is relative to the folder of the workspace."""
        root = self.workspace.root_path
        return name if root is None else str(Path(root) / name)

    @property
    def vocabulary(self) -> Vocabulary:
        """The names of the background; none where it cannot be read."""
        if self._vocabulary is None:
            try:
                self._vocabulary = vocabulary_of([os.fspath(each) for each in self._background])
            except EtalisError as error:
                self._vocabulary = Vocabulary()
                self._tell(error)
        return self._vocabulary

    def look_soon(self, uri: str) -> None:
        """Look at a text when nothing has been typed for a while."""
        self.forget(uri)
        self._waiting[uri] = asyncio.get_running_loop().call_later(WAIT, self.look, uri)

    def look(self, uri: str) -> None:
        """Look at a text, and tell the editor what was found."""
        self.forget(uri)
        document = self.workspace.get_text_document(uri)
        try:
            found = self._diagnosis.problems(document.source, _name_of(document), _base_of(document))
        except EtalisError as error:
            self._tell(error)
            found = []
        items = [_diagnostic(each, document) for each in found]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, items, document.version))

    def look_at_all(self) -> None:
        """Look at all texts again."""
        for uri in self.workspace.text_documents:
            self.look(uri)

    def forget(self, uri: str) -> None:
        """Do not look at a text that waits for it."""
        if uri in self._waiting:
            self._waiting.pop(uri).cancel()

    def close(self) -> None:
        """Give back what looks at texts."""
        self._diagnosis.close()

    def _tell(self, error: EtalisError) -> None:
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, str(error)))


def serve(options: EngineOptions) -> None:
    """Speak with an editor over standard input and output until it says goodbye.

    What else is printed, by Prolog say, goes to standard error.
    """
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0) as out:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        server = new_server(options)
        try:
            server.start_io(sys.stdin.buffer, out)
        finally:
            server.close()


def new_server(options: EngineOptions) -> QueryServer:
    """A server with all that it can do."""
    server = QueryServer(options)
    for register in (_watch_texts, _help_to_write, _show):
        register(server)
    return server


def _watch_texts(server: QueryServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(parameters: types.InitializeParams) -> None:
        server.use_settings(parameters.initialization_options)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(parameters: types.DidChangeConfigurationParams) -> None:
        server.use_settings(parameters.settings)
        server.look_at_all()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(parameters: types.DidOpenTextDocumentParams) -> None:
        server.look(parameters.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(parameters: types.DidChangeTextDocumentParams) -> None:
        server.look_soon(parameters.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(parameters: types.DidCloseTextDocumentParams) -> None:
        uri = parameters.text_document.uri
        server.forget(uri)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


def _help_to_write(server: QueryServer) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["?", "$", ":", "<"])
    )
    def complete(parameters: types.CompletionParams) -> list[types.CompletionItem]:
        document, offset = _at(server, parameters.text_document, parameters.position)
        found = completions(QueryText(document.source), offset, server.vocabulary)
        return [
            types.CompletionItem(
                each.text,
                kind=_KINDS[each.kind],
                detail=each.detail or None,
                sort_text=f"{number:06}",
                documentation=None if each.documentation is None else _markdown(each.documentation),
                text_edit=types.TextEdit(_range(document, Span(each.start, offset)), each.text),
            )
            for number, each in enumerate(found)
        ]

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def formatting(parameters: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        document = server.workspace.get_text_document(parameters.text_document.uri)
        if language_of(document.source, _name_of(document)) != "ep-sparql":
            return None
        try:
            formatted = format_text(document.source, _name_of(document))
        except QueryError:
            return None  # the diagnostics say what is wrong
        if formatted == document.source:
            return []
        return [types.TextEdit(_range(document, Span(0, len(document.source))), formatted)]

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([types.CodeActionKind.QuickFix]))
    def code_actions(parameters: types.CodeActionParams) -> list[types.CodeAction]:
        uri = parameters.text_document.uri
        return [action for each in parameters.context.diagnostics for action in _actions(uri, each)]


def _show(server: QueryServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(parameters: types.HoverParams) -> types.Hover | None:
        document, offset = _at(server, parameters.text_document, parameters.position)
        found = described(QueryText(document.source), offset, server.vocabulary)
        return None if found is None else types.Hover(_markdown(found[0]), _range(document, found[1]))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def go_to(parameters: types.DefinitionParams) -> types.Location | None:
        document, offset = _at(server, parameters.text_document, parameters.position)
        span, iri = definition(QueryText(document.source), offset)
        other = None if iri is None else _declared_elsewhere(server, document, iri)
        if other is not None and (span is None or declaration(QueryText(document.source), iri) is None):
            return other
        return None if span is None else types.Location(document.uri, _range(document, span))

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(parameters: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        document = server.workspace.get_text_document(parameters.text_document.uri)
        return [_symbol(each, document) for each in outline(QueryText(document.source))]


def _declared_elsewhere(server: QueryServer, document: TextDocument, iri: str) -> types.Location | None:
    """Where another open text declares a window or a stream."""
    for uri, other in server.workspace.text_documents.items():
        span = None if uri == document.uri else declaration(QueryText(other.source), iri)
        if span is not None:
            return types.Location(uri, _range(other, span))
    return None


def _actions(uri: str, diagnostic: types.Diagnostic) -> list[types.CodeAction]:
    """What the data of a diagnostic, as `_diagnostic` made it, offers."""
    data = diagnostic.data if isinstance(diagnostic.data, dict) else {}
    edits: list[tuple[str, types.TextEdit]] = []
    if text := data.get("replacement"):
        edits.append((f"write {text}", types.TextEdit(diagnostic.range, text)))
    if line := data.get("line"):
        place = types.Position(data.get("at", 0), 0)
        edits.append((f"add {line}", types.TextEdit(types.Range(place, place), f"{line}\n")))
    return [
        types.CodeAction(
            title, kind=types.CodeActionKind.QuickFix, diagnostics=[diagnostic], is_preferred=True,
            edit=types.WorkspaceEdit(changes={uri: [edit]}),
        )
        for title, edit in edits
    ]  # fmt: skip


def _diagnostic(problem: Problem, document: TextDocument) -> types.Diagnostic:
    line = problem.line
    end = types.Position(line, problem.column + problem.length)
    place = types.Range(types.Position(line, problem.column), end)
    hint = "" if problem.hint is None else f"\n{problem.hint}"
    return types.Diagnostic(
        document.position_codec.range_to_client_units(document.lines, place),
        f"{problem.message}{hint}",
        severity=types.DiagnosticSeverity.Error if problem.is_error else types.DiagnosticSeverity.Warning,
        code=problem.code,
        source=_NAME,
        data={
            "meaning": explanation(problem.code).meaning,
            "replacement": problem.replacement,
            "line": problem.missing_line,
            "at": _first_line(document, line),
        },
    )


def _first_line(document: TextDocument, line: int) -> int:
    """The line in which the query at a line begins."""
    text = QueryText(document.source)
    offset = sum(map(len, document.lines[:line]))
    part = text.part_at(offset)
    return document.source.count("\n", 0, span_of(part.tokens[0]).start) if part.tokens else 0


def _symbol(entry: Entry, document: TextDocument) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        entry.name,
        _SYMBOLS[entry.kind],
        _range(document, entry.span),
        _range(document, entry.name_span),
        children=[_symbol(each, document) for each in entry.children],
    )


def _at(
    server: QueryServer, text: types.TextDocumentIdentifier, position: types.Position
) -> tuple[TextDocument, int]:
    document = server.workspace.get_text_document(text.uri)
    return document, document.offset_at_position(position)


def _range(document: TextDocument, span: Span) -> types.Range:
    place = types.Range(_position(document.source, span.start), _position(document.source, span.end))
    return document.position_codec.range_to_client_units(document.lines, place)


def _position(text: str, offset: int) -> types.Position:
    return types.Position(text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset) - 1)


def _markdown(text: str) -> types.MarkupContent:
    return types.MarkupContent(types.MarkupKind.Markdown, text)


def _name_of(document: TextDocument) -> str | None:
    path = to_fs_path(document.uri)
    return None if path is None else Path(path).name


def _base_of(document: TextDocument) -> str | None:
    return document.uri if document.uri.startswith("file:") else None
