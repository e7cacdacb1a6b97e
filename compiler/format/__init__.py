"""From an EP-SPARQL text to the same text as it is best read: words, comments and their order stay.

In comes the text of one or several queries, out comes text. It works on the tree of grammar.lark as it is
read, with all its tokens. It does not look at what a query means: prefixes may be undeclared.
"""
