-- The same with the time in bins as long as the window, for both joins.
WITH pairs AS (
  SELECT a.key AS key, a.number AS number, b.object AS object, a.start AS began, b.start AS start
  FROM (SELECT *, start // $window + later AS bin FROM numbers, (VALUES (0), (1)) AS bins(later)
        WHERE p = '<urn:bench:p>') AS a
  JOIN (SELECT *, start // $window AS bin FROM links WHERE p = '<urn:bench:q>') AS b
    ON a.key = b.key AND a.bin = b.bin AND a.start < b.start AND b.start - a.start < $window)
SELECT ab.key, ab.number, c.key, c.number, ab.began, c.start
FROM (SELECT *, began // $window + later AS bin FROM pairs, (VALUES (0), (1)) AS bins(later)) AS ab
JOIN (SELECT *, start // $window AS bin FROM numbers WHERE p = '<urn:bench:r>') AS c
  ON ab.object = c.key AND ab.bin = c.bin AND ab.start < c.start AND c.start - ab.began < $window
