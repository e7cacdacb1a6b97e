"""What a query means: from the syntax tree to the algebra of EP-SPARQL and SPARQL 1.1.

In: the tree of ``parse``. Out: the nodes of ``algebra.py`` with names resolved, and what follows from them
alone (scope, windows, policies). Does not know background, streams or rules.
"""
