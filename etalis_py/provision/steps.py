"""The steps of set-up in their order. Each looks first and does nothing where nothing is to be done."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from etalis_py.provision import apt, java, python_env, stamp, swipl, swipl_build
from etalis_py.provision.console import SetupError, say
from etalis_py.provision.places import PROJECT, SETUP_LOG, locked
from etalis_py.provision.stamp import ALL, DEMO
from etalis_py.provision.swipl import Swipl

__all__ = ["main"]

DISTRIBUTION_PACKAGE = "swi-prolog-nox"


def main(arguments: Sequence[str]) -> int:
    """Set up this checkout, or for ``demo`` what the demos need.

    The exit code is 0, or 4 with a message on standard error.
    """
    if list(arguments) not in ([], [DEMO]):
        print(f"usage: python3 etalis_py/provision [{DEMO}]", file=sys.stderr)
        return 2
    for misleading in ("SWI_HOME_DIR", "SWIPL"):
        os.environ.pop(misleading, None)
    try:
        with locked(PROJECT):
            set_up(*arguments)
    except SetupError as error:
        print(error, file=sys.stderr)
        return SetupError.exit_code
    except KeyboardInterrupt:
        print("set-up was interrupted; run it again: finished steps are kept", file=sys.stderr)
        return 130
    return 0


def set_up(packages: str = ALL) -> None:
    """Bring the machine, the cache and the environment to what the lock file asks for.

    For `DEMO` only to what the demos need of it.
    """
    before = stamp.left()
    if before is None or not before.has_packages(stamp.wanted(before.swipl, before.swipl_version, packages)):
        SETUP_LOG.unlink(missing_ok=True)
        say(f"setting up {PROJECT} (from nothing 1 to 5 minutes on 2 cores)")
        prolog = make_environment(packages)
        stamp.write(stamp.wanted(str(prolog.program), prolog.version_text, packages))
    elif before != (now := stamp.wanted(before.swipl, before.swipl_version, before.packages)):
        python_env.link_checkout()
        stamp.write(now)
    if packages == ALL:
        provide_java()


def make_environment(packages: str) -> Swipl:
    """Make the virtual environment; a SWI-Prolog that has to be built is, meanwhile."""
    found = provide_packages(packages)
    with ThreadPoolExecutor(max_workers=1) as beside:
        building = beside.submit(lambda: found or swipl_build.build())
        python_env.create()
        python_env.fill(demo_only=packages == DEMO)
        prolog = building.result()
    say(f"    {prolog}")
    swipl_build.complete(prolog)
    python_env.add_janus(prolog)
    python_env.link_checkout()
    return prolog


def provide_packages(packages: str) -> Swipl | None:
    """The distribution packages that are needed, and a SWI-Prolog for the engine: on PATH, built earlier, or
    from the distribution's package; None if one has to be built.
    """
    for poor in (found for found in swipl.on_path() if found.lacks):
        say(f"    not used: {poor} lacks {', '.join(poor.lacks)}")
    found = find_swipl()
    needed = python_env.packages_needed()
    if found is None and apt.installed():
        needed += _swipl_packages()
    if needed:
        apt.require(needed, "etalis_py", wished=_java_packages() if packages == ALL else ())
    return found or find_swipl()


def find_swipl() -> Swipl | None:
    """The first SWI-Prolog on PATH that lacks nothing, else the newest that was built earlier."""
    known = (found for builds in (swipl.on_path(), swipl.cached_builds()) for found in builds)
    return next((found for found in known if not found.lacks), None)


def provide_java() -> None:
    """See to a Java for Spark. Without one everything but Spark works, so that is said and not an error."""
    if java.find_java():
        return
    try:
        apt.require(_java_packages(), "Spark")
    except SetupError as error:
        say(
            f"warning: there is no Java {java.OLDEST} or newer, so Spark will not run. Everything "
            f"else does.\n{error}"
        )


def _swipl_packages() -> list[str]:
    """The distribution's SWI-Prolog where that is new enough, else what building one takes."""
    apt.read_lists()
    version = apt.candidate(DISTRIBUTION_PACKAGE)
    if version is not None and swipl.version_number(version) >= swipl.OLDEST:
        return [DISTRIBUTION_PACKAGE]
    return [*swipl_build.BUILD_PACKAGES]


def _java_packages() -> list[str]:
    """The distribution's Java for Spark; none where there is a Java."""
    if java.find_java():
        return []
    known = (name for name in java.PACKAGES if apt.installed() and apt.candidate(name))
    return [next(known, java.PACKAGES[0])]
