-- A window for each row.
SELECT key, number, avg(number) OVER (
  PARTITION BY key ORDER BY start RANGE BETWEEN $window - 1 PRECEDING AND CURRENT ROW), start, start
FROM numbers
