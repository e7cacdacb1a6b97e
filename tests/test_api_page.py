"""docs/api.md describes every public name, and gives the options and defaults that there are."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

import etalis_py
from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from etalis_py.spark_udfs import __all__ as on_spark
from etalis_py.spark_udfs.detect import detect
from etalis_py.why import Why

PAGE = (Path(__file__).parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
WORDS = set(
    re.findall(
        r"\w+",
        " ".join(re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL))),
    )
)
"""What stands in code style."""


def public(kind: type) -> list[str]:
    own = {name for each in kind.__mro__[:-1] for name in vars(each)}
    return sorted(name for name in own | set(getattr(kind, "__slots__", ())) if not name.startswith("_"))


@pytest.mark.parametrize("name", [*etalis_py.__all__, *on_spark, *public(etalis_py.Place)])
def test_public_names_are_described(name: str) -> None:
    assert name in WORDS


@pytest.mark.parametrize("name", [*public(Engine), "late"])
def test_methods_of_engine_are_described(name: str) -> None:
    assert re.search(rf"\*\*`{name}\b", PAGE), f"**`{name}(...)`** begins no description"


@pytest.mark.parametrize("kind", [Match, Why, etalis_py.Rates, etalis_py.EtalisError])
def test_what_a_program_is_given_is_described(kind: type) -> None:
    left_out = {"readable", "number"} if kind is Why else {"given", "counted", "seconds", "made"}
    assert set(public(kind)) - WORDS - left_out - {"args", "add_note", "with_traceback"} == set()


def shown(value: object) -> str:
    """A default as a page writes it."""
    if isinstance(value, MappingProxyType):
        return "{}"
    if type(value) is int:
        return f"{value:_}"
    return repr(value).replace("'", '"')


@pytest.mark.parametrize(
    "call",
    [Engine.__init__, Engine.register, Engine.send, Engine.matches, Engine.table, Engine.prolog, detect],
)
def test_arguments_have_the_defaults_shown(call: Callable[..., Any]) -> None:
    text = " ".join(PAGE.split())
    for each in inspect.signature(call).parameters.values():
        if each.name != "self" and each.default is not inspect.Parameter.empty:
            assert f"{each.name}={shown(each.default)}" in text, each
