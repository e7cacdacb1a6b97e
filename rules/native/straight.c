/*  Rules that are run straight through.

    What rules find is noted, put in order and written when an instant ends. Where a row is alone in its instant, and the one
    rule for it does no more than to have a life go on, to find goals and to answer, its answers are written at once.
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
  const goal *find = s->body, *last, *renews = NULL;
  for (; find->kind == COMPARE || find->kind == SET || find->kind == RENEW; find = find->next) {
    if (find->kind == RENEW && renews)
      return TRUE;
    renews = find->kind == RENEW ? find : renews;
  }
  if (find->kind == FIND && !find->only_takes)
    return TRUE;
  last = find->kind == FIND ? find->behind : find;
  if (!is_last(last))
    return TRUE;
  straight *of = piece_of(m, sizeof *of + last->width * sizeof *of->cells);
  if (!of)
    return FALSE;
  find = find->kind == FIND ? find : NULL;
  *of = (straight){renews, find, last, source_of(find, &last->a)};
  for (int i = 0; i < last->width; i++)
    of->cells[i] = source_of(find, &last->columns[i].is);
  s->straight = of;
  return TRUE;
}

/* Goals whose answers are in order. */
typedef struct {
  const code *cells[MOST_STRAIGHT];
  int64_t starts[MOST_STRAIGHT]; /* as codes */
  int count;
} goals;

/* As by_order() of instants.c has answers of one query; what the row itself has is the same in all. */
static int is_answer_before(const straight *of, const code *a, const code *b) {
  for (int i = 0; i < of->last->width; i++)
    if (of->cells[i].is_found) {
      int order = compare_codes(a[of->cells[i].at], b[of->cells[i].at]);
      if (order)
        return order < 0;
    }
  return FALSE;
}

/* False: the order of two is not known by their starts. */
static inline int put_in_place(const straight *of, goals *all, const code *cells, code start) {
  int at = all->count++;
  for (; at && all->starts[at - 1] >= (int64_t)start; at--) {
    if (all->starts[at - 1] == (int64_t)start && !is_answer_before(of, cells, all->cells[at - 1]))
      break;
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
    else if (!put_in_place(of, all, cells, (of->start.is_found ? cells : f->registers)[of->start.at]))
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

enum status run_straight(frame *f, const goal **rest) {
  const straight *of = f->clause->shape->straight;
  const goal *behind = of->find ? of->find : of->last;
  for (const goal *g = *rest; g != behind; g = g->next)
    switch (g->kind) {
    case SET:
      evaluate(g, f);
      break;
    case RENEW: {
      enum status is = renew(g, f);
      if (is != STOP)
        return is;
      *rest = g->next; /* it is not done again */
      break;
    }
    default:
      if (!is_within(f, g))
        return GO_ON;
    }
  goals all;
  all.count = !of->find; /* nothing of it is looked at then */
  if (of->find && !find_goals(of, f, &all))
    return STOP;
  if (!all.count)
    return GO_ON;
  return (keeps(of) ? keep_goals : put_answers)(of, f, &all);
}
