"""All fuzzers, by name: where the class of each is."""

from __future__ import annotations

from types import MappingProxyType

__all__ = ["FUZZERS"]

FUZZERS = MappingProxyType(
    {
        "calls": "tests.fuzz.calls:Calls",
        "commands": "tests.fuzz.commands:Commands",
        "goals": "tests.fuzz.goals:Goals",
        "machines": "tests.fuzz.machines:Machines",
        "queries": "tests.fuzz.queries:Queries",
        "streams": "tests.fuzz.files:Streams",
        "backgrounds": "tests.fuzz.files:Backgrounds",
    }
)
