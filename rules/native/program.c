/*  A program for the machine is read: the terms that machine.pl makes of rules. */

#include "background.h"
#include "groups.h"

void *piece_of(machine *m, size_t size) {
  piece *p = calloc(1, sizeof *p + size);
  if (!p) {
    PL_resource_error("memory");
    return NULL;
  }
  p->next = m->pieces;
  m->pieces = p;
  return p->bytes;
}

int widen(void **items, size_t *room, size_t wanted, size_t size) {
  size_t new_room = *room ? *room : 256;
  while (new_room < wanted)
    new_room *= 2;
  void *moved = realloc(*items, new_room * size);
  if (!moved)
    return PL_resource_error("memory");
  *items = moved;
  *room = new_room;
  return TRUE;
}

int is_named(term_t term, const char *name, size_t arity) {
  atom_t atom;
  size_t found;
  return PL_get_name_arity(term, &atom, &found) && found == arity && !strcmp(PL_atom_chars(atom), name);
}

term_t part_of(term_t term, int place) {
  term_t part = PL_new_term_ref();
  _PL_get_arg(place, term, part);
  return part;
}

static int constant_of(machine *m, term_t term, code *found) {
  if (!more((void **)&m->constants, &m->constant_room, m->constant_count, sizeof(code)))
    return FALSE;
  if (code_of(m->engine, TRUE, term, found) != FOUND)
    return FALSE;
  m->constants[m->constant_count++] = *found;
  return TRUE;
}

/* r(Register) or k(Constant) */
static int read_operand(machine *m, term_t term, operand *o) {
  if (is_named(term, "r", 1))
    return PL_get_integer_ex(part_of(term, 1), &o->at);
  o->at = -1;
  return is_named(term, "k", 1) ? constant_of(m, part_of(term, 1), &o->constant) : PL_type_error("operand", term);
}

/* in(Operand), out(Register), shown(Register), check(Register) or any */
static int read_column(machine *m, term_t term, column *c) {
  if (is_named(term, "in", 1)) {
    c->kind = KNOWN;
    return read_operand(m, part_of(term, 1), &c->is);
  }
  if (is_named(term, "any", 0)) {
    c->kind = IGNORED;
    return TRUE;
  }
  c->is_shown = is_named(term, "shown", 1);
  c->kind = c->is_shown || is_named(term, "out", 1) ? TAKEN : CHECKED;
  return PL_get_integer_ex(part_of(term, 1), &c->is.at);
}

static int read_columns(machine *m, term_t term, column **columns, int *count) {
  size_t length;
  term_t list = PL_copy_term_ref(term), head = PL_new_term_ref();
  if (PL_skip_list(list, 0, &length) != PL_LIST)
    return PL_type_error("list", term);
  if (!(*columns = piece_of(m, length * sizeof **columns)))
    return FALSE;
  for (*count = 0; PL_get_list(list, head, list); ++*count)
    if (!read_column(m, head, *columns + *count))
      return FALSE;
  return TRUE;
}

static expression *read_expression(machine *m, term_t term) {
  static const char *names[] = {NULL, NULL, "-", "min", "max", "mod", "div"};
  expression *e = piece_of(m, sizeof *e);
  int at;
  if (!e)
    return NULL;
  if (is_named(term, "r", 1)) {
    e->kind = REGISTER;
    if (!PL_get_integer_ex(part_of(term, 1), &at))
      return NULL;
    e->value = at;
    return e;
  }
  for (enum sum kind = MINUS; kind <= QUOTIENT; kind++)
    if (is_named(term, names[kind], 2)) {
      e->kind = kind;
      e->left = read_expression(m, part_of(term, 1));
      e->right = e->left ? read_expression(m, part_of(term, 2)) : NULL;
      return e->right ? e : NULL;
    }
  e->kind = NUMBER_IS;
  return PL_get_int64_ex(term, &e->value) ? e : NULL;
}

static int read_order(term_t term, enum order *order) {
  static const char *names[] = {"<", "=<", ">", ">=", "=:="};
  for (*order = LESS; *order <= EQUAL; ++*order)
    if (is_named(term, names[*order], 0))
      return TRUE;
  return PL_type_error("order", term);
}

/* The sum of an expression is added to a - b - bound, if it is made of no more. */
static int add_to_comparison(goal *g, const expression *e, int sign) {
  operand *place = sign > 0 ? &g->a : &g->b;
  switch (e->kind) {
  case REGISTER:
    if (place->at >= 0)
      return FALSE;
    place->at = e->value;
    return TRUE;
  case NUMBER_IS:
    if (e->value >= MOST_INTEGER / 4 || e->value <= -MOST_INTEGER / 4)
      return FALSE;
    g->bound -= sign * e->value;
    return TRUE;
  case MINUS:
    return add_to_comparison(g, e->left, sign) && add_to_comparison(g, e->right, -sign);
  default:
    return FALSE;
  }
}

/* Most tests look at the distance of two times: they become a - b =< bound, or a = b, whose codes are equal then. */
static void to_comparison(goal *g) {
  g->a = g->b = (operand){-1, integer_code(0)};
  g->bound = 0;
  int is_more = g->order == MORE || g->order == AT_LEAST; /* then it is b - a that is at most something */
  if (!add_to_comparison(g, g->left, is_more ? -1 : 1) ||
      !add_to_comparison(g, g->right, is_more ? 1 : -1))
    return;
  if (g->order == EQUAL) {
    g->kind = g->bound ? TEST : SAME;
    return;
  }
  g->bound -= g->order == LESS || g->order == MORE;
  if (g->bound < MOST_INTEGER && g->bound > -MOST_INTEGER)
    g->kind = COMPARE;
}

/* n(Name, Templates) or an operand */
static int read_template(machine *m, term_t term, template *t) {
  atom_t name;
  if (!is_named(term, "n", 2))
    return read_operand(m, term, &t->is);
  term_t list = part_of(term, 2), head = PL_new_term_ref();
  if (!PL_get_atom_ex(part_of(term, 1), &name) || PL_skip_list(list, 0, &t->arity) != PL_LIST ||
      !(t->parts = piece_of(m, t->arity * sizeof *t->parts)))
    return FALSE;
  t->functor = PL_new_functor_sz(name, t->arity);
  t->kind = COMPOUND;
  for (size_t i = 0; PL_get_list(list, head, list); i++)
    if (!read_template(m, head, t->parts + i))
      return FALSE;
  if (t->functor == pair && t->parts[0].functor == occurrence5 && !t->parts[1].functor && t->parts[1].is.at < 0 &&
      t->parts[1].is.constant == nil) {
    *t = t->parts[0];
    t->kind = SINGLE;
  }
  return TRUE;
}

static goal *read_goals(machine *m, term_t list, goal *next);

int read_store(term_t term, store **s) {
  void *found = NULL;
  if (!PL_get_pointer(term, &found))
    return PL_type_error("goal_store", term);
  *s = found;
  return TRUE;
}

static int read_columns_of(machine *m, term_t term, goal *g) {
  if (!read_columns(m, term, &g->columns, &g->width))
    return FALSE;
  if (!(g->takes = piece_of(m, g->width * sizeof *g->takes)) || !(g->gives = piece_of(m, g->width * sizeof *g->gives)))
    return FALSE;
  for (int i = 0; g->gives && i < g->width; i++) {
    const column *c = g->columns + i;
    g->gives[i] = c->is.at;
    if (c->kind != KNOWN || c->is.at < 0)
      g->gives = NULL;
  }
  g->only_takes = g->width <= INDEXED;
  for (int i = 0; i < g->width && i < INDEXED; i++) {
    const column *c = g->columns + i;
    if (c->kind == KNOWN)
      g->known |= (uint64_t)1 << i;
    if (c->kind == TAKEN)
      g->takes[g->taken++] = (taking){i, c->is.at};
    g->only_takes &= c->kind != CHECKED;
  }
  return TRUE;
}

static int column_taken_to(const goal *g, int at) {
  for (int i = 0; i < g->taken; i++)
    if (at >= 0 && g->takes[i].to == at)
      return g->takes[i].from;
  return -1;
}

/* `most` goals are known behind this one. */
static int read_compares(machine *m, goal *g, int most) {
  most = most < MOST_COMPARED ? most : MOST_COMPARED;
  if (!(g->compares = piece_of(m, most * sizeof *g->compares)))
    return FALSE;
  for (g->behind = g->next; g->compared < most && g->behind->kind == COMPARE; g->behind = g->behind->next) {
    const goal *test = g->behind;
    int a = column_taken_to(g, test->a.at), b = column_taken_to(g, test->b.at);
    if ((a < 0) == (b < 0))
      break;
    g->compares[g->compared++] =
        (comparison){a < 0 ? b : a, a < 0, a < 0 ? test->a : test->b, test->bound};
  }
  return TRUE;
}

static goal *new_goal(machine *m, enum kind kind, goal *next) {
  goal *g = piece_of(m, sizeof *g);
  if (g)
    *g = (goal){.kind = kind, .next = next};
  return g;
}

static int read_integers(machine *m, term_t term, int **integers, int *count) {
  size_t length;
  term_t list = PL_copy_term_ref(term), head = PL_new_term_ref();
  if (PL_skip_list(list, 0, &length) != PL_LIST)
    return PL_type_error("list", term);
  if (!(*integers = piece_of(m, length * sizeof **integers)))
    return FALSE;
  for (*count = 0; PL_get_list(list, head, list); ++*count)
    if (!PL_get_integer_ex(head, *integers + *count))
      return FALSE;
  return TRUE;
}

/* none, all, default(k(Place)) or named(k(Place)) */
static int read_adding(machine *m, term_t term, goal *g) {
  int is_default = is_named(term, "default", 1);
  if (is_default || is_named(term, "named", 1)) {
    g->adds = is_default ? TO_DEFAULT : TO_NAMED;
    return read_operand(m, part_of(term, 1), &g->b);
  }
  g->adds = is_named(term, "all", 0) ? TO_ALL : TO_NONE;
  return TRUE;
}

/* That of C, if all but the last argument are known when it is called. */
static operation known_operation(const goal *g, const char *name) {
  for (int i = 0; i + 1 < g->width; i++)
    if (g->columns[i].kind != KNOWN)
      return NULL;
  return operation_of(name, g->width);
}

static const struct {
  const char *name;
  enum kind kind;
} of_groups[] = {{"add", ADD}, {"settle", SETTLE}, {"rows", ROWS_OF}, {"ask_row", ASK}, {"asked", ASKED}};

/* The columns of a key, and behind them arguments or values; no two wants to be of another number. */
static int read_group_goal(machine *m, const term_t *a, goal *g) {
  void *found = NULL;
  if (!PL_get_pointer(a[1], &found))
    return PL_type_error("groups", a[1]);
  g->grouping = found;
  int keys = g->grouping->keys, others = g->kind == ROWS_OF ? g->grouping->output_count : 0;
  if (!read_columns_of(m, a[2], g) || !read_operand(m, a[3], &g->a) || !read_operand(m, a[4], &g->b))
    return FALSE;
  int fits = g->kind == ADD ? g->width >= keys && has_width(g->grouping, g->width - keys) : g->width == keys + others;
  return fits || g->kind == SETTLE || PL_type_error("group_columns", a[2]);
}

static int read_goal(machine *m, term_t term, goal *g) {
  term_t a[6] = {0};
  size_t arity;
  atom_t name;
  if (!PL_get_name_arity(term, &name, &arity) || arity > 5)
    return PL_type_error("machine_goal", term);
  for (size_t i = 1; i <= arity; i++)
    a[i] = part_of(term, i);
  const char *is = PL_atom_chars(name);
  goal *ends;
  if (!strcmp(is, "test")) {
    g->kind = TEST;
    return read_order(a[1], &g->order) && (g->left = read_expression(m, a[2])) &&
           (g->right = read_expression(m, a[3])) && (to_comparison(g), TRUE);
  }
  if (!strcmp(is, "set")) {
    g->kind = SET;
    return PL_get_integer_ex(a[1], &g->number) && (g->left = read_expression(m, a[2]));
  }
  if (!strcmp(is, "bind")) {
    g->kind = BIND;
    return PL_get_integer_ex(a[1], &g->number) && read_operand(m, a[2], &g->a);
  }
  if (!strcmp(is, "same") || !strcmp(is, "different")) {
    g->kind = is[0] == 's' ? SAME : DIFFERENT;
    return read_operand(m, a[1], &g->a) && read_operand(m, a[2], &g->b);
  }
  if (!strcmp(is, "find")) {
    g->kind = FIND;
    g->way = is_named(a[1], "newest", 0) ? NEWEST : FIRST;
    return PL_get_integer_ex(a[2], &g->number) && read_columns_of(m, a[3], g);
  }
  if (!strcmp(is, "insert") || !strcmp(is, "forget")) {
    g->kind = is[0] == 'i' ? INSERT : FORGET;
    return PL_get_integer_ex(a[1], &g->number) && read_columns_of(m, a[2], g);
  }
  if (!strcmp(is, "renew")) {
    g->kind = RENEW;
    return PL_get_integer_ex(a[1], &g->number) && read_columns_of(m, a[2], g) && PL_get_integer_ex(a[3], &g->a.at);
  }
  if (!strcmp(is, "empty")) {
    g->kind = EMPTY;
    return PL_get_integer_ex(a[1], &g->number);
  }
  if (!strcmp(is, "begin")) {
    void *found = NULL;
    g->kind = BEGIN;
    if (!PL_get_pointer(a[1], &found))
      return PL_type_error("goal_group", a[1]);
    g->group = found;
    return read_operand(m, a[2], &g->a);
  }
  for (size_t i = 0; i < sizeof of_groups / sizeof *of_groups; i++)
    if (!strcmp(is, of_groups[i].name)) {
      g->kind = of_groups[i].kind;
      return read_group_goal(m, a, g);
    }
  if (!strcmp(is, "either")) {
    g->kind = EITHER;
    return (g->first = read_goals(m, a[1], g->next)) && (g->second = read_goals(m, a[2], g->next));
  }
  if (!strcmp(is, "if")) {
    g->kind = IF;
    return (ends = new_goal(m, FOUND_ONE, NULL)) && (g->first = read_goals(m, a[1], ends)) &&
           (g->second = read_goals(m, a[2], g->next)) && (g->third = read_goals(m, a[3], g->next));
  }
  if (!strcmp(is, "soft")) {
    g->kind = SOFT;
    return PL_get_integer_ex(a[4], &g->number) && (g->second = read_goals(m, a[2], g->next)) &&
           (ends = new_goal(m, SOFTLY, g->second)) && (ends->number = g->number, TRUE) &&
           (g->first = read_goals(m, a[1], ends)) && (g->third = read_goals(m, a[3], g->next));
  }
  if (!strcmp(is, "not")) {
    g->kind = NOT;
    return (ends = new_goal(m, FOUND_ONE, NULL)) && (g->first = read_goals(m, a[1], ends));
  }
  if (!strcmp(is, "cut") || !strcmp(is, "fail")) {
    g->kind = is[0] == 'c' ? CUT : NOTHING;
    return TRUE;
  }
  if (!strcmp(is, "call")) {
    g->kind = CALL;
    return PL_get_integer_ex(a[1], &g->number) && read_columns_of(m, a[2], g);
  }
  if (!strcmp(is, "later")) {
    g->kind = LATER;
    return PL_get_integer_ex(a[1], &g->number);
  }
  if (!strcmp(is, "answer")) {
    g->kind = ANSWER;
    return PL_get_integer_ex(a[1], &g->number) && read_operand(m, a[2], &g->a) && read_columns_of(m, a[3], g);
  }
  if (!strcmp(is, "ranked")) {
    g->kind = ANSWER;
    g->is_ranked = TRUE;
    return PL_get_integer_ex(a[1], &g->number) && read_operand(m, a[2], &g->a) && read_operand(m, a[3], &g->b) &&
           read_columns_of(m, a[4], g);
  }
  if (!strcmp(is, "collect")) {
    g->kind = COLLECT;
    return PL_get_integer_ex(a[1], &g->number) && (ends = new_goal(m, GATHER, NULL)) && read_columns_of(m, a[3], ends) &&
           (g->width = ends->width, g->first = read_goals(m, a[2], ends));
  }
  if (!strcmp(is, "order")) {
    g->kind = ORDER;
    return PL_get_integer_ex(a[1], &g->number) && PL_get_integer_ex(a[2], &g->a.at) &&
           read_integers(m, a[3], &g->keys, &g->key_count);
  }
  if (!strcmp(is, "newest") || !strcmp(is, "whole")) {
    g->kind = is[0] == 'n' ? NEWEST_OF : WHOLE_STEPS;
    return PL_get_integer_ex(a[1], &g->number) && PL_get_int64_ex(a[2], &g->limit) &&
           read_integers(m, a[3], &g->keys, &g->key_count);
  }
  if (!strcmp(is, "times")) {
    g->kind = TIMES;
    return read_operand(m, a[1], &g->a);
  }
  if (!strcmp(is, "each")) {
    g->kind = EACH;
    return PL_get_integer_ex(a[1], &g->number) && read_columns_of(m, a[2], g);
  }
  if (!strcmp(is, "count")) {
    g->kind = SLICE;
    return PL_get_integer_ex(a[1], &g->number) && PL_get_int64_ex(a[2], &g->offset) && PL_get_int64_ex(a[3], &g->limit);
  }
  if (!strcmp(is, "rank") || !strcmp(is, "now")) {
    g->kind = is[0] == 'r' ? RANK : NOW;
    return PL_get_integer_ex(a[1], &g->number);
  }
  if (!strcmp(is, "ask")) {
    g->kind = ANSWER;
    g->once = TRUE;
    return PL_get_integer_ex(a[1], &g->number) && read_operand(m, a[2], &g->a);
  }
  if (!strcmp(is, "construct")) {
    g->kind = CONSTRUCT;
    return PL_get_integer_ex(a[1], &g->number) && read_adding(m, a[2], g) && read_operand(m, a[3], &g->a) &&
           read_columns_of(m, a[4], g);
  }
  if (!strcmp(is, "make")) {
    g->kind = MAKE;
    return PL_get_integer_ex(a[1], &g->number) && (g->template = piece_of(m, sizeof *g->template)) &&
           read_template(m, a[2], g->template);
  }
  static const struct {
    const char *name;
    enum kind kind;
  } choices[] = {{"choice", CHOICE}, {"meet", MEET}, {"met", MET}};
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
    if (!strcmp(is, choices[i].name)) {
      g->kind = choices[i].kind;
      return PL_get_integer_ex(a[1], &g->number);
    }
  if (!strcmp(is, "use") && is_named(a[2], "n", 2)) {
    g->kind = USE;
    return PL_get_integer_ex(a[1], &g->number) && (g->template = piece_of(m, sizeof *g->template)) &&
           read_template(m, a[2], g->template);
  }
  if (!strcmp(is, "decided") || !strcmp(is, "use")) {
    g->kind = is[0] == 'd' ? DECIDED : USE;
    return PL_get_integer_ex(a[1], &g->number) && read_operand(m, a[2], &g->a);
  }
  if (!strcmp(is, "keep")) {
    g->kind = KEEP;
    return PL_get_integer_ex(a[1], &g->number) && read_operand(m, a[2], &g->a) &&
           read_columns(m, a[3], &g->rank, &g->rank_width) && read_columns_of(m, a[4], g);
  }
  if (!strcmp(is, "chosen")) {
    g->kind = CHOSEN;
    return PL_get_integer_ex(a[1], &g->number) && read_columns_of(m, a[2], g);
  }
  if (!strcmp(is, "unite")) {
    g->kind = UNITE;
    return PL_get_integer_ex(a[1], &g->number) && read_operand(m, a[2], &g->a) && read_operand(m, a[3], &g->b);
  }
  if (!strcmp(is, "consume")) {
    size_t length;
    term_t list = PL_copy_term_ref(a[2]), head = PL_new_term_ref();
    g->kind = CONSUME;
    if (!PL_get_integer_ex(a[1], &g->number) || PL_skip_list(list, 0, &length) != PL_LIST ||
        !(g->stores = piece_of(m, length * sizeof *g->stores)))
      return FALSE;
    for (; PL_get_list(list, head, list); g->store_count++)
      if (!read_store(head, g->stores + g->store_count))
        return FALSE;
    return TRUE;
  }
  if (!strcmp(is, "apart")) {
    atom_t functor;
    g->kind = APART;
    if (!read_operand(m, a[1], &g->a) || !PL_get_atom_ex(a[2], &functor) || !read_columns_of(m, a[3], g))
      return FALSE;
    g->functor = PL_new_functor_sz(functor, g->width);
    return TRUE;
  }
  if (!strcmp(is, "given")) {
    g->kind = GIVEN;
    return read_operand(m, a[1], &g->a) && read_columns_of(m, a[2], g);
  }
  if (!strcmp(is, "limited")) {
    g->kind = LIMITED;
    return PL_get_integer_ex(a[1], &g->number);
  }
  if (!strcmp(is, "prolog") || !strcmp(is, "every") || !strcmp(is, "all")) {
    atom_t module, predicate;
    g->kind = *is == 'p' ? PROLOG : EVERY;
    if (!PL_get_atom_ex(a[1], &module) || !PL_get_atom_ex(a[2], &predicate) || !read_columns_of(m, a[3], g))
      return FALSE;
    g->module = PL_new_module(module);
    g->prolog = PL_pred(PL_new_functor_sz(predicate, g->width), g->module);
    if (g->kind == PROLOG)
      g->operation = known_operation(g, PL_atom_chars(predicate));
    return *is != 'e' || (g->sayings = sayings_of(m, g));
  }
  return PL_type_error("machine_goal", term);
}

/* The goals of a list, which are followed by `next`. */
static goal *read_goals(machine *m, term_t term, goal *next) {
  size_t length;
  term_t list = PL_copy_term_ref(term), head = PL_new_term_ref();
  if (PL_skip_list(list, 0, &length) != PL_LIST) {
    PL_type_error("list", term);
    return NULL;
  }
  if (!length)
    return next;
  goal *goals = piece_of(m, length * sizeof *goals);
  if (!goals)
    return NULL;
  for (size_t i = 0; i < length; i++)
    goals[i].next = i + 1 < length ? goals + i + 1 : next;
  for (size_t i = 0; PL_get_list(list, head, list); i++)
    if (!read_goal(m, head, goals + i))
      return NULL;
  for (size_t i = 0; i < length; i++)
    if (goals[i].kind == FIND && !read_compares(m, goals + i, length - i - 1))
      return NULL;
  return goals;
}

static int read_ins(machine *m, shape *s) {
  if (!(s->takes = piece_of(m, s->ins * sizeof *s->takes)) || !(s->checks = piece_of(m, s->ins * sizeof *s->checks)))
    return FALSE;
  for (int i = 0; i < s->ins; i++)
    if (s->in[i].kind == TAKEN)
      s->takes[s->taken++] = (taking){i, s->in[i].is.at};
    else
      s->checks[s->checked++] = i;
  return TRUE;
}

/* shape(Own, All, Ins, Outs, Goals): see shapes.pl */
static int read_shape(machine *m, term_t term, shape *s) {
  column *outs;
  goal *end;
  if (!is_named(term, "shape", 5))
    return PL_type_error("machine_shape", term);
  if (!PL_get_integer_ex(part_of(term, 1), &s->own) || !PL_get_integer_ex(part_of(term, 2), &s->registers) ||
      !read_columns(m, part_of(term, 3), &s->in, &s->ins) || !read_columns(m, part_of(term, 4), &outs, &s->outs) ||
      !(end = new_goal(m, RETURN, NULL)) || !(s->body = read_goals(m, part_of(term, 5), end)) ||
      !(s->out = piece_of(m, s->outs * sizeof *s->out)))
    return FALSE;
  for (int i = 0; i < s->outs; i++)
    s->out[i] = outs[i].is;
  return read_ins(m, s) && read_straight(m, s);
}

/* k(Term), store(Store) or number(Number) */
static int read_constant(machine *m, term_t term, clause *c, code *constant) {
  store *s;
  int number;
  if (is_named(term, "k", 1))
    return constant_of(m, part_of(term, 1), constant);
  if (is_named(term, "store", 1)) {
    if (!read_store(part_of(term, 1), &s))
      return FALSE;
    *constant = (code)(uintptr_t)s;
    if (!c->store)
      c->store = s;
    return TRUE;
  }
  if (!PL_get_integer_ex(part_of(term, 1), &number))
    return FALSE;
  *constant = integer_code(number);
  return TRUE;
}

/* of(Shape, Constants) */
static clause *read_clause(machine *m, term_t term) {
  int number;
  if (!is_named(term, "of", 2)) {
    PL_type_error("machine_clause", term);
    return NULL;
  }
  if (!PL_get_integer_ex(part_of(term, 1), &number))
    return NULL;
  const shape *s = m->shapes + number;
  clause *c = piece_of(m, sizeof *c + (s->registers - s->own) * sizeof *c->constants);
  term_t list = part_of(term, 2), head = PL_new_term_ref();
  if (!c)
    return NULL;
  c->shape = s;
  for (int i = 0; PL_get_list(list, head, list); i++)
    if (!read_constant(m, head, c, c->constants + i))
      return NULL;
  return c;
}

enum { PREDICATE = 1, STREAM = 5 }; /* of what a rule gets of a row */

/* The constant with which that has to be the same; TAG_ANY for none. */
static code constant_in(const clause *c, int in) {
  const column *head = c->shape->in + in;
  int at = head->is.at - c->shape->own;
  return head->kind != TAKEN && at >= 0 ? c->constants[at] : TAG_ANY;
}

static int is_entered(const trigger *t) {
  const clause *c = t->clause;
  int in_stream = t->stream != TAG_ANY;
  return constant_in(c, PREDICATE) == t->p && c->shape->checked == 1 + in_stream;
}

/* trigger(Sight, P, O, Clause): P and O are k(Term) or any. */
static int read_trigger(machine *m, term_t term) {
  trigger *t = piece_of(m, sizeof *t);
  if (!t)
    return FALSE;
  t->p = t->o = TAG_ANY;
  term_t sight = part_of(term, 1), p = part_of(term, 2), o = part_of(term, 3);
  t->sight = is_named(sight, "stream", 0)    ? IN_STREAM
             : is_named(sight, "element", 0) ? IN_ELEMENT
             : is_named(sight, "triple", 0)  ? OF_TRIPLE
                                             : ANYWHERE;
  if ((is_named(p, "k", 1) && !constant_of(m, part_of(p, 1), &t->p)) ||
      (is_named(o, "k", 1) && !constant_of(m, part_of(o, 1), &t->o)) || !(t->clause = read_clause(m, part_of(term, 4))))
    return FALSE;
  t->stream = t->sight == IN_STREAM ? constant_in(t->clause, STREAM) : TAG_ANY;
  t->is_entered = is_entered(t);
  m->forms[t->sight] |= 1 << (2 * (t->p == TAG_ANY) + (t->o == TAG_ANY)); /* a form */
  m->asks_places |= t->sight != ANYWHERE;
  trigger **at = m->triggers + (trigger_hash(t->p, t->o) & m->mask);
  while (*at)
    at = &(*at)->next; /* in their order */
  *at = t;
  return TRUE;
}

/* The most answers of each query in an instant, by its number; [] if none has a limit. */
static int read_limits(machine *m, term_t term) {
  size_t count;
  term_t list = PL_copy_term_ref(term), head = PL_new_term_ref();
  if (PL_skip_list(list, 0, &count) != PL_LIST)
    return PL_type_error("list", term);
  if (!count)
    return TRUE;
  if (!(m->most_answers = piece_of(m, count * sizeof *m->most_answers)) ||
      !(m->answers = piece_of(m, count * sizeof *m->answers)))
    return FALSE;
  for (; PL_get_list(list, head, list); m->query_count++)
    if (!PL_get_int64_ex(head, m->most_answers + m->query_count))
      return FALSE;
  return TRUE;
}

enum { OF_BOTH, OF_PREDICATE, OF_OBJECT, OF_ALL }; /* forms of triggers: what is known of their rows */

/* Whether all triggers are for a predicate, and no element is asked for. */
static int are_of_predicates(const machine *m) {
  return (m->forms[ANYWHERE] | m->forms[IN_STREAM]) == 1 << OF_PREDICATE && !(m->forms[IN_ELEMENT] | m->forms[OF_TRIPLE]);
}

/* Triggers of one predicate are in one bucket then. */
static int note_only(machine *m) {
  for (uint64_t i = 0; are_of_predicates(m) && i <= m->mask; i++)
    for (trigger *t = m->triggers[i]; t; t = t->next) {
      const trigger *other = NULL;
      int others = 0;
      for (const trigger *each = m->triggers[i]; each; each = each->next)
        if (each != t && each->p == t->p)
          other = each, others++;
      t->is_only = !others;
      if (others == 1 && t->sight == ANYWHERE && other->sight == ANYWHERE && !other->group &&
          !(read_straight_group(m, t, other, &t->group) && (t->group || read_straight_group(m, other, t, &t->group))))
        return FALSE;
    }
  return TRUE;
}

static int read_shapes(machine *m, term_t term) {
  size_t count;
  term_t list = PL_copy_term_ref(term), head = PL_new_term_ref();
  if (PL_skip_list(list, 0, &count) != PL_LIST)
    return PL_type_error("list", term);
  if (!(m->shapes = piece_of(m, count * sizeof *m->shapes)))
    return FALSE;
  for (int i = 0; PL_get_list(list, head, list); i++)
    if (!read_shape(m, head, m->shapes + i))
      return FALSE;
  return TRUE;
}

/* program(Predicates, Triggers, Settlements, limits(Derived, Answers), Steps, Shapes): lists of clauses for each number,
   of triggers, of numbers; most triples that are derived in an instant, and most answers; what is settled at the steps of
   windows, and at deadlines; what clauses have in common. */
int read_program(machine *m, term_t term) {
  size_t predicates, triggers, settlements;
  term_t head = PL_new_term_ref(), list, clauses, each = PL_new_term_ref();
  for (int i = 1; i <= 3; i++)
    if (PL_skip_list(part_of(term, i), 0, i == 1 ? &predicates : i == 2 ? &triggers : &settlements) != PL_LIST)
      return PL_type_error("machine_program", term);
  for (m->mask = 15; m->mask < 2 * triggers; m->mask = 2 * m->mask + 1)
    ;
  m->settlement_count = settlements;
  term_t limits = part_of(term, 4);
  if (!PL_get_int64_ex(part_of(limits, 1), &m->most_derived) || !read_limits(m, part_of(limits, 2)) ||
      !read_steps(m, part_of(term, 5)) || !read_shapes(m, part_of(term, 6)))
    return FALSE;
  if (!(m->predicates = piece_of(m, predicates * sizeof *m->predicates)) ||
      !(m->triggers = piece_of(m, (m->mask + 1) * sizeof *m->triggers)) ||
      !(m->settlements = piece_of(m, settlements * sizeof *m->settlements)) || !(m->due = piece_of(m, settlements)))
    return FALSE;
  list = part_of(term, 1);
  for (int i = 0; PL_get_list(list, head, list); i++) {
    clause **at = m->predicates + i;
    clauses = PL_copy_term_ref(head);
    for (; PL_get_list(clauses, each, clauses); at = &(*at)->next)
      if (!(*at = read_clause(m, each)))
        return FALSE;
  }
  list = part_of(term, 2);
  while (PL_get_list(list, head, list))
    if (!read_trigger(m, head))
      return FALSE;
  m->is_plain = are_of_predicates(m) && has_only_grids(m) && !m->hears && !m->answers;
  list = part_of(term, 3);
  for (int i = 0; PL_get_list(list, head, list); i++)
    if (!PL_get_integer_ex(head, m->settlements + i))
      return FALSE;
  return note_only(m);
}
