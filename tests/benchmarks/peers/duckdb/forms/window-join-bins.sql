-- A join of bins as long as the window.
SELECT a.key, a.number, b.number, (a.start // $window + 1) * $window AS closes, closes
FROM (SELECT * FROM numbers WHERE p = '<urn:bench:p>') AS a
JOIN (SELECT * FROM numbers WHERE p = '<urn:bench:q>') AS b
  ON a.key = b.key AND a.start // $window = b.start // $window
