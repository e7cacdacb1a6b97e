"""Disks that are soon full."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SmallDisk = Callable[[Path, int], None]


@pytest.fixture
def small_disk() -> Iterator[SmallDisk]:
    """Makes a folder a disk with room for so many KiB; called again, it gives the disk another size."""
    mounted: list[Path] = []

    def mount(folder: Path, size: int) -> None:
        again = ["remount"] if folder in mounted else []
        options = ",".join([*again, f"size={size}k"])
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("this user cannot mount a small disk")
        mounted[:] = [folder, *mounted] if not again else mounted

    yield mount
    for folder in mounted:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
