"""In which order a chain of operators is computed: left, right or bushy, by the rates of events.

In: the algebra, and how often events of each kind come. Out: the algebra with another association, which
has the same solutions. Does not measure rates: ``etalis_py/rates.py`` does.
"""
