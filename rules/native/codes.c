/*  Terms as codes, see native.h. */

#include "native.h"

uint64_t mixed(uint64_t hash, uint64_t x) {
  hash = (hash ^ x) * 0x9e3779b97f4a7c15ULL;
  return hash ^ hash >> 32;
}

static int is_same(const node *n, int kind, functor_t functor, size_t length, const void *parts, size_t bytes) {
  return n->kind == kind && n->functor == functor && n->length == length && !memcmp(n->parts, parts, bytes);
}

static node *known_node(engine *e, uint64_t hash, int kind, functor_t functor, size_t length, const void *parts,
                        size_t bytes) {
  node *n = e->buckets[hash & e->mask];
  while (n && !(n->hash == hash && is_same(n, kind, functor, length, parts, bytes)))
    n = n->next;
  return n;
}

static void more_buckets(engine *e) {
  uint64_t mask = 2 * e->mask + 1;
  node **buckets = calloc(mask + 1, sizeof *buckets);
  if (!buckets)
    return; /* then they are longer */
  for (uint64_t i = 0; i <= e->mask; i++)
    for (node *n = e->buckets[i], *next; n; n = next) {
      next = n->next;
      n->next = buckets[n->hash & mask];
      buckets[n->hash & mask] = n;
    }
  free(e->buckets);
  e->buckets = buckets;
  e->mask = mask;
}

/* Types of literals stand in most terms: they are held for good, and nobody counts who uses them. Threads that count at
   one place wait for one another. */
#define MOST_LASTING 64
static atom_t lasting[MOST_LASTING]; /* each at its own place; one whose place is taken is counted */

static atom_t *place_of_lasting(atom_t atom) { return lasting + (mixed(0, atom) & (MOST_LASTING - 1)); }

atom_t lasting_atom(const char *name) {
  atom_t atom = PL_new_atom(name), *place = place_of_lasting(atom);
  if (!*place)
    *place = atom;
  return atom;
}

static int is_lasting(code c) { return *place_of_lasting(atom_of(c)) == atom_of(c); }

void retain(code c) {
  if (TAG(c) == TAG_NODE)
    node_of(c)->uses++;
  else if (TAG(c) == TAG_ATOM && !is_lasting(c))
    PL_register_atom(atom_of(c));
}

void release(engine *e, code c) {
  if (TAG(c) == TAG_ATOM) {
    if (!is_lasting(c))
      PL_unregister_atom(atom_of(c));
  } else if (TAG(c) == TAG_NODE) {
    node *n = node_of(c);
    while (!--n->uses) {
      node **at = e->buckets + (n->hash & e->mask);
      while (*at != n)
        at = &(*at)->next;
      *at = n->next;
      e->nodes--;
      size_t parts = n->kind == COMPOUND ? n->length : 0;
      code last = parts ? n->parts[parts - 1] : TAG_ANY; /* a list is as deep as it is long */
      for (size_t i = 0; i + 1 < parts; i++)
        release(e, n->parts[i]);
      free(n);
      if (TAG(last) != TAG_NODE) {
        release(e, last);
        break;
      }
      n = node_of(last);
    }
  }
}

int node_code(engine *e, int make, int kind, functor_t functor, size_t length, const void *parts, size_t bytes,
                     code *found) {
  uint64_t hash = mixed(kind, functor);
  const char *text = parts;
  for (size_t i = 0; i < bytes; i += 8) {
    uint64_t word = 0;
    memcpy(&word, text + i, bytes - i < 8 ? bytes - i : 8);
    hash = mixed(hash, word);
  }
  node *n = known_node(e, hash, kind, functor, length, parts, bytes);
  if (!n && !make)
    return ABSENT;
  if (!n) {
    if (!(n = malloc(sizeof *n + bytes)))
      return PL_resource_error("memory");
    if (e->nodes > 2 * e->mask)
      more_buckets(e);
    *n = (node){e->buckets[hash & e->mask], hash, 0, kind, functor, length};
    memcpy(n->parts, parts, bytes);
    e->buckets[hash & e->mask] = n;
    e->nodes++;
    for (size_t i = 0; kind == COMPOUND && i < length; i++)
      retain(n->parts[i]); /* the parts are its own now */
  }
  n->uses += make;
  *found = (uintptr_t)n;
  return FOUND;
}

static int compound_code(engine *e, int make, term_t term, code *found) {
  size_t arity;
  atom_t name;
  code few[8], *parts = few;
  if (!PL_get_compound_name_arity(term, &name, &arity))
    return PL_type_error("ground", term);
  if (arity > 8 && !(parts = malloc(arity * sizeof *parts)))
    return PL_resource_error("memory");
  term_t part = PL_new_term_ref();
  int is = part ? FOUND : FAILED;
  size_t known = 0;
  for (; is == FOUND && known < arity; known++) {
    _PL_get_arg(known + 1, term, part);
    is = code_of(e, make, part, parts + known);
  }
  if (is == OPEN && make)
    is = PL_type_error("ground", term);
  if (is == FOUND) {
    functor_t functor = PL_new_functor_sz(name, arity);
    is = node_code(e, make, COMPOUND, functor, arity, parts, arity * sizeof *parts, found);
  } else {
    known--; /* the last one was not known */
  }
  if (make)
    for (size_t i = 0; i < known; i++)
      release(e, parts[i]);
  if (parts != few)
    free(parts);
  if (part)
    PL_reset_term_refs(part);
  return is;
}

int code_of(engine *e, int make, term_t term, code *found) {
  int64_t integer;
  double real;
  atom_t atom;
  size_t length;
  char *text;
  switch (PL_term_type(term)) {
  case PL_VARIABLE:
    return OPEN;
  case PL_ATOM:
  case PL_NIL:
  case PL_BLOB:
    if (!PL_get_atom(term, &atom))
      return PL_type_error("ground", term);
    *found = atom_code(atom);
    if (make)
      retain(*found);
    return FOUND;
  case PL_INTEGER:
    if (PL_get_int64(term, &integer) && integer < MOST_INTEGER && integer > -MOST_INTEGER) {
      *found = integer_code(integer);
      return FOUND;
    } /* fall through */
  case PL_RATIONAL:
    if (!PL_get_nchars(term, &length, &text, CVT_RATIONAL | CVT_EXCEPTION | BUF_MALLOC))
      return FAILED;
    int is = node_code(e, make, NUMBER, 0, length, text, length, found);
    PL_free(text);
    return is;
  case PL_FLOAT:
    return PL_get_float(term, &real) ? node_code(e, make, REAL, 0, 1, &real, sizeof real, found) : FAILED;
  case PL_STRING:
    if (!PL_get_nchars(term, &length, &text, CVT_STRING | CVT_EXCEPTION | BUF_MALLOC | REP_UTF8))
      return FAILED;
    int said = node_code(e, make, STRING, 0, length, text, length, found);
    PL_free(text);
    return said;
  default:
    return compound_code(e, make, term, found);
  }
}

int unify_code(term_t term, code c) {
  switch (TAG(c)) {
  case TAG_ANY:
    return TRUE;
  case TAG_INTEGER:
    return PL_unify_int64(term, (int64_t)c >> 2);
  case TAG_ATOM:
    return PL_unify_atom(term, atom_of(c));
  }
  const node *n = node_of(c);
  const char *text = (const char *)n->parts;
  term_t part;
  double real, known;
  switch (n->kind) {
  case REAL:
    memcpy(&real, text, sizeof real);
    if (PL_is_float(term)) /* a NaN is itself */
      return PL_get_float(term, &known) && !memcmp(&known, &real, sizeof real);
    return PL_unify_float(term, real);
  case STRING:
    return PL_unify_chars(term, PL_STRING | REP_UTF8, n->length, text);
  case NUMBER:
    part = PL_new_term_ref();
    return part && PL_put_term_from_chars(part, REP_UTF8, n->length, text) && PL_unify(term, part);
  }
  if (!PL_unify_compound(term, n->functor) || !(part = PL_new_term_ref()))
    return FALSE;
  for (size_t i = 0; i < n->length; i++) {
    _PL_get_arg(i + 1, term, part);
    if (!unify_code(part, n->parts[i]))
      return FALSE;
  }
  PL_reset_term_refs(part);
  return TRUE;
}

