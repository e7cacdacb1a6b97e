/*  Decimals of answers as texts: each different one is written once while answers are put into columns. */

#include "decimals.h"
#include "machine.h"

static uint64_t hash_of(const number *n) { return mixed(mixed(mixed(0, n->up), n->up >> 64), n->down); }

static int is_written(const decimals *d, int32_t place, const number *n, uint64_t hash) {
  const written_decimal *w = d->written + place - 1;
  return w->hash == hash && w->up == n->up && w->down == n->down;
}

/* Where it is, or could be. */
static int32_t *find_decimal(const decimals *d, const number *n, uint64_t hash) {
  uint64_t at = hash & d->mask;
  while (d->places[at] && !is_written(d, d->places[at], n, hash))
    at = (at + 1) & d->mask;
  return d->places + at;
}

static int more_places(decimals *d) {
  uint64_t mask = d->places ? 4 * d->mask + 3 : 63;
  int32_t *places = calloc(mask + 1, sizeof *places);
  if (!places)
    return PL_resource_error("memory");
  for (int32_t i = 0; i < d->count; i++) {
    uint64_t at = d->written[i].hash & mask;
    while (places[at])
      at = (at + 1) & mask;
    places[at] = i + 1;
  }
  free(d->places);
  d->places = places;
  d->mask = mask;
  return TRUE;
}

static int has_room(decimals *d) {
  if (!more((void **)&d->written, &d->room, d->count, sizeof *d->written) ||
      !more((void **)&d->ends, &d->room_ends, d->count + 1, sizeof *d->ends))
    return FALSE;
  d->ends[0] = 0;
  return more_by((void **)&d->texts, &d->room_texts, d->ends[d->count], EXACT_TEXT, 1);
}

static enum result write_one(decimals *d, const number *n, uint64_t hash, int32_t *at) {
  int32_t first = d->count ? d->ends[d->count] : 0;
  if (first > INT32_MAX - EXACT_TEXT)
    return VALUE_UNKNOWN;
  if (!has_room(d))
    return VALUE_BROKEN;
  size_t length = write_decimal(n->up, n->down, d->texts + first);
  if (!length)
    return VALUE_UNKNOWN;
  d->written[d->count] = (written_decimal){n->up, n->down, hash};
  d->ends[++d->count] = first + length;
  *at = d->count;
  return VALUE_IS;
}

enum result place_of_decimal(decimals *d, const number *n, int64_t *place) {
  uint64_t hash = hash_of(n);
  if (2 * (uint64_t)d->count >= d->mask && !more_places(d))
    return VALUE_BROKEN;
  int32_t *at = find_decimal(d, n, hash);
  enum result is = *at ? VALUE_IS : write_one(d, n, hash, at);
  *place = *at - 1;
  return is;
}

/* Of a few in a wide table only their places are emptied. */
void forget_decimals(decimals *d) {
  if (d->places && (uint64_t)d->count > d->mask / 16)
    memset(d->places, 0, (d->mask + 1) * sizeof *d->places);
  else
    for (int32_t i = 0; i < d->count; i++) {
      uint64_t at = d->written[i].hash & d->mask;
      while (d->places[at] != i + 1)
        at = (at + 1) & d->mask;
      d->places[at] = 0;
    }
  d->count = 0;
}

void free_decimals(decimals *d) { free(d->ends), free(d->texts), free(d->written), free(d->places); }
