"""The query compiler: EP-SPARQL text to EDBC rules, one file a stage (see compile.py)."""
