"""The peers that are written in Java: built once by Maven, and run as processes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from etalis_py.provision.java import find_java
from tests.benchmarks.peers.builds import built_folder
from tests.benchmarks.peers.place import Place, Process
from tests.benchmarks.workload import Contender, Outcome, Run, Unavailable

__all__ = ["Program", "built", "served"]

OLDEST = 17
GOALS = ("compile", "dependency:copy-dependencies")


@dataclass(frozen=True, slots=True)
class Program:
    """A built peer."""

    java: Path
    folder: Path

    def command(self, main: str, *arguments: str | Path, options: Sequence[str] = ()) -> list[str]:
        """The words that run one of its classes.

        The heap does not have to grow first. With one core Java takes its serial collector.
        """
        path = f"{self.folder / 'target' / 'classes'}:{self.folder / 'target' / 'libraries'}/*"
        return [str(self.java), "-Xms1g", "-Xmx4g", *options, "-cp", path, main, *map(str, arguments)]


def built(name: str) -> Program:
    """The peer of this folder, built if it is not yet.

    Raises:
        Unavailable: there is no Java, no Maven, or Maven cannot build it (offline, with an empty cache).
    """
    java, maven = find_java(), shutil.which("mvn")
    if java is None or java.version < OLDEST or not (java.home / "bin" / "javac").is_file():
        raise Unavailable(f"there is no Java {OLDEST} or newer with its compiler (a JDK)")
    if maven is None:
        raise Unavailable("there is no Maven (mvn)")
    folder = built_folder(name, "Maven", [maven, "--batch-mode", "--quiet", *GOALS])
    return Program(java.home / "bin" / "java", folder)


def served(place: Place, command: Callable[[], Sequence[str]], *, latency: bool = False) -> Contender:
    """A program that makes a run for each line of its input; it starts for the first run and stays.

    ``command`` writes its files and gives the words that start it. The program is asked to ``check`` (count
    and checksum), to ``count`` (with the seconds that it took), or for the ``latency`` in microseconds. It
    warms up before the first run that counts, and after what was to check: a window of rows is empty then.
    """
    process: Process | None = None
    warm = False

    def warm_up(running: Process) -> None:
        spent = 0.0
        while spent < place.warm:
            found = running.ask("count")
            spent += found["seconds"] * found["runs"]

    @contextmanager
    def ready(keep: bool) -> Iterator[Run]:
        nonlocal process, warm
        process = process or place.start(command())
        running = process
        if not keep and not warm:
            warm_up(running)
            warm = True

        def run() -> Outcome:
            if keep:
                found = running.ask("check")
                return Outcome(found["answers"], found["seconds"], checksum=int(found["checksum"]))
            found = running.ask("latency" if latency else "count")
            extra = {name: value for name, value in found.items() if name.endswith("_us")}
            return Outcome(found["answers"], found["seconds"], extra=extra)

        yield run

    return Contender(ready)
