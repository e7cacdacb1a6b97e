"""From EP-SPARQL text to the syntax tree, names as they were written.

In: the text of a file. Out: queries of ``syntax.py``, each node with its span, or an error with its place
and a hint. Does not say what a query means: see ``algebra``.
"""
