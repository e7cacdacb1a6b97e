-- A join of windows that tumble.
SELECT window_end, window_end, subject, v, w FROM (
  SELECT TIMESTAMPDIFF(SECOND, TIMESTAMP '1970-01-01 00:00:00', a.window_end) * CAST(1000000 AS BIGINT) - 1000000 AS window_end,
    a.subject AS subject, a.number AS v, b.number AS w
  FROM (SELECT * FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(rowtime), INTERVAL '$seconds' SECOND(3)))
        WHERE predicate = 'p') AS a
  JOIN (SELECT * FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(rowtime), INTERVAL '$seconds' SECOND(3)))
        WHERE predicate = 'q') AS b
    ON a.window_start = b.window_start AND a.window_end = b.window_end AND a.subject = b.subject)
