"""Ordinary rows as events: CSV, JSON, Parquet and tables, as a mapping in YARRRML says (docs/data.md).

In come a file of YAML and records with columns of any names; out come batches. A row makes some triples,
which have its time. It does not join rows, nor call functions: a query does that.
"""
