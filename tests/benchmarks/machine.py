"""Which machine a figure was measured on."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.kernel import swipl_version

__all__ = ["growth_percent", "machine", "resident_bytes"]


def machine() -> dict[str, str | int]:
    """Processor, cores that this process may use, and the versions of Python and SWI-Prolog."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "system": platform.platform(),
        "python": platform.python_version(),
        "swipl": swipl_version(),
    }


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    if facts.is_file():
        for line in facts.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def resident_bytes(process: int | str = "self") -> int:
    """The resident memory of a process now, in bytes (Linux).

    Raises:
        OSError: there is no such process, or no /proc.
    """
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def growth_percent(samples: Sequence[tuple[float, int]]) -> float:
    """How much more memory there was at most after the first tenth than at its end.

    Each sample is how far it is, in any unit, and the resident bytes.
    """
    if not samples:
        return 0.0
    tenth = samples[-1][0] / 10
    early = [memory for place, memory in samples if place <= tenth]
    later = [memory for place, memory in samples if place > tenth]
    return 100.0 * (max(later) / early[-1] - 1) if early and later else 0.0
