"""The query compiler: EP-SPARQL text to EDBC rules, a folder a stage; ``compile.py`` puts them in a row.

``parse`` -> ``algebra`` -> ``passes`` and ``association`` -> ``plan`` -> ``rules``. Beside the row:
``lint`` warns of queries that cannot mean what they say, ``partition`` finds how events can be dealt out,
``explain`` prints the stages. Runs no rules and reads no streams.
"""
