-- The classes below are in a table: reasoning is done before.
SELECT key, start, start FROM links WHERE object IN (SELECT name FROM classes)
