/*  Names in answers: each text crosses to Python once, by its place in a table that both sides have. */

#ifndef ETALIS_ANSWER_NAMES
#define ETALIS_ANSWER_NAMES

#include "native.h"

typedef struct {
  atom_t atom; /* 0 where the place is free */
  int64_t place;
} placed_atom;

/* Of answers that Prolog has found. */
typedef struct {
  answered names;
  placed_atom *places; /* open hash; its length is mask + 1 */
  uint64_t mask;
} answered_atoms;

void begin_answered(engine *e, answered *a); /* it begins anew where it is large, so that old names are not kept for ever */
void forget_answered(engine *e, answered *a); /* `e` is NULL where they are atoms */
int place_atom(answered_atoms *a, atom_t atom, int64_t *place);
int place_name(engine *e, code c, int64_t *place); /* of one that has none */

#endif
