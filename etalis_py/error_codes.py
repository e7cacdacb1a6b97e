"""Every error code with the one line that says what it means.

A code is never given a second meaning; ``docs/errors.md`` and the golden files under
``tests/errors/`` follow this table.
"""

from __future__ import annotations

from types import MappingProxyType

__all__ = ["ERROR_CODES"]

ERROR_CODES = MappingProxyType(
    {
        # EP1xx: the text is not EP-SPARQL
        # EP2xx: compile
        # EP30x: run time
        # EP40x: streams
        # EP42x: background
        # EP44x: Prolog files
        # EP45x: recordings of the demos
        # EP5xx: arguments and set-up
    }
)
