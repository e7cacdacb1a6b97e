/*  What rows that come soon need is fetched.

    Each row may need other rules, or what is heard of another class, which are in none of the processor's caches. Where one thing
    leads to the next, that is fetched some rows later. This is all inline, since the compiler leaves out calls that do nothing.
*/

#ifndef ETALIS_SOON
#define ETALIS_SOON

#include "heard.h"

#define INLINE static inline __attribute__((always_inline))

enum { PLACES = 12, RULES = 8, ENTRIES = 8, GOALS = 6, SETS = 4, PARTS = 3, USES = 2, LAST = 1 }; /* so many rows ahead */
#define LINE 64 /* of the processor's cache, in bytes */
#define MOST_FETCHED 4 /* goals of a store, occurrences of a set */

INLINE void fetch(const void *from, int lines) {
  for (int i = 0; i < lines; i++)
    __builtin_prefetch((const char *)from + LINE * i);
}

INLINE const needed *needed_by(const machine *m, int64_t row) { return m->rows.needed + m->rows.p[row]; }

INLINE void fetch_heard(const machine *m, int64_t row) {
  const batch *b = &m->rows;
  const heard *h = m->heard_last;
  if (h && h->p == b->terms[b->first_p + b->p[row + PLACES]])
    fetch(h->objects.items + (mixed(0, b->terms[b->first_o + b->o[row + PLACES]]) & h->objects.mask), 1);
}

/* The newest goals of a store, with few of which it begins, and where the next one comes. */
INLINE void fetch_newest(const store *s) {
  if (!s->room)
    return;
  int64_t count = s->end - s->first, row = count < MOST_FETCHED ? s->first : s->end - MOST_FETCHED;
  fetch(s->alive + slot_of(s, s->end), 1);
  for (; row <= s->end; row++)
    fetch(row_cells(s, row), 1);
}

INLINE void fetch_rules(const machine *m, int64_t row) {
  fetch(needed_by(m, row + PLACES), 1);
  const needed *soon = needed_by(m, row + RULES);
  if (soon->first) {
    fetch(soon->rules, 1);
    fetch(soon->first, 1);
    fetch(soon->clause, 2);
    if (soon->store)
      fetch(soon->store, 3);
  }
  soon = needed_by(m, row + GOALS);
  if (soon->store)
    fetch_newest(soon->store);
}

INLINE const entry *entry_sought(const machine *m, const sought *x, int64_t row) {
  const column_index *index = x->store->index + x->index;
  const batch *b = &m->rows;
  code s = b->terms[b->s[row]], o = b->terms[b->first_o + b->o[row]];
  uint64_t hash = 0; /* as key_hash() */
  for (uint64_t left = index->columns; left; left &= left - 1)
    hash = mixed(hash, left & -left & x->objects ? o : s);
  return index->entries + (hash & index->mask);
}

INLINE void fetch_name(code c) {
  if (is_own_name(c))
    fetch(name_of(c), 1);
}

/* What is looked for among many goals has many names. */
INLINE void fetch_names(const machine *m, int64_t row) {
  const batch *b = &m->rows;
  fetch_name(b->terms[b->s[row]]);
  fetch_name(b->terms[b->first_o + b->o[row]]);
}

INLINE const trigger *rules_of_row(const machine *m, int64_t row) {
  const batch *b = &m->rows;
  return *bucket_of_rules(m, b->terms[b->first_p + b->p[row]]);
}

INLINE void fetch_goals(const machine *m, int64_t row) {
  for (const trigger *t = rules_of_row(m, row + ENTRIES); t; t = t->next)
    for (int i = 0; i < t->sought_count; i++)
      fetch(entry_sought(m, t->sought + i, row + ENTRIES), 1);
  for (const trigger *t = rules_of_row(m, row + GOALS); t; t = t->next)
    for (int i = 0; i < t->sought_count; i++) {
      const store *s = t->sought[i].store;
      const entry *e = entry_sought(m, t->sought + i, row + GOALS);
      if (e->first >= 0) {
        int64_t last = row_of(s, e->last);
        fetch(row_cells(s, last), 1);
        fetch(s->index[t->sought[i].index].links + slot_of(s, last), 1);
      }
    }
}

/* ---- goals that are consumed ------------------------------------------------------------------------------ */
/* They are made of sets of occurrences, nodes which a large table has by their hashes; and each store says by the same hashes
   which of its goals are made of an occurrence. */

INLINE uint64_t hash_of_row(const batch *b, int64_t row) {
  code parts[] = {integer_code(b->ends[row]), b->terms[b->s[row]], b->terms[b->first_p + b->p[row]],
                  b->terms[b->first_o + b->o[row]], integer_code(b->starts[row])};
  return node_hash(occurrence5, parts, sizeof parts);
}

INLINE void fetch_uses(const machine *m, uint64_t hash) {
  for (int i = 0; i < m->consumed_count; i++) {
    const store *s = m->consumed[i];
    if (s->use_room)
      fetch(s->use_buckets + (hash & (s->use_room - 1)), 1);
  }
}

INLINE void fetch_bucket(const engine *e, uint64_t hash) { fetch(e->buckets + (hash & e->mask), 1); }

INLINE void fetch_parts(const machine *m, code set) {
  const node *n = node_of(set);
  fetch_bucket(m->engine, n->hash);
  for (int i = 0; i < 2 && n->functor == pair; i++)
    if (TAG(n->parts[i]) == TAG_NODE)
      fetch(node_of(n->parts[i]), 2);
}

INLINE void fetch_uses_of(const machine *m, code set) {
  code occurrence;
  for (int left = MOST_FETCHED; left-- && next_occurrence(&set, &occurrence);) {
    fetch_bucket(m->engine, node_of(occurrence)->hash);
    fetch_uses(m, node_of(occurrence)->hash);
  }
}

INLINE void fetch_last(const machine *m, code set) {
  code occurrence;
  for (int left = MOST_FETCHED; left-- && next_occurrence(&set, &occurrence);)
    for (int i = 0; i < m->consumed_count; i++) {
      const store *s = m->consumed[i];
      if (s->use_room)
        fetch(s->uses + s->use_buckets[node_of(occurrence)->hash & (s->use_room - 1)], 1);
    }
}

/* What is due so many rows ahead. */
INLINE void fetch_of_set(const machine *m, code set, int ahead) {
  switch (ahead) {
  case SETS:
    fetch(node_of(set), 2);
    break;
  case PARTS:
    fetch_parts(m, set);
    break;
  case USES:
    fetch_uses_of(m, set);
    break;
  default:
    fetch_last(m, set);
  }
}

/* Of the sets of the oldest goals that a row looks for. */
INLINE void fetch_of_sets(const machine *m, int64_t at, int ahead) {
  int64_t row = at + ahead;
  for (const trigger *t = rules_of_row(m, row); t; t = t->next)
    for (int i = 0; i < t->sought_count; i++) {
      const store *s = t->sought[i].store;
      const entry *e = s->is_consumed ? entry_sought(m, t->sought + i, row) : NULL;
      code set = e && e->first >= 0 ? row_cells(s, row_of(s, e->first))[s->arity - 1] : nil;
      if (has_parts(set))
        fetch_of_set(m, set, ahead);
    }
}

INLINE void fetch_consumed(machine *m, int64_t row) {
  const engine *e = m->engine;
  uint64_t own = hash_of_row(&m->rows, row + ENTRIES);
  fetch_bucket(e, own);
  m->soon[(row + ENTRIES) % SOON] = own;
  own = m->soon[(row + GOALS) % SOON];
  fetch(e->buckets[own & e->mask], 1);
  fetch_uses(m, own);
  fetch_of_sets(m, row, SETS);
  fetch_of_sets(m, row, PARTS);
  fetch_of_sets(m, row, USES);
  fetch_of_sets(m, row, LAST);
}

INLINE void look_ahead(machine *m) {
  int64_t row = m->rows.at;
  if (row + PLACES >= m->rows.length)
    return;
  if (m->heard.items)
    fetch_heard(m, row);
  else if (m->rows.needed)
    fetch_rules(m, row);
  if (m->has_sought && !m->heard.items) {
    fetch_goals(m, row), fetch_names(m, row + GOALS);
    if (m->consumed_count)
      fetch_consumed(m, row);
  }
}

#endif
