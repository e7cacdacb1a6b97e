"""UCASE and LCASE map letters beyond ASCII as Unicode does, whatever the locale of the process."""

from __future__ import annotations

import pytest

from etalis_py.embedding import prolog


@pytest.mark.parametrize(
    ("text", "upper", "lower"),
    [
        ("abc", "ABC", "abc"),
        ("Straße", "STRASSE", "straße"),
        ("ὈΔΥΣΣΕΎΣ", "ὈΔΥΣΣΕΎΣ", "ὀδυσσεύς"),
        ("\U00010428é\0", "\U00010400É\0", "\U00010428é\0"),
    ],
)
def test_case(text: str, upper: str, lower: str) -> None:
    prolog.load_runtime()
    assert prolog.call("etalis_letter_case", "upper_case", text) == upper
    assert prolog.call("etalis_letter_case", "lower_case", text) == lower
