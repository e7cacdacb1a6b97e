"""Background knowledge: triples and rules of the user's, RDFS entailment, states that events begin and end.

In come files as Prolog facts; out go triples, entailed ones too, and which patterns an event may match.
Shared by all engines that read the same files.
"""
