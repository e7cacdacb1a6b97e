"""A query with windows on streams, written in another dialect.

In: the text of queries, and the name of a dialect. Out: the text in that dialect, which means the same.
What is not of windows stays as it is written, comments too. Runs nothing.
"""
