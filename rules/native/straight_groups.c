/*  A row that asks for the group that it comes into.

    The mean of the key that just came: one rule adds a row to a group; another keeps it as a goal until the instant is settled,
    and asks for the row of its group then; the settlement finds the goal again, and answers. Where a row is alone in its instant,
    and these are all rules for it, it comes into its group and is answered at once, without a goal. To see which rules these are,
    they are followed when they are read: of each register it is found out what of the row it has, or which value of the group.
*/

#include "groups.h"
#include "machine.h"

/* What rules get of a row, in their order; the values of the group are numbered behind that. A start is the end here. */
enum { END = 4, FIRST_VALUE, A_CONSTANT = -1, NOT_KNOWN = -2 };
#define MOST_FOLLOWED 8 /* calls in one another */

typedef struct {
  int place;
  code constant;
} origin;

struct straight_group {
  grouping *grouping;
  int query, width;
  const origin *added; /* the key and the arguments */
  origin cells[];      /* of the answer */
};

/* ---- rules are followed ------------------------------------------------------------------------------------ */

enum seen { NOTHING_YET, IS_SETTLED, IS_ASKED, HAS_VALUES, HAS_GOAL }; /* in this order */

typedef struct {
  machine *m;
  const goal *add, *insert;
  const origin *added, *inserted;
  code store;
  enum seen seen;
  int depth;
  straight_group *found; /* NULL without memory */
} following;

static origin origin_of(const origin *registers, const operand *o) {
  return o->at < 0 ? (origin){A_CONSTANT, o->constant} : registers[o->at];
}

static int is_same(origin a, origin b) {
  return a.place == b.place && a.place != NOT_KNOWN && (a.place != A_CONSTANT || a.constant == b.constant);
}

static int is_end(const origin *registers, const operand *o) { return origin_of(registers, o).place == END; }

/* What registers have when a rule is called; false: it may not be called with that. */
static int are_entered(const clause *c, const origin *ins, origin *registers) {
  const shape *s = c->shape;
  for (int i = 0; i < s->registers; i++)
    registers[i] = i < s->own ? (origin){NOT_KNOWN, 0} : (origin){A_CONSTANT, c->constants[i - s->own]};
  for (int i = 0; i < s->ins; i++)
    if (s->in[i].kind == TAKEN)
      registers[s->in[i].is.at] = ins[i];
    else if (!is_same(origin_of(registers, &s->in[i].is), ins[i]))
      return FALSE;
  return TRUE;
}

static int has_row(const trigger *t, origin *registers) {
  const origin row[] = {{0, 0}, {A_CONSTANT, t->p}, {2, 0}, {END, 0}, {END, 0}};
  return t->clause->shape->ins == END + 1 && are_entered(t->clause, row, registers);
}

/* The origins of columns, all of which are known. */
static int are_known(const goal *g, const origin *registers, origin *columns) {
  for (int i = 0; i < g->width; i++) {
    columns[i] = origin_of(registers, &g->columns[i].is);
    if (g->columns[i].kind != KNOWN || columns[i].place == NOT_KNOWN)
      return FALSE;
  }
  return TRUE;
}

/* Columns that have these origins, if they fit; what is taken has the origin then. */
static int do_fit(const goal *g, int count, const origin *are, origin *registers) {
  for (int i = 0; i < count; i++) {
    const column *c = g->columns + i;
    if (c->kind == TAKEN)
      registers[c->is.at] = are[i];
    else if (c->kind == CHECKED || (c->kind == KNOWN && !is_same(origin_of(registers, &c->is), are[i])))
      return FALSE;
  }
  return TRUE;
}

static int has_values(const following *w, const goal *g, origin *registers) {
  int keys = w->add->grouping->keys;
  if (!do_fit(g, keys, w->added, registers))
    return FALSE;
  for (int i = keys; i < g->width; i++) {
    const column *c = g->columns + i;
    if (c->kind == KNOWN || c->kind == CHECKED)
      return FALSE;
    if (c->kind == TAKEN)
      registers[c->is.at] = (origin){FIRST_VALUE + i - keys, 0};
  }
  return TRUE;
}

static int is_next(following *w, enum seen seen) { return ++w->seen == seen; }

static int is_followed(following *w, const goal *g, origin *registers) {
  const grouping *groups = w->add->grouping;
  switch (g->kind) {
  case SAME:
    return is_same(origin_of(registers, &g->a), origin_of(registers, &g->b));
  case SETTLE:
    return is_next(w, IS_SETTLED) && g->grouping == groups && is_end(registers, &g->a);
  case ASKED:
    return is_next(w, IS_ASKED) && g->grouping == groups && is_end(registers, &g->a) && do_fit(g, groups->keys, w->added, registers);
  case ROWS_OF:
    return is_next(w, HAS_VALUES) && g->grouping == groups && has_values(w, g, registers);
  case FIND:
    return is_next(w, HAS_GOAL) && registers[g->number].constant == w->store && do_fit(g, g->width, w->inserted, registers);
  default:
    return FALSE;
  }
}

static int is_answered(following *w, const goal *g, const origin *registers) {
  if (w->seen != HAS_GOAL || g->once || g->is_ranked || !is_end(registers, &g->a) || g->next->kind != RETURN)
    return FALSE;
  straight_group *found = piece_of(w->m, sizeof *found + g->width * sizeof *found->cells);
  origin *added = found ? piece_of(w->m, w->add->width * sizeof *added) : NULL;
  if (!added)
    return TRUE;
  memcpy(added, w->added, w->add->width * sizeof *added);
  *found = (straight_group){w->add->grouping, number_of(registers[g->number].constant), g->width, added};
  w->found = found;
  return are_known(g, registers, found->cells);
}

/* The only rule for a call is followed to its answer. */
static int follow(following *w, const clause *c, const origin *ins) {
  origin registers[c->shape->registers + 1];
  if (c->next || w->depth++ > MOST_FOLLOWED || !are_entered(c, ins, registers))
    return FALSE;
  const goal *g = c->shape->body;
  while (g->kind != CALL && g->kind != ANSWER) {
    if (!is_followed(w, g, registers))
      return FALSE;
    g = g->next;
  }
  if (g->kind == ANSWER)
    return is_answered(w, g, registers);
  origin given[g->width + 1];
  int count = 0;
  for (int i = 0; i < g->width; i++)
    if (g->columns[i].kind == KNOWN)
      given[count++] = origin_of(registers, &g->columns[i].is);
  const clause *called = w->m->predicates[g->number];
  return g->next->kind == RETURN && called && follow(w, called, given);
}

/* What keeps the row as a goal, where it asks for the row of its group, and none is made yet; else NULL. */
static const goal *kept_by(const following *w, const clause *c, const origin *registers) {
  const goal *g = c->shape->body;
  for (; g->kind == SAME; g = g->next)
    if (!is_same(origin_of(registers, &g->a), origin_of(registers, &g->b)))
      return NULL;
  if (g->kind != BEGIN || g->next->kind != IF)
    return NULL;
  const goal *ask = g->next->first, *insert = g->next->third;
  origin key[ask->width + 1];
  if (ask->kind != ASK || ask->next->kind != FOUND_ONE || ask->grouping != w->add->grouping || !is_end(registers, &ask->a) ||
      insert->kind != INSERT || insert->next->kind != NOTHING || !are_known(ask, registers, key))
    return NULL;
  for (int i = 0; i < ask->width; i++)
    if (!is_same(key[i], w->added[i]))
      return NULL;
  return insert;
}

int read_straight_group(machine *m, const trigger *adds, const trigger *asks, const straight_group **found) {
  const goal *add = adds->clause->shape->body;
  if (add->kind != ADD || add->next->kind != LATER || add->next->next->kind != NOTHING)
    return TRUE;
  origin registers[adds->clause->shape->registers + 1], added[add->width + 1];
  following w = {.m = m, .add = add, .added = added};
  if (!has_row(adds, registers) || !is_end(registers, &add->a) || !is_end(registers, &add->b) || !are_known(add, registers, added))
    return TRUE;
  origin own[asks->clause->shape->registers + 1];
  if (!has_row(asks, own) || !(w.insert = kept_by(&w, asks->clause, own)))
    return TRUE;
  origin inserted[w.insert->width + 1];
  if (!are_known(w.insert, own, inserted))
    return TRUE;
  w.inserted = inserted;
  w.store = own[w.insert->number].constant;
  const clause *settlement = m->predicates[m->settlements[add->next->number]];
  if (!settlement || !follow(&w, settlement, &(origin){END, 0}))
    return TRUE;
  *found = w.found;
  return w.found != NULL;
}

/* ---- rows are answered -------------------------------------------------------------------------------------- */

static int put_value(machine *m, const grouping *g, const keyed *k, const output *o) {
  const aggregate *of = g->aggregates + o->of;
  const accumulator *a = k->accumulators + o->of;
  number n;
  code value;
  if (is_number_to_show(of, o, a, &n))
    return put_number(m->out, &n);
  if (!result_of(m->engine, of, o, a, &value))
    return FALSE;
  int done = put_term_code(m->out, value);
  release(m->engine, value);
  return done;
}

static int put_cells(machine *m, const straight_group *of, const keyed *k, const code *row) {
  for (int i = 0; i < of->width; i++) {
    const origin *o = of->cells + i;
    int value = o->place - FIRST_VALUE;
    if (!(value < 0 ? put_term_code(m->out, o->place < 0 ? o->constant : row[o->place])
                    : put_value(m, of->grouping, k, of->grouping->outputs + value)))
      return FALSE;
  }
  return TRUE;
}

static int put_answer(machine *m, const straight_group *of, const keyed *k, const code *row) {
  if (!begin_row(m->out, of->width))
    return FALSE;
  int done = put_cells(m, of, k, row);
  if (done)
    end_row(m->out, of->query, m->rows.clock, m->rows.clock);
  else
    drop_row(m->out);
  return done;
}

enum status answer_of_group(machine *m, const straight_group *of, const code *row) {
  grouping *g = of->grouping;
  if (row[END - 1] != row[END] || g->pending.count || m->found_most < 2)
    return STOP;
  code added[g->keys + g->width + 1];
  for (int i = 0; i < g->keys + g->width; i++)
    added[i] = of->added[i].place < 0 ? of->added[i].constant : row[of->added[i].place];
  int64_t now = m->rows.clock;
  if (g->asked_count)
    take_asked(g, now); /* who was asked before is let go */
  keyed *k = settle_one(g, now, added);
  if (!k)
    return BROKEN;
  int done = !k->members || put_answer(m, of, k, row);
  let_go(g, k);
  return done ? GO_ON : BROKEN;
}
