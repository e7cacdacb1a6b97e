/*  Decimals of answers as texts, see decimals.c. */

#ifndef ETALIS_DECIMALS
#define ETALIS_DECIMALS

#include "native.h"

typedef struct {
  wide up;
  int64_t down;
  uint64_t hash;
} written_decimal;

/* Text n is `texts` from ends[n] to ends[n + 1]; ends[0] is 0. */
typedef struct {
  int64_t count;
  int32_t *ends;
  char *texts;
  written_decimal *written;
  size_t room, room_ends, room_texts;
  int32_t *places; /* open hash; 0 where there is none, else one more than the decimal's; its length is mask + 1 */
  uint64_t mask;
} decimals;

enum result place_of_decimal(decimals *d, const number *n, int64_t *place); /* UNKNOWN: its text is longer than usual */
void forget_decimals(decimals *d);
void free_decimals(decimals *d);

#endif
