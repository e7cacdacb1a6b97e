"""What is kept of optional and subtracted sides: the engine against the oracle, which keeps everything."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.effort import tries
from tests.oracle.checking import check_seeds
from tests.oracle.optional_examples import make_optional_example


@pytest.mark.random
def test_optional_sides(backgrounds: list[Path]) -> None:
    check_seeds(tries(250), backgrounds, make_optional_example, "optional ")


@pytest.mark.random
@pytest.mark.long
@pytest.mark.timeout(0)
def test_optional_sides_at_length(backgrounds: list[Path]) -> None:
    count = int(os.environ.get("ETALIS_ORACLE_EXAMPLES", "10000"))
    check_seeds(count, backgrounds, make_optional_example, "long optional ")
