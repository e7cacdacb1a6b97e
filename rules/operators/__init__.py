"""What rules of single operators call: property paths over events, ordered rows and slices, the order of
joins.

In and out go solutions of one instant. Binary operators need nothing of this: they are rules over stores.
"""
