/*  Triples of CONSTRUCT: they are answers, and occurrences of the instant that fire rules in their turn (instant.pl).

    Those of one round are fired before those that they bring about, the newest solution first.
*/

#include "machine.h"

static int is_triple(code s, code p, code o) {
  return TAG(s) == TAG_ATOM && TAG(p) == TAG_ATOM && s != unbound && p != unbound && o != unbound && !is_blank(p);
}

/* ---- what is known of the instant ------------------------------------------------------------------------ */

static uint64_t occurrence_hash(const occurrence *x) {
  return mixed(mixed(mixed(mixed(mixed(mixed(0, x->s), x->p), x->o), x->start), x->place), x->of);
}

static int is_same_occurrence(const occurrence *a, const occurrence *b) {
  return a->s == b->s && a->o == b->o && a->p == b->p && a->start == b->start && a->place == b->place &&
         a->of == b->of;
}

static place *place_of(const known *k, const occurrence *x) {
  uint64_t at = occurrence_hash(x) & k->mask;
  while (k->places[at].instant == k->instant && !is_same_occurrence(k->all.items + k->places[at].at, x))
    at = (at + 1) & k->mask;
  return k->places + at;
}

static int more_places(known *k) {
  uint64_t mask = k->places ? 2 * k->mask + 1 : 63;
  place *places = calloc(mask + 1, sizeof *places);
  if (!places)
    return PL_resource_error("memory");
  free(k->places);
  k->places = places;
  k->mask = mask;
  k->instant = 1;
  for (size_t i = 0; i < k->all.count; i++)
    *place_of(k, k->all.items + i) = (place){k->instant, i};
  return TRUE;
}

/* STOP: it was known before. */
enum status know(known *k, const occurrence *x) {
  if (2 * k->all.count >= k->mask && !more_places(k))
    return BROKEN;
  place *at = place_of(k, x);
  if (at->instant == k->instant)
    return STOP;
  *at = (place){k->instant, k->all.count};
  return add_occurrence(&k->all, x) ? GO_ON : BROKEN;
}

static void forget_known(known *k) {
  k->all.count = 0;
  k->has_set = FALSE;
  if (k->places && !++k->instant) {
    memset(k->places, 0, (k->mask + 1) * sizeof *k->places);
    k->instant = 1;
  }
}

/* The occurrences that rules were fired for are known. */
static int know_set(machine *m) {
  for (size_t i = 0; !m->known.has_set && i < m->set.count; i++)
    if (know_occurrence(&m->known, m->set.items + i) == BROKEN)
      return FALSE;
  m->known.has_set = TRUE;
  return TRUE;
}

/* ---- a solution ------------------------------------------------------------------------------------------ */

static void refuse(void *about) {
  const machine *m = about;
  term_t error = PL_new_term_ref();
  if (PL_unify_term(error, PL_FUNCTOR_CHARS, "error", 2, PL_FUNCTOR_CHARS, "etalis_limit", 2, PL_CHARS, "derivations",
                    PL_INT64, m->most_derived, PL_VARIABLE))
    PL_raise_exception(error);
}

/* A program that makes each triple in ever more ways does not come to an end either. */
static int count_derived(machine *m, int is_new) {
  int64_t *count = is_new ? &m->derived : &m->derived_again;
  if (++*count <= (is_new ? 1 : 10) * m->most_derived)
    return TRUE;
  run_outside(m, refuse, m);
  return FALSE;
}

/* What is new of the occurrences behind `from` stays, to be fired later. */
static int keep_new(machine *m, occurrences *added, size_t from, int is_named) {
  size_t kept = from;
  for (size_t i = from; i < added->count; i++) {
    int is_new;
    enum status is = know_derived(&m->known, added->items + i, is_named, &is_new);
    if (is == BROKEN || !count_derived(m, is_new))
      return FALSE;
    if (is == GO_ON)
      added->items[kept++] = added->items[i];
  }
  added->count = kept;
  return TRUE;
}

static int add_triples(machine *m, const goal *g, const code *triples, int count, int64_t start) {
  round *r = m->rounds + m->next_round;
  size_t from = r->added.count;
  if (!know_set(m) || !more((void **)&r->begins, &r->begin_room, r->begin_count, sizeof *r->begins))
    return FALSE;
  r->begins[r->begin_count++] = from;
  for (int i = 0; i < count; i++) {
    code place = g->adds == TO_ALL ? 0 : g->b.constant;
    occurrence x = {triples[3 * i], triples[3 * i + 1], triples[3 * i + 2], start, place, 0, FIRST_OF_ALL};
    if (!hear(m, &x, &r->added))
      return FALSE;
  }
  return keep_new(m, &r->added, from, g->adds == TO_NAMED);
}

static int compare_triples(const code *a, const code *b) {
  int order = 0;
  for (int i = 0; !order && i < 3; i++)
    order = compare_codes(a[i], b[i]);
  return order;
}

/* A set in order; their number. */
static int add_to_set(code *triples, int count, const code *triple) {
  int at = count, order = 1;
  while (at && (order = compare_triples(triple, triples + 3 * (at - 1))) < 0)
    at--;
  if (at && !order)
    return count;
  memmove(triples + 3 * (at + 1), triples + 3 * at, 3 * (count - at) * sizeof *triples);
  memcpy(triples + 3 * at, triple, 3 * sizeof *triple);
  return count + 1;
}

/* STOP: the template comes to no triple. */
enum status construct(const goal *g, frame *f) {
  code triples[g->width + 1];
  int count = 0;
  for (int i = 0; i < g->width; i += 3) {
    const column *c = g->columns + i;
    code triple[] = {value_of(f, &c[0].is), value_of(f, &c[1].is), value_of(f, &c[2].is)};
    if (is_triple(triple[0], triple[1], triple[2]))
      count = add_to_set(triples, count, triple);
  }
  if (!count)
    return STOP;
  int64_t start = number_of(value_of(f, &g->a));
  if (g->adds && !add_triples(f->m, g, triples, count, start))
    return BROKEN;
  found *x = begin_answer(f->m, 3 * count);
  if (!x)
    return BROKEN;
  memcpy(f->m->cells + x->cells, triples, 3 * count * sizeof *triples);
  x->start = start;
  x->query = g->number;
  x->once = x->is_graph = TRUE;
  x->rank = -1;
  return end_answer(f->m) ? GO_ON : BROKEN;
}

/* ---- rounds ---------------------------------------------------------------------------------------------- */

enum status fire_added(machine *m, code end) {
  round *r = m->rounds + m->next_round;
  size_t until = r->added.count;
  enum status is = GO_ON;
  m->next_round = !m->next_round;
  while (is != BROKEN && r->begin_count) {
    size_t from = r->begins[--r->begin_count];
    for (size_t i = from; is != BROKEN && i < until; i++)
      is = fire(m, r->added.items + i, end);
    until = from;
  }
  r->added.count = 0;
  return is;
}

void forget_derived(machine *m) {
  for (int i = 0; i < 2; i++)
    m->rounds[i].added.count = m->rounds[i].begin_count = 0;
  m->derived = m->derived_again = 0;
  forget_known(&m->known);
}

void free_derived(machine *m) {
  for (int i = 0; i < 2; i++)
    free(m->rounds[i].added.items), free(m->rounds[i].begins);
  free(m->known.all.items), free(m->known.places);
}
