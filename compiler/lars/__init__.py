"""A query as a LARS program: rules over atoms, with window operators and references to times.

In: a query's algebra before it is said when it is evaluated. Out: a program as data (``program.py``), and its
text. After Dao-Tran, Beck, Eiter: Towards Comparing RDF Stream Processing Semantics (2015). Nothing is run
by it.
"""
