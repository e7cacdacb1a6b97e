/*  Names as bytes, see names.h. */

#include "native.h"

#define LASTING_PLACES 256 /* a power of two */

typedef struct {
  atom_t atom;
  const char *text;
  size_t length;
} lasting_name;

static lasting_name lasting[MOST_LASTING];
static int lasting_count;
static uint8_t by_atom[LASTING_PLACES], by_text[LASTING_PLACES]; /* behind the number of one; 0 where the place is free */
static PL_blob_t *narrow_text, *wide_text;

/* ---- names that last --------------------------------------------------------------------------------------- */

static uint8_t *place_of_atom(atom_t atom) {
  uint64_t at = mixed(0, atom) % LASTING_PLACES;
  while (by_atom[at] && lasting[by_atom[at] - 1].atom != atom)
    at = (at + 1) % LASTING_PLACES;
  return by_atom + at;
}

static uint8_t *place_of_text(uint64_t hash, const char *text, size_t length) {
  uint64_t at = hash % LASTING_PLACES;
  for (; by_text[at]; at = (at + 1) % LASTING_PLACES) {
    const lasting_name *n = lasting + by_text[at] - 1;
    if (n->length == length && !memcmp(n->text, text, length))
      break;
  }
  return by_text + at;
}

static code code_of_lasting(atom_t atom) { return (uint64_t)atom << BEFORE_ATOM | IS_PROLOGS | TAG_ATOM; }

code lasting_atom_code(atom_t atom) {
  uint8_t *place = place_of_atom(atom);
  if (!*place) {
    lasting[lasting_count] = (lasting_name){atom};
    *place = ++lasting_count;
  }
  return code_of_lasting(atom);
}

code lasting_code(const char *text) {
  atom_t atom = PL_new_atom(text);
  code found = lasting_atom_code(atom);
  lasting_name *n = lasting + *place_of_atom(atom) - 1;
  *n = (lasting_name){atom, text, strlen(text)};
  *place_of_text(node_hash(0, text, n->length), text, n->length) = n - lasting + 1;
  return found;
}

int lasting_number(code c) { return *place_of_atom(atom_of(c)) - 1; }

/* ---- the table of an engine's names ------------------------------------------------------------------------ */

static named *place_of_name(const engine *e, uint64_t hash, const char *text, size_t length) {
  for (uint64_t at = hash & e->name_mask;; at = (at + 1) & e->name_mask) {
    named *place = e->names + at;
    if (!place->is || (place->hash == hash && place->is->length == length && !memcmp(place->is->text, text, length)))
      return place;
  }
}

/* False: there is no memory. */
static int move_names(engine *e, uint64_t mask) {
  named *names = calloc(mask + 1, sizeof *names);
  if (!names)
    return FALSE;
  for (uint64_t i = 0; e->names && i <= e->name_mask; i++)
    if (e->names[i].is) {
      uint64_t at = e->names[i].hash & mask;
      while (names[at].is)
        at = (at + 1) & mask;
      names[at] = e->names[i];
    }
  free(e->names);
  e->names = names;
  e->name_mask = mask;
  return TRUE;
}

static int more_names(engine *e) {
  return move_names(e, e->names ? 2 * e->name_mask + 1 : 63) || PL_resource_error("memory");
}

static name *add_name(engine *e, uint64_t hash, const char *text, size_t length) {
  name *n = length <= UINT32_MAX && (2 * e->name_count < e->name_mask || more_names(e)) ? malloc(sizeof *n + length) : NULL;
  if (!n) {
    PL_resource_error("memory");
    return NULL;
  }
  *n = (name){.place = -1, .length = length};
  memcpy(n->text, text, length);
  *place_of_name(e, hash, text, length) = (named){hash, n};
  e->name_count++;
  return n;
}

int code_of_text(engine *e, int make, uint64_t hash, const char *text, size_t length, code *found) {
  name *n = e->names ? place_of_name(e, hash, text, length)->is : NULL;
  int number;
  if (!n && (number = *place_of_text(hash, text, length))) {
    *found = code_of_lasting(lasting[number - 1].atom);
    return FOUND;
  }
  if (!n && !make)
    return ABSENT;
  if (!n && !(n = add_name(e, hash, text, length)))
    return FAILED;
  n->uses += make;
  *found = name_code(n);
  return FOUND;
}

static void empty_place(engine *e, uint64_t hole) {
  for (uint64_t at = hole;;) {
    at = (at + 1) & e->name_mask;
    if (!e->names[at].is)
      break;
    uint64_t home = e->names[at].hash & e->name_mask;
    if (((at - home) & e->name_mask) >= ((at - hole) & e->name_mask)) {
      e->names[hole] = e->names[at];
      hole = at;
    }
  }
  e->names[hole].is = NULL;
}

static name **known_by(engine *e, atom_t atom) { return e->by_atom + mixed(0, atom) % NAMES_BY_ATOM; }

void forget_name(engine *e, name *n) {
  uint64_t at = node_hash(0, n->text, n->length) & e->name_mask;
  while (e->names[at].is != n)
    at = (at + 1) & e->name_mask;
  empty_place(e, at);
  e->name_count--;
  if (e->name_mask > LEAST_ROOM && 8 * e->name_count < e->name_mask)
    move_names(e, e->name_mask / 2); /* it is no fault if there is no memory */
  if (n->atom) {
    name **known = known_by(e, n->atom);
    if (*known == n)
      *known = NULL;
    PL_unregister_atom(n->atom);
  }
  free(n);
}

void forget_names(engine *e) {
  for (uint64_t i = 0; e->names && i <= e->name_mask; i++)
    if (e->names[i].is) {
      if (e->names[i].is->atom)
        PL_unregister_atom(e->names[i].is->atom);
      free(e->names[i].is);
    }
  free(e->names);
}

/* ---- names and atoms --------------------------------------------------------------------------------------- */

static char *write_utf8(char *to, uint32_t c) {
  if (c < 0x80) {
    *to++ = c;
  } else if (c < 0x800) {
    *to++ = 0xc0 | c >> 6;
    *to++ = 0x80 | (c & 0x3f);
  } else {
    if (c < 0x10000) {
      *to++ = 0xe0 | c >> 12;
    } else {
      *to++ = 0xf0 | c >> 18;
      *to++ = 0x80 | (c >> 12 & 0x3f);
    }
    *to++ = 0x80 | (c >> 6 & 0x3f);
    *to++ = 0x80 | (c & 0x3f);
  }
  return to;
}

size_t most_bytes(atom_t atom) {
  size_t size;
  return PL_atom_nchars(atom, &size) ? 2 * size : PL_atom_wchars(atom, &size) ? 4 * size : 0;
}

size_t write_atom(atom_t atom, char *to) {
  size_t size;
  const char *text = PL_atom_nchars(atom, &size), *begin = to;
  const wchar_t *wide = text ? NULL : PL_atom_wchars(atom, &size);
  for (size_t i = 0; i < size; i++)
    to = write_utf8(to, text ? (unsigned char)text[i] : (uint32_t)wide[i]);
  return to - begin;
}

static int named_by(engine *e, int make, atom_t atom, code *found) {
  char few[256], *text = few;
  size_t most = most_bytes(atom);
  if (most > sizeof few && !(text = malloc(most)))
    return PL_resource_error("memory");
  size_t length = write_atom(atom, text);
  int is = code_of_text(e, make, node_hash(0, text, length), text, length, found);
  if (text != few)
    free(text);
  return is;
}

static int is_text(atom_t atom) {
  PL_blob_t *type;
  size_t length;
  PL_blob_data(atom, &length, &type);
  return type == narrow_text || type == wide_text;
}

int code_of_atom(engine *e, int make, atom_t atom, code *found) {
  name **known = known_by(e, atom), *n = *known;
  if (n && n->atom == atom) {
    n->uses += make;
    *found = name_code(n);
    return FOUND;
  }
  if (*place_of_atom(atom)) {
    *found = code_of_lasting(atom);
    return FOUND;
  }
  if (!is_text(atom)) {
    *found = counted_atom_code(atom);
    if (make)
      PL_register_atom(atom);
    return FOUND;
  }
  int is = named_by(e, make, atom, found);
  if (is == FOUND && is_own_name(*found)) {
    n = *known = name_of(*found);
    if (!n->atom)
      PL_register_atom(n->atom = atom);
  }
  return is;
}

int unify_name(term_t term, code c) {
  if (!is_own_name(c))
    return PL_unify_atom(term, atom_of(c));
  name *n = name_of(c);
  return (n->atom || (n->atom = PL_new_atom_mbchars(REP_UTF8, n->length, n->text))) && PL_unify_atom(term, n->atom);
}

int text_of_name(code c, const char **text, size_t *length) {
  if (is_own_name(c)) {
    *text = name_of(c)->text;
    *length = name_of(c)->length;
    return TRUE;
  }
  int number = lasting_number(c);
  if (number < 0 || !lasting[number].text)
    return FALSE;
  *text = lasting[number].text;
  *length = lasting[number].length;
  return TRUE;
}

void install_names(void) {
  size_t length;
  PL_blob_data(PL_new_atom("a"), &length, &narrow_text);
  PL_blob_data(PL_new_atom_wchars(1, L"\x3b1"), &length, &wide_text);
}
