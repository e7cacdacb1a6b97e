/*  Where occurrences are from: rules/engine/places.pl says what it means.

    A place is the code of place(Stream, Graph), 0 where no rule asks. What is known of an instant is its triples, and
    those with their stream, and those with their place.
*/

#include "machine.h"

static code stream_of(code place) { return node_of(place)->parts[0]; }

/* What it is as one in its stream: a copy if it is new there, else the same again, in a new element; STOP: in none. */
static enum status know_copy(known *k, occurrence *x) {
  occurrence key = *x;
  key.place = stream_of(x->place);
  enum status in_stream = know(k, &key), in_element = know(k, x);
  if (in_stream == BROKEN || in_element == BROKEN)
    return BROKEN;
  x->as = in_stream == GO_ON ? COPY : AGAIN;
  return in_stream == GO_ON ? GO_ON : in_element;
}

static enum status know_triple(known *k, const occurrence *x) {
  occurrence key = *x;
  key.place = 0;
  return know(k, &key);
}

enum status know_occurrence(known *k, occurrence *x) {
  enum status is = know_triple(k, x);
  if (is == BROKEN || !x->place)
    return is;
  enum status copy = know_copy(k, x);
  if (is == GO_ON && copy != BROKEN)
    x->as = FIRST_OF_ALL;
  return is == GO_ON && copy != BROKEN ? GO_ON : copy;
}

/* Into the default stream a triple comes as any other; into a stream with a name, only for those who ask for streams. */
enum status know_derived(known *k, occurrence *x, int is_named, int *is_new) {
  if (is_named) {
    enum status is = know_copy(k, x);
    *is_new = is == GO_ON;
    return is;
  }
  enum status is = know_occurrence(k, x);
  *is_new = is == GO_ON && x->as == FIRST_OF_ALL;
  return is;
}

/* The occurrences of an instant become a set, and it is known what each is. */
int make_set(machine *m) {
  occurrences *set = &m->set;
  size_t kept = 0;
  for (size_t i = 0; i < set->count; i++) {
    enum status is = know_occurrence(&m->known, set->items + i);
    if (is == BROKEN)
      return FALSE;
    if (is == GO_ON)
      set->items[kept++] = set->items[i];
  }
  set->count = kept;
  m->known.has_set = TRUE;
  return TRUE;
}

int is_given(const goal *g, const frame *f) {
  const machine *m = f->m;
  int64_t start = number_of(value_of(f, &g->a));
  for (size_t i = 0; i < m->set.count; i++) {
    const occurrence *x = m->set.items + i;
    int is_of = !g->width;
    for (int j = 0; x->place && j < g->width; j++)
      is_of |= stream_of(x->place) == value_of(f, &g->columns[j].is);
    if (is_of && x->start == start)
      return TRUE;
  }
  return FALSE;
}

/* ---- who sees it ----------------------------------------------------------------------------------------- */

typedef struct {
  machine *m;
  const occurrence *x;
  code end, identity;
  int is_known;
} element;

/* etalis_places:element_identity(Place, Start, End, Identity) */
static void identify(void *about) {
  element *e = about;
  static predicate_t ask;
  if (!ask)
    ask = PL_predicate("element_identity", 4, "etalis_places");
  fid_t outer = PL_open_foreign_frame();
  term_t a = PL_new_term_refs(4);
  e->is_known = unify_code(a, e->x->place) && PL_put_int64(a + 1, e->x->start) && unify_code(a + 2, e->end) &&
                PL_call_predicate(NULL, PL_Q_PASS_EXCEPTION, ask, a) &&
                code_of(e->m->engine, TRUE, a + 3, &e->identity) == FOUND && keep(e->m, e->identity);
  PL_close_foreign_frame(outer);
}

/* Several occurrences of one element come one after the other. */
static int identity_of(machine *m, const occurrence *x, code end, code *identity) {
  element *e = &(element){m, x, end, 0, FALSE};
  if (m->element.identity && m->element.place == x->place && m->element.start == x->start) {
    *identity = m->element.identity;
    return TRUE;
  }
  run_outside(m, identify, e);
  *identity = m->element.identity = e->identity;
  m->element.place = x->place;
  m->element.start = x->start;
  return e->is_known;
}

enum status fire_in_place(machine *m, const occurrence *x, code *ins) {
  enum status is = GO_ON;
  ins[5] = stream_of(x->place);
  if (x->as != AGAIN)
    is = fire_sight(m, IN_STREAM, x, ins);
  if (is == BROKEN || !m->forms[IN_ELEMENT])
    return is;
  ins[6] = node_of(x->place)->parts[1];
  return identity_of(m, x, ins[4], ins + 7) ? fire_sight(m, IN_ELEMENT, x, ins) : BROKEN;
}
