"""What ``import etalis_py`` offers."""

from __future__ import annotations

import pytest

import etalis_py


def test_all_that_is_promised_is_there() -> None:
    for name in etalis_py.__all__:
        assert getattr(etalis_py, name) is not None
    assert set(etalis_py.__all__) <= set(dir(etalis_py))


def test_names_are_those_of_the_modules() -> None:
    from etalis_py.core.errors import DataError
    from etalis_py.engine.engine import Engine

    assert etalis_py.Engine is Engine
    assert etalis_py.DataError is DataError


def test_anything_else_is_not() -> None:
    with pytest.raises(AttributeError, match="'nothing'"):
        _ = etalis_py.nothing


def test_a_value_that_recall_cannot_have_is_refused() -> None:
    with pytest.raises(etalis_py.UsageError, match="recall cannot be 5"):
        etalis_py.Engine(recall=5)
