"""The binary plan: the algebra with all that rules need to know of each operator.

In: the algebra after the passes. Out: nodes of ``plan.py`` with columns, join variables, windows and the
order in which operators are settled; plans of several queries with their equal parts shared. Writes no
rules: see ``rules``.
"""
