/*  Rules run without Prolog.

    What machine.pl makes of an engine's rules is run here over the codes of a batch's terms: a rule's variables are
    registers, its goals a tree in which each knows what comes next. To run a goal is to run what follows it for each of
    its solutions; so all solutions are found, and nothing has to be undone. Stores are those that rules in Prolog use.
*/

#include "near.h"

static int64_t evaluated(const frame *f, const expression *e) {
  int64_t a, b;
  if (e->kind == MINUS && e->left->kind == REGISTER && e->right->kind == NUMBER_IS) /* as most are */
    return difference(number_of(f->registers[e->left->value]), e->right->value);
  switch (e->kind) {
  case REGISTER:
    return number_of(f->registers[e->value]);
  case NUMBER_IS:
    return e->value;
  case MODULO:
    a = evaluated(f, e->left) % e->right->value;
    return a < 0 ? a + e->right->value : a;
  case QUOTIENT:
    a = evaluated(f, e->left);
    return a / e->right->value - (a % e->right->value < 0);
  default:
    a = evaluated(f, e->left);
    b = evaluated(f, e->right);
    return e->kind == MINUS ? difference(a, b) : (e->kind == LEAST) == (a < b) ? a : b;
  }
}

static inline int is_so(int64_t a, enum order order, int64_t b) {
  switch (order) {
  case LESS:
    return a < b;
  case AT_MOST:
    return a <= b;
  case MORE:
    return a > b;
  case AT_LEAST:
    return a >= b;
  default:
    return a == b;
  }
}

int is_compared(const frame *f, const goal *g, const code *cells, uint64_t known) {
  for (int i = 0; i < g->width; i++) {
    const column *c = g->columns + i;
    if (c->kind == TAKEN)
      f->registers[c->is.at] = cells[i];
    else if (c->kind == CHECKED && f->registers[c->is.at] != cells[i])
      return FALSE;
    else if (c->kind == KNOWN && !(i < INDEXED && known >> i & 1) && value_of(f, &c->is) != cells[i])
      return FALSE;
  }
  return TRUE;
}

/* What registers hold is held until the instant ends. */
static enum status insert(const goal *g, frame *f) {
  store *s = store_of(f, g);
  code cells[64], *all = cells;
  if (g->width > 64 && !(all = malloc(g->width * sizeof *all))) {
    PL_resource_error("memory");
    return BROKEN;
  }
  all[0] = 0;
  put_columns(f, g, all);
  int done = s->group ? lend_row(s, all) : add_row(s, all);
  for (int i = 0; done && !s->group && i < g->width; i++)
    retain(all[i]);
  if (all != cells)
    free(all);
  return done ? GO_ON : BROKEN;
}

void evaluate(const goal *g, frame *f) {
  const expression *e = g->left;
  code *found = f->registers + g->number;
  if (e->kind == REGISTER)
    *found = f->registers[e->value];
  else
    *found = integer_code(evaluated(f, e));
}

enum status renew(const goal *g, frame *f) {
  store *s = store_of(f, g);
  code cells[g->width];
  put_columns(f, g, cells);
  enum renewal is = renew_life(s, cells, f->registers + g->a.at);
  return is == BEGINS ? STOP : is == HAD_BEGUN ? GO_ON : BROKEN;
}

/* STOP: there was one. */
static enum status forget(const goal *g, frame *f) {
  store *s = store_of(f, g);
  lookup l;
  if (!begin_find(g, f, &l))
    return GO_ON;
  enum status is = GO_ON;
  for (int64_t row; is == GO_ON && (row = take(&l)) >= 0; f->m->looked_to_forget++)
    if (is_fitting(f, g, row_cells(s, row), l.known))
      is = remove_row(s, row) ? STOP : BROKEN;
    else
      s->wasted += l.known != l.bound;
  reclaim(s);
  return is;
}

static int is_entered(const clause *c, const goal *g, const frame *f, code *registers) {
  for (int i = 0, in = 0; i < g->width; i++) {
    if (g->columns[i].kind != KNOWN)
      continue;
    if (!enter(c->shape->in + in++, value_of(f, &g->columns[i].is), registers))
      return FALSE;
  }
  return TRUE;
}

static enum status call(const goal *g, frame *f) {
  for (const clause *c = f->m->predicates[g->number]; c; c = c->next) {
    if (is_too_deep(f->m, c->shape->registers * sizeof(code)))
      return BROKEN;
    code registers[c->shape->registers + 1];
    frame own = {f->m, registers, g, c, f};
    put_constants(c, registers);
    if (!is_entered(c, g, f, registers))
      continue;
    enum status is = run(c->shape->body, &own);
    if (is == CUTTING && f->m->cut == &own)
      return GO_ON;
    if (is != GO_ON)
      return is;
  }
  return GO_ON;
}

/* A rule has come to its end: what its caller wanted to know is known, and the caller goes on. */
static enum status return_from(const frame *f) {
  if (!f->call)
    return GO_ON;
  for (int i = 0, out = 0; i < f->call->width; i++) {
    const column *c = f->call->columns + i;
    if (c->kind == KNOWN)
      continue;
    code value = value_of(f, f->clause->shape->out + out++);
    if (c->kind == TAKEN)
      f->caller->registers[c->is.at] = value;
    else if (c->kind == CHECKED && f->caller->registers[c->is.at] != value)
      return GO_ON;
  }
  return run(f->call->next, f->caller);
}

static int answer(const goal *g, const frame *f) {
  machine *m = f->m;
  found *x = begin_answer(m, g->width);
  if (!x)
    return FALSE;
  put_columns(f, g, m->cells + x->cells);
  x->start = number_of(value_of(f, &g->a));
  x->query = number_of(f->registers[g->number]);
  x->once = g->once;
  x->is_graph = FALSE;
  x->rank = g->is_ranked ? number_of(value_of(f, &g->b)) : -1;
  return end_answer(m);
}

/* ---- what is found ------------------------------------------------------------------------------------------- */

static enum status find(const goal *g, frame *f) {
  store *s = store_of(f, g);
  lookup l;
  if (!s->live || !begin_find(g, f, &l))
    return GO_ON;
  limits of[MOST_COMPARED];
  int count = put_limits(g, f, of);
  const goal *behind = count ? g->behind : g->next;
  enum nearness near;
  enum status is = GO_ON;
  int64_t live = s->live, end = s->end;
  s->open++;
  for (int64_t row; is == GO_ON && (row = take(&l)) >= 0;) {
    const code *cells = row_cells(s, row);
    if (!(++f->m->looked & 4095) && !may_go_on(f->m, s))
      is = BROKEN;
    else if ((near = is_near(of, count, cells)) != FAR && is_fitting(f, g, cells, l.known))
      is = run(near == NEAR ? behind : g->next, f);
    else
      s->wasted += l.known != l.bound;
  }
  s->open--;
  if (s->live != live || s->end != end) /* else no row has gone */
    reclaim(s);
  return is;
}

/* ---- choices and what is consumed: see policies.pl ------------------------------------------------------------ */

/* What registers hold is held by somebody: only parts that are made here are given back. */
static int made_of(const frame *f, const template *t, code *made) {
  engine *e = f->m->engine;
  code parts[t->arity + 1];
  size_t known = 0;
  while (known < t->arity) {
    const template *part = t->parts + known;
    if (!part->functor)
      parts[known] = value_of(f, &part->is);
    else if (!made_of(f, part, parts + known))
      break;
    known++;
  }
  int done = known == t->arity &&
             node_code(e, TRUE, t->kind, t->functor, t->arity, parts, t->arity * sizeof *parts, made) == FOUND;
  while (known--)
    if (t->parts[known].functor)
      release(e, parts[known]);
  return done;
}

static int make(const goal *g, frame *f) {
  code made;
  if (!made_of(f, g->template, &made) || !keep(f->m, made))
    return FALSE;
  f->registers[g->number] = made;
  return TRUE;
}

static int sign_of(int64_t number) { return (number > 0) - (number < 0); }

/* UTF-8 is in the order of its characters. */
int order_of_bytes(const void *a, size_t a_length, const void *b, size_t b_length) {
  int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
  return order ? sign_of(order) : (a_length > b_length) - (a_length < b_length);
}

static int prolog_order(code a, code b) {
  fid_t frame = PL_open_foreign_frame();
  term_t left = PL_new_term_ref(), right = PL_new_term_ref();
  int order = unify_code(left, a) && unify_code(right, b) ? PL_compare(left, right) : 0;
  PL_discard_foreign_frame(frame);
  return order;
}

static int order_of_names(code a, code b) {
  const char *left, *right;
  size_t a_length, b_length;
  return text_of_name(a, &left, &a_length) && text_of_name(b, &right, &b_length) ? order_of_bytes(left, a_length, right, b_length)
                                                                       : prolog_order(a, b);
}

static int order_of_functors(functor_t a, functor_t b) {
  size_t left = PL_functor_arity(a), right = PL_functor_arity(b);
  if (left != right)
    return (left > right) - (left < right);
  return prolog_order(counted_atom_code(PL_functor_name(a)), counted_atom_code(PL_functor_name(b)));
}

int compare_codes(code a, code b) {
  while (a != b) {
    if (TAG(a) == TAG_INTEGER && TAG(b) == TAG_INTEGER)
      return (int64_t)a < (int64_t)b ? -1 : 1;
    if (TAG(a) == TAG_ATOM && TAG(b) == TAG_ATOM)
      return order_of_names(a, b);
    if (TAG(a) == TAG_ATOM && has_parts(b))
      return -1;
    if (has_parts(a) && TAG(b) == TAG_ATOM)
      return 1;
    if (TAG(a) != TAG_NODE || TAG(b) != TAG_NODE || node_of(a)->kind != node_of(b)->kind)
      return prolog_order(a, b);
    const node *left = node_of(a), *right = node_of(b);
    if (left->kind == STRING)
      return order_of_bytes(left->parts, left->length, right->parts, right->length);
    if (left->kind > SINGLE)
      return prolog_order(a, b);
    if (left->functor != right->functor)
      return order_of_functors(left->functor, right->functor);
    for (size_t i = 0; i + 1 < left->length; i++) {
      int order = compare_codes(left->parts[i], right->parts[i]);
      if (order)
        return order;
    }
    a = left->parts[left->length - 1], b = right->parts[left->length - 1];
  }
  return 0;
}

static choice *choice_of(const goal *g, const frame *f) {
  return f->m->choices + number_of(f->registers[g->number]);
}

static int begin_choice(const goal *g, frame *f) {
  machine *m = f->m;
  if (!more((void **)&m->choices, &m->choice_room, m->choice_count, sizeof *m->choices))
    return FALSE;
  m->choices[m->choice_count] = (choice){0};
  f->registers[g->number] = integer_code(m->choice_count++);
  return TRUE;
}

static int keep_codes(machine *m, const frame *f, const column *columns, int width, size_t *place) {
  *place = m->kept_count;
  if (!more_by((void **)&m->kept, &m->kept_room, m->kept_count, width, sizeof *m->kept))
    return FALSE;
  for (int i = 0; i < width; i++)
    m->kept[m->kept_count++] = value_of(f, &columns[i].is);
  return TRUE;
}

static int is_better(const goal *g, const frame *f, const choice *c) {
  for (int i = 0; i < g->rank_width; i++) {
    int order = compare_codes(value_of(f, &g->rank[i].is), f->m->kept[c->rank + i]);
    if (order)
      return order < 0;
  }
  return FALSE;
}

static int keep_candidate(const goal *g, frame *f) {
  choice *c = choice_of(g, f);
  if (c->has && !is_better(g, f, c))
    return TRUE;
  c->has = TRUE;
  c->end = value_of(f, &g->a);
  return keep_codes(f->m, f, g->rank, g->rank_width, &c->rank) &&
         keep_codes(f->m, f, g->columns, g->width, &c->partner);
}

static int is_chosen(const goal *g, frame *f) {
  const choice *c = choice_of(g, f);
  return c->has && is_fitting(f, g, f->m->kept + c->partner, 0);
}

static int order_of_occurrences(code a, code b) {
  const node *left = node_of(a), *right = node_of(b);
  int order = left->functor == right->functor ? 0 : order_of_functors(left->functor, right->functor);
  for (size_t i = 0; !order && i < left->length; i++)
    order = compare_codes(left->parts[i], right->parts[i]);
  return order;
}

static int add_to_set(engine *e, code occurrence, code rest, code *set) {
  const node *n = node_of(occurrence);
  code parts[2] = {0, rest};
  if (node_code(e, TRUE, COMPOUND, n->functor, n->length, n->parts, n->length * sizeof *parts, parts) != FOUND)
    return FALSE;
  int done = node_code(e, ANEW, COMPOUND, pair, 2, parts, sizeof parts, set) == FOUND;
  release(e, parts[0]);
  return done;
}

/* Ordered sets as lists. */
static int united(machine *m, code a, code b, code *set) {
  if (is_too_deep(m, 0))
    return FALSE;
  code left = 0, right = 0, rest_a = a, rest_b = b, rest;
  int has_left = next_occurrence(&rest_a, &left), has_right = next_occurrence(&rest_b, &right);
  if (!has_left || !has_right) {
    retain(*set = has_left ? a : b);
    return TRUE;
  }
  int order = order_of_occurrences(left, right);
  if (!united(m, order <= 0 ? rest_a : a, order >= 0 ? rest_b : b, &rest))
    return FALSE;
  int done = add_to_set(m->engine, order <= 0 ? left : right, rest, set);
  release(m->engine, rest);
  return done;
}

static int unite(const goal *g, frame *f) {
  code set;
  if (!united(f->m, value_of(f, &g->a), value_of(f, &g->b), &set) || !keep(f->m, set))
    return FALSE;
  f->registers[g->number] = set;
  return TRUE;
}

static int is_taken_apart(const goal *g, const frame *f) {
  code whole = value_of(f, &g->a);
  const node *n = TAG(whole) == TAG_NODE ? node_of(whole) : NULL;
  return n && n->kind == COMPOUND && n->functor == g->functor && is_fitting(f, g, n->parts, 0);
}

/* error(etalis_limit(runs, Limit), _) */
static void refuse_runs(void *about) {
  term_t error = PL_new_term_ref();
  if (error && PL_unify_term(error, PL_FUNCTOR_CHARS, "error", 2, PL_FUNCTOR_CHARS, "etalis_limit", 2, PL_CHARS, "runs",
                             PL_INT64, ((machine *)about)->most_derived, PL_VARIABLE))
    PL_raise_exception(error);
}

void settle_later(machine *m, int position) {
  m->due_count += !m->due[position];
  m->due[position] = TRUE;
}

static int use_up(const goal *g, frame *f) {
  machine *m = f->m;
  const template *t = g->template;
  use_of use = {g->number, 0, t, m->kept_count};
  if (!more((void **)&m->used, &m->used_room, m->used_count, sizeof use) ||
      (t && !more_by((void **)&m->kept, &m->kept_room, m->kept_count, t->arity, sizeof *m->kept)))
    return FALSE;
  for (size_t i = 0; t && i < t->arity; i++)
    m->kept[m->kept_count++] = value_of(f, &t->parts[i].is);
  if (!t)
    use.set = value_of(f, &g->a);
  m->used[m->used_count++] = use;
  settle_later(m, g->number);
  return TRUE;
}

static int consume_in_stores(const goal *g, code occurrence) {
  for (int i = 0; i < g->store_count; i++)
    if (!consume_code(g->stores[i], occurrence))
      return FALSE;
  return TRUE;
}

/* Stores look at the hash and the parts of an occurrence alone. */
static int consume_unmade(const goal *g, const template *t, const code *parts) {
  size_t bytes = t->arity * sizeof *parts;
  _Alignas(node) char own[sizeof(node) + bytes];
  node *n = (node *)own;
  *n = (node){1, NULL, node_hash(t->functor, parts, bytes), SINGLE, t->functor, t->arity};
  memcpy(n->parts, parts, bytes);
  return consume_in_stores(g, (code)(uintptr_t)n);
}

static int consume_used(const goal *g, const machine *m) {
  for (size_t i = 0; i < m->used_count; i++) {
    const use_of *u = m->used + i;
    code set = u->set, occurrence;
    if (u->position != g->number)
      continue;
    if (u->unmade && !consume_unmade(g, u->unmade, m->kept + u->at))
      return FALSE;
    while (!u->unmade && next_occurrence(&set, &occurrence))
      if (!consume_in_stores(g, occurrence))
        return FALSE;
  }
  return TRUE;
}

enum status run(const goal *g, frame *f) {
  if (is_too_deep(f->m, 0))
    return BROKEN;
  enum status is;
  for (;; g = g->next)
    switch (g->kind) {
    case TEST:
      if (!is_so(evaluated(f, g->left), g->order, evaluated(f, g->right)))
        return GO_ON;
      break;
    case COMPARE:
      if (!is_within(f, g))
        return GO_ON;
      break;
    case SET:
      evaluate(g, f);
      break;
    case BIND:
      f->registers[g->number] = value_of(f, &g->a);
      break;
    case SAME:
      if (value_of(f, &g->a) != value_of(f, &g->b))
        return GO_ON;
      break;
    case DIFFERENT:
      if (value_of(f, &g->a) == value_of(f, &g->b))
        return GO_ON;
      break;
    case FIND:
      return find(g, f);
    case INSERT:
      if (insert(g, f) == BROKEN)
        return BROKEN;
      break;
    case FORGET:
      if ((is = forget(g, f)) != STOP)
        return is;
      break;
    case RENEW:
      if ((is = renew(g, f)) != STOP)
        return is;
      break;
    case EMPTY: {
      store *s = store_of(f, g);
      if (s->live)
        drop_before(s, s->end);
      break;
    }
    case BEGIN: {
      code now = value_of(f, &g->a);
      if (g->group->now != now) {
        forget_instant(g->group);
        retain(g->group->now = now);
      }
      break;
    }
    case EITHER:
      if ((is = run(g->first, f)) != GO_ON)
        return is;
      return run(g->second, f);
    case IF:
      is = run(g->first, f);
      return is == BROKEN ? is : run(is == STOP ? g->second : g->third, f);
    case SOFT:
      f->registers[g->number] = FALSE;
      if ((is = run(g->first, f)) != GO_ON)
        return is;
      return f->registers[g->number] ? GO_ON : run(g->third, f);
    case SOFTLY:
      f->registers[g->number] = TRUE;
      break;
    case NOT:
      if ((is = run(g->first, f)) == BROKEN)
        return is;
      if (is == STOP)
        return GO_ON;
      break;
    case CUT:
      if ((is = run(g->next, f)) != GO_ON)
        return is;
      f->m->cut = f;
      return CUTTING;
    case NOTHING:
      return GO_ON;
    case CALL:
      return call(g, f);
    case LATER:
      settle_later(f->m, g->number);
      break;
    case MAKE:
      if (!make(g, f))
        return BROKEN;
      break;
    case CHOICE:
      if (!begin_choice(g, f))
        return BROKEN;
      break;
    case DECIDED:
      if (!choice_of(g, f)->has || choice_of(g, f)->end == value_of(f, &g->a))
        return GO_ON;
      break;
    case MEET:
      choice_of(g, f)->met = TRUE;
      break;
    case MET:
      if (!choice_of(g, f)->met)
        return GO_ON;
      break;
    case KEEP:
      if (!keep_candidate(g, f))
        return BROKEN;
      break;
    case CHOSEN:
      if (!is_chosen(g, f))
        return GO_ON;
      break;
    case UNITE:
      if (!unite(g, f))
        return BROKEN;
      break;
    case USE:
      if (!use_up(g, f))
        return BROKEN;
      break;
    case CONSUME:
      if (!consume_used(g, f->m))
        return BROKEN;
      break;
    case ANSWER:
      if (!answer(g, f))
        return BROKEN;
      break;
    case COLLECT:
      if ((is = collect(g, f)) != GO_ON)
        return is;
      break;
    case GATHER:
      return gather(g, f) ? GO_ON : BROKEN;
    case ORDER:
      if (!put_rows_in_order(g, f))
        return BROKEN;
      break;
    case EACH:
      return each_row(g, f);
    case SLICE:
      if ((is = count_row(g, f)) != GO_ON)
        return is == STOP ? GO_ON : is;
      break;
    case RANK:
      f->registers[g->number] = integer_code(f->m->rank++);
      break;
    case CONSTRUCT:
      if ((is = construct(g, f)) != GO_ON)
        return is == STOP ? GO_ON : is;
      break;
    case ADD:
      if (!add_to_group(g, f))
        return BROKEN;
      break;
    case SETTLE:
      if (!settle_goal(g, f))
        return BROKEN;
      break;
    case ROWS_OF:
      return rows_of_groups(g, f);
    case ASK:
      if ((is = ask_for_row(g, f)) != STOP)
        return is;
      break;
    case ASKED:
      return rows_asked_for(g, f);
    case PROLOG:
      if ((is = tell(g, f)) != STOP)
        return is;
      break;
    case EVERY:
      return every(g, f);
    case APART:
      if (!is_taken_apart(g, f))
        return GO_ON;
      break;
    case NEWEST_OF:
      if (!take_newest(g, f))
        return BROKEN;
      break;
    case WHOLE_STEPS:
      if (!take_whole_steps(g, f))
        return BROKEN;
      break;
    case TIMES:
      return repeated(g, f);
    case NOW:
      f->registers[g->number] = integer_code(f->m->rows.clock);
      break;
    case GIVEN:
      if (!is_given(g, f))
        return GO_ON;
      break;
    case LIMITED:
      if (store_of(f, g)->live >= f->m->most_derived) {
        run_outside(f->m, refuse_runs, f->m);
        return BROKEN;
      }
      break;
    case FOUND_ONE:
      return STOP;
    case RETURN:
      return return_from(f);
    }
}
