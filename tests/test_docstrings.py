"""The examples in docstrings run, and every module is imported by its one name."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from collections.abc import Iterator

import pytest

PACKAGES = ("etalis_py", *(f"etalis_py.{name}" for name in ("compiler", "ontologies", "rules", "spark_udfs")))
"""All of them by name: in an editable install, the path of the first does not lead to the others."""
ON_SPARK = {"etalis_py.spark_udfs.detect", "etalis_py.spark_udfs.sources.messages"}


def module_names() -> Iterator[str]:
    for package in PACKAGES:
        yield package
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if not module.name.endswith("__main__"):
                yield module.name


def check(name: str) -> None:
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert not failed, f"{failed} examples in {name} give something else; see above"


@pytest.mark.parametrize("name", sorted(set(module_names()) - ON_SPARK))
def test_examples_hold(name: str) -> None:
    check(name)


@pytest.mark.spark
@pytest.mark.parametrize("name", sorted(ON_SPARK))
def test_examples_on_spark_hold(name: str, spark: object) -> None:
    check(name)
