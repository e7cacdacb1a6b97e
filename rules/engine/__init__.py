"""An engine at work: it takes events instant by instant, fires the rules of its queries, gives answers.

In come encoded events and compiled rules; out go encoded answers in portions, snapshots, errors and limits
that were reached. It does not know what an operator means: rules that the compiler writes do.
"""
