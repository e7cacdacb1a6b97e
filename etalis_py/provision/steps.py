"""The steps of set-up in their order. Each looks first and does nothing where nothing is to be done."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from etalis_py.provision import apt, java, python_env, stamp, swipl, swipl_build
from etalis_py.provision.console import SetupError, say
from etalis_py.provision.places import PROJECT, SETUP_LOG, locked
from etalis_py.provision.swipl import Swipl

__all__ = ["main"]

DISTRIBUTION_PACKAGE = "swi-prolog-nox"


def main(arguments: Sequence[str]) -> int:
    """Set up this checkout; the exit code is 0, or 4 with a message on standard error."""
    if arguments:
        print("usage: python3 etalis_py/provision", file=sys.stderr)
        return 2
    for misleading in ("SWI_HOME_DIR", "SWIPL"):
        os.environ.pop(misleading, None)
    try:
        with locked(PROJECT):
            set_up()
    except SetupError as error:
        print(error, file=sys.stderr)
        return SetupError.exit_code
    except KeyboardInterrupt:
        print("set-up was interrupted; run it again: finished steps are kept", file=sys.stderr)
        return 130
    return 0


def set_up() -> None:
    """Bring the machine, the cache and the environment to what the lock file asks for."""
    before = stamp.left()
    if before is None or not before.same_packages(stamp.wanted(before.swipl, before.swipl_version)):
        SETUP_LOG.unlink(missing_ok=True)
        say(f"setting up {PROJECT} (from nothing 2 to 6 minutes on 2 cores)")
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
    """A SWI-Prolog for the engine: on PATH, built earlier, from the distribution's package, or built now.

    The distribution packages that Python needs are installed in the same go.
    """
    for poor in (found for found in swipl.on_path() if found.lacks):
        say(f"    not used: {poor} lacks {', '.join(poor.lacks)}")
    found = find_swipl()
    packages = python_env.packages_needed()
    if found is None and apt.installed():
        packages += _swipl_packages()
    if packages:
        apt.require(packages, "etalis_py", wished=_java_packages())
    return found or find_swipl() or swipl_build.build()


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
