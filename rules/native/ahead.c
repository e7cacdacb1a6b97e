/*  What rows that come soon will need (soon.h fetches it).

    With many rules a row needs some that are in none of the processor's first caches: they are looked up once for each predicate of
    a batch.

    A rule that finds, inserts or forgets goals of a large store by the subject or the object of its row, or both, needs an entry of
    an index and goals that are in none of these caches. Where they are is known as soon as the row is. What rules seek is found out
    when an index has become large.
*/

#include "machine.h"

#define MOST_SOUGHT 6
#define MOST_GOALS 256 /* of a rule that are looked at */

typedef struct {
  const machine *m;
  sought found[MOST_SOUGHT];
  int count, left; /* left: so many goals are still looked at */
} search;

/* Where the subject and the object are, among the registers of a rule; -1 for nowhere. */
typedef struct {
  int s, o;
} known_at;

static int is_noted(const search *all, const store *s, int index, uint64_t objects) {
  for (int i = 0; i < all->count; i++)
    if (all->found[i].store == s && all->found[i].index == index && all->found[i].objects == objects)
      return TRUE;
  return FALSE;
}

static void note(search *all, store *s, uint64_t subjects, uint64_t objects) {
  for (int i = 0; i < s->indexes && all->count < MOST_SOUGHT; i++) {
    const column_index *x = s->index + i;
    if (!x->in_order && x->mask + 1 >= LARGE && !(x->columns & ~(subjects | objects)) &&
        !is_noted(all, s, i, objects & x->columns))
      all->found[all->count++] = (sought){s, i, objects & x->columns};
  }
}

static void note_columns(search *all, const clause *c, const goal *g, known_at at) {
  uint64_t subjects = 0, objects = 0;
  for (int i = 0; i < g->width && i < INDEXED; i++)
    if ((g->columns[i].kind == KNOWN || g->kind == INSERT) && g->columns[i].is.at >= 0) {
      subjects |= (uint64_t)(g->columns[i].is.at == at.s) << i;
      objects |= (uint64_t)(g->columns[i].is.at == at.o) << i;
    }
  note(all, (store *)(uintptr_t)c->constants[g->number - c->shape->own], subjects, objects);
}

static int register_of(const column *head) { return head->kind == TAKEN ? head->is.at : -1; }

static known_at known_in(const clause *c, const goal *call, known_at at) {
  known_at inside = {-1, -1};
  for (int i = 0, in = 0; i < call->width; i++) {
    if (call->columns[i].kind != KNOWN)
      continue;
    int from = call->columns[i].is.at, to = register_of(c->shape->in + in++);
    if (from >= 0 && from == at.s)
      inside.s = to;
    if (from >= 0 && from == at.o)
      inside.o = to;
  }
  return inside;
}

static void search_goals(search *all, const clause *c, const goal *g, known_at at) {
  for (; g && all->left-- > 0; g = g->next) {
    if (g->kind == FIND || g->kind == INSERT || g->kind == FORGET)
      note_columns(all, c, g, at);
    if (g->kind == CALL)
      for (const clause *called = all->m->predicates[g->number]; called; called = called->next)
        search_goals(all, called, called->shape->body, known_in(called, g, at));
    search_goals(all, c, g->first, at);
    search_goals(all, c, g->second, at);
    search_goals(all, c, g->third, at);
  }
}

static void search_rule(machine *m, trigger *t) {
  search all = {.m = m, .left = MOST_GOALS};
  const column *in = t->clause->shape->in;
  search_goals(&all, t->clause, t->clause->shape->body, (known_at){register_of(in), register_of(in + 2)});
  if (all.count == t->sought_count)
    return;
  sought *kept = piece_of(m, all.count * sizeof *kept);
  if (!kept) {
    PL_clear_exception(); /* it is only slower */
    return;
  }
  memcpy(kept, all.found, all.count * sizeof *kept);
  t->sought = kept;
  t->sought_count = all.count;
  m->has_sought = TRUE;
}

void look_for_sought(machine *m) {
  if (m->grown == m->engine->grown)
    return;
  m->grown = m->engine->grown;
  m->consumed_count = 0;
  for (const store *s = m->engine->stores; s && m->consumed_count < MOST_CONSUMED; s = s->next)
    if (s->is_consumed && s->use_room >= LARGE / 2)
      m->consumed[m->consumed_count++] = s;
  for (uint64_t i = 0; i <= m->mask; i++)
    for (trigger *t = m->triggers[i]; t; t = t->next)
      search_rule(m, t);
}

#define FEW_PLACES 63 /* of rules: these are in the caches */

int find_needed(machine *m, int64_t predicates) {
  batch *b = &m->rows;
  if (m->mask <= FEW_PLACES)
    return TRUE;
  if (!(b->needed = malloc((predicates + 1) * sizeof *b->needed)))
    return PL_resource_error("memory");
  for (int64_t i = 0; i < predicates; i++) {
    code p = b->terms[b->first_p + i];
    const trigger *first = first_rule(m, p);
    b->needed[i] = (needed){bucket_of_rules(m, p), first, first ? first->clause : NULL, first ? first->clause->store : NULL};
  }
  return TRUE;
}
