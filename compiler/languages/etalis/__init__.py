"""ETALIS: event rules, written as Prolog.

Comes in: a file of rules ``complex <- pattern`` as ETALIS reads them (https://github.com/sspider/etalis),
with its operators and their priorities, and static Prolog clauses among them. Goes out: for each rule the
syntax tree of a CONSTRUCT query of EP-SPARQL with the same meaning, and the static clauses as a rules file;
docs/etalis.md has both side by side. Does not translate algebra.
"""
