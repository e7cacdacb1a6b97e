-- The same with the time in bins as long as the window: partners are in the same bin or the one before.
SELECT b.key, a.number, b.number, a.start, b.start
FROM (SELECT *, start // $window + later AS bin FROM numbers, (VALUES (0), (1)) AS bins(later)
      WHERE p = '<urn:bench:p>') AS a
JOIN (SELECT *, start // $window AS bin FROM numbers WHERE p = '<urn:bench:q>') AS b
  ON a.key = b.key AND a.bin = b.bin AND a.start < b.start AND b.start - a.start < $window
