"""Distribution packages, the only thing set-up installs outside the checkout and the user's cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

from etalis_py.provision.commands import output_of
from etalis_py.provision.console import SetupError, step

__all__ = ["candidate", "installed", "missing", "require", "update"]

OPTIONS = ("-q", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3")


def installed() -> bool:
    """Whether this machine has apt at all."""
    return shutil.which("apt-get") is not None and shutil.which("dpkg-query") is not None


def missing(packages: Sequence[str]) -> list[str]:
    """Those of ``packages`` that are not installed, in their order."""
    if not packages:
        return []
    there = set()
    for package in packages:
        status = output_of(["dpkg-query", "-W", "-f", "${db:Status-Status}", package])
        if status is not None and status.startswith("installed"):
            there.add(package)
    return [package for package in packages if package not in there]


def candidate(package: str) -> str | None:
    """The version that apt would install, ``None`` where the distribution has no such package."""
    policy = output_of(["apt-cache", "policy", package], env={**os.environ, "LC_ALL": "C"}) or ""
    for line in policy.splitlines():
        name, _, value = line.strip().partition(": ")
        if name == "Candidate" and value != "(none)":
            return value
    return None


def update() -> bool:
    """Read the distribution's package lists; gives whether that was allowed and succeeded."""
    become_root = _become_root()
    if not installed() or become_root is None:
        return False
    with step("reading the distribution's package lists (under a minute)"):
        return subprocess.run([*become_root, "apt-get", *OPTIONS[:1], "update"], check=False).returncode == 0


def require(packages: Sequence[str], purpose: str) -> None:
    """Install those of ``packages`` that are missing.

    Raises ``SetupError`` with the command to run by hand where apt is missing, not allowed or fails.
    """
    if not installed():
        raise SetupError(
            "EP532",
            f"{purpose} needs what Debian packages as: {' '.join(packages)}. This machine has no apt",
            hint="install their like with this system's own package manager, then run make setup again",
        )
    absent = missing(packages)
    if not absent:
        return
    by_hand = f"sudo apt-get update && sudo apt-get install --no-install-recommends {' '.join(absent)}"
    become_root = _become_root()
    if become_root is None:
        raise SetupError(
            "EP532",
            f"{purpose} needs distribution packages, and this user can install none (no root, no sudo)",
            hint=f"have this run, then run make setup again:\n  {by_hand}",
        )
    if any(candidate(package) is None for package in absent):
        update()
    with step(f"installing for {purpose}: {' '.join(absent)}"):
        if not _install(become_root, absent) and not (update() and _install(become_root, absent)):
            raise SetupError(
                "EP532",
                f"apt could not install what {purpose} needs; its own message is above",
                hint=f"with a network and a sound apt this does it:\n  {by_hand}",
            )


def _install(become_root: Sequence[str], packages: Sequence[str]) -> bool:
    command = ["apt-get", *OPTIONS, "install", "-y", "--no-install-recommends", *packages]
    quiet = ["env", "DEBIAN_FRONTEND=noninteractive"]
    done = subprocess.run(
        [*become_root, *quiet, *command], stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False
    )
    return done.returncode == 0


def _become_root() -> list[str] | None:
    """The words before a command that make it root's; ``None`` where this user cannot become root."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        return None
    if output_of(["sudo", "-n", "true"]) is not None:
        return ["sudo", "-n"]
    return ["sudo"] if sys.stdin.isatty() else None
