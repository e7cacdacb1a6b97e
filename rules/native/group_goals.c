/*  Goals about groups, in rules that run without Prolog. Groups are those that rules in Prolog use (groups.c). */

#include "groups.h"
#include "machine.h"

static void cells_of(const goal *g, const frame *f, code *cells) {
  for (int i = 0; i < g->width; i++)
    cells[i] = value_of(f, &g->columns[i].is);
}

int add_to_group(const goal *g, const frame *f) {
  code cells[g->width + 1];
  cells_of(g, f, cells);
  return add_solution(g->grouping, TIMED, number_of(value_of(f, &g->a)), number_of(value_of(f, &g->b)), cells);
}

int settle_goal(const goal *g, const frame *f) { return settle_groups(g->grouping, number_of(value_of(f, &g->a))); }

enum status ask_for_row(const goal *g, const frame *f) {
  code key[g->width + 1];
  cells_of(g, f, key);
  int is = ask_for(g->grouping, number_of(value_of(f, &g->a)), key);
  return is < 0 ? BROKEN : is ? STOP : GO_ON;
}

static int value_of_group(machine *m, const grouping *all, const keyed *k, const output *o, int is_shown, code *value) {
  const aggregate *of = all->aggregates + o->of;
  const accumulator *a = k->accumulators + o->of;
  number n;
  if (is_shown && is_number_to_show(of, o, a, &n))
    return show(m, &n, value);
  return result_of(m->engine, of, o, a, value) && keep(m, *value);
}

/* Go on with the row of a group; its columns are the key, then the values. */
static enum status give_row(const goal *g, frame *f, const keyed *k, uint64_t known) {
  const grouping *all = g->grouping;
  code cells[g->width + 1];
  for (int i = 0; i < all->keys; i++)
    cells[i] = k->key[i];
  for (int i = all->keys; i < g->width; i++)
    if (!value_of_group(f->m, all, k, all->outputs + i - all->keys, g->columns[i].is_shown, cells + i))
      return BROKEN;
  return is_fitting(f, g, cells, known) ? run(g->next, f) : GO_ON;
}

static enum status each_group(const goal *g, frame *f) {
  keyed **all;
  size_t count;
  if (!held_groups(g->grouping, &all, &count))
    return BROKEN;
  enum status is = GO_ON;
  for (size_t i = 0; i < count; i++) {
    if (is == GO_ON)
      is = give_row(g, f, all[i], 0);
    let_go(g->grouping, all[i]);
  }
  free(all);
  return is;
}

enum status rows_of_groups(const goal *g, frame *f) {
  int keys = g->grouping->keys;
  code key[keys + 1];
  for (int i = 0; i < keys; i++) {
    if (g->columns[i].kind != KNOWN)
      return each_group(g, f);
    key[i] = value_of(f, &g->columns[i].is);
  }
  const keyed *k = known_group(g->grouping, key);
  return k ? give_row(g, f, k, keys < INDEXED ? ((uint64_t)1 << keys) - 1 : 0) : GO_ON;
}

/* Those that are asked for meanwhile are not among them. */
enum status rows_asked_for(const goal *g, frame *f) {
  grouping *all = g->grouping;
  take_asked(all, number_of(value_of(f, &g->a)));
  enum status is = GO_ON;
  for (size_t i = 0, count = all->asked_count; i < count && is == GO_ON; i++)
    if (is_fitting(f, g, all->asked[i]->key, 0))
      is = run(g->next, f);
  return is;
}
