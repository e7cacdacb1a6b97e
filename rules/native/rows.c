/*  Rows of an instant: gathered, put in order, counted. rules/operators/rows.pl says what the order is. */

#define _GNU_SOURCE /* qsort_r */
#include "machine.h"

row_set *set_of(const frame *f, int number) { return f->m->row_sets + number_of(f->registers[number]); }

static int keep_row(machine *m, const frame *f, const goal *g) {
  for (int i = 0; i < g->width; i++) {
    code value = value_of(f, &g->columns[i].is);
    if (!more((void **)&m->row_cells, &m->row_cell_room, m->row_cell_count, sizeof value))
      return FALSE;
    m->row_cells[m->row_cell_count++] = value;
  }
  return TRUE;
}

int begin_set_of_rows(frame *f, int number, row_set rows) {
  machine *m = f->m;
  if (!more((void **)&m->row_sets, &m->row_set_room, m->row_set_count, sizeof rows))
    return FALSE;
  m->row_sets[m->row_set_count] = rows;
  f->registers[number] = integer_code(m->row_set_count++);
  return TRUE;
}

/* The goals in `first` end with GATHER. */
enum status collect(const goal *g, frame *f) {
  return begin_set_of_rows(f, g->number, (row_set){f->m->row_cell_count, 0, g->width}) ? run(g->first, f) : BROKEN;
}

int gather(const goal *g, frame *f) {
  f->m->row_sets[f->m->row_set_count - 1].count++;
  return keep_row(f->m, f, g);
}

/* ---- their order ----------------------------------------------------------------------------------------- */

typedef struct {
  machine *m;
  const goal *goal;
  int width, fails;
} sorting;

static int by_keys(const void *left, const void *right, void *about) {
  sorting *s = about;
  const code *a = left, *b = right;
  int order = 0;
  if (!s->fails)
    s->fails = !order_by_keys(s->m->engine, s->goal->keys, s->goal->key_count, a, b, &order);
  for (int i = 0; !order && i < s->width; i++)
    order = compare_codes(a[i], b[i]);
  return order;
}

int put_rows_in_order(const goal *g, frame *f) {
  const row_set *rows = set_of(f, g->number);
  sorting s = {f->m, g, rows->width, FALSE};
  f->registers[g->a.at] = f->registers[g->number];
  if (rows->width && rows->count > 1)
    qsort_r(f->m->row_cells + rows->at, rows->count, rows->width * sizeof(code), by_keys, &s);
  return !s.fails;
}

/* ---- one by one ------------------------------------------------------------------------------------------ */

enum status each_row(const goal *g, frame *f) {
  row_set rows = *set_of(f, g->number);
  enum status is = GO_ON;
  for (int i = 0; is == GO_ON && i < rows.count; i++)
    if (is_fitting(f, g, f->m->row_cells + rows.at + (size_t)i * rows.width, 0))
      is = run(g->next, f);
  return is;
}

/* STOP: the row is not in the slice. */
enum status count_row(const goal *g, frame *f) {
  machine *m = f->m;
  while (m->slice_count <= (size_t)g->number) {
    if (!more((void **)&m->slices, &m->slice_room, m->slice_count, sizeof *m->slices))
      return BROKEN;
    m->slices[m->slice_count++] = 0;
  }
  int64_t before = m->slices[g->number]++;
  return before >= g->offset && (g->limit < 0 || before < g->offset + g->limit) ? GO_ON : STOP;
}

void forget_rows(machine *m) {
  m->row_set_count = m->row_cell_count = m->slice_count = 0;
  m->rank = 0;
}

void free_rows(machine *m) { free(m->row_sets), free(m->row_cells), free(m->slices); }
