"""The folders of the compiler read as its pipeline: a stage imports those before it, and none after it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

COMPILER = Path(__file__).parents[2] / "compiler"
PACKAGE = "etalis_py.compiler."
ORDER = (
    *("spans", "refusals", "parse", "algebra", "passes", "plan", "rules", "association"),
    *("compile", "state", "user_predicates", "partition", "explain", "lint"),
)
"""Folders, and files that stand beside them."""


def modules() -> dict[str, Path]:
    names = {
        ".".join(path.relative_to(COMPILER).with_suffix("").parts): path for path in COMPILER.rglob("*.py")
    }
    return {name.removesuffix(".__init__"): path for name, path in names.items() if name != "__init__"}


def imports(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The modules of the compiler that a file imports, also within functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(PACKAGE):
            module = f"{node.module}.".removeprefix(PACKAGE)
            for alias in node.names:
                yield module + alias.name if module + alias.name in known else module.removesuffix(".")


def test_each_stage_imports_only_those_before_it() -> None:
    known = modules()
    assert {name.partition(".")[0] for name in known} == set(ORDER)
    backward = [
        f"{name} imports {used}"
        for name, path in known.items()
        for used in imports(path, known)
        if ORDER.index(used.partition(".")[0]) > ORDER.index(name.partition(".")[0])
    ]
    assert backward == []


def test_no_modules_import_each_other() -> None:
    known = modules()
    graph = {name: set(imports(path, known)) for name, path in known.items()}
    assert len(list(TopologicalSorter(graph).static_order())) == len(known)  # raises CycleError


def test_each_folder_says_what_it_is() -> None:
    for folder in COMPILER.glob("*/__init__.py"):
        assert ast.get_docstring(ast.parse(folder.read_text(encoding="utf-8"))), folder
