"""What tests of streams share."""

from __future__ import annotations

from pathlib import Path

import pytest

from etalis_py.core.terms import ntriples
from tests.oracle.backgrounds import BACKGROUNDS


@pytest.fixture(scope="session")
def background_files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The backgrounds of random examples."""
    folder = tmp_path_factory.mktemp("known")
    for number, triples in enumerate(BACKGROUNDS):
        lines = (" ".join(map(ntriples, triple)) + " .\n" for triple in triples)
        (folder / f"{number}.nt").write_text("".join(lines), encoding="utf-8")
    return [folder / f"{number}.nt" for number in range(len(BACKGROUNDS))]
