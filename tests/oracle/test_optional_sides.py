"""What is kept of optional and subtracted sides: the engine against the oracle, which keeps everything."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path
from random import Random

import pytest

from tests.oracle.checking import NoExampleError, check
from tests.oracle.chooser import Chooser
from tests.oracle.optional_examples import make_optional_example


def check_examples(number: int, backgrounds: list[Path], name: str) -> None:
    for seed in count():
        example = make_optional_example(Chooser(Random(f"{name} {seed}").randint))
        try:
            check(example, backgrounds)
            number -= 1
        except NoExampleError:
            continue
        except Exception as error:
            raise AssertionError(f"{seed}: {example}") from error
        if not number:
            return


def test_optional_sides(backgrounds: list[Path]) -> None:
    check_examples(400, backgrounds, "optional")


@pytest.mark.long
@pytest.mark.timeout(0)
def test_optional_sides_at_length(backgrounds: list[Path]) -> None:
    check_examples(int(os.environ.get("ETALIS_ORACLE_EXAMPLES", "10000")), backgrounds, "long optional")
