/*  The row of a store whose time in one column is the least.

    It is the first row while rows come in the order of their times. From the first that does not on, the store has a heap
    of times and rows, until it is empty. A row that goes stays in the heap until it comes to the top, or until most of
    them have gone.
*/

#include "native.h"

static int is_there(const store *s, int64_t row) { return row >= s->first && row < s->end && is_alive(s, row); }

static int is_before(const timed *a, const timed *b) { return compare_codes(a->time, b->time) < 0; }

static void rise(timed *heap, int64_t at) {
  timed risen = heap[at];
  for (; at && is_before(&risen, heap + (at - 1) / 2); at = (at - 1) / 2)
    heap[at] = heap[(at - 1) / 2];
  heap[at] = risen;
}

static void sink(timed *heap, int64_t count, int64_t at) {
  timed sunk = heap[at];
  for (int64_t next; (next = 2 * at + 1) < count; at = next) {
    next += next + 1 < count && is_before(heap + next + 1, heap + next);
    if (!is_before(heap + next, &sunk))
      break;
    heap[at] = heap[next];
  }
  heap[at] = sunk;
}

static void push(store *s, int64_t row) {
  timed *added = s->timed + s->timed_count;
  *added = (timed){row_cells(s, row)[s->ordered_by], row};
  retain(added->time);
  rise(s->timed, s->timed_count++);
}

static void empty_heap(store *s) {
  while (s->timed_count)
    release(s->engine, s->timed[--s->timed_count].time);
}

/* Each row that is there has been in the heap: there is room for them. */
void time_anew(store *s) {
  empty_heap(s);
  for (int64_t row = s->first; s->is_timed && row < s->end; row++)
    if (is_alive(s, row))
      push(s, row);
}

static int more_timed(store *s) {
  if (s->is_timed && s->timed_count < s->timed_room)
    return TRUE;
  if (!s->is_timed || s->timed_count <= 2 * s->live) {
    int64_t room = 2 * (s->live > s->timed_count ? s->live : s->timed_count) + 16;
    timed *items = realloc(s->timed, room * sizeof *items);
    if (!items)
      return PL_resource_error("memory");
    s->timed = items;
    s->timed_room = room;
  }
  if (!s->is_timed || s->timed_count == s->timed_room) {
    s->is_timed = TRUE;
    time_anew(s);
  }
  return TRUE;
}

int expect_time(store *s, code time) {
  if (!s->live) {
    empty_heap(s);
    s->is_timed = FALSE;
  }
  return !s->live || (!s->is_timed && compare_codes(s->latest, time) <= 0) || more_timed(s);
}

void note_time(store *s, int64_t row) {
  code time = row_cells(s, row)[s->ordered_by];
  if (s->is_timed)
    push(s, row);
  retain(time);
  release(s->engine, s->latest);
  s->latest = time;
}

void give_back_times(store *s) {
  empty_heap(s);
  free(s->timed);
  s->timed = NULL;
  s->timed_room = 0;
  s->is_timed = FALSE;
}

void forget_times(store *s) {
  give_back_times(s);
  release(s->engine, s->latest);
}

int order_store(store *s, int column) {
  s->ordered_by = column;
  return !s->live || more_timed(s);
}

int is_earliest(const store *s, int64_t row) { return s->live == 1 || (s->is_timed && s->timed->row == row); }

int64_t earliest_row(store *s) {
  if (!s->is_timed) {
    int64_t row = s->first;
    while (row < s->end && !is_alive(s, row))
      row++;
    return row < s->end ? row : -1;
  }
  while (s->timed_count && !is_there(s, s->timed->row)) {
    release(s->engine, s->timed->time);
    *s->timed = s->timed[--s->timed_count];
    if (s->timed_count)
      sink(s->timed, s->timed_count, 0);
  }
  return s->timed_count ? s->timed->row : -1;
}
