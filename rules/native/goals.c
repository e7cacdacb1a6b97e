/*  Goals in native rows.

    A store (rules/stores/goal_store.pl) holds goals of one kind, rows of terms in the order in which they came. Rows
    are found by whatever columns are known when they are looked for; where that takes long, an index of these
    columns is made. A lookup sees the rows that were there when it began. Old rows go from the front.

    A term is a code of 64 bits: an atom or a small integer is itself, other terms are nodes that an engine has once each,
    counted. So terms are equal where codes are. An engine is used by one thread at a time.
*/

#include "native.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t code;

enum { NODE, INTEGER, ATOM, ANY }; /* the low two bits of a code; ANY is a variable of its own */
#define TAG(c) ((c) & 3)
#define MOST_INTEGER ((int64_t)1 << 60)

enum { COMPOUND, REAL, NUMBER, STRING }; /* NUMBER: the text of one that is neither a small integer nor a float */

typedef struct node {
  struct node *next; /* in its bucket */
  uint64_t hash, uses;
  int kind;
  functor_t functor;
  size_t length; /* of parts, or of the text in bytes */
  code parts[];
} node;

typedef struct {
  int64_t first, last; /* rows; first is -1 where there is none */
  uint64_t hash;
} entry;

typedef struct {
  uint64_t columns; /* a bit for each */
  entry *entries;   /* open hash; its length is mask + 1 */
  uint64_t mask, count;
  int64_t *after, *before; /* of each slot the neighbours of its row, -1 for none */
} column_index;

/* A row is made of an occurrence. */
typedef struct use {
  struct use *next;
  code occurrence;
  int64_t row;
} use;

#define MOST_INDEXES 8
#define INDEXED 64 /* columns behind these are never in an index */
#define WASTE 64   /* rows that were looked at in vain before an index is made */

/* Rows are numbered as they come; row n is in slot n & (room - 1). */
typedef struct store {
  struct engine *engine;
  struct store *next;
  int arity, is_consumed;
  int64_t window; /* microseconds; 0 for none */
  struct group *group;
  struct store *peer; /* the next of the group */
  int64_t first, end, live;
  int64_t young;  /* rows from here on came after the store turned last */
  int64_t marked; /* rows from here on are new to whom changes are told, -1: nobody */
  int64_t dropped;
  record_t *removed;
  int64_t removed_count, removed_room;
  int64_t room;
  code *cells;
  uint8_t *alive;
  int open; /* lookups that may go on */
  int64_t wasted;
  int indexes;
  column_index index[MOST_INDEXES];
  use **uses;
  uint64_t uses_mask, uses_count;
} store;

/* Stores that are emptied together, when an instant begins. */
typedef struct group {
  struct engine *engine;
  struct group *next;
  store *stores;
  code now; /* ANY before the first instant */
} group;

typedef struct {
  int64_t length, until;
} window;

typedef struct engine {
  node **buckets;
  uint64_t mask, nodes;
  store *stores;
  group *groups;
  window *windows;
  int64_t window_count, window_room;
} engine;

static functor_t minus2;
static atom_t row_name;

static uint64_t mixed(uint64_t hash, uint64_t x) {
  hash = (hash ^ x) * 0x9e3779b97f4a7c15ULL;
  return hash ^ hash >> 32;
}

/* ---- codes ------------------------------------------------------------------------------------------- */

static code integer_code(int64_t i) { return (uint64_t)i << 2 | INTEGER; }
static code atom_code(atom_t atom) { return (uint64_t)atom << 2 | ATOM; }
static atom_t atom_of(code c) { return c >> 2; }
static node *node_of(code c) { return (node *)(uintptr_t)c; }

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

static void retain(code c) {
  if (TAG(c) == NODE)
    node_of(c)->uses++;
  else if (TAG(c) == ATOM)
    PL_register_atom(atom_of(c));
}

static void release(engine *e, code c) {
  if (TAG(c) == ATOM) {
    PL_unregister_atom(atom_of(c));
  } else if (TAG(c) == NODE) {
    node *n = node_of(c);
    while (!--n->uses) {
      node **at = e->buckets + (n->hash & e->mask);
      while (*at != n)
        at = &(*at)->next;
      *at = n->next;
      e->nodes--;
      size_t parts = n->kind == COMPOUND ? n->length : 0;
      code last = parts ? n->parts[parts - 1] : ANY; /* a list is as deep as it is long */
      for (size_t i = 0; i + 1 < parts; i++)
        release(e, n->parts[i]);
      free(n);
      if (TAG(last) != NODE) {
        release(e, last);
        break;
      }
      n = node_of(last);
    }
  }
}

enum { FAILED, FOUND, ABSENT, OPEN }; /* ABSENT: no row has it; OPEN: it has variables */

static int node_code(engine *e, int make, int kind, functor_t functor, size_t length, const void *parts, size_t bytes,
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

static int code_of(engine *e, int make, term_t term, code *found);

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

/* The code of a term; with `make` it is the caller's to release. */
static int code_of(engine *e, int make, term_t term, code *found) {
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
    if (make)
      PL_register_atom(atom);
    *found = atom_code(atom);
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

static int unify_code(term_t term, code c) {
  switch (TAG(c)) {
  case ANY:
    return TRUE;
  case INTEGER:
    return PL_unify_int64(term, (int64_t)c >> 2);
  case ATOM:
    return PL_unify_atom(term, atom_of(c));
  }
  const node *n = node_of(c);
  const char *text = (const char *)n->parts;
  term_t part;
  double real;
  switch (n->kind) {
  case REAL:
    memcpy(&real, text, sizeof real);
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

/* ---- rows -------------------------------------------------------------------------------------------- */

static int64_t slot_of(const store *s, int64_t row) { return row & (s->room - 1); }
static code *row_cells(const store *s, int64_t row) { return s->cells + slot_of(s, row) * s->arity; }
static int is_alive(const store *s, int64_t row) { return s->alive[slot_of(s, row)]; }

static uint64_t key_hash(uint64_t columns, const code *cells) {
  uint64_t hash = 0;
  for (; columns; columns &= columns - 1)
    hash = mixed(hash, cells[__builtin_ctzll(columns)]);
  return hash;
}

static int is_key(uint64_t columns, const code *left, const code *right) {
  for (; columns; columns &= columns - 1)
    if (left[__builtin_ctzll(columns)] != right[__builtin_ctzll(columns)])
      return FALSE;
  return TRUE;
}

static entry *entry_of(const store *s, const column_index *x, const code *cells) {
  uint64_t hash = key_hash(x->columns, cells), at = hash & x->mask;
  for (;; at = (at + 1) & x->mask) {
    entry *e = x->entries + at;
    if (e->first < 0) {
      e->hash = hash; /* for whom fills it */
      return e;
    }
    if (e->hash == hash && is_key(x->columns, row_cells(s, e->first), cells))
      return e;
  }
}

static void forget_entry(column_index *x, entry *e) {
  uint64_t hole = e - x->entries, at = hole;
  for (;;) {
    at = (at + 1) & x->mask;
    if (x->entries[at].first < 0)
      break;
    uint64_t home = x->entries[at].hash & x->mask;
    if (((at - home) & x->mask) >= ((at - hole) & x->mask)) {
      x->entries[hole] = x->entries[at];
      hole = at;
    }
  }
  x->entries[hole].first = -1;
  x->count--;
}

static int more_entries(column_index *x) {
  if (x->entries && 2 * x->count <= x->mask)
    return TRUE;
  uint64_t mask = x->entries ? 2 * x->mask + 1 : 15;
  entry *entries = malloc((mask + 1) * sizeof *entries);
  if (!entries)
    return PL_resource_error("memory");
  for (uint64_t i = 0; i <= mask; i++)
    entries[i].first = -1;
  for (uint64_t i = 0; x->entries && i <= x->mask; i++)
    if (x->entries[i].first >= 0) {
      uint64_t at = x->entries[i].hash & mask;
      while (entries[at].first >= 0)
        at = (at + 1) & mask;
      entries[at] = x->entries[i];
    }
  free(x->entries);
  x->entries = entries;
  x->mask = mask;
  return TRUE;
}

/* There is room for one entry more. */
static void link_row(store *s, column_index *x, int64_t row) {
  entry *e = entry_of(s, x, row_cells(s, row));
  int64_t slot = slot_of(s, row);
  x->after[slot] = x->before[slot] = -1;
  if (e->first < 0) {
    e->first = row;
    x->count++;
  } else {
    x->before[slot] = e->last;
    x->after[slot_of(s, e->last)] = row;
  }
  e->last = row;
}

/* Its own neighbours stay known: a lookup may be about to go on from here. */
static void unlink_row(store *s, column_index *x, int64_t row) {
  entry *e = entry_of(s, x, row_cells(s, row));
  int64_t after = x->after[slot_of(s, row)], before = x->before[slot_of(s, row)];
  if (after < 0 && before < 0) {
    forget_entry(x, e);
    return;
  }
  if (before < 0)
    e->first = after;
  else
    x->after[slot_of(s, before)] = after;
  if (after < 0)
    e->last = before;
  else
    x->before[slot_of(s, after)] = before;
}

static void *spread(const store *s, const void *old, int64_t room, size_t size) {
  char *items = malloc(room * size);
  if (!items)
    return NULL;
  for (int64_t row = s->first; row < s->end; row++)
    memcpy(items + (row & (room - 1)) * size, (const char *)old + slot_of(s, row) * size, size);
  return items;
}

static int more_room(store *s) {
  int64_t room = s->room ? 2 * s->room : 16;
  code *cells = spread(s, s->cells, room, (s->arity ? s->arity : 1) * sizeof *cells);
  uint8_t *alive = spread(s, s->alive, room, 1);
  int64_t *links[2 * MOST_INDEXES] = {0};
  int done = cells && alive;
  for (int i = 0; i < s->indexes; i++) {
    links[2 * i] = spread(s, s->index[i].after, room, sizeof(int64_t));
    links[2 * i + 1] = spread(s, s->index[i].before, room, sizeof(int64_t));
    done = done && links[2 * i] && links[2 * i + 1];
  }
  if (!done) {
    free(cells), free(alive);
    for (int i = 0; i < 2 * s->indexes; i++)
      free(links[i]);
    return PL_resource_error("memory");
  }
  free(s->cells), free(s->alive);
  s->cells = cells;
  s->alive = alive;
  for (int i = 0; i < s->indexes; i++) {
    free(s->index[i].after), free(s->index[i].before);
    s->index[i].after = links[2 * i];
    s->index[i].before = links[2 * i + 1];
  }
  s->room = room;
  return TRUE;
}

static use **uses_of(const store *s, code occurrence) { return s->uses + (mixed(0, occurrence) & s->uses_mask); }

/* Rows that are alive are numbered anew, without holes. */
static void close_up(store *s) {
  int64_t first = s->first, next = first, young, marked;
  int64_t *places = malloc((s->end - first) * sizeof *places);
  if (!places)
    return; /* holes are no fault */
  for (int64_t row = first; row < s->end; row++) {
    places[row - first] = next;
    if (is_alive(s, row)) {
      memmove(row_cells(s, next), row_cells(s, row), s->arity * sizeof(code));
      s->alive[slot_of(s, row)] = 0;
      s->alive[slot_of(s, next++)] = 1;
    }
  }
  young = s->young < first ? first : s->young < s->end ? places[s->young - first] : next;
  marked = s->marked < first ? first : s->marked < s->end ? places[s->marked - first] : next;
  s->young = young;
  s->marked = s->marked < 0 ? -1 : marked;
  for (uint64_t i = 0; s->uses && i <= s->uses_mask; i++)
    for (use *u = s->uses[i]; u; u = u->next)
      u->row = places[u->row - first];
  free(places);
  s->end = next;
  for (int i = 0; i < s->indexes; i++) {
    column_index *x = s->index + i;
    for (uint64_t j = 0; j <= x->mask; j++)
      x->entries[j].first = -1;
    x->count = 0;
    for (int64_t row = first; row < next; row++)
      link_row(s, x, row);
  }
}

static void reclaim(store *s) {
  if (s->open)
    return;
  if (!s->live)
    s->first = s->end;
  while (s->first < s->end && !is_alive(s, s->first))
    s->first++;
  if (s->end - s->first > 2 * s->live + 1024)
    close_up(s);
}

/* ---- the occurrences that a row is made of ---------------------------------------------------------------- */

/* The next of a list of occurrences. */
static int next_used(code *list, code *occurrence) {
  if (TAG(*list) != NODE)
    return FALSE;
  const node *n = node_of(*list);
  if (n->kind != COMPOUND || n->length != 2)
    return FALSE;
  *occurrence = n->parts[0];
  *list = n->parts[1];
  return TRUE;
}

static int more_uses(store *s) {
  if (s->uses && s->uses_count <= s->uses_mask)
    return TRUE;
  uint64_t mask = s->uses ? 2 * s->uses_mask + 1 : 15, old = s->uses_mask;
  use **uses = calloc(mask + 1, sizeof *uses), **before = s->uses;
  if (!uses)
    return PL_resource_error("memory");
  s->uses = uses;
  s->uses_mask = mask;
  for (uint64_t i = 0; before && i <= old; i++)
    for (use *u = before[i], *next; u; u = next) {
      next = u->next;
      use **at = uses_of(s, u->occurrence);
      u->next = *at;
      *at = u;
    }
  free(before);
  return TRUE;
}

static void forget_uses(store *s, int64_t row, code list) {
  for (code occurrence; next_used(&list, &occurrence);)
    for (use **at = uses_of(s, occurrence); *at; at = &(*at)->next)
      if ((*at)->row == row && (*at)->occurrence == occurrence) {
        use *gone = *at;
        *at = gone->next;
        free(gone);
        s->uses_count--;
        break;
      }
}

static int add_uses(store *s, int64_t row, code list) {
  code all = list;
  for (code occurrence; next_used(&list, &occurrence); s->uses_count++) {
    use *u = more_uses(s) ? malloc(sizeof *u) : NULL;
    if (!u) {
      if (s->uses)
        forget_uses(s, row, all);
      return PL_resource_error("memory");
    }
    use **at = uses_of(s, occurrence);
    *u = (use){*at, occurrence, row};
    *at = u;
  }
  return TRUE;
}

/* ---- a row comes, a row goes ------------------------------------------------------------------------------- */

static int add_row(store *s, term_t t0) {
  if (s->end - s->first == s->room && !more_room(s))
    return FALSE;
  for (int i = 0; i < s->indexes; i++)
    if (!more_entries(s->index + i))
      return FALSE;
  code *cells = row_cells(s, s->end);
  int known = 0;
  for (; known < s->arity; known++) {
    int is = code_of(s->engine, TRUE, t0 + known, cells + known);
    if (is == OPEN)
      cells[known] = ANY;
    else if (is != FOUND)
      break;
  }
  if (known < s->arity || (s->is_consumed && !add_uses(s, s->end, cells[s->arity - 1]))) {
    while (known--)
      release(s->engine, cells[known]);
    return FALSE;
  }
  for (int i = 0; i < s->indexes; i++)
    link_row(s, s->index + i, s->end);
  s->alive[slot_of(s, s->end++)] = 1;
  s->live++;
  return TRUE;
}

static int unify_row(const store *s, int64_t row, term_t t0, uint64_t known) {
  const code *cells = row_cells(s, row);
  for (int i = 0; i < s->arity; i++)
    if (!(i < INDEXED && known >> i & 1) && !unify_code(t0 + i, cells[i]))
      return FALSE;
  return TRUE;
}

static void forget_row(store *s, int64_t row) {
  code *cells = row_cells(s, row);
  for (int i = 0; i < s->indexes; i++)
    unlink_row(s, s->index + i, row);
  if (s->is_consumed && s->uses)
    forget_uses(s, row, cells[s->arity - 1]);
  for (int i = 0; i < s->arity; i++)
    release(s->engine, cells[i]);
  s->alive[slot_of(s, row)] = 0;
  s->live--;
}

static int row_term(const store *s, int64_t row, term_t term) {
  functor_t functor = PL_new_functor_sz(row_name, s->arity);
  term_t part = PL_new_term_ref();
  if (!part || !PL_unify_compound(term, functor))
    return FALSE;
  for (int i = 0; i < s->arity; i++) {
    _PL_get_arg(i + 1, term, part);
    if (!unify_code(part, row_cells(s, row)[i]))
      return FALSE;
  }
  return TRUE;
}

/* It goes for another reason than its age: who is told of changes is told of that. */
static int remove_row(store *s, int64_t row) {
  if (row < s->marked) {
    fid_t frame = PL_open_foreign_frame();
    term_t term = PL_new_term_ref();
    record_t gone = term && row_term(s, row, term) ? PL_record(term) : 0;
    PL_close_foreign_frame(frame);
    if (!gone)
      return FALSE;
    if (s->removed_count == s->removed_room) {
      int64_t room = s->removed_room ? 2 * s->removed_room : 64;
      record_t *removed = realloc(s->removed, room * sizeof *removed);
      if (!removed) {
        PL_erase(gone);
        return PL_resource_error("memory");
      }
      s->removed = removed;
      s->removed_room = room;
    }
    s->removed[s->removed_count++] = gone;
  }
  forget_row(s, row);
  return TRUE;
}

static void drop_before(store *s, int64_t bound) {
  for (int64_t row = s->first; row < bound; row++)
    if (is_alive(s, row)) {
      s->dropped += row < s->marked;
      forget_row(s, row);
    }
  reclaim(s);
}

/* ---- lookups ------------------------------------------------------------------------------------------- */

typedef struct {
  store *store;
  int64_t at, end; /* the next row; rows before `end` are seen */
  int by, newest;  /* which index, -1 for none */
  uint64_t known;  /* the columns that the index has found */
  uint64_t bound;
} lookup;

static int make_index(store *s, uint64_t columns) {
  if (s->indexes == MOST_INDEXES)
    return -1;
  column_index *x = s->index + s->indexes;
  *x = (column_index){.columns = columns};
  x->after = malloc(s->room * sizeof *x->after);
  x->before = malloc(s->room * sizeof *x->before);
  int made = x->after && x->before;
  for (int64_t row = s->first; made && row < s->end; row++)
    if (is_alive(s, row) && (made = more_entries(x)))
      link_row(s, x, row);
  if (!made || !more_entries(x)) {
    free(x->after), free(x->before), free(x->entries);
    PL_clear_exception();
    return -1; /* it is only slower */
  }
  s->wasted = 0;
  return s->indexes++;
}

static int best_index(const store *s, uint64_t bound) {
  int best = -1;
  for (int i = 0; i < s->indexes; i++) {
    uint64_t columns = s->index[i].columns;
    if (!(columns & ~bound) &&
        (best < 0 || __builtin_popcountll(columns) > __builtin_popcountll(s->index[best].columns)))
      best = i;
  }
  return best;
}

enum { FIRST, NEWEST, NEW };

/* False: no row can be found, or there is an exception. */
static int begin_lookup(store *s, int way, term_t t0, lookup *l) {
  code key[INDEXED];
  uint64_t bound = 0;
  if (!s->live)
    return FALSE;
  for (int i = 0; i < s->arity && i < INDEXED; i++) {
    if (PL_is_variable(t0 + i))
      continue;
    switch (code_of(s->engine, FALSE, t0 + i, key + i)) {
    case FOUND:
      bound |= (uint64_t)1 << i;
      break;
    case OPEN:
      break;
    default:
      return FALSE;
    }
  }
  int by = best_index(s, bound);
  if (bound && (by < 0 || s->index[by].columns != bound) && s->wasted > WASTE + s->live) {
    int made = make_index(s, bound);
    by = made >= 0 ? made : by;
  }
  *l = (lookup){s, way == NEW && s->marked > s->first ? s->marked : s->first, s->end, by, way == NEWEST, 0, bound};
  if (way == NEWEST)
    l->at = s->end - 1;
  if (by >= 0 && way != NEW) {
    const column_index *x = s->index + by;
    const entry *e = entry_of(s, x, key);
    l->known = x->columns;
    l->at = e->first < 0 ? -1 : way == NEWEST ? e->last : e->first;
  } else {
    l->by = -1;
  }
  return TRUE;
}

static void next_alive(lookup *l) {
  const store *s = l->store;
  while (l->at >= s->first && l->at < l->end && !is_alive(s, l->at))
    l->at = l->by >= 0 ? (l->newest ? s->index[l->by].before : s->index[l->by].after)[slot_of(s, l->at)]
                       : l->at + (l->newest ? -1 : 1);
  if (l->at < s->first || l->at >= l->end)
    l->at = -1;
}

static int64_t take(lookup *l) {
  const store *s = l->store;
  next_alive(l);
  int64_t row = l->at;
  if (row >= 0) {
    l->at = l->by >= 0 ? (l->newest ? s->index[l->by].before : s->index[l->by].after)[slot_of(s, row)]
                       : row + (l->newest ? -1 : 1);
    next_alive(l);
  }
  return row;
}

static void *pointer_to(const char *what, term_t term) {
  void *found = NULL;
  if (!PL_get_pointer(term, &found))
    PL_type_error(what, term);
  return found;
}

static store *store_of(term_t term) { return pointer_to("goal_store", term); }
static engine *engine_of(term_t term) { return pointer_to("goal_stores", term); }

/* The columns of a call; they may come as row(Column...), then `arity` is 0. */
static term_t columns_of(const store *s, term_t t0, int arity) {
  if (arity)
    return t0 + 1;
  term_t columns = PL_new_term_refs(s->arity);
  for (int i = 0; columns && i < s->arity; i++)
    if (!PL_get_arg(i + 1, t0 + 1, columns + i)) {
      PL_type_error("row", t0 + 1);
      return 0;
    }
  return columns;
}

static foreign_t done_with(lookup *l, int is_open, foreign_t result) {
  if (is_open) {
    l->store->open--;
    reclaim(l->store);
    free(l);
  }
  return result;
}

static foreign_t looked_up(int way, term_t t0, int arity, control_t control) {
  lookup own, *l = &own;
  store *s;
  int is_open = FALSE, control_is = PL_foreign_control(control);
  if (control_is != PL_FIRST_CALL) {
    l = PL_foreign_context_address(control);
    is_open = TRUE;
    if (control_is == PL_PRUNED)
      return done_with(l, TRUE, TRUE);
    s = l->store;
  } else if (!(s = store_of(t0))) {
    return FALSE;
  }
  term_t columns = columns_of(s, t0, arity);
  if (!columns || (!is_open && !begin_lookup(s, way, columns, l)))
    return done_with(l, is_open, FALSE);
  fid_t frame = PL_open_foreign_frame();
  if (!frame)
    return done_with(l, is_open, FALSE);
  for (int64_t row; (row = take(l)) >= 0;) {
    if (unify_row(s, row, columns, l->known)) {
      PL_close_foreign_frame(frame);
      if (l->at < 0)
        return done_with(l, is_open, TRUE);
      if (!is_open) {
        if (!(l = malloc(sizeof *l)))
          return PL_resource_error("memory");
        *l = own;
        s->open++;
      }
      PL_retry_address(l);
    }
    if (PL_exception(0))
      break;
    s->wasted += l->bound != l->known;
    PL_rewind_foreign_frame(frame);
  }
  PL_close_foreign_frame(frame);
  return done_with(l, is_open, FALSE);
}

/* goals(+Store, ?Column...): in the order in which they came. */
static foreign_t goals(term_t t0, int arity, control_t control) {
  return looked_up(FIRST, t0, arity, control);
}

/* newest_goals(+Store, ?Column...): the other way round. */
static foreign_t newest_goals(term_t t0, int arity, control_t control) {
  return looked_up(NEWEST, t0, arity, control);
}

/* goal_rows(+Store, ?Row) and so on: the same of row(Column...); new_rows: those that came since changes were told. */
static foreign_t goal_rows(term_t t0, int arity, control_t control) { return looked_up(FIRST, t0, 0, control); }
static foreign_t newest_rows(term_t t0, int arity, control_t control) { return looked_up(NEWEST, t0, 0, control); }
static foreign_t new_rows(term_t t0, int arity, control_t control) { return looked_up(NEW, t0, 0, control); }

/* insert_goal(+Store, +Column...) */
static foreign_t insert_goal(term_t t0, int arity, control_t control) {
  store *s = store_of(t0);
  term_t columns = s ? columns_of(s, t0, arity) : 0;
  return columns && add_row(s, columns);
}

/* forget_goal(+Store, +Column...): the first that matches; fails if there is none. */
static foreign_t forget_goal(term_t t0, int arity, control_t control) {
  store *s = store_of(t0);
  term_t columns;
  lookup l;
  if (!s || !(columns = columns_of(s, t0, arity)) || !begin_lookup(s, FIRST, columns, &l))
    return FALSE;
  fid_t frame = PL_open_foreign_frame();
  if (!frame)
    return FALSE;
  int done = FALSE;
  for (int64_t row; !done && (row = take(&l)) >= 0; s->wasted += l.bound != l.known) {
    if (unify_row(s, row, columns, l.known))
      done = remove_row(s, row);
    PL_rewind_foreign_frame(frame);
    if (PL_exception(0))
      break;
  }
  PL_close_foreign_frame(frame);
  reclaim(s);
  return done;
}

static foreign_t insert_row(term_t t0, int arity, control_t control) { return insert_goal(t0, 0, control); }
static foreign_t forget_one_row(term_t t0, int arity, control_t control) { return forget_goal(t0, 0, control); }

/* ---- stores and engines ---------------------------------------------------------------------------------- */

static void forget_instant(group *g) {
  release(g->engine, g->now);
  g->now = ANY;
  for (store *s = g->stores; s; s = s->peer)
    if (s->live)
      drop_before(s, s->end);
}

/* forget_goals(+Store) */
static foreign_t forget_goals(term_t t0, int arity, control_t control) {
  store *s = store_of(t0);
  if (!s)
    return FALSE;
  if (s->group)
    forget_instant(s->group);
  else if (s->live)
    drop_before(s, s->end);
  return TRUE;
}

/* begin_group_instant(+Group, +Time): forget what is of another instant. */
static foreign_t begin_group_instant(term_t t0, int arity, control_t control) {
  group *g = pointer_to("goal_group", t0);
  code now;
  if (!g)
    return FALSE;
  int is = code_of(g->engine, TRUE, t0 + 1, &now);
  if (is != FOUND)
    return is == OPEN ? PL_instantiation_error(t0 + 1) : FALSE;
  if (now == g->now) {
    release(g->engine, now);
  } else {
    forget_instant(g);
    g->now = now;
  }
  return TRUE;
}

/* consume(+Store, +Occurrence): forget what is made of it. */
static foreign_t consume(term_t t0, int arity, control_t control) {
  store *s = store_of(t0);
  code occurrence;
  if (!s)
    return FALSE;
  if (!s->uses)
    return TRUE;
  int is = code_of(s->engine, FALSE, t0 + 1, &occurrence);
  if (is != FOUND)
    return is == ABSENT;
  for (use *u = *uses_of(s, occurrence); u;) {
    if (u->occurrence != occurrence) {
      u = u->next;
      continue;
    }
    if (!remove_row(s, u->row)) /* its uses go with it, and maybe the occurrence */
      return FALSE;
    if (!s->uses_count)
      break;
    u = *uses_of(s, occurrence);
  }
  reclaim(s);
  return TRUE;
}

/* new_goal_stores(-Engine) */
static foreign_t new_goal_stores(term_t t0, int arity, control_t control) {
  engine *e = calloc(1, sizeof *e);
  if (!e || !(e->buckets = calloc(64, sizeof *e->buckets))) {
    free(e);
    return PL_resource_error("memory");
  }
  e->mask = 63;
  return PL_unify_pointer(t0, e);
}

static int add_window(engine *e, int64_t length) {
  for (int64_t i = 0; i < e->window_count; i++)
    if (e->windows[i].length == length)
      return TRUE;
  if (e->window_count == e->window_room) {
    int64_t room = e->window_room ? 2 * e->window_room : 8;
    window *windows = realloc(e->windows, room * sizeof *windows);
    if (!windows)
      return PL_resource_error("memory");
    e->windows = windows;
    e->window_room = room;
  }
  e->windows[e->window_count++] = (window){length, INT64_MIN};
  return TRUE;
}

/* new_goal_group(+Engine, -Group): of stores that are emptied when an instant begins. */
static foreign_t new_goal_group(term_t t0, int arity, control_t control) {
  engine *e = engine_of(t0);
  if (!e)
    return FALSE;
  group *g = malloc(sizeof *g);
  if (!g)
    return PL_resource_error("memory");
  *g = (group){e, e->groups, NULL, ANY};
  e->groups = g;
  return PL_unify_pointer(t0 + 1, g);
}

/* new_goal_store(+Engine, +Arity, +Window, +Group, +IsConsumed, -Store): Window and Group are 0 for none. */
static foreign_t new_goal_store(term_t t0, int arity, control_t control) {
  engine *e = engine_of(t0);
  int columns, is_consumed;
  int64_t length, none;
  if (!e || !PL_get_integer_ex(t0 + 1, &columns) || !PL_get_int64_ex(t0 + 2, &length) ||
      !PL_get_bool_ex(t0 + 4, &is_consumed))
    return FALSE;
  group *g = PL_get_int64(t0 + 3, &none) && !none ? NULL : pointer_to("goal_group", t0 + 3);
  if (PL_exception(0))
    return FALSE;
  if (length && !add_window(e, length))
    return FALSE;
  store *s = calloc(1, sizeof *s);
  if (!s)
    return PL_resource_error("memory");
  *s = (store){.engine = e, .next = e->stores, .group = g, .arity = columns, .window = length, .marked = -1};
  s->is_consumed = is_consumed;
  e->stores = s;
  if (g) {
    s->peer = g->stores;
    g->stores = s;
  }
  return PL_unify_pointer(t0 + 5, s);
}

static void forget_changes(store *s) {
  while (s->removed_count)
    PL_erase(s->removed[--s->removed_count]);
  s->dropped = 0;
}

/* delete_goal_stores(+Engine) */
static foreign_t delete_goal_stores(term_t t0, int arity, control_t control) {
  engine *e = engine_of(t0);
  if (!e)
    return FALSE;
  for (group *g = e->groups, *next; g; g = next) {
    next = g->next;
    release(e, g->now);
    free(g);
  }
  for (store *s = e->stores, *next; s; s = next) {
    next = s->next;
    for (int64_t row = s->first; row < s->end; row++)
      if (is_alive(s, row))
        for (int i = 0; i < s->arity; i++)
          release(e, row_cells(s, row)[i]);
    for (int i = 0; i < s->indexes; i++)
      free(s->index[i].entries), free(s->index[i].after), free(s->index[i].before);
    for (uint64_t i = 0; s->uses && i <= s->uses_mask; i++)
      for (use *u = s->uses[i], *other; u; u = other)
        other = u->next, free(u);
    forget_changes(s);
    free(s->cells), free(s->alive), free(s->uses), free(s->removed), free(s);
  }
  free(e->buckets), free(e->windows), free(e);
  return TRUE;
}

static int64_t later(int64_t time, int64_t length) {
  int64_t sum;
  return __builtin_add_overflow(time, length, &sum) ? INT64_MAX : sum;
}

/* turn_goals(+Engine, +Time, -Next): forget the goals that are out of their window at Time; Next is when to look again.
   Fails without windows. Where time is beyond 64 bits, nothing is forgotten. */
static foreign_t turn_goals(term_t t0, int arity, control_t control) {
  engine *e = engine_of(t0);
  int64_t time, next = INT64_MAX;
  if (!e)
    return FALSE;
  if (!e->window_count || !PL_get_int64(t0 + 1, &time))
    return FALSE;
  for (int64_t i = 0; i < e->window_count; i++) {
    window *w = e->windows + i;
    if (w->until <= time) {
      w->until = later(time, w->length);
      for (store *s = e->stores; s; s = s->next)
        if (s->window == w->length) {
          drop_before(s, s->young);
          s->young = s->end;
        }
    }
    next = w->until < next ? w->until : next;
  }
  return PL_unify_int64(t0 + 2, next);
}

/* goal_turns(+Engine, -Turns): Turns lists Window-Until. */
static foreign_t goal_turns(term_t t0, int arity, control_t control) {
  engine *e = engine_of(t0);
  term_t tail = PL_copy_term_ref(t0 + 1), head = PL_new_term_ref();
  if (!e || !tail || !head)
    return FALSE;
  for (int64_t i = 0; i < e->window_count; i++)
    if (!PL_unify_list(tail, head, tail) ||
        !PL_unify_term(head, PL_FUNCTOR, minus2, PL_INT64, e->windows[i].length, PL_INT64, e->windows[i].until))
      return FALSE;
  return PL_unify_nil(tail);
}

/* set_goal_turn(+Engine, +Window, +Until) */
static foreign_t set_goal_turn(term_t t0, int arity, control_t control) {
  engine *e = engine_of(t0);
  int64_t length, until;
  if (!e || !PL_get_int64_ex(t0 + 1, &length) || !PL_get_int64_ex(t0 + 2, &until))
    return FALSE;
  for (int64_t i = 0; i < e->window_count; i++)
    if (e->windows[i].length == length) {
      e->windows[i].until = until;
      return TRUE;
    }
  return FALSE;
}

/* goal_count(+Store, -Count) */
static foreign_t goal_count(term_t t0, int arity, control_t control) {
  store *s = store_of(t0);
  return s && PL_unify_int64(t0 + 1, s->live);
}

/* young_goals(+Store, -Count): how many came since the store turned. */
static foreign_t young_goals(term_t t0, int arity, control_t control) {
  store *s = store_of(t0);
  int64_t count = 0;
  if (!s)
    return FALSE;
  for (int64_t row = s->young > s->first ? s->young : s->first; row < s->end; row++)
    count += is_alive(s, row);
  return PL_unify_int64(t0 + 1, count);
}

/* set_young_goals(+Store, +Count) */
static foreign_t set_young_goals(term_t t0, int arity, control_t control) {
  store *s = store_of(t0);
  int64_t count;
  if (!s || !PL_get_int64_ex(t0 + 1, &count))
    return FALSE;
  for (s->young = s->end; s->young > s->first && count; s->young--)
    count -= is_alive(s, s->young - 1);
  return TRUE;
}

/* drop_goals(+Store, +Count): the oldest. */
static foreign_t drop_goals(term_t t0, int arity, control_t control) {
  store *s = store_of(t0);
  int64_t count, bound;
  if (!s || !PL_get_int64_ex(t0 + 1, &count))
    return FALSE;
  for (bound = s->first; bound < s->end && count; bound++)
    count -= is_alive(s, bound);
  drop_before(s, bound);
  return !count;
}

/* mark_goals(+Store): what changes from now on is told by changed_goals/3 and new_goals. */
static foreign_t mark_goals(term_t t0, int arity, control_t control) {
  store *s = store_of(t0);
  if (!s)
    return FALSE;
  forget_changes(s);
  s->marked = s->end;
  return TRUE;
}

/* changed_goals(+Store, -Dropped, -Removed): so many of the goals that there were went from the old end; Removed lists
   row(Column...) of others that went. */
static foreign_t changed_goals(term_t t0, int arity, control_t control) {
  store *s = store_of(t0);
  term_t tail = PL_copy_term_ref(t0 + 2), head = PL_new_term_ref(), gone = PL_new_term_ref();
  if (!s || !tail || !head || !gone || !PL_unify_int64(t0 + 1, s->dropped))
    return FALSE;
  for (int64_t i = 0; i < s->removed_count; i++)
    if (!PL_unify_list(tail, head, tail) || !PL_recorded(s->removed[i], gone) || !PL_unify(head, gone))
      return FALSE;
  return PL_unify_nil(tail);
}

static void add_predicate(const char *name, int arity, foreign_t (*function)(term_t, int, control_t), int more) {
  PL_register_foreign_in_module("etalis_goals", name, arity, (pl_function_t)function, PL_FA_VARARGS | more);
}

void install_goals(void) {
  minus2 = PL_new_functor(PL_new_atom("-"), 2);
  row_name = PL_new_atom("row");
  for (int columns = 0; columns <= MOST_COLUMNS; columns++) {
    add_predicate("goals", columns + 1, goals, PL_FA_NONDETERMINISTIC);
    add_predicate("newest_goals", columns + 1, newest_goals, PL_FA_NONDETERMINISTIC);
    add_predicate("insert_goal", columns + 1, insert_goal, 0);
    add_predicate("forget_goal", columns + 1, forget_goal, 0);
  }
  add_predicate("goal_rows", 2, goal_rows, PL_FA_NONDETERMINISTIC);
  add_predicate("newest_rows", 2, newest_rows, PL_FA_NONDETERMINISTIC);
  add_predicate("new_rows", 2, new_rows, PL_FA_NONDETERMINISTIC);
  add_predicate("insert_row", 2, insert_row, 0);
  add_predicate("forget_row", 2, forget_one_row, 0);
  add_predicate("forget_goals", 1, forget_goals, 0);
  add_predicate("consume", 2, consume, 0);
  add_predicate("new_goal_stores", 1, new_goal_stores, 0);
  add_predicate("new_goal_group", 2, new_goal_group, 0);
  add_predicate("new_goal_store", 6, new_goal_store, 0);
  add_predicate("delete_goal_stores", 1, delete_goal_stores, 0);
  add_predicate("begin_group_instant", 2, begin_group_instant, 0);
  add_predicate("turn_goals", 3, turn_goals, 0);
  add_predicate("goal_turns", 2, goal_turns, 0);
  add_predicate("set_goal_turn", 3, set_goal_turn, 0);
  add_predicate("goal_count", 2, goal_count, 0);
  add_predicate("young_goals", 2, young_goals, 0);
  add_predicate("set_young_goals", 2, set_young_goals, 0);
  add_predicate("drop_goals", 2, drop_goals, 0);
  add_predicate("mark_goals", 1, mark_goals, 0);
  add_predicate("changed_goals", 3, changed_goals, 0);
}
