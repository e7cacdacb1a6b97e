"""Texts of files as columns, and columns as texts, natively.

In come lines of a file, or columns of terms, numbers and times; out go arrays, or lines. What is not plain
is left to the readers in Python (``streams``), which do without the library where it cannot be compiled. Does
not read terms.
"""
