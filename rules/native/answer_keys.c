/*  Keys of answers that are to be put in order.

    Most answers of an instant begin with names, which differ behind what all of them have in common. Eight bytes from there on
    are compared as one number, and the names themselves only where these are equal.
*/

#include "machine.h"

typedef struct {
  const char *bytes;
  size_t length;
} name;

/* False: it is no name, or of another type than `type`, which is NULL before the first. */
static int name_of(code c, PL_blob_t **type, name *found) {
  PL_blob_t *own;
  if (TAG(c) != TAG_ATOM)
    return FALSE;
  found->bytes = PL_blob_data(atom_of(c), &found->length, &own);
  if (!*type)
    *type = own;
  return own == *type && own->flags & PL_BLOB_TEXT && !own->compare;
}

static size_t common_length(name a, name b, size_t most) {
  most = a.length < most ? a.length : most;
  most = b.length < most ? b.length : most;
  size_t at = 0;
  while (at < most && a.bytes[at] == b.bytes[at])
    at++;
  return at;
}

static uint64_t key_from(name x, size_t at) {
  uint64_t key = 0;
  for (int i = 0; i < 8; i++, at++)
    key = key << 8 | (at < x.length ? (unsigned char)x.bytes[at] : 0);
  return key;
}

void find_keys(machine *m, found *all, size_t count) {
  PL_blob_t *type = NULL;
  name first, each;
  size_t common = SIZE_MAX;
  for (size_t i = 0; i < count; i++)
    all[i].key = 0;
  for (size_t i = 0; i < count; i++) {
    if (!all[i].width || !name_of(m->cells[all[i].cells], &type, i ? &each : &first))
      return;
    if (i)
      common = common_length(first, each, common);
  }
  for (size_t i = 0; i < count; i++)
    if (name_of(m->cells[all[i].cells], &type, &each))
      all[i].key = key_from(each, common);
}
