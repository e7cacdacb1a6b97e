"""An engine that measures its rules: which part of a query costs.

In goes what an engine takes; out come its answers and, for each rule, calls, solutions and time. The rules
are wrapped, not changed.
"""
