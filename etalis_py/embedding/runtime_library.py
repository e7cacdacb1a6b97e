"""The rules' run-time library: compiled at its first use, kept in the user's cache.

To read its sources takes 0.25 s of processor time, to load them compiled 0.06 s. Run as a module it compiles
the folder of sources that is its first argument to the file that is its second.
"""

from __future__ import annotations

import hashlib
import logging
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from etalis_py.core.cache import checked_number, ready_folder, seal
from etalis_py.embedding.undisturbed import undisturbed

__all__ = ["Ask", "load_library"]

_log = logging.getLogger(__name__)
_MAIN = Path("engine", "engine.pl")

Ask = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""``janus_swi.query_once``: a goal and its inputs to its bindings."""


def load_library(ask: Ask) -> None:
    """Load ``rules/engine/engine.pl`` and all it uses, from the cache if that can be read and written.

    Raises:
        janus_swi.PrologError: whatever Prolog raises.
    """
    with as_file(files("etalis_py.rules")) as sources:
        folder = ready_folder("rules")
        kept = folder and folder / f"{_digest(sources, ask)}.qlf"
        if kept and checked_number(kept) is None:
            _compile_apart(sources, kept)
        if kept is None or checked_number(kept) is None or not _load_compiled(sources, kept, ask):
            ask("use_module(File, [])", {"File": str(sources / _MAIN)})


def _digest(sources: Path, ask: Ask) -> str:
    """Of what is compiled and what compiles it."""
    version = ask("current_prolog_flag(version, Version), current_prolog_flag(arch, Arch)", {})
    total = hashlib.blake2b(f"{version['Version']} {version['Arch']}".encode(), digest_size=20)
    for source in sorted(sources.glob("*/*.pl")):
        text = source.read_bytes()
        total.update(f"\n{source.relative_to(sources)} {len(text)}\n".encode())
        total.update(text)
    return total.hexdigest()


def _load_compiled(sources: Path, kept: Path, ask: Ask) -> bool:
    """Load a compiled file as what stands in ``sources``.

    False, after a warning by Prolog, where another build of the same version wrote it.
    """
    goal = (
        "setup_call_cleanup(open(Kept, read, _In, [type(binary)]),"
        " load_files(File, [stream(_In), format(qlf), imports([])]), close(_In)),"
        " current_predicate(etalis_engine:open_engine/3)"
    )
    inputs = {"Kept": str(kept), "File": str((sources / _MAIN).with_suffix(".qlf"))}
    return bool(ask(goal, inputs)["truth"])


def _compile_apart(sources: Path, kept: Path) -> None:
    """Compile in a process of its own: in this one the copy would be what is loaded."""
    command = [sys.executable, "-m", __name__, str(sources), str(kept)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        why = done.stderr.strip().rpartition("\n")[2]
        _log.warning("the rules are not compiled, which costs 0.2 s at each start: %s", why)


def _compile(sources: Path, kept: Path) -> None:
    """Write the compiled library, under its name when it is complete.

    ``qcompile/2`` writes beside the source, which other processes may be doing, or nobody may do: so it is
    given a copy.
    """
    with undisturbed():
        import janus_swi  # noqa: TID251 - only the process that compiles has it from here
    with TemporaryDirectory(prefix="new-", dir=kept.parent) as folder:
        copy = Path(folder)
        for source in sources.glob("*/*.pl"):
            target = copy / source.relative_to(sources)
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(source.read_bytes())
        if _digest(copy, janus_swi.query_once) != kept.stem:  # the sources changed meanwhile
            return
        main = copy / _MAIN
        janus_swi.query_once("qcompile(File, [include(user)])", {"File": str(main)})
        compiled = main.with_suffix(".qlf")
        seal(compiled, 0)
        compiled.replace(kept)


if __name__ == "__main__":
    _compile(Path(sys.argv[1]), Path(sys.argv[2]))
