-- An interval join.
SELECT a.moment, b.moment, b.subject, a.number, b.number
FROM (SELECT * FROM events WHERE predicate = 'p') AS a
JOIN (SELECT * FROM events WHERE predicate = 'q') AS b
  ON a.subject = b.subject
  AND a.rowtime BETWEEN b.rowtime - INTERVAL '$longest' SECOND(3, 3) AND b.rowtime - INTERVAL '0.001' SECOND(3, 3)
