/*  Answers of several engines as those of one (etalis_py/embedding/merging.py).

    The answers of each part are in their order: by end, start and query, and then by their terms. What agrees in the
    first three and comes from several parts is a tie: Python has the terms, and says which part comes first. There is
    no Prolog in here, so Python's lock need not be held.
*/

#include "answer_columns.h"

#define MOST_PARTS 64
#define LEFT_OUT 0x80 /* an answer that is not given: another part has it, too */

#define KINDS 8        /* of cells, at most (answers.c) */

/* `names` says where atoms of the part stand in the whole, `before` by the kind of a cell how many are before the part's
   own of what its values are places in. */
typedef struct {
  int64_t rows;
  const int32_t *queries;
  const int64_t *starts, *ends;
  const uint8_t *kinds;
  const int64_t *values;
  const int64_t *names;
  int64_t before[KINDS];
} part;

enum { ATOM_CELL };

static int order_of(const part *a, int64_t i, const part *b, int64_t j) {
  if (a->ends[i] != b->ends[j])
    return a->ends[i] < b->ends[j] ? -1 : 1;
  if (a->starts[i] != b->starts[j])
    return a->starts[i] < b->starts[j] ? -1 : 1;
  return (a->queries[i] > b->queries[j]) - (a->queries[i] < b->queries[j]);
}

/* Say of each answer of the whole from which part it is; of ties where they begin and end. The number of ties. */
EXPORT int64_t merge_order(const part *parts, int32_t count, uint8_t *from, int64_t *ties) {
  int64_t at[MOST_PARTS] = {0}, row = 0, found = 0, first = 0;
  int last = -1, is_tie = 0;
  for (;;) {
    int least = -1;
    for (int i = 0; i < count; i++)
      if (at[i] < parts[i].rows && (least < 0 || order_of(parts + i, at[i], parts + least, at[least]) < 0))
        least = i;
    if (last >= 0 && (least < 0 || order_of(parts + last, at[last] - 1, parts + least, at[least]))) {
      if (is_tie)
        ties[2 * found] = first, ties[2 * found++ + 1] = row;
      first = row;
      is_tie = 0;
    } else if (last >= 0 && last != least) {
      is_tie = 1;
    }
    if (least < 0)
      return found;
    from[row++] = least;
    at[least]++;
    last = least;
  }
}

/* Write the answers in the order of `from`; how many there are. `widths` are by query. */
EXPORT int64_t merge_answers(const part *parts, const uint8_t *from, int64_t rows, const int32_t *widths,
                             answer_columns *out) {
  int64_t at[MOST_PARTS] = {0}, cells[MOST_PARTS] = {0}, row = 0, cell = 0;
  for (int64_t i = 0; i < rows; i++) {
    int number = from[i] & ~LEFT_OUT;
    const part *p = parts + number;
    int64_t source = at[number]++, begin = cells[number];
    int query = p->queries[source], width = widths[query];
    cells[number] += width;
    if (from[i] & LEFT_OUT)
      continue;
    out->queries[row] = query;
    out->starts[row] = p->starts[source];
    out->ends[row++] = p->ends[source];
    for (int64_t j = begin; j < begin + width; j++, cell++) {
      int64_t value = p->values[j];
      out->kinds[cell] = p->kinds[j];
      out->values[cell] = p->kinds[j] == ATOM_CELL ? p->names[value] : value + p->before[p->kinds[j]];
    }
  }
  return row;
}
