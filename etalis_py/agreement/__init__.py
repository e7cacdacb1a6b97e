"""Whether two ways to evaluate give the same rows on a stream: push and pull, two dialects, two queries.

In: query texts, and events. Out: intervals of time, with the rows that only one has. After Dao-Tran, Beck,
Eiter: Towards Comparing RDF Stream Processing Semantics (2015), section 5.
"""
