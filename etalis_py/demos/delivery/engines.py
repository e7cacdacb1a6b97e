"""Run the demo's queries and rules over the stream: in this process, or on Spark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from etalis_py.demos.delivery.names import BACKGROUND, HERE, QUERIES, RULES

if TYPE_CHECKING:
    import pyarrow as pa

    from etalis_py.demos.delivery.outcome import Solution
    from etalis_py.engine.engine import Engine

__all__ = ["Program", "copy_program", "load_program", "run_local", "run_on_spark"]


@dataclass(frozen=True, slots=True)
class Program:
    """The queries by name, with the files they are from, the rules files, and the files of background."""

    queries: Mapping[str, str]
    places: Mapping[str, str]
    rules: tuple[str, ...]
    background: tuple[str, ...]

    def open_engine(self) -> Engine:
        """An engine with the queries registered."""
        from etalis_py.engine.engine import Engine

        engine = Engine(background=self.background, rules=self.rules)
        for name, text in self.queries.items():
            engine.register(text, name=name, source=self.places[name])
        return engine


def load_program(background: Sequence[Path], folder: Path = HERE) -> Program:
    """The queries and rules of a folder, with ``city.ttl`` and the background of a run."""
    return Program(
        {name: (folder / f"{name}.rq").read_text(encoding="utf-8") for name in QUERIES},
        {name: str(folder / f"{name}.rq") for name in QUERIES},
        tuple(str(folder / name) for name in RULES),
        tuple(str(path) for path in (folder / BACKGROUND, *background)),
    )


def copy_program(folder: Path) -> list[str]:
    """Copy queries, rules and ``city.ttl`` to where a user may change them.

    Files that are there stay as they are; the names of those that differ are returned.
    """
    folder.mkdir(exist_ok=True)
    changed = []
    for name in (*(f"{name}.rq" for name in QUERIES), *RULES, BACKGROUND):
        ours, copy = (HERE / name).read_bytes(), folder / name
        if not copy.exists():
            copy.write_bytes(ours)
        elif copy.read_bytes() != ours:
            changed.append(name)
    return changed


def run_local(program: Program, events: pa.Table) -> Iterator[Solution]:
    """The solutions of all queries over the stream, here."""
    with program.open_engine() as engine:
        engine.send_batch(events)
        engine.finish()
        for match in engine.matches():
            yield match.query, match.start, match.end, match.encoded, match.encoded_triples or ()


def run_on_spark(program: Program, events: pa.Table) -> Iterable[Solution]:
    """The solutions of all queries, by Spark.

    A program with state runs in one part, and a warning says so: what this shows is that the answers are the
    same.
    """
    from etalis_py.demos.spark_answers import encoded, in_microseconds
    from etalis_py.spark_udfs import detect, local_session, project_errors

    frame = local_session("etalis demo delivery").createDataFrame(events)
    found = detect(frame, program.queries, background=program.background, rules=program.rules)
    with project_errors():
        rows = in_microseconds(found).toArrow().to_pylist()
    names = [name for name in found.columns if name not in ("query", "start", "end", "triples")]
    for row in rows:
        bindings = {name: encoded(row[name]) for name in names if row[name] is not None}
        triples = [tuple(encoded(one[part]) for part in "spo") for one in row["triples"] or ()]
        yield row["query"], row["start"], row["end"], bindings, triples  # type: ignore[misc]
