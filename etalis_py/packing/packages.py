"""The files of the packages that a worker imports: etalis_py, and what its extras for Spark require."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath
from typing import Final

import etalis_py
from etalis_py import compiler, ontologies, rules, spark_udfs
from etalis_py.embedding import prolog
from etalis_py.packing.entries import Entry, files_below
from etalis_py.packing.problems import PackError
from etalis_py.texts.library import text_library_file

__all__ = ["OWN", "is_built_here", "native_libraries", "package_files", "project_files", "required"]

OWN: Final = "etalis_py"
_EXTRAS: Final = frozenset({"spark", "streaming"})
_OF_SPARK: Final = frozenset({"pyspark", "py4j"})
"""Each executor has them of its own Spark, and must not have others."""

_NOT_IN_WORKERS: Final = {
    "numpy": frozenset({"tests", "f2py", "include"}),
    "pandas": frozenset({"tests"}),
    "pyarrow": frozenset({"tests", "include", "src", "includes"}),
}
_REQUIREMENT: Final = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[([^\]]*)\])?[^;]*(?:;(.*))?$")
_EXTRA: Final = re.compile(r"""\bextra\s*==\s*["']([^"']+)["']""")


def required(extra_names: Iterable[str] = ()) -> dict[str, Distribution]:
    """The installed distributions by their normal name, without etalis_py and without those of Spark.

    Raises:
        PackError: one of them is not installed.
    """
    found: dict[str, Distribution] = {}
    wanted: list[tuple[str, frozenset[str], bool]] = [(OWN, _EXTRAS, True)]
    wanted += [(name, frozenset(), True) for name in extra_names]
    seen = set()
    while wanted:
        name, extras, is_needed = wanted.pop()
        if (_normal(name), extras) in seen or _normal(name) in _OF_SPARK:
            continue
        seen.add((_normal(name), extras))
        try:
            found[_normal(name)] = package = distribution(name)
        except PackageNotFoundError:
            if not is_needed:  # it is for another machine or another Python than this one
                continue
            raise PackError(
                "EP611", f"the package {name} is not installed here", hint=f"pip install {name}"
            ) from None
        wanted += _requirements(package, extras)
    found.pop(_normal(OWN))
    return dict(sorted(found.items()))


def _requirements(
    package: Distribution, extras: frozenset[str]
) -> Iterator[tuple[str, frozenset[str], bool]]:
    for line in package.requires or ():
        parts = _REQUIREMENT.match(line)
        if parts is None:
            continue
        name, own_extras, marker = parts[1], parts[2] or "", parts[3] or ""
        asked = _EXTRA.search(marker)
        if asked is None or asked[1] in extras:
            yield name, frozenset(filter(None, re.split(r"[\s,]+", own_extras))), not marker


def package_files(packages: Iterable[Distribution], folder: PurePosixPath) -> Iterator[Entry]:
    """The files of distributions in the folder for packages; no programs, and not what only tests need."""
    for package in packages:
        left_out = _NOT_IN_WORKERS.get(_normal(package.metadata["Name"]), frozenset())
        for file in package.files or ():
            inside = PurePosixPath(file.as_posix())
            source = Path(str(package.locate_file(file)))
            if ".." not in inside.parts and left_out.isdisjoint(inside.parts) and source.is_file():
                yield Entry(source, folder / inside)


def is_built_here(package: Distribution) -> bool:
    """Whether it was compiled on this machine, so that it may need libraries of it."""
    tags = package.read_text("WHEEL") or ""
    return "manylinux" not in tags and "musllinux" not in tags and "-any" not in tags


def project_files(folder: PurePosixPath) -> Iterator[Entry]:
    """etalis_py itself, as one package, from a checkout or from where it is installed."""
    apart = {"compiler": compiler, "ontologies": ontologies, "rules": rules, "spark_udfs": spark_udfs}
    (top,) = etalis_py.__path__
    yield from files_below(Path(top), folder / OWN, {"__pycache__", *apart})
    for name, module in apart.items():
        (place,) = module.__path__
        yield from files_below(Path(place), folder / OWN / name, {"__pycache__"})
    about = distribution(OWN)
    for file in ("METADATA", "entry_points.txt"):
        source = next((each for each in about.files or () if each.name == file), None)
        if source is not None:
            inside = folder / f"{OWN}-{about.version}.dist-info" / file
            yield Entry(Path(str(about.locate_file(source))), inside)


def native_libraries(folder: PurePosixPath) -> Iterator[Entry]:
    """The libraries of the rules and of texts, beside their sources: workers need not have a compiler."""
    prolog.load_runtime()
    if (file := prolog.native_file()) is not None:
        yield Entry(file, folder / OWN / "rules" / "native" / file.name)
        texts = text_library_file()
        yield Entry(texts, folder / OWN / "texts" / texts.name)


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
