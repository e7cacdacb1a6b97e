"""What looks at an engine from outside: why an answer was given, what a rule costs, questions in Prolog.

An engine that nobody looks at pays nothing for any of it.
"""
