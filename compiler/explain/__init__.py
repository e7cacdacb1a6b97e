"""The text of each stage for readers, from the one printer that each has.

In: whatever a stage made. Out: what ``etalis explain`` shows. Decides nothing: no other stage reads these
texts.
"""
