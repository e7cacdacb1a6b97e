"""What the random tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from etalis_py.core.terms import ntriples
from tests.oracle.backgrounds import BACKGROUNDS


@pytest.fixture(scope="session")
def backgrounds(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Files with what may be known besides the stream."""
    folder = tmp_path_factory.mktemp("backgrounds")
    files = []
    for number, triples in enumerate(BACKGROUNDS):
        file = folder / f"background{number}.nt"
        lines = (" ".join(map(ntriples, triple)) + " .\n" for triple in sorted(triples, key=repr))
        file.write_text("".join(lines), encoding="utf-8")
        files.append(file)
    return files
