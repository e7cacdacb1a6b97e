/*  Rows that are alone in their instants.

    Most instants have one row. Where the rules of a program wait for nothing but rows, and the one rule for the row's predicate is
    straight (straight.c), or all of them are those of straight_groups.c, its instant is no more than that: no rows have to be put
    in order, nothing is settled, and nothing has lived for that instant. Such rows are taken here, one after the other, up to one
    of another kind, which instants.c takes.
*/

#include "soon.h"

static inline enum status run_alone(machine *m, const clause *c, const code *ins) {
  code registers[c->shape->registers + 1];
  put_taken(c, ins, registers);
  return run_straight(&(frame){m, registers, NULL, c, NULL});
}

/* STOP: it is of another kind. */
static inline enum status take_one(machine *m) {
  batch *b = &m->rows;
  int64_t row = b->at, end = b->ends[row], before = b->clock;
  if (end <= before || b->ends[row + 1] <= end)
    return STOP;
  code p = b->terms[b->first_p + b->p[row]];
  const trigger *t = b->needed ? needed_by(m, row)->first : first_rule(m, p);
  if (t && !t->group && !(t->is_only && t->is_entered && t->clause->shape->straight))
    return STOP;
  if (b->turn <= end)
    turn_stores(m->engine, end, &b->turn);
  b->clock = end;
  enum status is = GO_ON;
  if (t) {
    code ins[] = {b->terms[b->s[row]], p, b->terms[b->first_o + b->o[row]], integer_code(b->starts[row]), integer_code(end)};
    is = t->group ? answer_of_group(m, t->group, ins) : run_alone(m, t->clause, ins);
  }
  if (is == STOP)
    b->clock = before;
  else
    b->at++;
  return is;
}

int take_alone(machine *m, int64_t many) {
  const batch *b = &m->rows;
  int64_t last = b->length - b->at > BETWEEN_SIGNALS ? b->at + BETWEEN_SIGNALS : b->length - 1;
  enum status is = m->is_plain && !b->open.count ? GO_ON : STOP;
  while (is == GO_ON && b->at < last && codes_put(m->out) < many) {
    look_ahead(m);
    is = take_one(m);
  }
  return is != BROKEN;
}
