-- An interval join.
SELECT b.key, a.number, b.number, a.start, b.start
FROM numbers AS a JOIN numbers AS b
  ON a.key = b.key AND a.start < b.start AND b.start - a.start < $window
WHERE a.p = '<urn:bench:p>' AND b.p = '<urn:bench:q>'
