/*  Windows of the newest elements: rules/operators/newest_elements.pl says what their order is. */

#define _GNU_SOURCE /* qsort_r */
#include "machine.h"

/* A row, and how old its element is. */
typedef struct {
  int64_t end, start;
  const char *graph;
  size_t length;
  const code *cells;
} aged;

/* The number behind the last space of a text, which is cut off. */
static int64_t last_number(const char *text, size_t *length) {
  uint64_t number = 0, unit = 1;
  for (; text[--*length] != ' '; unit *= 10)
    number = text[*length] == '-' ? -number : number + unit * (text[*length] - '0');
  return (int64_t)number;
}

/* etalis_places:element_identity/4 makes what is in the first cell. */
static aged aged_row(const code *cells) {
  aged row = {.cells = cells};
  const char *text = "";
  size_t length = 0;
  text_of_name(TAG(*cells) == TAG_ATOM ? *cells : node_of(*cells)->parts[0], &text, &length);
  row.end = last_number(text, &length);
  row.start = last_number(text, &length);
  row.graph = (const char *)memchr(text, ' ', length) + 1;
  row.length = text + length - row.graph;
  return row;
}

static int by_age(const void *left, const void *right, void *width) {
  const aged *a = left, *b = right;
  int order = (a->end > b->end) - (a->end < b->end);
  order = order ? order : (a->start > b->start) - (a->start < b->start);
  order = order ? order : order_of_bytes(a->graph, a->length, b->graph, b->length);
  for (int i = 0; !order && i < *(int *)width; i++)
    order = compare_codes(a->cells[i], b->cells[i]);
  return order;
}

/* The rows are others, the oldest first. */
static int put_by_age(machine *m, row_set *rows) {
  size_t count = rows->count, width = rows->width;
  if (count < 2)
    return TRUE;
  aged *all = malloc(count * sizeof *all);
  if (!all || !more_by((void **)&m->row_cells, &m->row_cell_room, m->row_cell_count, count * width, sizeof(code))) {
    free(all);
    return PL_resource_error("memory");
  }
  for (size_t i = 0; i < count; i++)
    all[i] = aged_row(m->row_cells + rows->at + i * width);
  qsort_r(all, count, sizeof *all, by_age, &rows->width);
  rows->at = m->row_cell_count;
  m->row_cell_count += count * width;
  for (size_t i = 0; i < count; i++)
    memcpy(m->row_cells + rows->at + i * width, all[i].cells, width * sizeof(code));
  free(all);
  return TRUE;
}

static int take_part(frame *f, int number, row_set rows, int from, int count) {
  rows.at += (size_t)from * rows.width;
  rows.count = count;
  return begin_set_of_rows(f, number, rows);
}

/* among_newest(Most, New, Kept, Come) */
int take_newest(const goal *g, frame *f) {
  row_set rows = *set_of(f, g->number);
  if (!put_by_age(f->m, &rows))
    return FALSE;
  int from = rows.count;
  int64_t come = 0;
  for (code newer = 0; from; from--) {
    code element = f->m->row_cells[rows.at + (size_t)(from - 1) * rows.width];
    if (element != newer && come == g->limit)
      break;
    come += element != newer;
    newer = element;
  }
  f->registers[g->keys[1]] = integer_code(come);
  return take_part(f, g->keys[0], rows, from, rows.count - from);
}

/* whole_steps(Step, Came, Whole, Over, Count) */
int take_whole_steps(const goal *g, frame *f) {
  row_set rows = *set_of(f, g->number);
  if (!put_by_age(f->m, &rows))
    return FALSE;
  int over = rows.count % g->limit, whole = rows.count - over;
  f->registers[g->keys[2]] = integer_code(over);
  return take_part(f, g->keys[0], rows, 0, whole) && take_part(f, g->keys[1], rows, whole, over);
}

/* between(1, Times, _) */
enum status repeated(const goal *g, frame *f) {
  enum status is = GO_ON;
  for (int64_t left = number_of(value_of(f, &g->a)); is == GO_ON && left > 0; left--)
    is = run(g->next, f);
  return is;
}
