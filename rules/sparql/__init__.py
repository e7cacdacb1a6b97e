"""Values as SPARQL has them: terms, numbers, times, comparison, functions, casts, regular expressions.

In come RDF terms, out go RDF terms; where SPARQL has an error, a predicate fails. Nothing here has state or
knows an engine.
"""
