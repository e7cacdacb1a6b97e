-- A window for each row.
SELECT moment, moment AS until, subject, number, AVG(CAST(number AS DOUBLE)) OVER (
  PARTITION BY subject ORDER BY rowtime RANGE BETWEEN INTERVAL '$longest' SECOND(3, 3) PRECEDING AND CURRENT ROW)
FROM events
