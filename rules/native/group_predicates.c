/*  The predicates that rules and the run-time library use groups by (rules/aggregates/aggregates.pl). */

#include "groups.h"
#include "machine.h"

static functor_t keep3, output2, time2, rows1, concatenated1, first_row1, last_row1;
static atom_t key_name, args_name, values_name;

static grouping *grouping_of(term_t term) {
  void *found = NULL;
  if (!PL_get_pointer(term, &found))
    PL_type_error("groups", term);
  return found;
}

/* ---- times and terms --------------------------------------------------------------------------------------- */

static int get_time(grouping *g, term_t term, wide *time) {
  int64_t usual;
  code c;
  number n;
  if (PL_get_int64(term, &usual)) {
    *time = usual;
    return TRUE;
  }
  if (!PL_is_integer(term) || code_of(g->engine, TRUE, term, &c) != FOUND)
    return PL_type_error("integer", term);
  enum result is = plain_number(c, INTEGERS, &n);
  release(g->engine, c);
  *time = n.up;
  return is == VALUE_IS || PL_representation_error("time");
}

static int unify_time(grouping *g, term_t term, wide time) {
  code c;
  if (!exact_code(g->engine, time, 1, &c))
    return FALSE;
  int done = unify_code(term, c);
  release(g->engine, c);
  return done;
}

static int arity_of(term_t term) {
  atom_t name;
  size_t arity;
  return PL_get_name_arity(term, &name, &arity) ? (int)arity : -1;
}

/* The arguments of a term, which are the caller's to release. */
static int codes_of(grouping *g, term_t term, int count, code *codes) {
  term_t part = PL_new_term_ref();
  int known = 0, is = FOUND;
  if (!part || arity_of(term) != count)
    return part && PL_type_error("group_columns", term);
  for (; known < count; known++) {
    _PL_get_arg(known + 1, term, part);
    if ((is = code_of(g->engine, TRUE, part, codes + known)) != FOUND)
      break;
  }
  if (is == FOUND)
    return TRUE;
  while (known)
    release(g->engine, codes[--known]);
  return is == OPEN ? PL_instantiation_error(part) : FALSE;
}

static int unify_codes(term_t term, atom_t name, int count, const code *codes) {
  term_t part = PL_new_term_ref();
  if (!part || !(count ? PL_unify_functor(term, PL_new_functor_sz(name, count)) : PL_unify_atom(term, name)))
    return FALSE;
  for (int i = 0; i < count; i++) {
    _PL_get_arg(i + 1, term, part);
    if (!unify_code(part, codes[i]))
      return FALSE;
  }
  return TRUE;
}

/* ---- declarations ------------------------------------------------------------------------------------------ */

static int read_list(term_t list, size_t size, void **items, int *count) {
  size_t length;
  if (PL_skip_list(list, 0, &length) != PL_LIST)
    return PL_type_error("list", list);
  if (!(*items = calloc(length + 1, size)))
    return PL_resource_error("memory");
  *count = length;
  return TRUE;
}

/* first_row(Keys), last_row(Keys) */
static int read_order(term_t kind, aggregate *a) {
  term_t list = part_of(kind, 1), head = PL_new_term_ref();
  if (!head || !read_list(list, sizeof *a->keys, (void **)&a->keys, &a->key_count))
    return FALSE;
  for (int i = 0; PL_get_list(list, head, list); i++)
    if (!PL_get_integer_ex(head, a->keys + i))
      return FALSE;
  return TRUE;
}

static int read_aggregate(grouping *g, term_t term, aggregate *a) {
  static const char *kinds[] = {"count", "numbers", "min", "max", "first", "texts"};
  term_t kind = part_of(term, 1), argument = part_of(term, 3);
  int is_first = PL_is_functor(kind, first_row1);
  if (!PL_is_functor(term, keep3) || !PL_get_bool_ex(part_of(term, 2), &a->is_distinct))
    return PL_type_error("aggregate", term);
  if (is_first || PL_is_functor(kind, last_row1)) {
    a->kind = is_first ? FIRST_IN_ORDER : LAST_IN_ORDER;
    if (!read_order(kind, a))
      return FALSE;
  } else {
    for (a->kind = COUNTED; !is_named(kind, kinds[a->kind], 0); a->kind++)
      if (a->kind == TEXTS)
        return PL_type_error("aggregate", term);
  }
  g->is_ordered |= a->kind == FIRST_ONE || a->kind == TEXTS;
  if (is_named(argument, "all", 0))
    a->argument = ALL;
  else if (PL_get_integer_ex(argument, &a->argument))
    a->argument--;
  else
    return FALSE;
  return TRUE;
}

static int read_output(grouping *g, term_t term, output *o) {
  term_t function = part_of(term, 1);
  if (!PL_is_functor(term, output2) || !PL_get_integer_ex(part_of(term, 2), &o->of))
    return FALSE;
  o->of--;
  o->is_average = is_named(function, "avg", 0);
  o->separator = integer_code(0);
  return !PL_is_functor(function, concatenated1) ||
         code_of(g->engine, TRUE, part_of(function, 1), &o->separator) == FOUND;
}

/* Solutions leave so, or are all of one instant: then those whose order would count go by their values. */
static void take_in_any_order(grouping *g) {
  for (int i = 0; i < g->aggregate_count; i++) {
    enum kept kind = g->aggregates[i].kind;
    g->aggregates[i].in_any_order = g->window == CHANGES || kind == FIRST_ONE || kind == TEXTS;
  }
  g->is_ordered = FALSE;
}

static int read_window(grouping *g, term_t term) {
  if (PL_is_functor(term, time2)) {
    g->window = SPAN;
    return get_time(g, part_of(term, 1), &g->oldest) && get_time(g, part_of(term, 2), &g->delay);
  }
  if (is_named(term, "instant", 0)) {
    g->window = SPAN;
    g->oldest = 1;
    take_in_any_order(g);
    return TRUE;
  }
  if (is_named(term, "changes", 0)) {
    g->window = CHANGES;
    take_in_any_order(g);
    return TRUE;
  }
  if (!PL_is_functor(term, rows1))
    return TRUE;
  g->window = ROWS;
  g->is_ordered = TRUE;
  return PL_get_int64_ex(part_of(term, 1), &g->rows);
}

static int read_declaration(grouping *g, term_t kept, term_t outputs, term_t window) {
  term_t head = PL_new_term_ref(), list = PL_copy_term_ref(kept);
  if (!read_list(list, sizeof *g->aggregates, (void **)&g->aggregates, &g->aggregate_count))
    return FALSE;
  for (int i = 0; PL_get_list(list, head, list); i++)
    if (!read_aggregate(g, head, g->aggregates + i))
      return FALSE;
  list = PL_copy_term_ref(outputs);
  if (!read_list(list, sizeof *g->outputs, (void **)&g->outputs, &g->output_count))
    return FALSE;
  for (int i = 0; PL_get_list(list, head, list); i++)
    if (!read_output(g, head, g->outputs + i))
      return FALSE;
  return read_window(g, window);
}

/* new_groups(+Stores, +KeyCount, +Kept, +Outputs, +Window, -Groups): Kept lists keep(Kind, Distinct, Argument), Outputs
   output(Function, Place), see aggregate_plan.pl; Window is landmark, time(Oldest, Delay), rows(Count) or changes. */
static foreign_t new_groups(term_t t0, int arity, control_t control) {
  void *stores = NULL;
  int keys;
  if (!PL_get_pointer(t0, &stores))
    return PL_type_error("goal_stores", t0);
  if (!PL_get_integer_ex(t0 + 1, &keys))
    return FALSE;
  grouping *g = calloc(1, sizeof *g);
  if (!g || !(g->buckets = calloc(8, sizeof *g->buckets))) {
    free(g);
    return PL_resource_error("memory");
  }
  g->engine = stores;
  g->keys = keys;
  g->width = -1;
  g->mask = 7;
  g->first = 1;
  g->next = g->engine->groupings;
  g->engine->groupings = g; /* it goes with the stores, whatever happens */
  return read_declaration(g, t0 + 2, t0 + 3, t0 + 4) && has_only_group(g) && PL_unify_pointer(t0 + 5, g);
}

/* ---- solutions come ---------------------------------------------------------------------------------------- */

static int add_terms(grouping *g, enum came how, wide start, wide end, term_t key, term_t args) {
  int width = arity_of(args);
  if (width < 0 || !has_width(g, width))
    return PL_type_error("group_arguments", args);
  code few[16], *cells = few;
  int count = g->keys + width;
  if (count > 16 && !(cells = malloc(count * sizeof *cells)))
    return PL_resource_error("memory");
  int known = codes_of(g, key, g->keys, cells) ? g->keys : -1;
  if (known >= 0)
    known = codes_of(g, args, width, cells + g->keys) ? count : known;
  int done = known == count && add_solution(g, how, start, end, cells);
  while (known > 0)
    release(g->engine, cells[--known]);
  if (cells != few)
    free(cells);
  return done;
}

/* add_solution(+Groups, +Start, +End, +Key, +Args) */
static foreign_t add_timed(term_t t0, int arity, control_t control) {
  grouping *g = grouping_of(t0);
  wide start, end;
  return g && get_time(g, t0 + 1, &start) && get_time(g, t0 + 2, &end) &&
         add_terms(g, TIMED, start, end, t0 + 3, t0 + 4);
}

/* load_solution(+Groups, +Key, +Args) */
static foreign_t load_solution(term_t t0, int arity, control_t control) {
  grouping *g = grouping_of(t0);
  return g && add_terms(g, TIMELESS, 0, 0, t0 + 1, t0 + 2);
}

/* settle_groups(+Groups, +Now) */
static foreign_t settle(term_t t0, int arity, control_t control) {
  grouping *g = grouping_of(t0);
  wide now;
  return g && get_time(g, t0 + 1, &now) && settle_groups(g, now);
}

/* ---- rows -------------------------------------------------------------------------------------------------- */

typedef struct {
  grouping *grouping;
  keyed **all;
  size_t at, count;
} enumeration;

static foreign_t end_enumeration(enumeration *n, foreign_t result) {
  while (n->at < n->count)
    let_go(n->grouping, n->all[n->at++]);
  free(n->all), free(n);
  return result;
}

static int unify_values(grouping *g, const keyed *k, term_t term) {
  code values[g->output_count + 1];
  if (!group_values(g, k, values))
    return FALSE;
  int done = unify_codes(term, values_name, g->output_count, values);
  release_values(g, values);
  return done;
}

typedef int (*unification)(grouping *g, const keyed *k, term_t t0);

static int unify_row(grouping *g, const keyed *k, term_t t0) {
  return unify_codes(t0 + 1, key_name, g->keys, k->key) && unify_values(g, k, t0 + 2);
}

static int unify_asked(grouping *g, const keyed *k, term_t t0) {
  return unify_codes(t0 + 2, key_name, g->keys, k->key);
}

/* Those that unify, one after the other. */
static foreign_t next_group(enumeration *n, unification unify, term_t t0) {
  fid_t frame = PL_open_foreign_frame();
  if (!frame)
    return end_enumeration(n, FALSE);
  while (n->at < n->count) {
    keyed *k = n->all[n->at++];
    int is = unify(n->grouping, k, t0);
    let_go(n->grouping, k);
    if (is) {
      PL_close_foreign_frame(frame);
      if (n->at == n->count)
        return end_enumeration(n, TRUE);
      PL_retry_address(n);
    }
    if (PL_exception(0))
      break;
    PL_rewind_foreign_frame(frame);
  }
  PL_close_foreign_frame(frame);
  return end_enumeration(n, FALSE);
}

static foreign_t enumerated(grouping *g, int (*choose)(grouping *, keyed ***, size_t *), unification unify, term_t t0) {
  enumeration *n = calloc(1, sizeof *n);
  if (!n)
    return PL_resource_error("memory");
  n->grouping = g;
  return choose(g, &n->all, &n->count) ? next_group(n, unify, t0) : end_enumeration(n, FALSE);
}

/* 1: the key is known, and so is its group if it has a row; 0: it has variables; -1: there is none, or an error. */
static int known_row(grouping *g, term_t term, keyed **k) {
  code few[16], *key = few;
  if (!PL_is_ground(term))
    return 0;
  if (arity_of(term) != g->keys)
    return -1;
  if (g->keys > 16 && !(key = malloc(g->keys * sizeof *key)))
    return PL_resource_error("memory"), -1;
  int is = codes_of(g, term, g->keys, key);
  *k = is ? known_group(g, key) : NULL;
  for (int i = 0; is && i < g->keys; i++)
    release(g->engine, key[i]);
  if (key != few)
    free(key);
  return *k ? 1 : -1;
}

/* group_rows(+Groups, ?Key, -Values) is nondet; semidet where Key is ground. */
static foreign_t group_rows(term_t t0, int arity, control_t control) {
  if (PL_foreign_control(control) == PL_PRUNED)
    return end_enumeration(PL_foreign_context_address(control), TRUE);
  if (PL_foreign_control(control) == PL_REDO)
    return next_group(PL_foreign_context_address(control), unify_row, t0);
  grouping *g = grouping_of(t0);
  keyed *k = NULL;
  int is = g ? known_row(g, t0 + 1, &k) : -1;
  return is ? is > 0 && unify_values(g, k, t0 + 2) : enumerated(g, held_groups, unify_row, t0);
}

/* asked_rows(+Groups, +Time, -Key) is nondet: the groups are settled; the keys that were asked for at Time. */
static foreign_t asked_rows(term_t t0, int arity, control_t control) {
  if (PL_foreign_control(control) == PL_PRUNED)
    return end_enumeration(PL_foreign_context_address(control), TRUE);
  if (PL_foreign_control(control) == PL_REDO)
    return next_group(PL_foreign_context_address(control), unify_asked, t0);
  grouping *g = grouping_of(t0);
  wide now;
  if (!g || !get_time(g, t0 + 1, &now))
    return FALSE;
  take_asked(g, now);
  return enumerated(g, asked_groups, unify_asked, t0);
}

/* ask_row(+Groups, +Time, +Key) is semidet: true if rows were made already. */
static foreign_t ask_row(term_t t0, int arity, control_t control) {
  grouping *g = grouping_of(t0);
  wide now;
  if (!g || !get_time(g, t0 + 1, &now))
    return FALSE;
  code key[g->keys + 1];
  if (!codes_of(g, t0 + 2, g->keys, key))
    return FALSE;
  int is = ask_for(g, now, key);
  for (int i = 0; i < g->keys; i++)
    release(g->engine, key[i]);
  return is > 0;
}

/* have_members(+Groups) is semidet: something is in the window that can leave it, or waits to enter. */
static foreign_t have_members(term_t t0, int arity, control_t control) {
  grouping *g = grouping_of(t0);
  return g && has_members(g);
}

/* groups_size(+Groups, -Groups, -Solutions): how many groups there are, and how many solutions are in the window, or will
   be; those that never leave are not kept. */
static foreign_t groups_size(term_t t0, int arity, control_t control) {
  grouping *g = grouping_of(t0);
  return g && PL_unify_int64(t0 + 1, g->count) && PL_unify_int64(t0 + 2, solutions_kept(g));
}

/* groups_bytes(+Groups, -Bytes): their memory, without the terms in them. */
static foreign_t groups_bytes(term_t t0, int arity, control_t control) {
  grouping *g = grouping_of(t0);
  return g && PL_unify_int64(t0 + 1, grouping_bytes(g));
}

/* ---- snapshots and changes --------------------------------------------------------------------------------- */

static term_t columns_term(grouping *g, atom_t name, int count, const code *codes) {
  term_t term = PL_new_term_ref();
  return term && unify_codes(term, name, count, codes) ? term : 0;
}

static int unify_solution(grouping *g, const solution *s, term_t term) {
  term_t start = PL_new_term_ref(), end = PL_new_term_ref(), key = 0, args = 0;
  if (!end || !unify_time(g, start, s->start) || !unify_time(g, end, s->end))
    return FALSE;
  if (s->how == SETTLED)
    return PL_unify_term(term, PL_FUNCTOR_CHARS, "settle", 1, PL_TERM, end);
  if (!(key = columns_term(g, key_name, g->keys, s->cells)) ||
      !(args = columns_term(g, args_name, g->width, s->cells + g->keys)))
    return FALSE;
  return s->how == TIMELESS
             ? PL_unify_term(term, PL_FUNCTOR_CHARS, "load", 2, PL_TERM, key, PL_TERM, args)
             : PL_unify_term(term, PL_FUNCTOR_CHARS, "add", 4, PL_TERM, start, PL_TERM, end, PL_TERM, key, PL_TERM, args);
}

static int list_solutions(grouping *g, const solutions *all, int64_t from, int64_t most, term_t list) {
  term_t tail = PL_copy_term_ref(list), head = PL_new_term_ref();
  for (size_t i = from; i < all->count && most--; i++)
    if (!PL_unify_list(tail, head, tail) || !unify_solution(g, solution_at(g, all, i), head))
      return FALSE;
  return PL_unify_nil(tail);
}

static int list_members(grouping *g, int64_t from, int64_t most, term_t list) {
  term_t tail = PL_copy_term_ref(list), head = PL_new_term_ref(), end = PL_new_term_ref();
  for (int64_t place = g->first + from; place <= g->last && most--; place++) {
    const member *m = member_at(g, place);
    term_t key = columns_term(g, key_name, g->keys, m->group->key);
    term_t args = columns_term(g, args_name, g->width, m->args);
    if (!key || !args || !PL_put_variable(end) || !unify_time(g, end, m->end) || !PL_unify_list(tail, head, tail) ||
        !PL_unify_term(head, PL_FUNCTOR_CHARS, "member", 4, PL_TERM, end, PL_TERM, key, PL_TERM, args, PL_BOOL,
                       place <= g->newest))
      return FALSE;
  }
  return PL_unify_nil(tail);
}

static int unify_group(grouping *g, const keyed *k, term_t term) {
  term_t key = columns_term(g, key_name, g->keys, k->key), kept = PL_new_term_ref();
  term_t tail = PL_copy_term_ref(kept), head = PL_new_term_ref();
  if (!key || !head)
    return FALSE;
  for (int i = 0; i < g->aggregate_count; i++)
    if (!PL_unify_list(tail, head, tail) ||
        !accumulator_term(g->engine, g->aggregates + i, k->accumulators + i, head))
      return FALSE;
  return PL_unify_nil(tail) &&
         PL_unify_term(term, PL_FUNCTOR_CHARS, "group", 3, PL_TERM, key, PL_INT64, k->members, PL_TERM, kept);
}

static int list_groups(grouping *g, int64_t from, int64_t most, term_t list) {
  term_t tail = PL_copy_term_ref(list), head = PL_new_term_ref();
  for (const keyed *k = g->oldest_group; k && most; k = k->newer) {
    if (!k->members || from-- > 0)
      continue;
    if (!PL_unify_list(tail, head, tail) || !unify_group(g, k, head))
      return FALSE;
    most--;
  }
  return PL_unify_nil(tail);
}

/* group_list(+Groups, +What, +From, +Most, -List): at most Most of them, from number From, 0 the first. What is

     - groups: group(Key, Members, Kept), Kept a term of accumulators.c for each aggregate
     - members: member(End, Key, Args, IsIn), IsIn false of one that is not old enough yet
     - pending: load(Key, Args) and add(Start, End, Key, Args), what came for the open instant
     - changes: the same and settle(Now), all since the last mark_groups/1 */
static foreign_t group_list(term_t t0, int arity, control_t control) {
  grouping *g = grouping_of(t0);
  int64_t from, most;
  if (!g || !PL_get_int64_ex(t0 + 2, &from) || !PL_get_int64_ex(t0 + 3, &most))
    return FALSE;
  if (is_named(t0 + 1, "groups", 0))
    return list_groups(g, from, most, t0 + 4);
  if (is_named(t0 + 1, "members", 0))
    return list_members(g, from, most, t0 + 4);
  return list_solutions(g, is_named(t0 + 1, "pending", 0) ? &g->pending : &g->changes, from, most, t0 + 4);
}

/* groups_passed(+Groups, -Count): how many have come into a landmark window, but for those without time. */
static foreign_t groups_passed(term_t t0, int arity, control_t control) {
  grouping *g = grouping_of(t0);
  return g && g->window == LANDMARK && g->newest && PL_unify_int64(t0 + 1, g->newest);
}

/* mark_groups(+Groups): what changes from now on is noted. */
static foreign_t mark_groups(term_t t0, int arity, control_t control) {
  grouping *g = grouping_of(t0);
  if (g)
    begin_changes(g);
  return g != NULL;
}

/* empty_groups(+Groups) */
static foreign_t empty_groups(term_t t0, int arity, control_t control) {
  grouping *g = grouping_of(t0);
  if (!g)
    return FALSE;
  empty_grouping(g);
  return has_only_group(g);
}

/* delete_groups(+Groups): no rule speaks of them any more. */
static foreign_t delete_groups(term_t t0, int arity, control_t control) {
  grouping *g = grouping_of(t0);
  if (!g)
    return FALSE;
  delete_grouping(g);
  return TRUE;
}

/* restore_group(+Groups, +Key, +Members, +Kept) */
static foreign_t restore_one_group(term_t t0, int arity, control_t control) {
  grouping *g = grouping_of(t0);
  int64_t members;
  if (!g || !PL_get_int64_ex(t0 + 2, &members))
    return FALSE;
  code key[g->keys + 1];
  if (!codes_of(g, t0 + 1, g->keys, key))
    return FALSE;
  int done = restore_group(g, key, members, t0 + 3);
  for (int i = 0; i < g->keys; i++)
    release(g->engine, key[i]);
  return done;
}

/* restore_member(+Groups, +End, +Key, +Args, +IsIn) */
static foreign_t restore_one_member(term_t t0, int arity, control_t control) {
  grouping *g = grouping_of(t0);
  wide end;
  int is_in, width = arity_of(t0 + 3);
  if (!g || !get_time(g, t0 + 1, &end) || !PL_get_bool_ex(t0 + 4, &is_in))
    return FALSE;
  if (width < 0 || !has_width(g, width))
    return PL_type_error("group_arguments", t0 + 3);
  code cells[g->keys + width + 1];
  if (!codes_of(g, t0 + 2, g->keys, cells))
    return FALSE;
  int known = codes_of(g, t0 + 3, width, cells + g->keys) ? g->keys + width : g->keys;
  int done = known == g->keys + width && restore_member(g, end, cells, is_in);
  while (known)
    release(g->engine, cells[--known]);
  return done;
}

/* restore_passed(+Groups, +Count) */
static foreign_t restore_passed(term_t t0, int arity, control_t control) {
  grouping *g = grouping_of(t0);
  if (!g || !PL_get_int64_ex(t0 + 1, &g->newest))
    return FALSE;
  wake_steps(g);
  return TRUE;
}

static void add_predicate(const char *name, int arity, foreign_t (*function)(term_t, int, control_t), int more) {
  PL_register_foreign_in_module("etalis_goals", name, arity, (pl_function_t)function, PL_FA_VARARGS | more);
}

void install_groups(void) {
  keep3 = PL_new_functor(PL_new_atom("keep"), 3);
  first_row1 = PL_new_functor(PL_new_atom("first_row"), 1);
  last_row1 = PL_new_functor(PL_new_atom("last_row"), 1);
  output2 = PL_new_functor(PL_new_atom("output"), 2);
  time2 = PL_new_functor(PL_new_atom("time"), 2);
  rows1 = PL_new_functor(PL_new_atom("rows"), 1);
  concatenated1 = PL_new_functor(PL_new_atom("group_concat"), 1);
  key_name = PL_new_atom("key");
  args_name = PL_new_atom("args");
  values_name = PL_new_atom("values");
  add_predicate("new_groups", 6, new_groups, 0);
  add_predicate("add_solution", 5, add_timed, 0);
  add_predicate("load_solution", 3, load_solution, 0);
  add_predicate("settle_groups", 2, settle, 0);
  add_predicate("group_rows", 3, group_rows, PL_FA_NONDETERMINISTIC);
  add_predicate("ask_row", 3, ask_row, 0);
  add_predicate("asked_rows", 3, asked_rows, PL_FA_NONDETERMINISTIC);
  add_predicate("have_members", 1, have_members, 0);
  add_predicate("groups_size", 3, groups_size, 0);
  add_predicate("groups_bytes", 2, groups_bytes, 0);
  add_predicate("group_list", 5, group_list, 0);
  add_predicate("groups_passed", 2, groups_passed, 0);
  add_predicate("mark_groups", 1, mark_groups, 0);
  add_predicate("empty_groups", 1, empty_groups, 0);
  add_predicate("delete_groups", 1, delete_groups, 0);
  add_predicate("restore_group", 4, restore_one_group, 0);
  add_predicate("restore_member", 5, restore_one_member, 0);
  add_predicate("restore_passed", 2, restore_passed, 0);
}
