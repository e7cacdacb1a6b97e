"""The virtual environment in the checkout, filled from the lock file.

janus-swi is compiled against one SWI-Prolog and keeps the path of its shared library (a RUNPATH), which in
turn knows its home: nothing has to be on PATH when it runs. So it is never taken from pip's cache of built
packages, where one for another SWI-Prolog may lie.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import sysconfig
from pathlib import Path

from etalis_py.provision.commands import CommandError, output_of, run_logged
from etalis_py.provision.console import SetupError, step
from etalis_py.provision.lock_file import listed, needed_by, selection
from etalis_py.provision.places import LOCK_FILE, PROJECT, SETUP_LOG, VENV, VENV_PYTHON
from etalis_py.provision.swipl import Swipl

__all__ = ["add_janus", "create", "fill", "link_checkout", "packages_needed"]

_PIP = (str(VENV_PYTHON), "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input")

_ASK_JANUS = """
try:
    import os, janus_swi
    assert janus_swi.query_once("X is 2 rdiv 6")["X"] * 3 == 1
    home = janus_swi.query_once("current_prolog_flag(home, Home)")["Home"]
    print(janus_swi.version_str(), os.path.realpath(home), sep="\\n")
except BaseException as error:
    print(error)
"""


def packages_needed() -> list[str]:
    """The distribution packages without which this Python can make no environment or compile no extension."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    needed = []
    if importlib.util.find_spec("ensurepip") is None:
        needed.append(f"{version}-venv")
    if not Path(sysconfig.get_path("include"), "Python.h").is_file():
        needed.append(f"{version}-dev")
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    if shutil.which(compiler) is None:
        needed += ["gcc", "libc6-dev"]
    return needed


def create() -> None:
    """Make the environment, or rebuild it if it belongs to another Python or is broken."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    print_version = "import sys, pip; print('%d.%d' % sys.version_info[:2])"
    if (output_of([str(VENV_PYTHON), "-c", print_version]) or "").strip() == version:
        return
    with step(f"making the virtual environment {VENV}"):
        try:
            run_logged([sys.executable, "-m", "venv", "--clear", str(VENV)], SETUP_LOG)
        except CommandError as failure:
            raise SetupError("EP533", f"no virtual environment could be made:\n{failure}") from failure


def fill(*, demo_only: bool) -> None:
    """Install the packages of the lock file without janus; or those of them that the demos need."""
    lock = LOCK_FILE.read_text()
    most = "150" if demo_only else "600"
    with step(f"installing the locked Python packages (a minute, the first time {most} MB to fetch)"):
        only = needed_by(lock, _of_the_demo()) if demo_only else ()
        _install_locked(selection(lock, only=["setuptools"]))
        _install_locked(selection(lock, only=only, without=["setuptools", "janus-swi"]))


def _of_the_demo() -> set[str]:
    return listed((PROJECT / "pyproject.toml").read_text(), "dependencies", "demo")


def add_janus(swipl: Swipl) -> None:
    """Install janus, built against ``swipl``."""
    janus = selection(LOCK_FILE.read_text(), only=["janus-swi"])
    expected = [_locked_version(janus), str(swipl.home.resolve())]
    if _janus_says() == expected:
        return
    with step(f"building janus for {swipl}"):
        first = {"PATH": f"{swipl.program.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
        _install_locked(janus, "--no-cache-dir", "--force-reinstall", env=first)
        if (said := _janus_says()) != expected:
            raise SetupError(
                "EP531",
                f"janus was built for {swipl} but does not start with it; it says:\n{' '.join(said)}",
                hint=f"the log is {SETUP_LOG}; is LD_LIBRARY_PATH set?",
            )


def link_checkout() -> None:
    """Install this checkout in editable form, with its ``etalis`` command."""
    with step("installing this checkout (editable)"):
        _run_pip("install", "--no-deps", "--no-build-isolation", "--editable", str(PROJECT))


def _janus_says() -> list[str]:
    """Its own version and the home of its SWI-Prolog; or the words of its failure."""
    printed = output_of([str(VENV_PYTHON), "-c", _ASK_JANUS])
    return ["its process ended abnormally"] if printed is None else printed.splitlines()


def _locked_version(entry: str) -> str:
    return entry.partition("==")[2].split(maxsplit=1)[0]


def _install_locked(requirements: str, *options: str, env: dict[str, str] | None = None) -> None:
    listed = VENV / "requirements.txt"
    listed.write_text(requirements)
    # Python compiles what it imports; most of what packages bring is never imported.
    locked_only = ("--require-hashes", "--no-deps", "--no-build-isolation", "--no-compile")
    _run_pip("install", *locked_only, *options, "--requirement", str(listed), env=env)
    listed.unlink()


def _run_pip(*words: str, env: dict[str, str] | None = None) -> None:
    try:
        run_logged([*_PIP, *words], SETUP_LOG, env=env)
    except CommandError as failure:
        raise SetupError(
            "EP533",
            f"Python packages could not be installed:\n{failure}",
            hint=f"pip needs a network or a full cache the first time; the whole log is {SETUP_LOG}",
        ) from failure
