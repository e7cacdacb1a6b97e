"""EDBC rules: goal insertion and checking for each operator of the plan, as Prolog clauses.

In: the binary plan. Out: the clauses and goal stores of ``rules.py``, each with the span of its operator,
and their text. Does not run them: the run-time library is the folder ``rules`` beside ``compiler``.
"""
