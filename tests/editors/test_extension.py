"""The VS Code extension: its files are whole, and its grammars colour the words of the languages."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from etalis_py.compiler.format.words import is_keyword
from etalis_py.compiler.languages.etalis.operators import WORDS
from etalis_py.compiler.parse.grammar_table import combinators
from etalis_py.editors.text import QueryText, span_of
from tests.conftest import PROJECT
from tests.editors.colours import scopes
from tests.editors.grammars import EXTENSION, GRAMMARS, SYNTAXES, functions, sparql_words, written
from tests.patience import PATIENCE

EXPECTED = {
    "STRING": "string.quoted",
    "IRIREF": "string.other.iri",
    "VAR": "variable.other",
    "INTEGER": "constant.numeric",
    "DECIMAL": "constant.numeric",
    "DURATION": "constant.numeric.duration",
    "BLANK_NODE_LABEL": "constant.other.blank-node",
    "PNAME_NS": "entity.name",
    "PNAME_LN": "entity.name",
    "LANGTAG": "constant.language.language-tag",
}


@pytest.mark.parametrize("name", GRAMMARS)
def test_grammars_follow_the_languages(name: str) -> None:
    text = (SYNTAXES / f"{name}.tmLanguage.json").read_text(encoding="utf-8")
    assert text == written(GRAMMARS[name]()), "python -m tests.editors.grammars"


def test_every_file_of_the_package_is_there() -> None:
    package = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    contributed = package["contributes"]
    languages = {each["id"]: each for each in contributed["languages"]}
    assert {suffix: name for name, each in languages.items() for suffix in each["extensions"]} == {
        ".rq": "ep-sparql", ".epsparql": "ep-sparql", ".spaseq": "spaseq", ".event": "etalis",
    }  # fmt: skip
    for each in languages.values():
        configuration = json.loads((EXTENSION / each["configuration"]).read_text(encoding="utf-8"))
        assert configuration["comments"]["lineComment"] in "#%"
        re.compile(configuration.get("wordPattern", ""))
    for each in contributed["grammars"]:
        assert each["language"] in languages
        assert (
            json.loads((EXTENSION / each["path"]).read_text(encoding="utf-8"))["scopeName"]
            == each["scopeName"]
        )
    assert (EXTENSION / package["main"]).is_file()


@pytest.mark.parametrize(
    ("name", "word"),
    [
        (name, word)
        for name in ("ep-sparql", "spaseq")
        for word in sorted(sparql_words(name))
        if word[0].isalpha()
    ],
)
def test_words_are_coloured(name: str, word: str) -> None:
    grammar = GRAMMARS[name]()
    written_as = f"{word}(" if word in functions() - combinators() else word
    for text in (written_as, written_as.lower() if word != "A" else written_as):
        found = set(scopes(grammar, text)[: len(word)])
        assert len(found) == 1
        kind = found.pop().removesuffix(f".{name}")
        if word in combinators():
            assert kind == "keyword.operator.combinator"
        elif word in functions():
            assert kind == "support.function"
        else:
            assert kind.startswith(("keyword.control", "constant.language.boolean"))


def test_operators_of_etalis_are_coloured() -> None:
    grammar = GRAMMARS["etalis"]()
    for word in WORDS:
        assert set(scopes(grammar, word)) == {"keyword.operator.combinator.etalis"}
    text = "% so\nalarm(X) <- price(X, 'a') seq fall(X, 2.5)."
    assert [scopes(grammar, text)[text.index(each)] for each in ("so", "alarm", "X", "<-", "'a'", "2.5")] == [
        f"{each}.etalis"
        for each in (
            *("comment.line.percentage", "entity.name.function", "variable.other", "keyword.operator.rule"),
            *("string.quoted.single", "constant.numeric"),
        )
    ]


def test_queries_are_coloured_as_they_are_read() -> None:
    grammar = GRAMMARS["ep-sparql"]()
    count = 0
    for path in sorted((PROJECT / "etalis_py").rglob("*.rq")) + sorted((PROJECT / "tests").rglob("*.rq")):
        text = QueryText(path.read_text(encoding="utf-8"))
        colours = scopes(grammar, text.text)
        for token in text.tokens:
            kinds = ("keyword", "support", "constant") if is_keyword(token) else ""
            place = span_of(token)
            assert colours[place.start].startswith(EXPECTED.get(token.type, kinds)), (path.name, token, place)
            count += 1
        for comment in text.comments:
            assert colours[comment.start] == "comment.line.number-sign.ep-sparql"
    assert count > 5_000


def test_the_extension_starts_the_server(tmp_path: Path) -> None:
    """With what stands for VS Code and its client, as neither is here."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    shutil.copy(EXTENSION / "extension.js", tmp_path)
    modules = tmp_path / "node_modules"
    (modules / "vscode-languageclient").mkdir(parents=True)
    (modules / "vscode").mkdir()
    settings = {"command": "etalis", "arguments": ["--rules", "a.pl"], "background": ["a.ttl"]}
    (modules / "vscode" / "index.js").write_text(
        f"const all = {json.dumps(settings)};\n"
        "exports.workspace = { getConfiguration: () => ({ get: (name) => all[name] }) };\n"
    )
    (modules / "vscode-languageclient" / "node.js").write_text(
        "exports.LanguageClient = class {\n"
        "  constructor(id, name, server, client) { this.said = { id, server, client }; }\n"
        "  start() { return this.said; }\n  stop() { return 'stopped'; }\n};\n"
    )
    script = (
        "const it = require('./extension.js');\n"
        "console.log(JSON.stringify([it.deactivate() ?? null, it.activate(), it.deactivate()]));\n"
    )
    done = subprocess.run(
        [node, "-e", script], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    before, started, stopped = json.loads(done.stdout)
    assert (before, stopped) == (None, "stopped")
    assert started["server"] == {"command": "etalis", "args": ["lsp", "--rules", "a.pl"]}
    assert started["client"]["initializationOptions"] == {"background": ["a.ttl"]}
    assert [each["language"] for each in started["client"]["documentSelector"]] == [
        "ep-sparql",
        "spaseq",
        "etalis",
    ]
