"""How the events of a program can be dealt out: by key, in slices of time, in stages.

In: plans. Out: routes of occurrences, and stages with what flows between them. Knows nothing of Spark,
which does the dealing.
"""
