/*  What the background said, see background.c. */

#ifndef ETALIS_BACKGROUND
#define ETALIS_BACKGROUND

#include "machine.h"

/* What is asked and what was said: the cells of the question, behind them those of its solutions. */
typedef struct {
  uint64_t hash;
  size_t at;
  int rows; /* -1: they are too many to be kept; -2: the place is free */
} saying;

enum { TOO_MANY = -1, NOT_ASKED = -2 };

/* The questions that goals put to one predicate with the same columns known, and the same to be told. */
struct sayings {
  struct sayings *next;
  predicate_t prolog;
  uint64_t known, told;
  saying *items; /* open hash; its length is mask + 1 */
  uint64_t mask, count;
};

static inline int count_columns(uint64_t columns) { return __builtin_popcountll(columns); }

/* Where the solutions stand. */
static inline size_t solutions_at(const struct sayings *s, const saying *x) { return x->at + count_columns(s->known); }

struct sayings *sayings_of(machine *m, const goal *g); /* NULL after an error */
const saying *said_before(const goal *g, const frame *f);
int note_saying(const goal *g, const frame *f, int rows, const code *told); /* if there is room */
void forget_sayings(machine *m);

#endif
