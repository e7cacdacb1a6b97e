/*  Keys of answers that are to be put in order.

    Most answers of an instant begin with names, which differ behind what all of them have in common. Eight bytes from there on
    are compared as one number, and the names themselves only where these are equal.
*/

#include "machine.h"

typedef struct {
  const char *bytes;
  size_t length;
} shown;

/* False: it is no name. */
static int name_in(code c, shown *found) { return TAG(c) == TAG_ATOM && text_of_name(c, &found->bytes, &found->length); }

static size_t common_length(shown a, shown b, size_t most) {
  most = a.length < most ? a.length : most;
  most = b.length < most ? b.length : most;
  size_t at = 0;
  while (at < most && a.bytes[at] == b.bytes[at])
    at++;
  return at;
}

static uint64_t key_from(shown x, size_t at) {
  uint64_t key = 0;
  for (int i = 0; i < 8; i++, at++)
    key = key << 8 | (at < x.length ? (unsigned char)x.bytes[at] : 0);
  return key;
}

void find_keys(machine *m, found *all, size_t count) {
  shown first, each;
  size_t common = SIZE_MAX;
  for (size_t i = 0; i < count; i++)
    all[i].key = 0;
  for (size_t i = 0; i < count; i++) {
    if (!all[i].width || !name_in(m->cells[all[i].cells], i ? &each : &first))
      return;
    if (i)
      common = common_length(first, each, common);
  }
  for (size_t i = 0; i < count; i++)
    if (name_in(m->cells[all[i].cells], &each))
      all[i].key = key_from(each, common);
}
