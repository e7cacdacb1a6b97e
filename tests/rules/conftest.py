"""The functions of the run-time library, called one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from etalis_py.embedding import prolog


@pytest.fixture(scope="module")
def _functions() -> None:
    """Load what `call` needs."""
    prolog.load_runtime()
    prolog.do("user", "use_module", str(Path(__file__).with_name("functions.pl")))


def call(function: str, *arguments: Any) -> Any:
    """The value of a function of encoded terms."""
    return prolog.encoded(prolog.call("test_functions", "value_of", [function, *arguments]))
