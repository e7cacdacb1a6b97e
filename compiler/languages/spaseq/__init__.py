"""SPAseq: sequences of graph patterns over named streams of RDF graphs.

Comes in: a query as the paper prints it (Gillani, Zimmermann, Picard, Laforest: A Query Language for Semantic
Complex Event Processing: Syntax, Semantics and Implementation, Semantic Web 10(1), 2019), or as its program
(https://github.com/Gillani0/spaseq) reads it. Goes out: the syntax tree of an EP-SPARQL query with the same
meaning; docs/spaseq.md has both side by side. Does not translate algebra.
"""
