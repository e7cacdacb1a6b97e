-- A window of time that hops.
SELECT window_end, window_end, subject, n, total FROM (
  SELECT TIMESTAMPDIFF(SECOND, TIMESTAMP '1970-01-01 00:00:00', window_end) * CAST(1000000 AS BIGINT) - 1000000 AS window_end,
    subject, COUNT(*) AS n, SUM(number) AS total
  FROM TABLE(HOP(TABLE events, DESCRIPTOR(rowtime), INTERVAL '1' SECOND, INTERVAL '$seconds' SECOND(3)))
  WHERE predicate = 'p'
  GROUP BY subject, window_start, window_end)
