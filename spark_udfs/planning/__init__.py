"""What Spark is to do, decided by the driver before a row is read.

In come queries and the arguments of ``detect``; out goes a Spark plan: how events are dealt out, which stages
a program has, which slices of time. Runs no engine.
"""
