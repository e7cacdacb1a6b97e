/*  Names in answers, see answer_names.h. */

#include "answer_names.h"
#include <stdatomic.h>

#define MOST_NAMES 8192

static _Atomic uint64_t tables;

void forget_answered(engine *e, answered *a) {
  for (int64_t i = 0; i < a->count; i++) {
    if (is_own_name(a->names[i]))
      name_of(a->names[i])->place = -1;
    release(e, a->names[i]);
  }
  memset(a->lasting, 0, sizeof a->lasting);
  a->count = 0;
  a->table = 0;
}

void begin_answered(engine *e, answered *a) {
  if (a->count > MOST_NAMES)
    forget_answered(e, a);
  if (!a->table)
    a->table = atomic_fetch_add(&tables, 1) + 1;
}

static int more_answered(answered *a) {
  if (a->count < a->room)
    return TRUE;
  int64_t room = a->room ? 2 * a->room : 64;
  code *names = realloc(a->names, room * sizeof *names);
  if (!names)
    return PL_resource_error("memory");
  a->names = names;
  a->room = room;
  return TRUE;
}

static int64_t add_answered(answered *a, code c) {
  retain(c);
  a->names[a->count] = c;
  return a->count++;
}

int place_name(engine *e, code c, int64_t *place) {
  answered *a = &e->answered;
  int is_own = is_own_name(c);
  int32_t *lasting = is_own ? NULL : a->lasting + lasting_number(c);
  if (lasting && *lasting) {
    *place = *lasting - 1;
    return TRUE;
  }
  if (!more_answered(a))
    return FALSE;
  *place = add_answered(a, c);
  if (is_own)
    name_of(c)->place = (int32_t)*place;
  else
    *lasting = (int32_t)*place + 1;
  return TRUE;
}

/* ---- atoms ------------------------------------------------------------------------------------------------- */

static placed_atom *place_of(const answered_atoms *a, atom_t atom) {
  uint64_t at = mixed(0, atom) & a->mask;
  while (a->places[at].atom && a->places[at].atom != atom)
    at = (at + 1) & a->mask;
  return a->places + at;
}

static int more_places(answered_atoms *a) {
  uint64_t mask = a->places ? 2 * a->mask + 1 : 1023;
  placed_atom *places = calloc(mask + 1, sizeof *places);
  if (!places)
    return PL_resource_error("memory");
  free(a->places);
  a->places = places;
  a->mask = mask;
  for (int64_t i = 0; i < a->names.count; i++)
    *place_of(a, atom_of(a->names.names[i])) = (placed_atom){atom_of(a->names.names[i]), i};
  return TRUE;
}

int place_atom(answered_atoms *a, atom_t atom, int64_t *place) {
  if (!a->names.count && a->places)
    memset(a->places, 0, (a->mask + 1) * sizeof *a->places); /* they began anew */
  if ((!a->places || 2 * (uint64_t)a->names.count > a->mask) && !more_places(a))
    return FALSE;
  placed_atom *at = place_of(a, atom);
  if (!at->atom) {
    if (!more_answered(&a->names))
      return FALSE;
    *at = (placed_atom){atom, add_answered(&a->names, counted_atom_code(atom))};
  }
  *place = at->place;
  return TRUE;
}
