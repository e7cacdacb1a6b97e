"""Events of which each two give an answer."""

from __future__ import annotations

from tests.serve.servers import Running

PAIRS = [(2 * n + k, f"n{n}", ("low", "high")[k]) for n in range(1, 31) for k in (0, 1)]
LAST = (1000, "end", "low")
"""It ends the instant of the last pair."""
EXPECTED = [f"urn:n{n}" for n in range(1, 31)]


def subjects(running: Running) -> list[str]:
    """What the answers are about."""
    return [each["bindings"]["x"]["value"] for each in running.answers()]


def all_pairs(found: list[str]) -> bool:
    """Whether there are enough answers."""
    return len(found) >= len(EXPECTED)
