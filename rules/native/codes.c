/*  Terms as codes, see native.h. */

#include "native.h"

#ifdef ETALIS_FAIL_ALLOCATIONS
EXPORT int64_t allocations_left = -1; /* before one fails; below 0 none does */
EXPORT int allocations_fail_on;       /* whether those behind it fail, too */

int allocation_fails(void) {
  if (allocations_left < 0)
    return FALSE;
  if (allocations_left > 0)
    return allocations_left--, FALSE;
  allocations_left = allocations_fail_on ? 0 : -1;
  return TRUE;
}
#endif

code nil;
functor_t pair, occurrence5;

/* ---- nodes ------------------------------------------------------------------------------------------------- */

#define MOST_SPARE 1024 /* more than there are in use */

static size_t words_of(size_t bytes) { return (bytes + sizeof(code) - 1) / sizeof(code); }

static size_t words_in(const node *n) {
  return n->kind == LONG || n->kind == STRING ? words_of(n->length) : n->kind == EXACT ? 3 : n->length;
}

static node *new_node(engine *e, size_t words) {
  node *n = words < SPARE_SIZES ? e->spare[words] : NULL;
  if (!n)
    return malloc(sizeof *n + words * sizeof(code));
  e->spare[words] = n->next;
  e->spares--;
  return n;
}

static void free_node(engine *e, node *n) {
  size_t words = words_in(n);
  int are_enough = e->spares >= e->nodes + MOST_SPARE;
  if (words >= SPARE_SIZES || are_enough)
    free(n);
  if (words < SPARE_SIZES && are_enough && e->spare[words])
    free(new_node(e, words)); /* so that they go as nodes do */
  if (words >= SPARE_SIZES || are_enough)
    return;
  n->next = e->spare[words];
  e->spare[words] = n;
  e->spares++;
}

static inline int are_same(const code *left, const void *right, size_t bytes) {
  if (bytes % sizeof *left)
    return !memcmp(left, right, bytes);
  uint64_t differences = 0, word;
  for (size_t i = 0; i < bytes / sizeof word; i++) {
    memcpy(&word, (const char *)right + i * sizeof word, sizeof word);
    differences |= left[i] ^ word;
  }
  return !differences;
}

static inline int is_same(const node *n, int kind, functor_t functor, size_t length, const void *parts, size_t bytes) {
  return n->kind == kind && n->functor == functor && n->length == length && are_same(n->parts, parts, bytes);
}

static node *known_node(engine *e, uint64_t hash, int kind, functor_t functor, size_t length, const void *parts,
                        size_t bytes) {
  node *n = e->buckets[hash & e->mask];
  while (n && !(n->hash == hash && is_same(n, kind, functor, length, parts, bytes)))
    n = n->next;
  return n;
}

static void move_nodes(engine *e, uint64_t mask) {
  node **buckets = calloc(mask + 1, sizeof *buckets);
  if (!buckets)
    return; /* then they are longer, or more than are needed */
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

static void forget_node(engine *e, node *n) {
  node **at = e->buckets + (n->hash & e->mask);
  while (*at != n)
    at = &(*at)->next;
  *at = n->next;
  e->nodes--;
  if (e->mask > LEAST_ROOM && 8 * e->nodes < e->mask)
    move_nodes(e, e->mask / 2);
  free_node(e, n);
}

void forget_code(engine *e, code c) {
  if (TAG(c) == TAG_ATOM)
    forget_name(e, name_of(c));
  while (TAG(c) == TAG_NODE) {
    node *n = node_of(c);
    size_t parts = n->kind <= SINGLE ? n->length : 0;
    c = parts ? n->parts[parts - 1] : TAG_ANY; /* a list is as deep as it is long */
    for (size_t i = 0; i + 1 < parts; i++)
      release(e, n->parts[i]);
    forget_node(e, n);
    if (TAG(c) != TAG_NODE)
      release(e, c);
    else if (--*uses_of(c))
      return;
  }
}

void forget_later(engine *e, code c) {
  if (e->gone_count == e->gone_room) {
    size_t room = e->gone_room ? 2 * e->gone_room : 256;
    code *gone = realloc(e->gone, room * sizeof *gone);
    if (!gone) {
      e->lacks_memory = TRUE; /* it goes with the engine */
      return;
    }
    e->gone = gone;
    e->gone_room = room;
  }
  e->gone[e->gone_count++] = c;
}

void release_gone(engine *e) {
  e->is_running = FALSE;
  if (e->gone_room > LEAST_ROOM && 8 * e->gone_count < e->gone_room) {
    code *gone = realloc(e->gone, e->gone_room / 2 * sizeof *gone);
    if (gone) {
      e->gone = gone;
      e->gone_room /= 2;
    }
  }
  while (e->gone_count)
    release(e, e->gone[--e->gone_count]);
}

/* What is left where an error kept somebody from giving it back. */
void forget_codes(engine *e) {
  release_gone(e);
  for (uint64_t i = 0; i <= e->mask; i++)
    for (node *n = e->buckets[i], *next; n; n = next) {
      next = n->next;
      for (size_t j = 0; n->kind <= SINGLE && j < n->length; j++)
        if (is_counted_atom(n->parts[j]))
          PL_unregister_atom(atom_of(n->parts[j]));
      free(n);
    }
  for (int words = 0; words < SPARE_SIZES; words++)
    for (node *n = e->spare[words], *next; n; n = next) {
      next = n->next;
      free(n);
    }
  forget_names(e);
  free(e->gone), free(e->buckets);
}

/* Each bit of `x` is in the low bits, too: texts differ in their last characters, which are the high ones of a word. */
static inline uint64_t folded(uint64_t x) {
  unsigned __int128 product = (unsigned __int128)x * 0x9e3779b97f4a7c15ULL;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t node_hash(functor_t functor, const void *parts, size_t bytes) {
  uint64_t hash = mixed(0, functor);
  const char *text = parts;
  uint64_t word;
  size_t i = 0;
  for (; i + sizeof word <= bytes; i += sizeof word) {
    memcpy(&word, text + i, sizeof word);
    hash += folded((i + 1) ^ word); /* no word waits for the one before */
  }
  if (i == bytes)
    return hash;
  word = 0;
  memcpy(&word, text + i, bytes - i);
  return hash + folded((i + 1) ^ word);
}

/* What nobody but the caller holds is in no other node. */
static int has_new_part(const code *parts, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (TAG(parts[i]) == TAG_NODE && node_of(parts[i])->uses == 1)
      return TRUE;
  return FALSE;
}

int node_code(engine *e, int make, int kind, functor_t functor, size_t length, const void *parts, size_t bytes,
              code *found) {
  const code *list = parts;
  const node *only;
  if (kind == COMPOUND && functor == pair && list[1] == nil && (only = compound_of(list[0], occurrence5)))
    return node_code(e, make != FALSE, SINGLE, only->functor, only->length, only->parts, only->length * sizeof(code), found);
  uint64_t hash = node_hash(functor, parts, bytes);
  int is_new = make == ANEW && has_new_part(parts, length);
  node *n = is_new ? NULL : known_node(e, hash, kind, functor, length, parts, bytes);
  if (!n && !make)
    return ABSENT;
  if (!n) {
    if (!(n = new_node(e, words_of(bytes))))
      return PL_resource_error("memory");
    if (2 * e->nodes > e->mask)
      move_nodes(e, 2 * e->mask + 1);
    *n = (node){0, e->buckets[hash & e->mask], hash, kind, functor, length};
    if (kind > SINGLE)
      memcpy(n->parts, parts, bytes);
    e->buckets[hash & e->mask] = n;
    e->nodes++;
    for (size_t i = 0; kind <= SINGLE && i < length; i++)
      retain(n->parts[i] = ((const code *)parts)[i]);
  }
  n->uses += make != FALSE;
  *found = (uintptr_t)n;
  return FOUND;
}

/* A term and its last part, and the last part of that, and so on: a list is as deep as it is long. */
typedef struct {
  functor_t functor;
  size_t arity;
} level;

typedef struct {
  level few_levels[8], *levels;
  code few_parts[32], *parts;
  size_t level_count, level_room, part_count, part_room;
} spine;

/* Room for one item more; `few` are on the stack of C. */
static int fits(void **items, void *few, size_t *room, size_t count, size_t size) {
  if (count < *room)
    return TRUE;
  void *moved = realloc(*items == few ? NULL : *items, 2 * *room * size);
  if (!moved)
    return PL_resource_error("memory");
  if (*items == few)
    memcpy(moved, few, count * size);
  *items = moved;
  *room *= 2;
  return TRUE;
}

static int add_level(spine *s, level l) {
  if (!fits((void **)&s->levels, s->few_levels, &s->level_room, s->level_count, sizeof l))
    return FALSE;
  s->levels[s->level_count++] = l;
  return TRUE;
}

static int nested_code(engine *e, int make, term_t term, int depth, code *found);

static int room_for_part(spine *s) {
  return fits((void **)&s->parts, s->few_parts, &s->part_room, s->part_count, sizeof(code));
}

static int add_part(engine *e, int make, spine *s, term_t term, int depth) {
  if (!room_for_part(s))
    return FAILED;
  int is = nested_code(e, make, term, depth, s->parts + s->part_count);
  s->part_count += is == FOUND;
  return is;
}

/* Whether it is the list of one occurrence, `head`. */
static int is_single(term_t term, term_t head) {
  functor_t functor;
  return PL_get_functor(term, &functor) && functor == pair && (_PL_get_arg(2, term, head), PL_get_nil(head)) &&
         (_PL_get_arg(1, term, head), PL_is_functor(head, occurrence5));
}

/* All parts that are not last parts with parts of their own. */
static int take_parts(engine *e, int make, spine *s, term_t rest, term_t part, int depth) {
  for (;;) {
    level l;
    if (!PL_is_compound(rest) || !PL_get_functor(rest, &l.functor))
      return PL_type_error("ground", rest);
    l.arity = PL_functor_arity_sz(l.functor);
    if (!add_level(s, l))
      return FAILED;
    for (size_t i = 1; i < l.arity; i++) {
      _PL_get_arg(i, rest, part);
      int is = add_part(e, make, s, part, depth + 1);
      if (is != FOUND)
        return is;
    }
    if (!l.arity)
      return room_for_part(s) ? FOUND : FAILED; /* what it becomes is a part */
    _PL_get_arg(l.arity, rest, rest);
    if (!PL_is_compound(rest) || is_single(rest, part))
      return add_part(e, make, s, rest, depth + 1);
  }
}

/* From the innermost on; each is the last part of the one around it. The outermost is a node of this kind. */
static int join_parts(engine *e, int make, int kind, spine *s) {
  while (s->level_count) {
    level l = s->levels[--s->level_count];
    code *parts = s->parts + s->part_count - l.arity, joined;
    int is = node_code(e, make, s->level_count ? COMPOUND : kind, l.functor, l.arity, parts, l.arity * sizeof *parts,
                       &joined);
    if (is != FOUND)
      return is;
    for (size_t i = 0; make && i < l.arity; i++)
      release(e, parts[i]);
    s->part_count -= l.arity;
    s->parts[s->part_count++] = joined;
  }
  return FOUND;
}

static int parts_code(engine *e, int make, int kind, term_t term, int depth, code *found) {
  if (depth > MOST_NESTED)
    return PL_resource_error("c_stack");
  spine s;
  s.levels = s.few_levels, s.level_room = 8, s.level_count = 0;
  s.parts = s.few_parts, s.part_room = 32, s.part_count = 0;
  term_t rest = PL_copy_term_ref(term), part = PL_new_term_ref();
  int is = rest && part ? take_parts(e, make, &s, rest, part, depth) : FAILED;
  if (is == OPEN && make)
    is = PL_type_error("ground", term);
  if (is == FOUND)
    is = join_parts(e, make, kind, &s);
  if (is == FOUND)
    *found = s.parts[--s.part_count];
  while (make && s.part_count)
    release(e, s.parts[--s.part_count]);
  if (s.levels != s.few_levels)
    free(s.levels);
  if (s.parts != s.few_parts)
    free(s.parts);
  if (rest)
    PL_reset_term_refs(rest);
  return is;
}

static int compound_code(engine *e, int make, term_t term, int depth, code *found) {
  term_t head = PL_new_term_ref();
  if (!head)
    return FAILED;
  int is = is_single(term, head) ? parts_code(e, make, SINGLE, head, depth, found)
                                 : parts_code(e, make, COMPOUND, term, depth, found);
  PL_reset_term_refs(head);
  return is;
}

/* Of a number that is neither a small integer nor a float. */
static int long_code(engine *e, int make, const char *text, size_t length, code *found) {
  wide up;
  int64_t down;
  if (exact_of(text, length, &up, &down) != VALUE_IS)
    return node_code(e, make, LONG, 0, length, text, length, found);
  uint64_t parts[] = {up, up >> 64, down};
  return node_code(e, make, EXACT, 0, 1, parts, sizeof parts, found);
}

static int nested_code(engine *e, int make, term_t term, int depth, code *found) {
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
    return code_of_atom(e, make, atom, found);
  case PL_INTEGER:
    if (PL_get_int64(term, &integer) && integer < MOST_INTEGER && integer > -MOST_INTEGER) {
      *found = integer_code(integer);
      return FOUND;
    } /* fall through */
  case PL_RATIONAL:
    if (!PL_get_nchars(term, &length, &text, CVT_RATIONAL | CVT_EXCEPTION | BUF_MALLOC))
      return FAILED;
    int is = long_code(e, make, text, length, found);
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
    return compound_code(e, make, term, depth, found);
  }
}

int code_of(engine *e, int make, term_t term, code *found) { return nested_code(e, make, term, 0, found); }

static int unify_number(term_t term, const node *n) {
  char exact[EXACT_TEXT];
  const char *text = (const char *)n->parts;
  size_t length = n->length;
  wide up;
  int64_t down;
  if (n->kind == EXACT) {
    parts_of(n, &up, &down);
    length = write_exact(up, down, exact);
    text = exact;
  }
  term_t part = PL_new_term_ref();
  return part && PL_put_term_from_chars(part, REP_UTF8, length, text) && PL_unify(term, part);
}

static int unify_single(term_t term, const node *n) {
  term_t list = PL_copy_term_ref(term), head = PL_new_term_ref(), part = PL_new_term_ref();
  int done = list && head && part && PL_unify_list(list, head, list) && PL_unify_compound(head, n->functor) &&
             PL_unify_nil(list);
  for (size_t i = 0; done && i < n->length; i++) {
    _PL_get_arg(i + 1, head, part);
    done = unify_code(part, n->parts[i]);
  }
  if (list)
    PL_reset_term_refs(list);
  return done;
}

static int unify_simple(term_t term, code c) {
  switch (TAG(c)) {
  case TAG_ANY:
    return TRUE;
  case TAG_INTEGER:
    return PL_unify_int64(term, (int64_t)c >> 2);
  case TAG_ATOM:
    return unify_name(term, c);
  }
  const node *n = node_of(c);
  const char *text = (const char *)n->parts;
  double real, known;
  switch (n->kind) {
  case SINGLE:
    return unify_single(term, n);
  case REAL:
    memcpy(&real, text, sizeof real);
    if (PL_is_float(term)) /* a NaN is itself */
      return PL_get_float(term, &known) && !memcmp(&known, &real, sizeof real);
    return PL_unify_float(term, real);
  case STRING:
    return PL_unify_chars(term, PL_STRING | REP_UTF8, n->length, text);
  default:
    return unify_number(term, n);
  }
}

int unify_code(term_t term, code c) {
  if (!is_compound(c))
    return unify_simple(term, c);
  term_t rest = PL_copy_term_ref(term), part = PL_new_term_ref();
  int done = rest && part;
  while (done && is_compound(c)) {
    const node *n = node_of(c);
    done = PL_unify_compound(rest, n->functor);
    for (size_t i = 0; done && i + 1 < n->length; i++) {
      _PL_get_arg(i + 1, rest, part);
      done = unify_code(part, n->parts[i]);
    }
    c = TAG_ANY;
    if (done && n->length) {
      _PL_get_arg(n->length, rest, rest);
      c = n->parts[n->length - 1];
    }
  }
  done = done && unify_simple(rest, c);
  if (rest)
    PL_reset_term_refs(rest);
  return done;
}
