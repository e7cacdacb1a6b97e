/*  Rows that are alone in their instants.

    Most instants have one row. Where the rules of a program wait for nothing but rows, and the one rule for the row's predicate is
    straight (straight.c), or all of them are those of straight_groups.c, its instant is no more than that: no rows have to be put
    in order, nothing is settled, and nothing has lived for that instant. Such rows are taken here, one after the other, up to one
    of another kind, which instants.c takes, or to the next instant of a grid.
*/

#include "soon.h"

static inline enum status run_alone(machine *m, const clause *c, const code *ins) {
  code registers[c->shape->registers + 1];
  frame own = {m, registers, NULL, c, NULL};
  const goal *rest = c->shape->body;
  put_taken(c, ins, registers);
  enum status is = run_straight(&own, &rest);
  return is == STOP && rest != c->shape->body ? run_rest(m, rest, &own) : is;
}

/* The first rule that may be for a row, if that is all there is for it; STOP: it is not known. */
static inline enum status rule_alone(const machine *m, int64_t row, code p, code place, const trigger **found) {
  const trigger *t = m->rows.needed ? needed_by(m, row)->first : first_rule(m, p);
  if (t && !t->group && !(t->is_only && t->is_entered && t->clause->shape->straight))
    return STOP;
  if (t && t->sight == IN_STREAM && (!place || (t->stream != TAG_ANY && t->stream != stream_of(place))))
    t = NULL;
  *found = t;
  return GO_ON;
}

/* STOP: it is of another kind, or not before `until`. */
static inline enum status take_one(machine *m, int64_t until) {
  batch *b = &m->rows;
  int64_t row = b->at, end = b->ends[row], before = b->clock;
  if (end <= before || b->ends[row + 1] <= end || end >= until)
    return STOP;
  code p = b->terms[b->first_p + b->p[row]], place = b->places ? b->terms[b->first_place + b->places[row]] : 0;
  const trigger *t;
  if (rule_alone(m, row, p, place, &t) == STOP)
    return STOP;
  if (b->turn <= end)
    turn_stores(m->engine, end, &b->turn);
  b->clock = end;
  enum status is = GO_ON;
  if (t) {
    code ins[] = {b->terms[b->s[row]],         p,                 b->terms[b->first_o + b->o[row]],
                  integer_code(b->starts[row]), integer_code(end), place ? stream_of(place) : 0};
    is = t->group ? answer_of_group(m, t->group, ins) : run_alone(m, t->clause, ins);
  }
  if (is == STOP)
    b->clock = before;
  else
    b->at++;
  return is;
}

/* No instant of a grid is before. */
static int64_t plain_until(machine *m) {
  if (!m->step_count)
    return INT64_MAX;
  int64_t clock = m->rows.clock;
  return clock <= BEFORE_ALL || is_due(m, clock) ? BEFORE_ALL : first_on_grids(m, clock);
}

int take_alone(machine *m, int64_t many) {
  const batch *b = &m->rows;
  int64_t last = b->length - b->at > BETWEEN_SIGNALS ? b->at + BETWEEN_SIGNALS : b->length - 1;
  enum status is = m->is_plain && !b->open.count ? GO_ON : STOP;
  int64_t until = is == GO_ON ? plain_until(m) : BEFORE_ALL;
  while (is == GO_ON && b->at < last && codes_put(m->out) < many) {
    look_ahead(m);
    is = take_one(m, until);
  }
  return is != BROKEN;
}
