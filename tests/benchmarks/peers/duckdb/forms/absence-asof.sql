-- The newest of what must not come between is found by an ASOF join.
SELECT b.key, a.number, b.number, a.start, b.start
FROM (SELECT each.*, c.start AS between_
      FROM (SELECT * FROM numbers WHERE p = '<urn:bench:q>') AS each
      ASOF LEFT JOIN (SELECT * FROM numbers WHERE p = '<urn:bench:r>') AS c
        ON each.key = c.key AND each.start > c.start) AS b
JOIN (SELECT * FROM numbers WHERE p = '<urn:bench:p>') AS a
  ON a.key = b.key AND a.start < b.start AND b.start - a.start < $window
WHERE b.between_ IS NULL OR b.between_ < a.start
