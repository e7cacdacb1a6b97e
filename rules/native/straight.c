/*  Rules that are run straight through.

    What rules find is noted, put in order and written when an instant ends. Where a row is alone in its instant, and the one
    rule for it does no more than to find goals and to answer, its answers are written at once, if no two have the same start.
    Goals that such a rule keeps are written into their store, without registers for what was found.
*/

#include "near.h"

static source source_of(const goal *find, const operand *o) {
  for (int i = 0; find && i < find->taken; i++)
    if (find->takes[i].to == o->at)
      return (source){TRUE, find->takes[i].from};
  return (source){FALSE, o->at};
}

#define MOST_STRAIGHT 64 /* answers of an instant, and cells of a goal */
#define MOST_LOOKED 4096 /* goals */

static int is_last(const goal *g) {
  if (!g->gives || g->width > MOST_STRAIGHT)
    return FALSE;
  if (g->kind == INSERT)
    return g->next->kind == NOTHING || g->next->kind == RETURN;
  return g->kind == ANSWER && !g->once && !g->is_ranked && g->a.at >= 0 && g->next->kind == RETURN;
}

int read_straight(machine *m, shape *s) {
  const goal *find = s->body, *last;
  while (find->kind == COMPARE)
    find = find->next;
  if (find->kind == FIND && !find->only_takes)
    return TRUE;
  last = find->kind == FIND ? find->behind : find;
  if (!is_last(last))
    return TRUE;
  straight *of = piece_of(m, sizeof *of + last->width * sizeof *of->cells);
  if (!of)
    return FALSE;
  find = find->kind == FIND ? find : NULL;
  *of = (straight){find, last, source_of(find, &last->a)};
  for (int i = 0; i < last->width; i++)
    of->cells[i] = source_of(find, &last->columns[i].is);
  s->straight = of;
  return TRUE;
}

/* Goals whose answers are in order: by their starts. */
typedef struct {
  const code *cells[MOST_STRAIGHT];
  int64_t starts[MOST_STRAIGHT]; /* as codes */
  int count;
} goals;

/* False: the order of two is not known by their starts. */
static inline int put_in_place(goals *all, const code *cells, code start) {
  int at = all->count++;
  for (; at && all->starts[at - 1] >= (int64_t)start; at--) {
    if (all->starts[at - 1] == (int64_t)start)
      return FALSE;
    all->cells[at] = all->cells[at - 1];
    all->starts[at] = all->starts[at - 1];
  }
  all->cells[at] = cells;
  all->starts[at] = start;
  return TAG(start) == TAG_INTEGER;
}

/* The goals that are near enough, in the order in which they came or in that of answers; false where that takes more than a look
   at them. */
static inline int find_goals(const straight *of, const frame *f, goals *all) {
  const goal *g = of->find;
  const store *s = store_of(f, g);
  lookup l;
  limits near[MOST_COMPARED];
  if (!s->live || !begin_find(g, f, &l))
    return TRUE;
  int limited = put_limits(g, f, near), looked = 0, is_kept = keeps(of);
  if (limited < g->compared || l.by < 0 || l.known != g->known)
    return FALSE;
  const neighbours *links = s->index[l.by].links; /* nothing comes or goes meanwhile */
  for (near_row row = l.at < 0 ? -1 : near_of(l.at); row >= 0; looked++) {
    const code *cells = row_cells(s, row);
    const neighbours *own = links + slot_of(s, row);
    enum nearness is = is_near(near, limited, cells);
    row = l.newest ? own->before : own->after;
    __builtin_prefetch(row_cells(s, row));
    if (is == FAR)
      continue;
    if (is == UNSURE || all->count == MOST_STRAIGHT || looked > MOST_LOOKED)
      return FALSE;
    if (is_kept)
      all->cells[all->count++] = cells;
    else if (!put_in_place(all, cells, (of->start.is_found ? cells : f->registers)[of->start.at]))
      return FALSE;
  }
  f->m->looked += looked;
  return TRUE;
}

static enum status put_answers(const straight *of, const frame *f, goals *all) {
  machine *m = f->m;
  if ((size_t)all->count >= m->found_most || (!of->find && TAG(f->registers[of->start.at]) != TAG_INTEGER))
    return STOP;
  int query = number_of(f->registers[of->last->number]), width = of->last->width;
  return put_goals(m->out, query, m->rows.clock, all->cells, all->count, f->registers, of->start, of->cells, width) ? GO_ON
                                                                                                                   : BROKEN;
}

static enum status keep_goals(const straight *of, const frame *f, goals *all) {
  store *s = store_of(f, of->last);
  int width = of->last->width;
  if (s->group || (of->find && store_of(f, of->find) == s))
    return STOP; /* cells that were found may move */
  for (int i = 0; i < all->count; i++) {
    code cells[MOST_STRAIGHT];
    for (int j = 0; j < width; j++)
      cells[j] = (of->cells[j].is_found ? all->cells[i] : f->registers)[of->cells[j].at];
    if (!add_row(s, cells))
      return BROKEN;
    for (int j = 0; j < width; j++)
      retain(cells[j]);
  }
  return GO_ON;
}

enum status run_straight(const frame *f) {
  const straight *of = f->clause->shape->straight;
  const goal *behind = of->find ? of->find : of->last;
  for (const goal *test = f->clause->shape->body; test != behind; test = test->next)
    if (!is_within(f, test))
      return GO_ON;
  goals all;
  all.count = !of->find; /* nothing of it is looked at then */
  if (of->find && !find_goals(of, f, &all))
    return STOP;
  if (!all.count)
    return GO_ON;
  return (keeps(of) ? keep_goals : put_answers)(of, f, &all);
}
