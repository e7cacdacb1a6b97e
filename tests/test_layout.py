"""Which folder imports which: the house from the ground up, and the compiler as its pipeline."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.conftest import PROJECT

BESIDE = ("compiler", "ontologies", "rules", "spark_udfs")
"""Packages of etalis_py whose folders stand beside its own."""

HOUSE = (
    *("core", "connectors", "ontologies", "rules", "compiler", "texts", "embedding", "streams", "rates"),
    *("engine", "agreement", "no_answers", "profiling", "results", "why", "checkpoints", "provision"),
    *("doctor", "spark_udfs", "packing", "editors", "serve", "cli", "shell", "notebook", "demos"),
    "__main__",
)
"""The ground first. The engine takes ``why`` and ``no_answers`` only when it is asked for them."""

PIPELINE = (
    *("spans", "refusals", "parse", "format", "languages", "algebra", "passes", "plan", "rules"),
    *("association", "compile", "state", "user_predicates", "partition", "explain", "lars", "rewriting"),
    "lint",
)
"""The compiler's folders, and files that stand beside them: a stage imports those before it."""

TOGETHER = {"cli": {"shell"}}
"""The shell is a command, and takes the arguments of others: ``cli`` imports what comes after it."""


def modules() -> dict[str, Path]:
    """The files of the project by the name they are imported by."""
    files = [(path, "etalis_py") for path in (PROJECT / "etalis_py").rglob("*.py")]
    files += [(path, "etalis_py." + name) for name in BESIDE for path in (PROJECT / name).rglob("*.py")]
    known = {}
    for path, package in files:
        top = PROJECT / package.rpartition(".")[2]
        name = ".".join((package, *path.relative_to(top).with_suffix("").parts))
        known[name.removesuffix(".__init__")] = path
    return known


KNOWN = modules()


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path, *, lazy: bool) -> frozenset[str]:
    """The project's modules that a file imports; with ``lazy`` those within functions and for types, too."""
    tree = tree_of(path)
    found = [
        (node.module, alias.name)
        for node in (ast.walk(tree) if lazy else tree.body)
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("etalis_py.")
        for alias in node.names
    ]
    return frozenset(
        name if (name := f"{module}.{imported}") in KNOWN else str(module) for module, imported in found
    )


def place(name: str, below: str) -> str:
    """The folder, or the file, directly below a package."""
    return name.removeprefix(below + ".").partition(".")[0]


@pytest.mark.parametrize(
    ("package", "order", "lazy"), [("etalis_py", HOUSE, False), ("etalis_py.compiler", PIPELINE, True)]
)
def test_what_is_imported_comes_before(package: str, order: tuple[str, ...], lazy: bool) -> None:
    inside = {name: path for name, path in KNOWN.items() if name.startswith(package + ".")}
    assert {place(name, package) for name in inside} == set(order)
    backward = [
        f"{name} imports {used}"
        for name, path in inside.items()
        for used in imports(path, lazy=lazy)
        if used in inside and order.index(place(used, package)) > order.index(place(name, package))
        if place(used, package) not in TOGETHER.get(place(name, package), ())
    ]
    assert backward == []


def test_only_what_finds_java_or_a_cached_build_imports_the_installer() -> None:
    users = {
        name
        for name, path in KNOWN.items()
        for used in imports(path, lazy=True)
        if place(used, "etalis_py") == "provision" != place(name, "etalis_py")
    }
    assert {place(name, "etalis_py") for name in users} == {"doctor", "packing", "spark_udfs"}


def test_the_core_imports_nothing_else() -> None:
    core = [path for name, path in KNOWN.items() if place(name, "etalis_py") == "core"]
    assert {place(used, "etalis_py") for path in core for used in imports(path, lazy=True)} == {"core"}


@pytest.mark.parametrize("package", ["etalis_py.compiler", "etalis_py.ontologies", "etalis_py.core"])
def test_no_modules_import_each_other(package: str) -> None:
    inside = {name: path for name, path in KNOWN.items() if f"{name}.".startswith(package + ".")}
    graph = {
        name: {used for used in imports(path, lazy=True) if used in inside} for name, path in inside.items()
    }
    assert len(list(TopologicalSorter(graph).static_order())) == len(inside)  # raises CycleError


@pytest.mark.parametrize("name", [name for name, path in KNOWN.items() if path.stem == "__init__"])
def test_each_folder_says_what_it_is(name: str) -> None:
    assert ast.get_docstring(tree_of(KNOWN[name]))
