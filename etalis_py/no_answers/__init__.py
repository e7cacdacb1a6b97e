"""Why a query found nothing: its patterns and filters are tried again, one by one, on a part of the stream.

In come compiled queries without answers, and events that they have seen; out come, for each pattern, how
often it matched, and for each filter, how often it was false and how often an error, and which. A run does
nothing for it before it has ended.
"""
