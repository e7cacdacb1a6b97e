"""The languages that queries may be written in: each is read onto the syntax tree of EP-SPARQL.

``languages.py`` tells which one a text is of; a folder holds what is particular to one: its grammar, its tree
and the way from it. What is odd in a text and still read becomes a remark, which the linter shows. Does not
touch the algebra: all that follows the syntax tree is the same for all.
"""
