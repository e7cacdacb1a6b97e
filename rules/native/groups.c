/*  GROUP BY and windows: the groups of a declaration (rules/aggregates/aggregates.pl), and which solutions are in them.

    Solutions wait for the end of their instant. Then they enter and leave in the order of end, start, key and arguments,
    over all groups; they stand in one queue, at places: from `first` to `newest` they are in the window, from there to
    `last` they are not old enough yet. At the instant t the window SPAN holds the ends in (t - oldest, t - delay], ROWS the
    newest ones. A LANDMARK window has no queue: what comes never leaves. Nor have CHANGES: each solution is one that comes, or
    one that goes; a group without solutions has no row then, not even without keys.

    Nothing is computed anew from what is in the window: a solution changes its group when it comes and when it goes, at an
    amortised cost that depends neither on how many solutions are in the window nor on how many groups there are. A group
    goes with its last solution, but for the one of a declaration without keys. Rows that are asked for by key are made for
    these alone.
*/

#include "groups.h"
#include "machine.h"

static size_t rounded(size_t size) { return (size + 15) & ~(size_t)15; }

solution *solution_at(const grouping *g, const solutions *all, size_t place) {
  return (solution *)(all->bytes + place * g->solution_size);
}

member *member_at(const grouping *g, int64_t place) {
  return (member *)(g->members + (place & (g->room - 1)) * g->member_size);
}

static int has_queue(const grouping *g) { return g->window == SPAN || g->window == ROWS; }

int has_width(grouping *g, int width) {
  if (g->width < 0) {
    g->width = width;
    g->solution_size = rounded(sizeof(solution) + (g->keys + width) * sizeof(code));
    g->member_size = rounded(sizeof(member) + width * sizeof(code));
  }
  return g->width == width;
}

/* ---- groups by key ----------------------------------------------------------------------------------------- */

static uint64_t hash_of(const grouping *g, const code *key) {
  uint64_t hash = 0;
  for (int i = 0; i < g->keys; i++)
    hash = mixed(hash, key[i]);
  return hash;
}

static inline int has_key(const grouping *g, const keyed *k, const code *key) {
  int i = 0;
  while (i < g->keys && k->key[i] == key[i])
    i++;
  return i == g->keys;
}

static inline int is_recent(const grouping *g, const code *key) { return g->recent && has_key(g, g->recent, key); }

static keyed *find_group(grouping *g, uint64_t hash, const code *key) {
  keyed *k = g->buckets[hash & g->mask];
  while (k && !(k->hash == hash && has_key(g, k, key)))
    k = k->next;
  return g->recent = k;
}

static void move_groups(grouping *g, uint64_t mask) {
  keyed **buckets = calloc(mask + 1, sizeof *buckets);
  if (!buckets)
    return; /* then they are longer, or more than are needed */
  for (keyed *k = g->oldest_group; k; k = k->newer) {
    k->next = buckets[k->hash & mask];
    buckets[k->hash & mask] = k;
  }
  free(g->buckets);
  g->buckets = buckets;
  g->mask = mask;
}

/* The group of a key, which is made if there is none; NULL after an error. */
static keyed *group_of(grouping *g, const code *key) {
  if (is_recent(g, key))
    return g->recent;
  uint64_t hash = hash_of(g, key);
  keyed *k = find_group(g, hash, key);
  if (k)
    return k;
  if (g->count > g->mask)
    move_groups(g, 2 * g->mask + 1);
  size_t own = sizeof *k + g->aggregate_count * sizeof *k->accumulators;
  if (!(k = calloc(1, own + g->keys * sizeof *key)))
    return PL_resource_error("memory"), NULL;
  k->hash = hash;
  k->key = (code *)((char *)k + own);
  for (int i = 0; i < g->keys; i++)
    retain(k->key[i] = key[i]);
  for (int i = 0; i < g->aggregate_count; i++)
    begin_accumulator(g->aggregates + i, k->accumulators + i);
  k->next = g->buckets[hash & g->mask];
  g->buckets[hash & g->mask] = k;
  k->older = g->newest_group;
  *(k->older ? &k->older->newer : &g->oldest_group) = k;
  g->newest_group = k;
  g->count++;
  return g->recent = k;
}

static void delete_group(grouping *g, keyed *k) {
  keyed **at = g->buckets + (k->hash & g->mask);
  while (*at != k)
    at = &(*at)->next;
  *at = k->next;
  g->recent = NULL;
  *(k->older ? &k->older->newer : &g->oldest_group) = k->newer;
  *(k->newer ? &k->newer->older : &g->newest_group) = k->older;
  g->count--;
  if (g->mask > LEAST_ROOM && 8 * g->count < g->mask)
    move_groups(g, g->mask / 2);
  for (int i = 0; i < g->keys; i++)
    release_later(g->engine, k->key[i]);
  for (int i = 0; i < g->aggregate_count; i++)
    forget_accumulator(g->engine, g->aggregates + i, k->accumulators + i);
  free(k);
}

void let_go(grouping *g, keyed *k) {
  if (!--k->held && !k->members && g->keys)
    delete_group(g, k);
}

static int has_row(const grouping *g, const keyed *k) { return k->members || (!g->keys && g->window != CHANGES); }

keyed *known_group(grouping *g, const code *key) {
  keyed *k = is_recent(g, key) ? g->recent : find_group(g, hash_of(g, key), key);
  return k && has_row(g, k) ? k : NULL;
}

int has_only_group(grouping *g) { return g->keys || group_of(g, NULL); }

/* Room for so many groups, and one: of none there is an address, too. */
static int begin_held(uint64_t most, keyed ***all, size_t *count) {
  *count = 0;
  return (*all = malloc((most + 1) * sizeof **all)) || PL_resource_error("memory");
}

int held_groups(grouping *g, keyed ***all, size_t *count) {
  if (!begin_held(g->count, all, count))
    return FALSE;
  for (keyed *k = g->oldest_group; k; k = k->newer)
    if (has_row(g, k)) {
      (*all)[(*count)++] = k;
      k->held++;
    }
  return TRUE;
}

int asked_groups(grouping *g, keyed ***all, size_t *count) {
  if (!begin_held(g->asked_count, all, count))
    return FALSE;
  for (; *count < g->asked_count; ++*count) {
    (*all)[*count] = g->asked[*count];
    g->asked[*count]->held++;
  }
  return TRUE;
}

void release_values(grouping *g, const code *values) {
  for (int i = 0; i < g->output_count; i++)
    release(g->engine, values[i]);
}

int group_values(grouping *g, const keyed *k, code *values) {
  for (int i = 0; i < g->output_count; i++) {
    const output *o = g->outputs + i;
    if (!result_of(g->engine, g->aggregates + o->of, o, k->accumulators + o->of, values + i)) {
      while (i--)
        release(g->engine, values[i]);
      return FALSE;
    }
  }
  return TRUE;
}

/* ---- solutions --------------------------------------------------------------------------------------------- */

static int add(grouping *g, solutions *all, keyed *group, enum came how, wide start, wide end, const code *cells) {
  if (all->count == all->room) {
    size_t room = all->room ? 2 * all->room : 16;
    char *bytes = realloc(all->bytes, room * g->solution_size);
    if (!bytes)
      return PL_resource_error("memory");
    all->bytes = bytes;
    all->room = room;
  }
  solution *s = solution_at(g, all, all->count++);
  *s = (solution){start, end, group, how};
  for (int i = 0; how != SETTLED && i < g->keys + g->width; i++) {
    s->cells[i] = cells[i];
    if (!group || i >= g->keys)
      retain(cells[i]);
  }
  return TRUE;
}

/* Where order counts, groups come in that of their keys: it is not known yet. */
int add_solution(grouping *g, enum came how, wide start, wide end, const code *cells) {
  keyed *k = NULL;
  if (!g->is_ordered) {
    if (!(k = group_of(g, cells)))
      return FALSE;
    k->held++;
  }
  if (!add(g, &g->pending, k, how, start, end, cells)) {
    if (k)
      let_go(g, k);
    return FALSE;
  }
  if (g->pending.count == 1)
    wake_steps(g);
  return !g->is_marked || add(g, &g->changes, NULL, how, start, end, cells);
}

static void release_codes(grouping *g, const code *codes, int count) {
  for (int i = 0; i < count; i++)
    release(g->engine, codes[i]);
}

static void forget_solutions(grouping *g, solutions *all) {
  for (size_t i = 0; i < all->count; i++) {
    const solution *s = solution_at(g, all, i);
    int from = s->group ? g->keys : 0;
    if (s->how != SETTLED)
      release_codes(g, s->cells + from, g->keys - from + g->width);
    if (s->group)
      let_go(g, s->group);
  }
  free(all->bytes);
  *all = (solutions){0};
}

static void give_back_half(const grouping *g, solutions *all) {
  char *bytes = realloc(all->bytes, all->room / 2 * g->solution_size);
  if (!bytes)
    return;
  all->bytes = bytes;
  all->room /= 2;
}

static int by_time(const solution *a, const solution *b) {
  if (a->how != b->how)
    return a->how == TIMELESS ? -1 : 1;
  if (a->end != b->end)
    return a->end < b->end ? -1 : 1;
  return a->start == b->start ? 0 : a->start < b->start ? -1 : 1;
}

static _Thread_local const grouping *sorting;

static int by_order(const void *left, const void *right) {
  const solution *a = left, *b = right;
  int order = by_time(a, b);
  for (int i = 0; !order && sorting->is_ordered && i < sorting->keys + sorting->width; i++)
    order = compare_codes(a->cells[i], b->cells[i]);
  return order;
}

static void put_in_order(grouping *g) {
  const solutions *all = &g->pending;
  size_t i = 1;
  sorting = g;
  while (i < all->count && by_order(solution_at(g, all, i - 1), solution_at(g, all, i)) <= 0)
    i++;
  if (i < all->count)
    qsort(all->bytes, all->count, g->solution_size, by_order);
}

/* ---- the window -------------------------------------------------------------------------------------------- */

/* False: there is no memory. */
static int move_members(grouping *g, int64_t room) {
  size_t size = g->member_size;
  char *members = malloc(room * size);
  if (!members)
    return FALSE;
  for (int64_t place = g->first; place <= g->last; place++)
    memcpy(members + (place & (room - 1)) * size, member_at(g, place), size);
  free(g->members);
  g->members = members;
  g->room = room;
  return TRUE;
}

static int more_members(grouping *g) {
  return g->last - g->first + 1 < g->room || move_members(g, g->room ? 2 * g->room : 16) || PL_resource_error("memory");
}

/* The arguments are the member's own then. */
static int join_queue(grouping *g, keyed *k, wide end, const code *args) {
  if (!more_members(g))
    return FALSE;
  member *m = member_at(g, ++g->last);
  *m = (member){end, k};
  for (int i = 0; i < g->width; i++)
    m->args[i] = args[i];
  k->held++;
  return TRUE;
}

static inline int is_sum(const aggregate *k) { return k->kind == SUMMED && !k->is_distinct; }

static int comes(grouping *g, keyed *k, int64_t place, const code *args, int counts) {
  k->members += counts;
  for (int i = 0; i < g->aggregate_count; i++) {
    const aggregate *of = g->aggregates + i;
    accumulator *a = k->accumulators + i;
    if (!(is_sum(of) ? !counts || count_value(g->engine, &a->sum, args[of->argument], 1)
                     : member_comes(g->engine, of, a, place, args, g->width, counts)))
      return FALSE;
  }
  return TRUE;
}

static int leaves(grouping *g, keyed *k, int64_t place, const code *args) {
  k->members--;
  for (int i = 0; i < g->aggregate_count; i++) {
    const aggregate *of = g->aggregates + i;
    accumulator *a = k->accumulators + i;
    if (!(is_sum(of) ? count_value(g->engine, &a->sum, args[of->argument], -1)
                     : member_goes(g->engine, of, a, place, args, g->width)))
      return FALSE;
  }
  release_codes(g, args, g->width);
  return TRUE;
}

/* What goes came before; of one instant, what comes is first in order. */
static int changes(grouping *g, keyed *k, int is_gone, const code *args) {
  if (is_gone)
    return leaves(g, k, 0, args);
  if (!comes(g, k, 0, args, 1))
    return FALSE;
  release_codes(g, args, g->width);
  return TRUE;
}

/* The arguments are the group's own then. */
static int enters_group(grouping *g, keyed *k, enum came how, wide start, wide end, const code *args) {
  if (g->window == CHANGES)
    return changes(g, k, start != 0, args);
  if (how != TIMELESS && g->window != LANDMARK)
    return join_queue(g, k, end, args);
  g->newest += how == TIMED;
  if (!comes(g, k, LASTING, args, 1))
    return FALSE;
  release_codes(g, args, g->width);
  return TRUE;
}

static int enters(grouping *g, const solution *s) {
  keyed *k = s->group ? s->group : group_of(g, s->cells);
  if (!k)
    return FALSE;
  if (!s->group) {
    k->held++;
    release_codes(g, s->cells, g->keys);
  }
  int done = enters_group(g, k, s->how, s->start, s->end, s->cells + g->keys);
  let_go(g, k);
  return done;
}

static int comes_of_age(grouping *g, wide now) {
  for (; has_queue(g) && g->newest < g->last; g->newest++) {
    const member *m = member_at(g, g->newest + 1);
    if (m->end > now - g->delay)
      break;
    if (!comes(g, m->group, g->newest + 1, m->args, 1))
      return FALSE;
  }
  return TRUE;
}

static int is_too_old(const grouping *g, wide now) {
  return g->window == ROWS ? g->newest - g->first >= g->rows : member_at(g, g->first)->end <= now - g->oldest;
}

#define AHEAD 4

/* What leaves soon is in none of the processor's first caches. */
static void fetch_leaving(const grouping *g) {
  if (g->first + AHEAD > g->last)
    return;
  const member *m = member_at(g, g->first + AHEAD);
  __builtin_prefetch(m->group);
  if (g->width && TAG(m->args[0]) == TAG_NODE)
    __builtin_prefetch(node_of(m->args[0]));
  for (int i = 0; i < g->aggregate_count; i++)
    __builtin_prefetch(m->group->accumulators + i);
}

static int goes(grouping *g) {
  const member *m = member_at(g, g->first);
  fetch_leaving(g);
  if (!leaves(g, m->group, g->first, m->args))
    return FALSE;
  g->first++;
  let_go(g, m->group);
  return TRUE;
}

/* Those that end by now come; others stay. */
static int take_pending(grouping *g, wide now) {
  size_t taken = 0, count = g->pending.count;
  if (count > 1)
    put_in_order(g);
  int done = TRUE;
  while (done && taken < count && (solution_at(g, &g->pending, taken)->how == TIMELESS ||
                                   solution_at(g, &g->pending, taken)->end <= now))
    done = enters(g, solution_at(g, &g->pending, taken++));
  if (taken && taken < count) /* also the one that failed: what it held is lost */
    memmove(g->pending.bytes, g->pending.bytes + taken * g->solution_size, (count - taken) * g->solution_size);
  g->pending.count = count - taken;
  if (g->pending.room > LEAST_ROOM && 8 * count < g->pending.room)
    give_back_half(g, &g->pending);
  return done;
}

static int window_moves(grouping *g, wide now) {
  if (!comes_of_age(g, now))
    return FALSE;
  while (has_queue(g) && g->first <= g->newest && is_too_old(g, now))
    if (!goes(g))
      return FALSE;
  wake_steps(g);
  if (g->room > LEAST_ROOM && 8 * (g->last - g->first + 1) < g->room)
    move_members(g, g->room / 2); /* it is no fault if there is no memory */
  return TRUE;
}

static int note_settled(grouping *g, wide now) {
  return !g->is_marked || g->width < 0 || add(g, &g->changes, NULL, SETTLED, 0, now, NULL);
}

int settle_groups(grouping *g, wide now) {
  return note_settled(g, now) && take_pending(g, now) && window_moves(g, now);
}

keyed *settle_one(grouping *g, wide now, const code *cells) {
  keyed *k = group_of(g, cells);
  if (!k)
    return NULL;
  k->held++;
  if ((!g->is_marked || add(g, &g->changes, NULL, TIMED, now, now, cells)) && note_settled(g, now)) {
    for (int i = g->keys; i < g->keys + g->width; i++)
      retain(cells[i]);
    if (enters_group(g, k, TIMED, now, now, cells + g->keys) && window_moves(g, now))
      return k;
  }
  let_go(g, k);
  return NULL;
}

int64_t solutions_kept(const grouping *g) { return g->last - g->first + 1 + (int64_t)g->pending.count; }

int64_t grouping_bytes(const grouping *g) {
  int64_t bytes = sizeof *g + g->room * g->member_size;
  bytes += (g->pending.room + g->changes.room) * g->solution_size + g->asked_room * sizeof *g->asked;
  bytes += g->buckets ? (g->mask + 1) * sizeof *g->buckets : 0;
  for (const keyed *k = g->oldest_group; k; k = k->newer) {
    bytes += sizeof *k + g->keys * sizeof *k->key + g->aggregate_count * sizeof *k->accumulators;
    for (int i = 0; i < g->aggregate_count; i++)
      bytes += accumulator_bytes(g->aggregates + i, k->accumulators + i);
  }
  return bytes;
}

int has_members(const grouping *g) { return g->pending.count || g->newest >= g->first; }

void wake_steps(const grouping *g) {
  if (g->steps && has_members(g))
    bring_forward(g->engine, g->steps);
}

/* ---- rows that are asked for by key ------------------------------------------------------------------------- */

static void begin_asking(grouping *g, wide now) {
  if (g->is_asked && g->asked_at == now)
    return;
  for (size_t i = 0; i < g->asked_count; i++) {
    g->asked[i]->is_asked = FALSE;
    let_go(g, g->asked[i]);
  }
  g->asked_count = g->is_made = 0;
  g->is_asked = TRUE;
  g->asked_at = now;
}

int ask_for(grouping *g, wide now, const code *key) {
  begin_asking(g, now);
  keyed *k = group_of(g, key);
  if (!k)
    return -1;
  if (k->is_asked)
    return g->is_made;
  k->held++; /* first: it may be all that it is */
  if (!more((void **)&g->asked, &g->asked_room, g->asked_count, sizeof *g->asked)) {
    let_go(g, k);
    return -1;
  }
  k->is_asked = TRUE;
  g->asked[g->asked_count++] = k;
  return g->is_made;
}

void take_asked(grouping *g, wide now) {
  begin_asking(g, now);
  g->is_made = TRUE;
}

/* ---- all of it ---------------------------------------------------------------------------------------------- */

void begin_changes(grouping *g) {
  forget_solutions(g, &g->changes);
  g->is_marked = TRUE;
}

void empty_grouping(grouping *g) {
  for (; has_queue(g) && g->first <= g->last; g->first++)
    release_codes(g, member_at(g, g->first)->args, g->width);
  forget_solutions(g, &g->pending);
  forget_solutions(g, &g->changes);
  for (keyed *k = g->oldest_group, *newer; k; k = newer) {
    newer = k->newer;
    delete_group(g, k);
  }
  g->asked_count = g->is_asked = g->is_made = 0;
  g->first = 1;
  g->newest = g->last = 0;
}

static void free_grouping(grouping *g) {
  empty_grouping(g);
  for (int i = 0; i < g->output_count; i++)
    if (g->outputs[i].separator)
      release(g->engine, g->outputs[i].separator);
  for (int i = 0; i < g->aggregate_count; i++)
    free(g->aggregates[i].keys);
  free(g->aggregates), free(g->outputs), free(g->buckets), free(g->members), free(g->asked), free(g);
}

void delete_grouping(grouping *g) {
  grouping **at = &g->engine->groupings;
  while (*at != g)
    at = &(*at)->next;
  *at = g->next;
  free_grouping(g);
}

void delete_groupings(engine *e) {
  for (grouping *g = e->groupings, *next; g; g = next) {
    next = g->next;
    free_grouping(g);
  }
  e->groupings = NULL;
}

/* ---- from a snapshot: first the groups, then the members in their order -------------------------------------- */

int restore_group(grouping *g, const code *key, int64_t members, term_t accumulators) {
  keyed *k = group_of(g, key);
  term_t list = PL_copy_term_ref(accumulators), head = PL_new_term_ref();
  if (!k)
    return FALSE;
  k->members = members;
  for (int i = 0; i < g->aggregate_count; i++)
    if (!PL_get_list(list, head, list) ||
        !read_accumulator(g->engine, g->aggregates + i, k->accumulators + i, head))
      return FALSE;
  return TRUE;
}

int restore_member(grouping *g, wide end, const code *cells, int is_in) {
  keyed *k = group_of(g, cells);
  const code *args = cells + g->keys;
  if (!k || !join_queue(g, k, end, args))
    return FALSE;
  for (int i = 0; i < g->width; i++)
    retain(args[i]);
  g->newest += is_in;
  wake_steps(g);
  return !is_in || comes(g, k, g->last, args, 0);
}
