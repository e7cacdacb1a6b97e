/*  How goals are found, and which of them are near enough in time: most rows that a rule finds are first asked about that,
    while they are still rows. */

#ifndef ETALIS_NEAR
#define ETALIS_NEAR

#include "machine.h"

static inline int64_t difference(int64_t a, int64_t b) {
  int64_t found;
  return __builtin_sub_overflow(a, b, &found) ? (a < b ? INT64_MIN : INT64_MAX) : found;
}

static inline int is_within(const frame *f, const goal *g) {
  code a = value_of(f, &g->a), b = value_of(f, &g->b);
  if (TAG(a) == TAG_INTEGER && TAG(b) == TAG_INTEGER)
    return (int64_t)(a - b) <= 4 * g->bound; /* a code is four times its number */
  return difference(number_of(a), number_of(b)) <= g->bound;
}

static inline int begin_find(const goal *g, const frame *f, lookup *l) {
  code key[INDEXED];
  for (uint64_t known = g->known; known; known &= known - 1) {
    int i = __builtin_ctzll(known);
    key[i] = value_of(f, &g->columns[i].is);
  }
  return begin_lookup(store_of(f, g), g->way, g->known, key, l);
}

/* Codes of integers from `least` on, to `least + width`. */
typedef struct {
  int column;
  code least, width;
} limits;

/* How many cells have limits; where times are no codes of integers, none has. */
static inline int put_limits(const goal *g, const frame *f, limits *of) {
  for (int i = 0; i < g->compared; i++) {
    const comparison *c = g->compares + i;
    code other = value_of(f, &c->other);
    if (TAG(other) != TAG_INTEGER)
      return 0;
    int64_t least = c->is_least ? difference(other, 4 * c->bound) : INT64_MIN;
    int64_t most = c->is_least ? INT64_MAX : difference(other, -4 * c->bound);
    of[i] = (limits){c->column, least, (code)most - (code)least};
  }
  return g->compared;
}

enum nearness { FAR, NEAR, UNSURE };

static inline enum nearness is_near(const limits *of, int count, const code *cells) {
  for (const limits *end = of + count; of < end; of++) {
    code cell = cells[of->column];
    if (TAG(cell) != TAG_INTEGER)
      return UNSURE;
    if (cell - of->least > of->width)
      return FAR;
  }
  return NEAR;
}

#endif
