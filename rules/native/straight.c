/*  Answers that are written where they are found.

    Answers of an instant are noted, put in order and written when it ends. Where a row is alone in its instant, and the one
    rule for it does no more than to find goals and to answer, its answers are written at once if they come in order: each
    starts later than the one before.
*/

#include "near.h"

static source source_of(const goal *find, const operand *o) {
  for (int i = 0; i < find->taken; i++)
    if (find->takes[i].to == o->at)
      return (source){TRUE, find->takes[i].from};
  return (source){FALSE, o->at};
}

int read_straight(machine *m, shape *s) {
  const goal *find = s->body, *answer;
  while (find->kind == COMPARE)
    find = find->next;
  if (find->kind != FIND || !find->only_takes || !(answer = find->behind) || answer->kind != ANSWER || !answer->gives ||
      answer->once || answer->is_ranked || answer->a.at < 0 || answer->next->kind != RETURN)
    return TRUE;
  straight *of = piece_of(m, sizeof *of + answer->width * sizeof *of->cells);
  if (!of)
    return FALSE;
  *of = (straight){find, answer, source_of(find, &answer->a)};
  for (int i = 0; i < answer->width; i++)
    of->cells[i] = source_of(find, &answer->columns[i].is);
  s->straight = of;
  return TRUE;
}

#define MOST_STRAIGHT 64 /* answers of an instant */
#define MOST_LOOKED 4096 /* goals */

/* The goals whose answers are wanted, in their order; how many, or -1 where that takes more than a look at them. */
static inline int find_goals(const straight *of, const frame *f, const code **goals) {
  const goal *g = of->find;
  const store *s = store_of(f, g);
  lookup l;
  limits near[MOST_COMPARED];
  if (!s->live || !begin_find(g, f, &l))
    return 0;
  int limited = put_limits(g, f, near), count = 0, looked = 0;
  if (limited < g->compared || l.by < 0 || l.known != g->known)
    return -1;
  const neighbours *links = s->index[l.by].links; /* nothing comes or goes meanwhile */
  int64_t before = INT64_MIN;
  for (near_row row = l.at < 0 ? -1 : near_of(l.at); row >= 0; looked++) {
    const code *cells = row_cells(s, row);
    const neighbours *own = links + slot_of(s, row);
    enum nearness is = is_near(near, limited, cells);
    row = l.newest ? own->before : own->after;
    __builtin_prefetch(row_cells(s, row));
    if (is == FAR)
      continue;
    code start = (of->start.is_found ? cells : f->registers)[of->start.at];
    if (is == UNSURE || TAG(start) != TAG_INTEGER || (int64_t)start <= before || count == MOST_STRAIGHT || looked > MOST_LOOKED)
      return -1;
    goals[count++] = cells;
    before = start;
  }
  f->m->looked += looked;
  return count;
}

enum status answer_straight(const frame *f) {
  machine *m = f->m;
  const straight *of = f->clause->shape->straight;
  for (const goal *test = f->clause->shape->body; test != of->find; test = test->next)
    if (!is_within(f, test))
      return GO_ON;
  const code *goals[MOST_STRAIGHT];
  int count = find_goals(of, f, goals);
  if (count < 0 || (size_t)count >= m->found_most)
    return STOP;
  int query = number_of(f->registers[of->answer->number]);
  return !count || put_goals(m->out, query, m->rows.clock, goals, count, f->registers, of->start, of->cells, of->answer->width)
             ? GO_ON
             : BROKEN;
}
