"""Sets up a checkout on a fresh machine: SWI-Prolog, Java, and a virtual environment with locked packages.

Only the standard library is used, because nothing else is there yet: the Makefile runs this folder with the
machine's own Python (``python3 etalis_py/provision``). ``etalis doctor`` uses the same probes later.
"""
