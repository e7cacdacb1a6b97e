"""The steps of set-up in their order. Each looks first and does nothing where nothing is to be done."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from etalis_py.provision import apt, java, python_env, stamp, swipl, swipl_build
from etalis_py.provision.console import SetupError, say
from etalis_py.provision.places import PROJECT, locked
from etalis_py.provision.swipl import Swipl

__all__ = ["main"]

DISTRIBUTION_PACKAGE = "swi-prolog-nox"


def main(arguments: Sequence[str]) -> int:
    """Set up this checkout; the exit code is 0, or 4 with a message on standard error."""
    if arguments:
        print("usage: python3 etalis_py/provision", file=sys.stderr)
        return 2
    try:
        with locked(PROJECT):
            set_up()
    except SetupError as error:
        print(error, file=sys.stderr)
        return SetupError.exit_code
    except KeyboardInterrupt:
        print("set-up was interrupted; run it again, finished steps are kept", file=sys.stderr)
        return 130
    return 0


def set_up() -> None:
    """Bring the machine, the cache and the environment to what the lock file asks for."""
    before = stamp.left()
    if before is None or not before.same_packages(stamp.wanted(before.swipl, before.swipl_version)):
        say(f"setting up {PROJECT} (from nothing 3 to 6 minutes on 2 cores)")
        apt.require(python_env.packages_needed(), f"Python {sys.version_info.major}.{sys.version_info.minor}")
        prolog = provide_swipl()
        say(f"    {prolog}")
        python_env.create()
        python_env.fill(prolog)
        python_env.link_checkout()
        stamp.write(stamp.wanted(str(prolog.program), prolog.version_text))
    elif before != (now := stamp.wanted(before.swipl, before.swipl_version)):
        python_env.link_checkout()
        stamp.write(now)
    provide_java()


def provide_swipl() -> Swipl:
    """A SWI-Prolog for the engine: on PATH, built earlier, from the distribution's package, or built now."""
    for found in swipl.on_path():
        if not found.lacks:
            return found
        say(f"    passed over: {found} lacks {', '.join(found.lacks)}")
    for found in swipl.cached_builds():
        if not found.lacks:
            return found
    if packaged := _packaged():
        return packaged
    return swipl_build.build()


def _packaged() -> Swipl | None:
    """The distribution's SWI-Prolog, where it is new enough and not yet there."""
    version = apt.candidate(DISTRIBUTION_PACKAGE) if apt.installed() else None
    if version is None or swipl.version_number(version) < swipl.OLDEST:
        return None
    apt.require([DISTRIBUTION_PACKAGE], "the engine")
    return next((found for found in swipl.on_path() if not found.lacks), None)


def provide_java() -> None:
    """See to a Java for Spark. Without one everything but Spark works, so that is said and not an error."""
    if java.find_java():
        return
    try:
        package = next(
            (name for name in java.PACKAGES if apt.installed() and apt.candidate(name)), java.PACKAGES[0]
        )
        apt.require([package], "Spark")
    except SetupError as error:
        say(
            f"warning: there is no Java from {java.OLDEST} on, so Spark will not run. All else does.\n{error}"
        )
