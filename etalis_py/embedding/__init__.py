"""SWI-Prolog in this process, through janus.

In go goals and columns of values; out come bindings, and Prolog's errors as the project's own. Loads the
rules (compiled once, kept in the cache) and lets a call be ended from outside. Knows no query and no engine.
"""
