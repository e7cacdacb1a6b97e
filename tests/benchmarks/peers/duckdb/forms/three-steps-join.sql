-- Two interval joins.
SELECT a.key, a.number, c.key, c.number, a.start, c.start
FROM numbers AS a JOIN links AS b
  ON a.key = b.key AND a.start < b.start AND b.start - a.start < $window
JOIN numbers AS c
  ON b.object = c.key AND b.start < c.start AND c.start - a.start < $window
WHERE a.p = '<urn:bench:p>' AND b.p = '<urn:bench:q>' AND c.p = '<urn:bench:r>'
