"""What is said to those who write windows on streams, in any dialect, and slip: each has a code and a hint.

``window-slips.txt`` is as ``slips.txt`` is (test_parser_errors.py).
"""

from __future__ import annotations

import re

import pytest

from etalis_py import EtalisError
from etalis_py.compiler.compile import compile_program
from tests.compiler.test_parser_errors import TESTS, golden_slips

PREFIX = "PREFIX : <ex:>\n"


def said(text: str) -> str:
    with pytest.raises(EtalisError) as caught:
        compile_program(PREFIX + text, name="query", source="query.rq")
    return str(caught.value)


def test_golden_texts_of_slips_about_windows() -> None:
    answers = golden_slips(TESTS / "compiler" / "window-slips.txt", said)
    assert len(answers) > 100
    for each in answers:
        assert re.match(r"EP\d+ query.rq, line \d+, column \d+: ", each)
        assert "\nhint: " in each
