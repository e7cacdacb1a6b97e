-- Two interval joins.
SELECT ab.began, c.moment, ab.subject, ab.number, c.subject, c.number
FROM (
  SELECT a.moment AS began, b.rowtime AS rowtime, a.subject AS subject, a.number AS number, b.object AS object
  FROM (SELECT * FROM events WHERE predicate = 'p') AS a
  JOIN (SELECT * FROM events WHERE predicate = 'q') AS b
    ON a.subject = b.subject
    AND b.rowtime BETWEEN a.rowtime + INTERVAL '0.001' SECOND(3, 3) AND a.rowtime + INTERVAL '$longest' SECOND(3, 3)
) AS ab
JOIN (SELECT * FROM events WHERE predicate = 'r') AS c
  ON ab.object = c.subject
  AND c.rowtime BETWEEN ab.rowtime + INTERVAL '0.001' SECOND(3, 3) AND ab.rowtime + INTERVAL '$longest' SECOND(3, 3)
WHERE c.moment - ab.began < $window
