"""``etalis lsp``: a client speaks with it over standard input and output, as an editor does."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from lsprotocol import types

from etalis_py.cli import main
from etalis_py.compiler.format.formatter import format_text
from etalis_py.editors.completion import completions
from etalis_py.editors.text import QueryText
from etalis_py.editors.vocabulary import Vocabulary
from tests.editors.conftest import URI, Editor, at

PREFIX = "PREFIX ex: <http://example.org/>\n"
ONTOLOGY = """\
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:Storm a rdfs:Class ; rdfs:label "a storm"@en ; rdfs:comment "Wind that breaks trees." ;
    rdfs:subClassOf ex:Weather .
ex:strength rdfs:domain ex:Storm ; rdfs:label "how strong" .
ex:northSea a ex:Storm .
"""


def range_of(line: int, start: int, end: int) -> types.Range:
    return types.Range(types.Position(line, start), types.Position(line, end))


def test_errors_and_warnings_come_with_code_and_place(edit) -> None:
    async def session(editor: Editor) -> None:
        await editor.start()
        [error] = await editor.open(PREFIX + "SELECT ?x WHERE { ?x a exx:Storm }")
        assert (error.code, error.source, error.severity) == (
            "EP106",
            "etalis",
            types.DiagnosticSeverity.Error,
        )
        assert error.range == range_of(1, 23, 27)
        assert error.message.startswith("the prefix 'exx:' is not declared\ndid you mean 'ex:'?")
        editor.type(
            PREFIX + "SELECT ?x WHERE { ?x a ex:Storm . ?y a ex:Flood FILTER (getDURATION() < 'PT1H') }"
        )
        warnings = await editor.diagnostics()
        assert {each.severity for each in warnings} == {types.DiagnosticSeverity.Warning}
        assert {each.code for each in warnings} >= {"EW08", "EW01"}
        editor.type(PREFIX + "SELECT ?x WHERE { ?x a ex:Storm }")
        assert await editor.diagnostics() == []

    edit(session)


def test_other_languages_are_known_by_their_files(edit) -> None:
    async def session(editor: Editor) -> None:
        await editor.start()
        assert await editor.open("", "file:///work/empty.rq") == []
        [error] = await editor.open("a(X) <- b(X seq c(X).\n", "file:///work/a.event")
        assert (error.code, error.range) == ("EP101", range_of(0, 20, 21))
        spaseq = (
            "SELECT ?x WITHIN 5 MINUTES FROM STREAM S <urn:s> WHERE { SEQ (A) DEFINE GPM B ON S { ?x ?y 1 } }"
        )
        errors = await editor.open(spaseq, "file:///work/a.spaseq")
        assert {each.code for each in errors} == {"EP121"}

    edit(session)


def test_many_keystrokes_are_looked_at_once(edit) -> None:
    async def session(editor: Editor) -> None:
        await editor.start()
        text = PREFIX + "SELECT ?x WHERE { ?x a ex:Storm }"
        assert await editor.open(text) == []
        for end in range(len(PREFIX) + 1, len(text)):
            editor.type(text[:end])
        [error] = await editor.diagnostics()
        assert error.code == "EP102"
        assert editor.waits

    edit(session)


def test_places_count_as_the_protocol_does(edit) -> None:
    async def session(editor: Editor) -> None:
        await editor.start()
        [error] = await editor.open("SELECT ?x { ?x <urn:p> '\U0001f30a' . ?x a storm:Flood }")
        assert error.range == range_of(0, 35, 41)

    edit(session)


def test_hints_with_an_exact_replacement_are_actions(edit) -> None:
    async def actions(editor: Editor, text: str) -> list[tuple[str, str]]:
        editor.type(text)
        found = await editor.diagnostics()
        asked = types.CodeActionParams(
            types.TextDocumentIdentifier(URI), found[0].range, types.CodeActionContext(found)
        )
        answered = await editor.client.text_document_code_action_async(asked)
        return [(each.title, each.edit.changes[URI][0].new_text) for each in answered]

    async def session(editor: Editor) -> None:
        await editor.start()
        await editor.open("")
        assert await actions(editor, PREFIX + "SELECT ?x { ?x a exx:Storm }") == [("write ex:", "ex:")]
        assert await actions(editor, "SELECT ?x { ?x a foaf:Agent }") == [
            ("add PREFIX foaf: <http://xmlns.com/foaf/0.1/>", "PREFIX foaf: <http://xmlns.com/foaf/0.1/>\n")
        ]
        assert await actions(editor, "SELCT ?x { ?x a <urn:Storm> }") == [("write SELECT", "SELECT")]
        assert await actions(editor, "SELECT ?x { ?x a 'Storm }") == []

    edit(session)


def test_completion_with_a_background(edit, tmp_path: Path) -> None:
    (tmp_path / "weather.ttl").write_text(ONTOLOGY)

    async def offered(editor: Editor, text: str) -> dict[str, str | None]:
        whole, place = at(text)
        editor.type(whole)
        found = await editor.client.text_document_completion_async(types.CompletionParams(**place))
        await editor.diagnostics()
        return {each.label: each.detail for each in found}

    async def session(editor: Editor) -> None:
        await editor.start(settings={"background": "weather.ttl"}, root=tmp_path)
        await editor.open("")
        names = await offered(editor, PREFIX + "SELECT ?x { ?x a ex:Sto| }")
        assert names == {"ex:Storm": "a storm"}
        names = await offered(editor, PREFIX + "SELECT ?x { ?x ex:s| }")
        assert names == {"ex:Storm": "a storm", "ex:strength": "how strong"}
        names = await offered(
            editor, PREFIX + "SELECT ?storm { { ?storm a ?kind } MINUS { ?hidden a ?kind } ?| }"
        )
        assert list(names) == ["?storm", "?kind"]
        names = await offered(editor, PREFIX + "SELECT ?x { { ?x a ex:A } | }")
        assert {"SEQ", "OPTIONALSEQ", "FILTER", "isIRI", "getDURATION", "ex:"} <= names.keys()
        assert (names["SUBSTR"], names["ex:"]) == ("2 to 3 arguments", "http://example.org/")
        names = await offered(editor, "PREFIX so|")
        assert "sosa: <http://www.w3.org/ns/sosa/>" in names
        assert await offered(editor, "SELECT ?x # S|") == {}

    edit(session)


def test_a_background_that_cannot_be_read_is_told_once(edit, tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        await editor.start("--background", str(tmp_path / "none.ttl"))
        assert await editor.open("SELECT ?x { ?x a <urn:Storm> }") == []
        assert [each.partition(" ")[0] for each in editor.messages] == ["EP421"]

    edit(session)


def test_hover(edit, tmp_path: Path) -> None:
    (tmp_path / "weather.ttl").write_text(ONTOLOGY)

    async def said(editor: Editor, text: str) -> str:
        whole, place = at(text)
        editor.type(whole)
        found = await editor.client.text_document_hover_async(types.HoverParams(**place))
        await editor.diagnostics()
        return "" if found is None else found.contents.value

    async def session(editor: Editor) -> None:
        await editor.start("--background", str(tmp_path / "weather.ttl"))
        await editor.open("")
        name = await said(editor, PREFIX + "SELECT ?x { ?x a ex:St|orm }")
        assert name == (
            "`<http://example.org/Storm>`\n\nclass **a storm**\n\n"
            "Wind that breaks trees.\n\nbelow `ex:Weather`"
        )
        assert await said(editor, PREFIX + "SELECT ?x { { ?x a ex:A } S|EQ { ?x a ex:B } }") == (
            "**SEQ**\n\nA is over **before** B begins. What ends and begins at the same microsecond is not "
            "in sequence.\n\n```text\na  |-----|                     a.end < b.start\n"
            "b           |----|             the match: |-----------|\n```"
        )
        assert (await said(editor, "SELECT ?x { { ?x a ?y } SEQ NE|XT { ?x a ?z } }")).startswith(
            "**SEQ NEXT**"
        )
        assert (await said(editor, "SELECT (SUB|STR(?x, 1) AS ?y) {}")).startswith("`SUBSTR(")
        assert (
            await said(editor, "SELECT ?x\n{ ?x ?y ?z . |?x ?y 1 }")
            == "`?x`: 3 places, the first is in line 2"
        )
        assert await said(editor, "SELECT ?x { ?x ?y 'S|EQ' }") == ""

    edit(session)


def test_go_to_definition(edit) -> None:
    other = "file:///work/source.rq"

    async def place(editor: Editor, text: str) -> tuple[str, types.Range] | None:
        whole, asked = at(text)
        editor.type(whole)
        found = await editor.client.text_document_definition_async(types.DefinitionParams(**asked))
        await editor.diagnostics()
        return None if found is None else (found.uri, found.range)

    async def session(editor: Editor) -> None:
        await editor.start()
        await editor.open(
            PREFIX + "CONSTRUCT STREAM ex:falls { ?x ex:fell 1 }\nWHERE { ?x ex:price 1 }", other
        )
        await editor.open("")
        assert await place(editor, PREFIX + "SELECT ?x { ?x a ex:|Storm }") == (URI, range_of(0, 7, 10))
        assert await place(editor, "SELECT ?x\n{ ?x a ?y } SEQ { |?x a ?z }") == (URI, range_of(1, 2, 4))
        windows = (
            "SELECT ?x\nFROM NAMED WINDOW ex:w ON ex:falls [RANGE 5m]\nWHERE { WINDOW ex:w| { ?x ex:n 1 } }"
        )
        assert await place(editor, PREFIX + windows) == (URI, range_of(2, 18, 22))
        assert await place(editor, PREFIX + "SELECT ?x\nWHERE { STREAM ex:fa|lls { ?x ex:fell 1 } }") == (
            other,
            range_of(1, 17, 25),
        )
        assert await place(editor, "SELECT ?x\nWHERE |{ ?x ?y ?z }") is None

    edit(session)


def test_formatting_and_outline(edit) -> None:
    async def session(editor: Editor) -> None:
        await editor.start()
        text = PREFIX + "select ?x (1 as ?y) where{?x a ex:Storm} # so\n;;\nask{}"
        await editor.open(text)
        asked = types.DocumentFormattingParams(
            types.TextDocumentIdentifier(URI), types.FormattingOptions(2, True)
        )
        [edited] = await editor.client.text_document_formatting_async(asked)
        assert edited.new_text == format_text(text)
        assert edited.range == types.Range(types.Position(0, 0), types.Position(3, 5))
        symbols = types.DocumentSymbolParams(types.TextDocumentIdentifier(URI))
        found = await editor.client.text_document_document_symbol_async(symbols)
        assert [(each.name, [child.name for child in each.children]) for each in found] == [
            ("select ?x (1 as ?y)", ["ex:"]),
            ("ask", []),
        ]
        editor.type(edited.new_text)
        await editor.diagnostics()
        assert await editor.client.text_document_formatting_async(asked) == ()
        editor.type("select ?x {")
        await editor.diagnostics()
        assert await editor.client.text_document_formatting_async(asked) is None

    edit(session)


def test_without_pygls(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert main(["lsp"]) == 2
    assert capsys.readouterr().err == (
        "EP543 etalis lsp needs the package pygls\nhint: pip install 'etalis_py[lsp]'\n"
    )


def test_any_beginning_of_a_text_can_be_completed() -> None:
    text = PREFIX + (
        "REGISTER RSTREAM ex:o REPORT CLOSE AS CONSTRUCT { ?x ex:p 'a' }\n"
        "FROM NAMED WINDOW ex:w ON ex:s [RANGE 5m]\n"
        'WHERE { { ?x a ex:A } SEQ { SELECT ?x { ?x ?y "b" } } } # end\n;;\nASK { ?x ?y \'open'
    )
    for end in range(len(text) + 1):
        completions(QueryText(text[:end]), end, Vocabulary())
