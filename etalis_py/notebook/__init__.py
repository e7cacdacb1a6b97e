"""Notebooks: ``%load_ext etalis_py`` and what its cells show (docs/notebook.md)."""
