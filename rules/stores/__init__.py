"""What an engine remembers between two instants: goals, candidates, tuples of paths, recalled occurrences.

In go solutions that may be wanted later; out come those that fit, and what is known to be over is forgotten.
"""
