"""Distribution packages, the only thing set-up installs outside the checkout and the user's cache."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence

from etalis_py.provision.commands import CommandError, output_of, run_logged
from etalis_py.provision.console import SetupError, step
from etalis_py.provision.places import SETUP_LOG

__all__ = ["candidate", "installed", "missing", "read_lists", "require"]

OPTIONS = ("-q", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3")


def installed() -> bool:
    """Whether this machine has apt at all."""
    return shutil.which("apt-get") is not None and shutil.which("dpkg-query") is not None


def missing(packages: Sequence[str]) -> list[str]:
    """Those of ``packages`` that are not installed, each once, in their order."""
    return [package for package in dict.fromkeys(packages) if not _is_there(package)]


def _is_there(package: str) -> bool:
    status = output_of(["dpkg-query", "-W", "-f", "${db:Status-Status}", package])
    return status is not None and status.startswith("installed")


def candidate(package: str) -> str | None:
    """The version that apt would install, ``None`` where the distribution has no such package."""
    policy = output_of(["apt-cache", "policy", package], env={**os.environ, "LC_ALL": "C"}) or ""
    for line in policy.splitlines():
        name, _, value = line.strip().partition(": ")
        if name == "Candidate" and value != "(none)":
            return value
    return None


def require(packages: Sequence[str], purpose: str, *, wished: Sequence[str] = ()) -> None:
    """Install those of ``packages`` that are missing.

    Raises ``SetupError`` with the command to run by hand where apt is missing, not allowed or fails;
    ``wished`` are packages that the command had better install as well, for they will be asked for next.
    """
    if not installed():
        raise SetupError(
            "EP532",
            f"{purpose} needs what Debian packages as: {' '.join(packages)}. This machine has no apt",
            hint="install similar packages with this system's own package manager, then run make setup again",
        )
    absent = missing(packages)
    if not absent:
        return
    words = " ".join([*absent, *missing(wished)])
    by_hand = f"sudo apt-get update && sudo apt-get install --no-install-recommends {words}"
    become_root = _become_root()
    if become_root is None:
        raise SetupError(
            "EP532",
            f"{purpose} needs distribution packages, and this user can install none (no root, no sudo)",
            hint=f"ask an administrator to run this, then run make setup again:\n  {by_hand}",
        )
    read_lists()
    try:
        with step(f"installing for {purpose}: {' '.join(absent)}"):
            _install(become_root, absent)
    except CommandError as failure:
        raise SetupError(
            "EP532",
            f"apt could not install what {purpose} needs:\n{failure}",
            hint=f"with a network and a working apt, run:\n  {by_hand}",
        ) from failure


def read_lists() -> None:
    """Read the distribution's package lists where a new machine has none yet, and this user may."""
    become_root = _become_root()
    if become_root is not None and candidate("libc6-dev") is None:
        _update(become_root)


def _install(become_root: Sequence[str], packages: Sequence[str]) -> None:
    words = ("install", "-y", "--no-install-recommends", *packages)
    command = [*become_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", *OPTIONS, *words]
    try:
        run_logged(command, SETUP_LOG)
    except CommandError:  # the lists may be of another day than the archive
        _update(become_root)
        run_logged(command, SETUP_LOG)


def _update(become_root: Sequence[str]) -> None:
    with step("reading the distribution's package lists (under a minute)"):
        try:
            run_logged([*become_root, "apt-get", *OPTIONS, "update"], SETUP_LOG)
        except CommandError as failure:
            raise SetupError(
                "EP532",
                f"apt could not read the distribution's package lists:\n{failure}",
                hint="it needs a network and valid sources; check that sudo apt-get update works",
            ) from failure


def _become_root() -> list[str] | None:
    """The words before a command that make it root's; ``None`` where this user cannot become root."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        return None
    if output_of(["sudo", "-n", "true"]) is not None:
        return ["sudo", "-n"]
    return ["sudo"] if sys.stdin.isatty() else None
