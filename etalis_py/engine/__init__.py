"""The engine: queries are registered, events are sent, answers come back.

In go compiled queries, background and batches of events; out come matches, snapshots of the state and answers
to questions. It keeps the books of what Prolog holds. It does not compile queries (``compiler/``), read files
(``etalis_py.streams``) or fire rules (``rules/``).
"""
