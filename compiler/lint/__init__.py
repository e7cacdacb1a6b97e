"""Finds what is legal in a query and probably not meant.

In comes a compiled query, with what the background knows; out come findings, each with the code of a warning,
a place in the text, and a hint. One check is one function of one file; ``linter.py`` lists them all. Nothing
is changed or refused here, and no stream is read.
"""
