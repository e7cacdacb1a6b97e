"""What runs in Spark's tasks: an engine for one part of the events, its answers as rows.

In come Arrow batches of events and a program that was shipped; out go rows of answers, metrics and the
project's own errors. Decides nothing about how events are dealt out.
"""
