/*  Answers query by query (etalis_py/embedding/by_query.py).

    It costs the same for each answer, however many queries there are. There is no Prolog in here, so Python's lock need not
    be held.
*/

#include "answer_columns.h"

/* Count the answers of each place, two items further on. */
static int count_rows(const int32_t *queries, int64_t length, const int32_t *places, int64_t place_count, int64_t *rows) {
  for (int64_t i = 0; i < length; i++) {
    int64_t query = queries[i];
    if (query < 0 || query >= place_count || places[query] < 0)
      return 0;
    rows[places[query] + 2]++;
  }
  return 1;
}

/* A query has a place in `places`, by its number, or -1. Of each place `widths` says how many cells an answer has; `rows`
   and `cells` say where its answers begin, and the item behind where they end. They have two items more than there are
   places, 0 before. False: an answer is of another query, or the widths are not those of the answers. */
EXPORT int put_by_query(const answer_columns *from, int64_t length, int64_t cell_count, const int32_t *places,
                        int64_t place_count, const int32_t *widths, int64_t count, int64_t *rows, int64_t *cells,
                        answer_columns *to) {
  if (!count_rows(from->queries, length, places, place_count, rows))
    return 0;
  for (int64_t place = 0; place < count; place++) {
    cells[place + 2] = cells[place + 1] + rows[place + 2] * widths[place];
    rows[place + 2] += rows[place + 1];
  }
  if (cells[count + 1] != cell_count)
    return 0;
  /* One item further on is where the next answer goes: behind the last it is where the place ends. */
  for (int64_t i = 0, cell = 0; i < length; i++) {
    int32_t place = places[from->queries[i]], width = widths[place];
    int64_t row = rows[place + 1]++, at = cells[place + 1];
    cells[place + 1] += width;
    to->queries[row] = from->queries[i];
    to->starts[row] = from->starts[i];
    to->ends[row] = from->ends[i];
    for (int32_t j = 0; j < width; j++, cell++) {
      to->kinds[at + j] = from->kinds[cell];
      to->values[at + j] = from->values[cell];
    }
  }
  return 1;
}

/* Which answer comes at each place when they are put query by query, in `order`; `rows` as above. False: an answer is of
   another query. */
EXPORT int order_by_query(const int32_t *queries, int64_t length, const int32_t *places, int64_t place_count, int64_t count,
                          int64_t *rows, int32_t *order) {
  if (!count_rows(queries, length, places, place_count, rows))
    return 0;
  for (int64_t place = 0; place < count; place++)
    rows[place + 2] += rows[place + 1];
  for (int64_t i = 0; i < length; i++)
    order[rows[places[queries[i]] + 1]++] = (int32_t)i;
  return 1;
}

/* How many different queries there are among so many answers, and which, in `found`; -1: there is no memory. */
EXPORT int64_t different_queries(const int32_t *queries, int64_t length, int32_t *found) {
  int32_t last = 0;
  for (int64_t i = 0; i < length; i++)
    last = queries[i] > last ? queries[i] : last;
  uint8_t *is_known = calloc((size_t)last + 1, 1);
  int64_t count = 0;
  if (!is_known)
    return -1;
  for (int64_t i = 0; i < length; i++)
    if (!is_known[queries[i]]) {
      is_known[queries[i]] = 1;
      found[count++] = queries[i];
    }
  free(is_known);
  return count;
}
