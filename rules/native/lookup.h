/*  How rows of a store are found. This is what most of the time goes into, so it stands where the compiler sees it. */

#ifndef ETALIS_LOOKUP
#define ETALIS_LOOKUP

#include "native.h"

enum { FIRST, NEWEST, NEW };

typedef struct {
  store *store;
  int64_t at, from, end; /* the next row, alive or not; rows from `from` to before `end` are seen */
  int by, newest;  /* which index, -1 for none */
  uint64_t known;  /* the columns that the index has found */
  uint64_t bound;
} lookup;

int choose_index(store *s, uint64_t bound); /* for these columns, or for some of them; -1 for none */

static inline int place_of_asked(uint64_t bound) { return (bound ^ bound >> 3) & (MOST_ASKED - 1); }

static inline int known_index(store *s, uint64_t bound) {
  if (!bound || (!s->indexes && s->wasted <= WASTE + s->live))
    return -1;
  int at = place_of_asked(bound);
  return s->asked[at] == bound ? s->asked_index[at] : choose_index(s, bound);
}

static inline uint64_t key_hash(uint64_t columns, const code *cells) {
  uint64_t hash = 0;
  for (; columns; columns &= columns - 1)
    hash = mixed(hash, cells[__builtin_ctzll(columns)]);
  return hash;
}

static inline int is_key(uint64_t columns, const code *left, const code *right) {
  for (; columns; columns &= columns - 1)
    if (left[__builtin_ctzll(columns)] != right[__builtin_ctzll(columns)])
      return FALSE;
  return TRUE;
}

/* The entry of a key, or where it would be. Keys of one column are equal where their hashes are. */
static inline entry *entry_of(const store *s, const column_index *x, const code *cells) {
  uint64_t hash = key_hash(x->columns, cells), at = hash & x->mask;
  int is_one = !(x->columns & (x->columns - 1));
  for (;; at = (at + 1) & x->mask) {
    entry *e = x->entries + at;
    if (e->first < 0) {
      e->hash = hash; /* for whom fills it */
      return e;
    }
    if (e->hash == hash && (is_one || is_key(x->columns, row_cells(s, row_of(s, e->first)), cells)))
      return e;
  }
}

/* The first row from `low` on whose integer in a column, in whose order they came, is not below this one: most are near one
   end. */
static inline int64_t first_not_below(const store *s, int column, int64_t low, int64_t least) {
  int64_t high = s->end;
  for (int64_t step = 1; high - low > 2 * step; step *= 2) {
    if ((int64_t)row_cells(s, low + step)[column] >= least) {
      high = low + step;
      break;
    }
    low += step + 1;
    if ((int64_t)row_cells(s, high - step)[column] < least) {
      low = high - step + 1;
      break;
    }
    high -= step;
  }
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if ((int64_t)row_cells(s, middle)[column] < least)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static inline void look_in_order(lookup *l, int column, int64_t key) {
  l->from = first_not_below(l->store, column, l->from, key);
  l->end = first_not_below(l->store, column, l->from, key + 1);
  l->by = -1;
  l->at = l->newest ? l->end - 1 : l->from;
}

/* False: nothing can be found. `key` has the columns that `bound` names. */
static inline int begin_lookup(store *s, int way, uint64_t bound, const code *key, lookup *l) {
  if (!s->live)
    return FALSE;
  int by = known_index(s, bound);
  int64_t from = way == NEW && s->marked > s->first ? s->marked : s->first;
  *l = (lookup){s, way == NEWEST ? s->end - 1 : from, from, s->end, by, way == NEWEST, 0, bound};
  if (by >= 0 && way != NEW) {
    const column_index *x = s->index + by;
    if (TAG(key[x->first]) == TAG_INTEGER && (int64_t)key[x->first] > x->most)
      return FALSE; /* a time that is later than all */
    l->known = x->columns;
    if (x->in_order) {
      if (TAG(key[x->first]) != TAG_INTEGER)
        return FALSE;
      look_in_order(l, x->first, (int64_t)key[x->first]);
      return TRUE;
    }
    const entry *e = entry_of(s, x, key);
    l->at = row_of(s, e->first < 0 ? -1 : way == NEWEST ? e->last : e->first);
  } else {
    l->by = -1;
  }
  return TRUE;
}

static inline int64_t row_behind(const lookup *l, int64_t row) {
  const store *s = l->store;
  if (l->by < 0)
    return row + (l->newest ? -1 : 1);
  const neighbours *links = s->index[l->by].links + slot_of(s, row);
  return row_of(s, l->newest ? links->before : links->after);
}

static inline int is_more(lookup *l) {
  const store *s = l->store;
  while (l->at >= l->from && l->at < l->end && !is_alive(s, l->at))
    l->at = row_behind(l, l->at);
  return l->at >= l->from && l->at < l->end;
}

/* The next row, -1 for no more. The one behind it is fetched meanwhile. */
static inline int64_t take(lookup *l) {
  const store *s = l->store;
  const neighbours *links = l->by < 0 ? NULL : s->index[l->by].links;
  while ((uint64_t)(l->at - l->from) < (uint64_t)(l->end - l->from)) {
    int64_t row = l->at, slot = slot_of(s, row);
    if (links) {
      near_row behind = l->newest ? links[slot].before : links[slot].after;
      l->at = row_of(s, behind);
      __builtin_prefetch(row_cells(s, behind));
      __builtin_prefetch(links + slot_of(s, behind));
    } else {
      l->at += l->newest ? -1 : 1;
    }
    if (s->alive[slot] != GONE)
      return row;
  }
  return -1;
}

#endif
