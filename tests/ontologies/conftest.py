"""A background in Prolog for the length of a test, and what it answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import pytest

from etalis_py.core.literals import Encoded
from etalis_py.embedding import prolog
from etalis_py.ontologies.background import Background
from etalis_py.ontologies.formats import GraphFiles

_numbers = itertools.count(1)


class Inspected:
    """What tests ask of the background module ``module``; None in a pattern is a variable."""

    def __init__(self, module: str) -> None:
        self.module = module

    def answers(self, *pattern: Encoded | None) -> list[Any]:
        """All answers of background_triple/4, as encoded triples."""
        return self._ask("answers", *pattern)

    def explicit(self) -> list[Any]:
        """All triples as they stand in the files."""
        return self._ask("explicit")

    def named(self) -> list[Any]:
        """Subject, predicate, object and graph of the triples of named graphs."""
        return self._ask("named")

    def graphs(self) -> list[str]:
        """The names of all named graphs."""
        return list(prolog.call("test_inspect", "graphs", self.module))

    def merged(self, *graphs: str) -> list[Any]:
        """The triples of the merge of named graphs."""
        return self._ask("merged", list(graphs))

    def consequences(self, *triple: Encoded) -> list[Any]:
        """All answers of entailed_by_triple/7."""
        return self._ask("consequences", *triple)

    def triggers(self, predicate: Encoded, object_: Encoded | None) -> list[Any]:
        """Predicates, and the names of the ways, by which stream triples match such a pattern."""
        return self._ask("triggers", predicate, object_)

    def _ask(self, predicate: str, *arguments: object) -> list[Any]:
        return [_tuples(each) for each in prolog.call("test_inspect", predicate, self.module, *arguments)]


def _tuples(answer: Any) -> Any:
    """Encoded terms as they are in Python: lists came from Prolog in their place."""
    return tuple(map(_tuples, answer)) if isinstance(answer, (list, tuple)) else answer


class Filled(Inspected):
    """A background that holds these encoded triples, to be used by ``with``."""

    def __init__(self, triples: Sequence[Any], entailment: str = "rdfs") -> None:
        super().__init__(f"test_background_{next(_numbers)}")
        prolog.do("test_inspect", "fill", self.module, entailment, [list(triple) for triple in triples])

    def close(self) -> None:
        """Forget everything."""
        prolog.do("etalis_background", "close_background", self.module)


Load = Callable[..., Inspected]


@pytest.fixture(scope="session", autouse=True)
def _inspect() -> None:
    prolog.load_runtime()
    prolog.do("user", "use_module", str(Path(__file__).with_name("inspect.pl")))


@pytest.fixture
def filled() -> type[Filled]:
    """Makes a background of triples."""
    return Filled


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    """Loads files, with a cache of the test's own."""
    loaded: list[Background] = []

    def load_files(
        *paths: Path | str,
        graphs: GraphFiles = MappingProxyType({}),
        rules: Sequence[Path] = (),
        entailment: Literal["rdfs", "none"] = "rdfs",
        seconds: float = 30,
    ) -> Inspected:
        module = f"test_background_{next(_numbers)}"
        background = Background.load(
            prolog,
            paths,
            entailment,
            module,
            graphs=graphs,
            rules=rules,
            cache_dir=tmp_path / "cache",
            seconds=seconds,
        )
        loaded.append(background)
        return Inspected(module)

    yield load_files
    for background in loaded:
        with closing(background):
            pass
