"""For editors: the language server behind ``etalis lsp``, and the extension of VS Code (``vscode/``).

In come texts as they are typed, which need not be whole; out come diagnostics, completions, descriptions,
places and formatted texts. Only ``server.py`` knows the protocol. It runs no query.
"""
