"""The W3C's SPARQL 1.1 syntax tests, and every query of its other suites."""

from __future__ import annotations

from pathlib import Path

import pytest

from etalis_py.compiler.parse.parser import parse
from etalis_py.core.errors import QuerySyntaxError
from tests.w3c.manifests import FOLDERS, path_of, read_tests


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_query_parses_or_is_refused_as_the_w3c_says(shared_w3c: Path, folder: str) -> None:
    wrong: list[str] = []
    tests = read_tests(shared_w3c, folder)
    for test in tests:
        name = path_of(test.query).name
        try:
            parse(test.query_text, source=name)
        except QuerySyntaxError as error:
            if not test.is_negative:
                wrong.append(str(error))
        else:
            if test.is_negative:
                wrong.append(f"{name} was not refused")
    assert not wrong, "\n".join(wrong)
    if folder == "syntax-query":
        assert {test.kind for test in tests} == {"PositiveSyntaxTest11", "NegativeSyntaxTest11"}
        assert len(tests) > 90
