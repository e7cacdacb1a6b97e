-- The time in bins as long as the window.
SELECT key, count(*), CAST(sum(number) AS BIGINT), (start // $window + 1) * $window AS closes, closes
FROM numbers WHERE p = '<urn:bench:p>' GROUP BY key, closes
