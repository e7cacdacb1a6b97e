/*  Stores of goals: rows of codes in the order in which they came.

    Rows are found by whatever columns are known when they are looked for; where that takes long, an index of these
    columns is made; where rows came in the order of a column, such as a time, they are its index. A lookup sees the rows
    that were there when it began. Old rows go from the front.
*/

#include "lookup.h"

/* ---- rows -------------------------------------------------------------------------------------------- */

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

static int is_in_order(const column_index *x, code cell) { return TAG(cell) == TAG_INTEGER && (int64_t)cell >= x->most; }

/* False: there is no memory. */
static int move_entries(column_index *x, uint64_t mask) {
  entry *entries = malloc((mask + 1) * sizeof *entries);
  if (!entries)
    return FALSE;
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

static int widen_entries(store *s, column_index *x) {
  if (!move_entries(x, x->entries ? 2 * x->mask + 1 : 15))
    return PL_resource_error("memory");
  s->engine->grown += x->mask + 1 == LARGE;
  return TRUE;
}

/* Room for one entry more. */
static inline int more_entries(store *s, column_index *x) {
  return (x->entries && 4 * x->count <= 3 * x->mask) || widen_entries(s, x);
}

/* There is room for it. */
static void link_row(store *s, column_index *x, int64_t row) {
  code first = row_cells(s, row)[x->first];
  if (TAG(first) == TAG_INTEGER && (int64_t)first > x->most)
    x->most = (int64_t)first;
  if (x->in_order)
    return;
  entry *e = entry_of(s, x, row_cells(s, row));
  neighbours *links = x->links + slot_of(s, row);
  *links = (neighbours){-1, -1};
  if (e->first < 0) {
    e->first = near_of(row);
    x->count++;
  } else {
    links->before = e->last;
    x->links[slot_of(s, e->last)].after = near_of(row);
  }
  e->last = near_of(row);
}

/* Its own neighbours stay known: a lookup may be about to go on from here. */
static void unlink_row(store *s, column_index *x, int64_t row) {
  if (x->in_order)
    return;
  entry *e = entry_of(s, x, row_cells(s, row));
  neighbours own = x->links[slot_of(s, row)];
  if (own.after < 0 && own.before < 0) {
    forget_entry(x, e);
    return;
  }
  if (own.before < 0)
    e->first = own.after;
  else
    x->links[slot_of(s, own.before)].after = own.after;
  if (own.after < 0)
    e->last = own.before;
  else
    x->links[slot_of(s, own.after)].before = own.before;
}

/* All rows have entries. */
static int link_rows(store *s, column_index *x) {
  if (!(x->links = malloc(s->room * sizeof *x->links)))
    return PL_resource_error("memory");
  int done = more_entries(s, x);
  for (int64_t row = s->first; done && row < s->end; row++)
    if (is_alive(s, row) && (done = more_entries(s, x)))
      link_row(s, x, row);
  if (!done || !(done = more_entries(s, x))) {
    free(x->links), free(x->entries);
    x->links = NULL, x->entries = NULL;
    x->count = x->mask = 0;
  }
  return done;
}

/* Room for a row in an index. */
static int expect_row(store *s, column_index *x, const code *cells) {
  if (!x->in_order)
    return more_entries(s, x);
  if (is_in_order(x, cells[x->first]))
    return TRUE;
  x->in_order = FALSE;
  if (link_rows(s, x))
    return TRUE;
  x->in_order = TRUE;
  return FALSE;
}

static void *spread(const store *s, const void *old, int64_t room, size_t size) {
  char *items = malloc(room * size);
  if (!items)
    return NULL;
  for (int64_t row = s->first; row < s->end; row++)
    memcpy(items + (row & (room - 1)) * size, (const char *)old + slot_of(s, row) * size, size);
  return items;
}

/* False: there is no memory. */
static int move_rows(store *s, int64_t room) {
  code *cells = spread(s, s->cells, room, (s->arity ? s->arity : 1) * sizeof *cells);
  uint8_t *alive = spread(s, s->alive, room, 1);
  neighbours *links[MOST_INDEXES];
  int done = cells && alive;
  for (int i = 0; i < s->indexes; i++) {
    int in_order = s->index[i].in_order;
    links[i] = in_order ? NULL : spread(s, s->index[i].links, room, sizeof *links[i]);
    done = done && (in_order || links[i]);
  }
  if (!done) {
    free(cells), free(alive);
    for (int i = 0; i < s->indexes; i++)
      free(links[i]);
    return FALSE;
  }
  free(s->cells), free(s->alive);
  s->cells = cells;
  s->alive = alive;
  for (int i = 0; i < s->indexes; i++) {
    free(s->index[i].links);
    s->index[i].links = links[i];
  }
  s->room = room;
  return TRUE;
}

static int more_room(store *s) {
  int64_t room = s->room ? 2 * s->room : 16;
  return (room <= MOST_ROWS && move_rows(s, room)) || PL_resource_error("memory");
}

static int has_spare_room(const store *s) { return s->room > LEAST_ROOM && 8 * (s->end - s->first) < s->room; }

/* Half of it; false where there is no memory to move rows, which is no fault. */
static int give_back_half(store *s) {
  if (!move_rows(s, s->room / 2))
    return FALSE;
  for (int i = 0; i < s->indexes; i++)
    if (s->index[i].entries && (int64_t)s->index[i].mask >= 2 * s->room)
      move_entries(s->index + i, 2 * s->room - 1);
  if (!s->live)
    give_back_times(s);
  if (!s->live && s->use_room) {
    free(s->uses), free(s->use_buckets);
    s->uses = NULL, s->use_buckets = NULL;
    s->use_room = 0;
  }
  return TRUE;
}

void give_back_room(store *s) {
  while (!s->open && has_spare_room(s) && give_back_half(s))
    ;
}

/* The number of a row that was in between, or behind all, by its places from the first on; `end` is behind all now. */
static int64_t place_now(const store *s, const int64_t *places, int64_t end, int64_t row) {
  return row < s->first ? s->first : row < s->end ? places[row - s->first] : end;
}

/* Rows that are alive are numbered anew, without holes. */
static void close_up(store *s) {
  int64_t first = s->first, next = first;
  int64_t *places = malloc((s->end - first) * sizeof *places);
  if (!places)
    return; /* holes are no fault */
  for (int64_t row = first; row < s->end; row++) {
    places[row - first] = next;
    if (is_alive(s, row)) {
      memmove(row_cells(s, next), row_cells(s, row), s->arity * sizeof(code));
      uint8_t is = s->alive[slot_of(s, row)];
      s->alive[slot_of(s, row)] = GONE;
      s->alive[slot_of(s, next++)] = is;
    }
  }
  for (int i = 0; i < TURNS; i++)
    s->young[i] = place_now(s, places, next, s->young[i]);
  s->marked = s->marked < 0 ? -1 : place_now(s, places, next, s->marked);
  for (int64_t i = 0; i < s->use_room; i++)
    if (s->uses[i].occurrence)
      s->uses[i].row = places[s->uses[i].row - first];
  free(places);
  s->end = next;
  for (int i = 0; i < s->indexes; i++) {
    column_index *x = s->index + i;
    for (uint64_t j = 0; x->entries && j <= x->mask; j++)
      x->entries[j].first = -1;
    x->count = 0;
    for (int64_t row = first; row < next; row++)
      link_row(s, x, row);
  }
  time_anew(s);
}

void reclaim(store *s) {
  if (s->open)
    return;
  if (!s->live)
    s->first = s->end;
  while (s->first < s->end && !is_alive(s, s->first))
    s->first++;
  if (s->end - s->first > 2 * s->live + 1024)
    close_up(s);
  if (has_spare_room(s))
    give_back_half(s); /* by and by: as many may come again */
}

/* ---- the occurrences that a row is made of ---------------------------------------------------------------- */

int next_occurrence(code *set, code *occurrence) {
  if (!has_parts(*set))
    return FALSE;
  const node *n = node_of(*set);
  if (n->kind == SINGLE) {
    *occurrence = *set;
    *set = nil;
    return TRUE;
  }
  if (n->functor != pair || !has_parts(n->parts[0]))
    return FALSE;
  *occurrence = n->parts[0];
  *set = n->parts[1];
  return TRUE;
}

static int32_t *bucket_of(const store *s, uint64_t hash) { return s->use_buckets + (hash & (s->use_room - 1)); }

static int is_same_occurrence(code a, code b) {
  const node *left = node_of(a), *right = node_of(b);
  return left == right || (left->hash == right->hash && left->functor == right->functor &&
                           !memcmp(left->parts, right->parts, left->length * sizeof(code)));
}

/* Where it is said what is made of an occurrence, in this row if `row` is not below 0: a place of -1 if there is nothing. */
static int32_t *find_use(const store *s, code occurrence, int64_t row) {
  uint64_t hash = node_of(occurrence)->hash;
  int32_t *at = bucket_of(s, hash);
  for (const use *u; *at >= 0; at = &s->uses[*at].next)
    if ((u = s->uses + *at)->hash == (uint32_t)hash && (row < 0 || u->row == row) &&
        is_same_occurrence(u->occurrence, occurrence))
      break;
  return at;
}

static void put_use(store *s, int32_t place, code occurrence, int64_t row, uint32_t hash) {
  int32_t *bucket = bucket_of(s, hash);
  s->uses[place] = (use){occurrence, row, hash, *bucket};
  *bucket = place;
}

static int more_uses(store *s) {
  if (s->use_room && s->free_use >= 0)
    return TRUE;
  int64_t old = s->use_room, room = old ? 2 * old : 16;
  if (room > MOST_ROWS)
    return PL_resource_error("memory");
  use *uses = realloc(s->uses, room * sizeof *uses);
  if (!uses)
    return PL_resource_error("memory");
  s->uses = uses;
  int32_t *buckets = malloc(room * sizeof *buckets);
  if (!buckets)
    return PL_resource_error("memory");
  free(s->use_buckets);
  s->use_buckets = buckets;
  s->use_room = room;
  memset(buckets, -1, room * sizeof *buckets);
  for (int64_t i = 0; i < old; i++)
    put_use(s, i, uses[i].occurrence, uses[i].row, uses[i].hash);
  for (int64_t i = old; i < room; i++)
    uses[i] = (use){.next = i + 1 < room ? i + 1 : -1};
  s->free_use = old;
  return TRUE;
}

static void forget_use(store *s, int32_t *at) {
  int32_t place = *at;
  if (place < 0)
    return;
  *at = s->uses[place].next;
  s->uses[place] = (use){.next = s->free_use};
  s->free_use = place;
}

static void forget_uses(store *s, int64_t row, code set) {
  for (code occurrence; next_occurrence(&set, &occurrence);)
    forget_use(s, find_use(s, occurrence, row));
}

static int add_uses(store *s, int64_t row, code set) {
  code all = set;
  for (code occurrence; next_occurrence(&set, &occurrence);) {
    if (!more_uses(s)) {
      if (s->use_room)
        forget_uses(s, row, all);
      return FALSE;
    }
    int32_t place = s->free_use;
    s->free_use = s->uses[place].next;
    put_use(s, place, occurrence, row, node_of(occurrence)->hash);
  }
  return TRUE;
}

int consume_code(store *s, code occurrence) {
  for (int64_t place; s->use_room && (place = *find_use(s, occurrence, -1)) >= 0;)
    if (!remove_row(s, s->uses[place].row)) /* its uses go with it */
      return FALSE;
  reclaim(s);
  return TRUE;
}

/* ---- a row comes, a row goes ------------------------------------------------------------------------------- */

static int put_row(store *s, const code *cells, enum row_state is) {
  if (s->end - s->first == s->room && !more_room(s))
    return FALSE;
  for (int i = 0; i < s->indexes; i++)
    if (!expect_row(s, s->index + i, cells))
      return FALSE;
  if (s->ordered_by >= 0 && !expect_time(s, cells[s->ordered_by]))
    return FALSE;
  if (s->is_consumed && !add_uses(s, s->end, cells[s->arity - 1]))
    return FALSE;
  memcpy(row_cells(s, s->end), cells, s->arity * sizeof *cells);
  for (int i = 0; i < s->indexes; i++)
    link_row(s, s->index + i, s->end);
  s->alive[slot_of(s, s->end++)] = is;
  s->live++;
  if (s->ordered_by >= 0)
    note_time(s, s->end - 1);
  if (s->steps && is_earliest(s, s->end - 1))
    bring_forward(s->engine, s->steps);
  return TRUE;
}

int add_row(store *s, const code *cells) { return put_row(s, cells, HELD); }

int lend_row(store *s, const code *cells) {
  group *g = s->group;
  if (!g->is_lent) {
    g->is_lent = TRUE;
    g->lent = g->engine->lent;
    g->engine->lent = g;
  }
  return put_row(s, cells, LENT);
}

void end_lending(engine *e) {
  for (group *g; (g = e->lent); e->lent = g->lent) {
    forget_instant(g);
    g->is_lent = FALSE;
  }
}

static void forget_row(store *s, int64_t row) {
  code *cells = row_cells(s, row);
  for (int i = 0; i < s->indexes; i++)
    unlink_row(s, s->index + i, row);
  if (s->is_consumed && s->use_room)
    forget_uses(s, row, cells[s->arity - 1]);
  uint8_t *is = s->alive + slot_of(s, row);
  for (int i = 0, held = *is == HELD ? s->arity : 0; i < held; i++)
    release_later(s->engine, cells[i]);
  *is = GONE;
  s->live--;
}

static int row_term(const store *s, int64_t row, term_t term) {
  static atom_t name;
  if (!name)
    name = PL_new_atom("row");
  functor_t functor = PL_new_functor_sz(name, s->arity);
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
int remove_row(store *s, int64_t row) {
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

void drop_before(store *s, int64_t bound) {
  for (int64_t row = s->first; row < bound; row++)
    if (is_alive(s, row)) {
      s->dropped += row < s->marked;
      forget_row(s, row);
    }
  reclaim(s);
}

/* Nothing but the store speaks of its rows. */
static int is_plain(const store *s) {
  return !s->indexes && !s->is_consumed && s->ordered_by < 0 && s->marked < 0 && !s->open;
}

static void forget_plain_rows(store *s) {
  for (int64_t row = s->first; row < s->end; row++) {
    uint8_t *is = s->alive + slot_of(s, row);
    for (int i = 0; i < s->arity && *is == HELD; i++)
      release_later(s->engine, row_cells(s, row)[i]);
    *is = GONE;
  }
  s->first = s->end;
  s->live = 0;
}

void forget_instant(group *g) {
  release(g->engine, g->now);
  g->now = TAG_ANY;
  for (store *s = g->stores; s; s = s->peer)
    if (s->live && is_plain(s))
      forget_plain_rows(s);
    else if (s->live)
      drop_before(s, s->end);
}

int64_t store_bytes(const store *s) {
  int64_t bytes = sizeof *s + s->room * ((s->arity ? s->arity : 1) * sizeof *s->cells + sizeof *s->alive);
  bytes += s->use_room * (sizeof *s->uses + sizeof *s->use_buckets);
  bytes += s->timed_room * sizeof *s->timed + s->removed_room * sizeof *s->removed;
  for (const column_index *x = s->index; x < s->index + s->indexes; x++) {
    bytes += x->entries ? (x->mask + 1) * sizeof *x->entries : 0;
    bytes += x->links ? s->room * sizeof *x->links : 0;
  }
  return bytes;
}

/* ---- lookups ------------------------------------------------------------------------------------------- */

/* Also of those that have gone: they are looked at. */
static int came_in_order(const store *s, column_index *x) {
  int64_t row = s->first;
  if (x->columns & (x->columns - 1))
    return FALSE;
  for (; row < s->end && is_in_order(x, row_cells(s, row)[x->first]); row++)
    x->most = (int64_t)row_cells(s, row)[x->first];
  return row == s->end;
}

static int make_index(store *s, uint64_t columns) {
  if (s->indexes == MOST_INDEXES)
    return -1;
  column_index *x = s->index + s->indexes;
  *x = (column_index){.columns = columns, .first = __builtin_ctzll(columns), .most = INT64_MIN};
  x->in_order = came_in_order(s, x);
  if (!x->in_order && !link_rows(s, x)) {
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

int choose_index(store *s, uint64_t bound) {
  int by = best_index(s, bound);
  if (bound && (by < 0 || s->index[by].columns != bound) && s->wasted > WASTE + s->live) {
    int made = make_index(s, bound);
    by = made >= 0 ? made : by;
  }
  int at = place_of_asked(bound);
  s->asked[at] = by >= 0 && s->index[by].columns == bound ? bound : 0;
  s->asked_index[at] = by;
  return by;
}

/* ---- lives ---------------------------------------------------------------------------------------------- */

#define BEFORE_ALL_LIVES (-((int64_t)1 << 60)) /* as FOREVER in compiler/algebra/stream_windows.py */

/* The columns by which rows are found that have all of `columns`: those of an index that others need, unless it does not do. */
static uint64_t found_by(const store *s, uint64_t columns) {
  int by = best_index(s, columns);
  return s->wasted > 2 * (WASTE + s->live) ? columns : by < 0 ? 0 : s->index[by].columns;
}

/* The row that has the first `count` columns, -1 for none. */
static int64_t row_with(store *s, const code *cells, int count) {
  lookup l;
  uint64_t columns = count < INDEXED ? ((uint64_t)1 << count) - 1 : UINT64_MAX;
  if (!begin_lookup(s, FIRST, found_by(s, columns), cells, &l))
    return -1;
  for (int64_t row; (row = take(&l)) >= 0; s->wasted += l.known != columns)
    if (!memcmp(row_cells(s, row), cells, count * sizeof *cells))
      return row;
  return -1;
}

/* The last columns are until when something lives, and since when. It has one life, which goes on where another touches it; they
   come in the order of their beginnings. `least`: what lives with it does so anew if its own life began then or later. */
enum renewal renew_life(store *s, code *cells, code *least) {
  int until = s->arity - 2, since = s->arity - 1;
  int64_t row = row_with(s, cells, until);
  enum renewal is = BEGINS;
  *least = integer_code(BEFORE_ALL_LIVES);
  if (row >= 0) {
    const code *old = row_cells(s, row);
    int order = compare_codes(old[until], cells[since]), longer = compare_codes(cells[until], old[until]);
    is = order > 0 ? HAD_BEGUN : BEGINS;
    if (is == HAD_BEGUN && longer <= 0)
      return HAD_BEGUN;
    if (!order)
      *least = cells[since];
    if (order >= 0)
      cells[since] = old[since];
    if (longer < 0)
      cells[until] = old[until];
  }
  if (!add_row(s, cells))
    return NOT_KEPT;
  for (int i = 0; i < s->arity; i++)
    retain(cells[i]);
  if (row >= 0 && !remove_row(s, row))
    return NOT_KEPT;
  if (row >= 0)
    reclaim(s);
  return is;
}
