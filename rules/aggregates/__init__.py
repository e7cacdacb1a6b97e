"""COUNT, SUM, AVG, MIN, MAX, SAMPLE and GROUP_CONCAT over windows, kept up to date.

In come members as they enter and leave a window; out go the rows of the groups that changed.
"""
