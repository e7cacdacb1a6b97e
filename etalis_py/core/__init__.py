"""The ground that all else stands on: errors, RDF terms, times, the cache of compiled files.

In come texts, numbers and bytes; out go terms, microseconds and errors with a code. Imports nothing else of
the project, and no package that takes long to load. Knows no query, no engine and no Prolog.
"""
