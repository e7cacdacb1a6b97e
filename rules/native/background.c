/*  What the background said to the questions of goals (predicates.c): a device's room is asked of Prolog once.

    The background does not change while there is a machine. Goals that differ in constants alone share what was said to them.
    All is forgotten where it is much, but between two instants, since rules do not hold what they were told.
*/

#include "background.h"

#define MOST_CELLS (1 << 19)

struct sayings *sayings_of(machine *m, const goal *g) {
  uint64_t known = 0, told = 0;
  for (int i = 0; i < g->width; i++) {
    known |= (uint64_t)(g->columns[i].kind == KNOWN) << i;
    told |= (uint64_t)(g->columns[i].kind == TAKEN || g->columns[i].kind == CHECKED) << i;
  }
  for (struct sayings *s = m->sayings; s; s = s->next)
    if (s->prolog == g->prolog && s->known == known && s->told == told)
      return s;
  struct sayings *s = piece_of(m, sizeof *s);
  if (s) {
    *s = (struct sayings){.next = m->sayings, .prolog = g->prolog, .known = known, .told = told};
    m->sayings = s;
  }
  return s;
}

static uint64_t question_of(const goal *g, const frame *f, code *cells) {
  uint64_t hash = 0;
  for (uint64_t left = g->sayings->known; left; left &= left - 1) {
    *cells = value_of(f, &g->columns[__builtin_ctzll(left)].is);
    hash = mixed(hash, *cells++);
  }
  return hash;
}

static saying *place_of(const machine *m, const struct sayings *s, uint64_t hash, const code *question) {
  size_t bytes = count_columns(s->known) * sizeof *question;
  for (uint64_t at = hash & s->mask;; at = (at + 1) & s->mask) {
    saying *x = s->items + at;
    if (x->rows == NOT_ASKED || (x->hash == hash && (!bytes || !memcmp(m->said + x->at, question, bytes))))
      return x;
  }
}

const saying *said_before(const goal *g, const frame *f) {
  code question[g->width + 1];
  if (!g->sayings->items)
    return NULL;
  uint64_t hash = question_of(g, f, question);
  const saying *found = place_of(f->m, g->sayings, hash, question);
  return found->rows == NOT_ASKED ? NULL : found;
}

static int more_sayings(struct sayings *s) {
  uint64_t room = s->items ? 2 * (s->mask + 1) : 16;
  saying *items = malloc(room * sizeof *items);
  if (!items)
    return PL_resource_error("memory");
  for (uint64_t i = 0; i < room; i++)
    items[i].rows = NOT_ASKED;
  for (uint64_t i = 0; s->items && i <= s->mask; i++) {
    uint64_t at = s->items[i].hash & (room - 1);
    if (s->items[i].rows == NOT_ASKED)
      continue;
    while (items[at].rows != NOT_ASKED)
      at = (at + 1) & (room - 1);
    items[at] = s->items[i];
  }
  free(s->items);
  s->items = items;
  s->mask = room - 1;
  return TRUE;
}

/* What is there is held. */
static void add_cells(machine *m, const code *cells, size_t count) {
  for (size_t i = 0; i < count; i++)
    retain(m->said[m->said_count++] = cells[i]);
}

int note_saying(const goal *g, const frame *f, int rows, const code *told) {
  machine *m = f->m;
  struct sayings *s = g->sayings;
  size_t width = count_columns(s->known), count = rows < 0 ? 0 : (size_t)rows * count_columns(s->told);
  code question[g->width + 1];
  if (m->said_count + width + count > MOST_CELLS) {
    m->has_said_much = TRUE;
    return TRUE;
  }
  if (!more_by((void **)&m->said, &m->said_room, m->said_count, width + count, sizeof *m->said))
    return FALSE;
  if ((!s->items || 2 * s->count > s->mask) && !more_sayings(s))
    return FALSE;
  uint64_t hash = question_of(g, f, question);
  *place_of(m, s, hash, question) = (saying){hash, m->said_count, rows};
  s->count++;
  add_cells(m, question, width);
  add_cells(m, told, count);
  return TRUE;
}

void forget_sayings(machine *m) {
  for (size_t i = 0; i < m->said_count; i++)
    release(m->engine, m->said[i]);
  free(m->said);
  m->said = NULL;
  m->said_count = m->said_room = 0;
  m->has_said_much = FALSE;
  for (struct sayings *s = m->sayings; s; s = s->next) {
    free(s->items);
    s->items = NULL;
    s->mask = s->count = 0;
  }
}
