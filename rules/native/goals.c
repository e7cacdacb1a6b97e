/*  The predicates that rules and the run-time library use stores by (rules/stores/goal_store.pl). */

#include "lookup.h"

static functor_t minus2;

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

static int unify_row(const store *s, int64_t row, term_t t0, uint64_t known) {
  const code *cells = row_cells(s, row);
  for (int i = 0; i < s->arity; i++)
    if (!(i < INDEXED && known >> i & 1) && !unify_code(t0 + i, cells[i]))
      return FALSE;
  return TRUE;
}

static int begin(store *s, int way, term_t columns, lookup *l) {
  code key[INDEXED];
  uint64_t bound = 0;
  for (int i = 0; s->live && i < s->arity && i < INDEXED; i++) {
    int is = PL_is_variable(columns + i) ? OPEN : code_of(s->engine, FALSE, columns + i, key + i);
    if (is == FAILED || is == ABSENT)
      return FALSE;
    bound |= (uint64_t)(is == FOUND) << i;
  }
  return begin_lookup(s, way, bound, key, l);
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
  if (!columns || (!is_open && !begin(s, way, columns, l)))
    return done_with(l, is_open, FALSE);
  fid_t frame = PL_open_foreign_frame();
  if (!frame)
    return done_with(l, is_open, FALSE);
  for (int64_t row; (row = take(l)) >= 0;) {
    if (unify_row(s, row, columns, l->known)) {
      PL_close_foreign_frame(frame);
      if (!is_more(l))
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
  code few[16], *cells = few;
  if (!columns)
    return FALSE;
  if (s->arity > 16 && !(cells = malloc(s->arity * sizeof *cells)))
    return PL_resource_error("memory");
  int known = 0, is = FOUND;
  while (known < s->arity && (is = code_of(s->engine, TRUE, columns + known, cells + known)) == FOUND)
    known++;
  if (is == OPEN)
    PL_instantiation_error(columns + known);
  int done = is == FOUND && add_row(s, cells);
  while (!done && known)
    release(s->engine, cells[--known]);
  if (cells != few)
    free(cells);
  return done;
}

/* renew_goal(+Store, +Column..., -Least): the last columns are until when it lives, and since when; fails where it lived already
   (goal_store.pl). */
static foreign_t renew_goal(term_t t0, int arity, control_t control) {
  store *s = store_of(t0);
  term_t columns = s ? columns_of(s, t0, arity ? arity - 1 : 0) : 0;
  if (!columns)
    return FALSE;
  code cells[s->arity], least;
  int known = 0, is = FOUND;
  while (known < s->arity && (is = code_of(s->engine, TRUE, columns + known, cells + known)) == FOUND)
    known++;
  if (is == OPEN)
    PL_instantiation_error(columns + known);
  enum renewal found = NOT_KEPT;
  if (is == FOUND) {
    code all[s->arity];
    memcpy(all, cells, sizeof all);
    found = renew_life(s, all, &least);
  }
  int done = found == BEGINS && unify_code(t0 + (arity ? arity - 1 : 2), least);
  while (known)
    release(s->engine, cells[--known]);
  return done;
}

/* forget_goal(+Store, +Column...): the first that matches; fails if there is none. */
static foreign_t forget_goal(term_t t0, int arity, control_t control) {
  store *s = store_of(t0);
  term_t columns;
  lookup l;
  if (!s || !(columns = columns_of(s, t0, arity)) || !begin(s, FIRST, columns, &l))
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
static foreign_t renew_row(term_t t0, int arity, control_t control) { return renew_goal(t0, 0, control); }
static foreign_t forget_one_row(term_t t0, int arity, control_t control) { return forget_goal(t0, 0, control); }

/* ---- stores and engines ---------------------------------------------------------------------------------- */

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
  int is = code_of(s->engine, TRUE, t0 + 1, &occurrence);
  if (is != FOUND)
    return is == OPEN ? PL_instantiation_error(t0 + 1) : FALSE;
  int done = has_parts(occurrence) ? consume_code(s, occurrence) : PL_type_error("occurrence", t0 + 1);
  release(s->engine, occurrence);
  return done;
}

/* new_goal_stores(-Engine) */
static foreign_t new_goal_stores(term_t t0, int arity, control_t control) {
  engine *e = calloc(1, sizeof *e);
  if (!e || !(e->buckets = calloc(64, sizeof *e->buckets))) {
    free(e);
    return PL_resource_error("memory");
  }
  e->mask = 63;
  if (PL_unify_pointer(t0, e))
    return TRUE;
  free(e->buckets), free(e);
  return FALSE;
}

/* One store more has it. */
static int add_window(engine *e, int64_t length) {
  for (int64_t i = 0; i < e->window_count; i++)
    if (e->windows[i].length == length)
      return e->windows[i].stores++, TRUE;
  if (e->window_count == e->window_room) {
    int64_t room = e->window_room ? 2 * e->window_room : 8;
    window *windows = realloc(e->windows, room * sizeof *windows);
    if (!windows)
      return PL_resource_error("memory");
    e->windows = windows;
    e->window_room = room;
  }
  e->windows[e->window_count++] = (window){length, INT64_MIN, 1};
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
  *g = (group){.engine = e, .next = e->groups, .now = TAG_ANY};
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
  store *s = calloc(1, sizeof *s);
  if (!s)
    return PL_resource_error("memory");
  if (length && !add_window(e, length)) {
    free(s);
    return FALSE;
  }
  *s = (store){.engine = e, .next = e->stores, .group = g, .arity = columns, .window = length, .marked = -1};
  s->is_consumed = is_consumed;
  s->first = s->end = FIRST_ROW;
  for (int i = 0; i < TURNS; i++)
    s->young[i] = FIRST_ROW;
  s->ordered_by = -1;
  s->latest = TAG_ANY;
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

static void free_store(store *s) {
  for (int64_t row = s->first; row < s->end; row++)
    if (s->alive[slot_of(s, row)] == HELD)
      for (int i = 0; i < s->arity; i++)
        release(s->engine, row_cells(s, row)[i]);
  for (int i = 0; i < s->indexes; i++)
    free(s->index[i].entries), free(s->index[i].links);
  forget_changes(s);
  forget_times(s);
  free(s->cells), free(s->alive), free(s->uses), free(s->use_buckets), free(s->removed), free(s);
}

static void forget_window(engine *e, int64_t length) {
  for (int64_t i = 0; i < e->window_count; i++)
    if (e->windows[i].length == length && !--e->windows[i].stores)
      e->windows[i] = e->windows[--e->window_count];
}

/* delete_goal_store(+Store, -Group): no rule speaks of it any more. Group is its group where this was the last store, else 0. */
static foreign_t delete_goal_store(term_t t0, int arity, control_t control) {
  store *s = store_of(t0);
  if (!s)
    return FALSE;
  engine *e = s->engine;
  store **at = &e->stores;
  while (*at != s)
    at = &(*at)->next;
  *at = s->next;
  if (s->group) {
    for (at = &s->group->stores; *at != s; at = &(*at)->peer)
      ;
    *at = s->peer;
  }
  int64_t window = s->window;
  group *last = s->group && !s->group->stores ? s->group : NULL;
  free_store(s);
  if (window)
    forget_window(e, window);
  return last ? PL_unify_pointer(t0 + 1, last) : PL_unify_integer(t0 + 1, 0);
}

/* delete_goal_group(+Group): its stores are gone. */
static foreign_t delete_goal_group(term_t t0, int arity, control_t control) {
  group *g = pointer_to("goal_group", t0);
  if (!g)
    return FALSE;
  group **at = &g->engine->groups;
  while (*at != g)
    at = &(*at)->next;
  *at = g->next;
  if (g->is_lent) {
    for (at = &g->engine->lent; *at != g; at = &(*at)->lent)
      ;
    *at = g->lent;
  }
  release(g->engine, g->now);
  free(g);
  return TRUE;
}

/* delete_goal_stores(+Engine) */
static foreign_t delete_goal_stores(term_t t0, int arity, control_t control) {
  engine *e = engine_of(t0);
  if (!e)
    return FALSE;
  delete_groupings(e);
  for (group *g = e->groups, *next; g; g = next) {
    next = g->next;
    release(e, g->now);
    free(g);
  }
  for (store *s = e->stores, *next; s; s = next) {
    next = s->next;
    free_store(s);
  }
  for (int i = 0; i < 3; i++)
    forget_words(e, e->words + i);
  end_codes(e);
  forget_codes(e);
  free(e->windows), free(e);
  return TRUE;
}

static int64_t later(int64_t time, int64_t length) {
  int64_t sum;
  return __builtin_add_overflow(time, length, &sum) ? INT64_MAX : sum;
}

#define MANY_STORES 64 /* to look at each of so many takes longer than what it spares: they turn once in the time of their window */

/* `passed` turns more are over than the one that is due, which is as much as `turns`. */
static void turn_store(store *s, int turns, int passed) {
  drop_before(s, passed < TURNS ? s->young[passed] : s->end);
  give_back_room(s);
  for (int i = 0; i < TURNS; i++)
    s->young[i] = i + turns + passed < TURNS ? s->young[i + turns + passed] : s->end;
}

/* Before the instant `time`. What is there came before `until`. */
static void turn_window(const engine *e, window *w, int64_t time) {
  int turns = w->stores < MANY_STORES ? 1 : TURNS;
  int64_t wait = turns == 1 ? w->length / TURNS + (w->length % TURNS != 0) : w->length, late = 0;
  if (w->until != INT64_MIN && __builtin_sub_overflow(time, w->until, &late)) /* INT64_MIN: it is the first turn */
    late = INT64_MAX;
  int passed = late / wait >= TURNS / turns ? TURNS : late / wait;
  w->until = later(time, wait);
  for (store *s = e->stores; s; s = s->next)
    if (s->window == w->length)
      turn_store(s, turns, passed);
}

void turn_stores(engine *e, int64_t time, int64_t *next) {
  *next = INT64_MAX;
  for (int64_t i = 0; i < e->window_count; i++) {
    window *w = e->windows + i;
    if (w->until <= time)
      turn_window(e, w, time);
    *next = w->until < *next ? w->until : *next;
  }
}

/* turn_goals(+Engine, +Time, -Next): forget the goals that are out of their window at Time; Next is when to look again.
   Fails without windows. Where time is beyond 64 bits, nothing is forgotten. */
static foreign_t turn_goals(term_t t0, int arity, control_t control) {
  engine *e = engine_of(t0);
  int64_t time, next;
  if (!e || !e->window_count || !PL_get_int64(t0 + 1, &time))
    return FALSE;
  turn_stores(e, time, &next);
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

/* goal_bytes(+Store, -Bytes): the memory of a store, without the terms in it. */
static foreign_t goal_bytes(term_t t0, int arity, control_t control) {
  store *s = store_of(t0);
  return s && PL_unify_int64(t0 + 1, store_bytes(s));
}

/* order_goals(+Store, +Column): the least time in a column, from 1, will be asked for. */
static foreign_t order_goals(term_t t0, int arity, control_t control) {
  store *s = store_of(t0);
  int column;
  return s && PL_get_integer_ex(t0 + 1, &column) && order_store(s, column - 1);
}

/* earliest_goal(+Store, -Time): the least in the column that it is ordered by. Fails if there is no goal. */
static foreign_t earliest_goal(term_t t0, int arity, control_t control) {
  store *s = store_of(t0);
  int64_t row = s ? earliest_row(s) : -1;
  return row >= 0 && unify_code(t0 + 1, row_cells(s, row)[s->ordered_by]);
}

/* terms_held(+Engine, -Count): how many terms there are codes of, other than names. */
static foreign_t terms_held(term_t t0, int arity, control_t control) {
  engine *e = engine_of(t0);
  return e && PL_unify_int64(t0 + 1, e->nodes);
}

/* names_held(+Engine, -Count) */
static foreign_t names_held(term_t t0, int arity, control_t control) {
  engine *e = engine_of(t0);
  return e && PL_unify_int64(t0 + 1, e->name_count);
}

/* young_goals(+Store, -Counts): how many came since each of its last turns, the earliest first. */
static foreign_t young_goals(term_t t0, int arity, control_t control) {
  store *s = store_of(t0);
  term_t tail = PL_copy_term_ref(t0 + 1), head = PL_new_term_ref();
  if (!s || !tail || !head)
    return FALSE;
  for (int i = 0; i < TURNS; i++) {
    int64_t count = 0;
    for (int64_t row = s->young[i] > s->first ? s->young[i] : s->first; row < s->end; row++)
      count += is_alive(s, row);
    if (!PL_unify_list(tail, head, tail) || !PL_unify_int64(head, count))
      return FALSE;
  }
  return PL_unify_nil(tail);
}

static int64_t row_before(const store *s, int64_t count) {
  int64_t row = s->end;
  for (; row > s->first && count; row--)
    count -= is_alive(s, row - 1);
  return row;
}

/* set_young_goals(+Store, +Counts): in snapshots of earlier versions it is one number, of the only turn. */
static foreign_t set_young_goals(term_t t0, int arity, control_t control) {
  store *s = store_of(t0);
  term_t list = PL_copy_term_ref(t0 + 1), head = PL_copy_term_ref(t0 + 1);
  int64_t count;
  int is_list = PL_is_list(list);
  for (int i = 0; s && i < TURNS; i++) {
    if ((is_list && !PL_get_list_ex(list, head, list)) || !PL_get_int64_ex(head, &count))
      return FALSE;
    s->young[i] = row_before(s, count);
  }
  return s != NULL;
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
  atom_t empty;
  term_t list = PL_new_term_ref();
  if (PL_put_nil(list) && PL_get_atom(list, &empty))
    nil = lasting_atom_code(empty);
  pair = PL_new_functor(PL_new_atom("[|]"), 2);
  occurrence5 = PL_new_functor(PL_new_atom("o"), 5);
  minus2 = PL_new_functor(PL_new_atom("-"), 2);
  for (int columns = 0; columns <= MOST_COLUMNS; columns++) {
    add_predicate("goals", columns + 1, goals, PL_FA_NONDETERMINISTIC);
    add_predicate("newest_goals", columns + 1, newest_goals, PL_FA_NONDETERMINISTIC);
    add_predicate("insert_goal", columns + 1, insert_goal, 0);
    add_predicate("forget_goal", columns + 1, forget_goal, 0);
    add_predicate("renew_goal", columns + 2, renew_goal, 0);
  }
  add_predicate("goal_rows", 2, goal_rows, PL_FA_NONDETERMINISTIC);
  add_predicate("newest_rows", 2, newest_rows, PL_FA_NONDETERMINISTIC);
  add_predicate("new_rows", 2, new_rows, PL_FA_NONDETERMINISTIC);
  add_predicate("insert_row", 2, insert_row, 0);
  add_predicate("forget_row", 2, forget_one_row, 0);
  add_predicate("renew_row", 3, renew_row, 0);
  add_predicate("forget_goals", 1, forget_goals, 0);
  add_predicate("consume", 2, consume, 0);
  add_predicate("new_goal_stores", 1, new_goal_stores, 0);
  add_predicate("new_goal_group", 2, new_goal_group, 0);
  add_predicate("new_goal_store", 6, new_goal_store, 0);
  add_predicate("delete_goal_stores", 1, delete_goal_stores, 0);
  add_predicate("delete_goal_store", 2, delete_goal_store, 0);
  add_predicate("delete_goal_group", 1, delete_goal_group, 0);
  add_predicate("begin_group_instant", 2, begin_group_instant, 0);
  add_predicate("turn_goals", 3, turn_goals, 0);
  add_predicate("goal_turns", 2, goal_turns, 0);
  add_predicate("set_goal_turn", 3, set_goal_turn, 0);
  add_predicate("goal_count", 2, goal_count, 0);
  add_predicate("goal_bytes", 2, goal_bytes, 0);
  add_predicate("order_goals", 2, order_goals, 0);
  add_predicate("earliest_goal", 2, earliest_goal, 0);
  add_predicate("terms_held", 2, terms_held, 0);
  add_predicate("names_held", 2, names_held, 0);
  add_predicate("young_goals", 2, young_goals, 0);
  add_predicate("set_young_goals", 2, set_young_goals, 0);
  add_predicate("drop_goals", 2, drop_goals, 0);
  add_predicate("mark_goals", 1, mark_goals, 0);
  add_predicate("changed_goals", 3, changed_goals, 0);
}
