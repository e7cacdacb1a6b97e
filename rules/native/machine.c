/*  Rules run without Prolog.

    What machine.pl makes of an engine's rules is run here over the codes of a batch's terms: a rule's variables are
    registers, its goals a tree in which each knows what comes next. To run a goal is to run what follows it for each of
    its solutions; so all solutions are found, and nothing has to be undone. Stores are those that rules in Prolog use.
*/

#include "native.h"

enum kind {
  TEST, SET, BIND, SAME, DIFFERENT, FIND, INSERT, FORGET, EMPTY, BEGIN, EITHER, IF, SOFT, SOFTLY, NOT, CUT, NOTHING, CALL,
  LATER, ANSWER, PROLOG, FOUND_ONE, RETURN, MAKE, CHOICE, DECIDED, MEET, MET, KEEP, CHOSEN, UNITE, USE, CONSUME
};
enum order { LESS, AT_MOST, MORE, AT_LEAST, EQUAL };
enum sum { REGISTER, NUMBER_IS, MINUS, LEAST, MOST };
enum column { KNOWN, TAKEN, CHECKED, IGNORED };

typedef struct expression {
  enum sum kind;
  int64_t value; /* of a number, or the register */
  struct expression *left, *right;
} expression;

/* A register, or a constant where `at` is -1. */
typedef struct {
  int at;
  code constant;
} operand;

typedef struct {
  enum column kind;
  operand is; /* for TAKEN and CHECKED the register */
} column;

/* A compound with registers in it. */
typedef struct template {
  operand is; /* where `functor` is 0 */
  functor_t functor;
  size_t arity;
  struct template *parts;
} template;

/* The best candidate so far; policies.pl says what it is. */
typedef struct {
  code end;
  int has, met;
  size_t rank, partner; /* places in `kept` */
} choice;

typedef struct goal {
  enum kind kind;
  struct goal *next;
  struct goal *first, *second, *third; /* of EITHER, IF, SOFT, NOT */
  enum order order;
  expression *left, *right;
  operand a, b;
  int number; /* a register, a predicate, a position, a query */
  store *store;
  group *group;
  int way, width, once;
  uint64_t bound;
  column *columns, *rank;
  int rank_width;
  predicate_t prolog;
  template *template;
  store **stores;
  int store_count;
} goal;

typedef struct clause {
  int registers, ins, outs;
  column *in;
  operand *out;
  goal *body;
  struct clause *next;
} clause;

typedef struct trigger {
  struct trigger *next; /* in its bucket */
  code p, o;            /* TAG_ANY for any */
  clause *clause;
} trigger;

typedef struct {
  int64_t start;
  int query, width, once; /* once: equal ones are one */
  size_t cells;
} found;

typedef struct {
  code s, p, o;
  int64_t start;
} occurrence;

typedef struct {
  occurrence *items;
  size_t count, room;
} occurrences;

enum hearing { WHOLE, BY_CLASS, BY_KIND };

/* What is heard of rows with a predicate and, where it depends on that, an object or a kind of objects; `s` and `o` of a
   template may be THE_SUBJECT and THE_OBJECT. */
typedef struct heard {
  struct heard *next;
  code p, key; /* TAG_ANY, ANY_NODE, ANY_LITERAL or an object */
  enum hearing how;
  int count;
  occurrence templates[];
} heard;

#define ANY_NODE (1 << 2 | TAG_ANY)
#define ANY_LITERAL (2 << 2 | TAG_ANY)
#define THE_SUBJECT (3 << 2 | TAG_ANY)
#define THE_OBJECT (4 << 2 | TAG_ANY)
#define MOST_HEARD 200000

/* The rows that are walked through. A column has positions in its part of the terms, which begins at `first_...`. */
typedef struct {
  int64_t length, at, clock, turn, stop; /* stop: the row that is not taken, -1 for none */
  const int32_t *s, *p, *o;
  int first_p, first_o;
  const int64_t *starts, *ends;
  code *terms;
  int64_t term_count;
  int drops_late;
  occurrences open;
  size_t opened; /* those before own their codes */
  int64_t *late;
  size_t late_count, late_room;
} batch;

/* An answer is made of the occurrences of a list: the operator at the position consumes them. */
typedef struct {
  int position;
  code list;
} use_of;

typedef struct machine {
  engine *engine;
  clause **predicates;
  trigger **triggers;
  uint64_t mask;
  int forms; /* of triggers: a bit for each of the four */
  int *settlements; /* predicates, in the order in which they are settled */
  int settlement_count, due_count;
  uint8_t *due;
  struct piece *pieces; /* what is freed with it */
  code *constants;
  size_t constant_count, constant_room;
  code *pool; /* what was made in this instant */
  size_t pool_count, pool_room;
  choice *choices; /* of this instant */
  size_t choice_count, choice_room;
  code *kept;
  size_t kept_count, kept_room;
  use_of *used;
  size_t used_count, used_room;
  found *found;
  size_t found_count, found_room;
  code *cells;
  size_t cell_count, cell_room;
  struct frame *cut; /* who is cut */
  atom_t hears;      /* the engine whose background entails something of rows; 0 for none */
  heard **heard;
  uint64_t heard_mask, heard_count;
  occurrences set; /* of the instant */
  batch rows;
} machine;

typedef struct piece {
  struct piece *next;
  char bytes[];
} piece;

typedef struct frame {
  machine *m;
  code *registers;
  const goal *call; /* that brought us here; NULL for the outermost */
  const clause *clause;
  struct frame *caller;
} frame;

/* ---- what machine.pl says ------------------------------------------------------------------------------ */

static void *piece_of(machine *m, size_t size) {
  piece *p = calloc(1, sizeof *p + size);
  if (!p) {
    PL_resource_error("memory");
    return NULL;
  }
  p->next = m->pieces;
  m->pieces = p;
  return p->bytes;
}

static int more(void **items, size_t *room, size_t count, size_t size) {
  if (count < *room)
    return TRUE;
  size_t wanted = *room ? 2 * *room : 256;
  void *moved = realloc(*items, wanted * size);
  if (!moved)
    return PL_resource_error("memory");
  *items = moved;
  *room = wanted;
  return TRUE;
}

static int is_named(term_t term, const char *name, size_t arity) {
  atom_t atom;
  size_t found;
  return PL_get_name_arity(term, &atom, &found) && found == arity && !strcmp(PL_atom_chars(atom), name);
}

static term_t part_of(term_t term, int place) {
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

/* in(Operand), out(Register), check(Register) or any */
static int read_column(machine *m, term_t term, column *c) {
  if (is_named(term, "in", 1)) {
    c->kind = KNOWN;
    return read_operand(m, part_of(term, 1), &c->is);
  }
  if (is_named(term, "any", 0)) {
    c->kind = IGNORED;
    return TRUE;
  }
  c->kind = is_named(term, "out", 1) ? TAKEN : CHECKED;
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
  static const char *names[] = {NULL, NULL, "-", "min", "max"};
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
  for (enum sum kind = MINUS; kind <= MOST; kind++)
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
  for (size_t i = 0; PL_get_list(list, head, list); i++)
    if (!read_template(m, head, t->parts + i))
      return FALSE;
  return TRUE;
}

static goal *read_goals(machine *m, term_t list, goal *next);

static int read_store(term_t term, store **s) {
  void *found = NULL;
  if (!PL_get_pointer(term, &found))
    return PL_type_error("goal_store", term);
  *s = found;
  return TRUE;
}

static int read_columns_of(machine *m, term_t term, goal *g) {
  if (!read_columns(m, term, &g->columns, &g->width))
    return FALSE;
  for (int i = 0; i < g->width && i < INDEXED; i++)
    if (g->columns[i].kind == KNOWN)
      g->bound |= (uint64_t)1 << i;
  return TRUE;
}

static goal *new_goal(machine *m, enum kind kind, goal *next) {
  goal *g = piece_of(m, sizeof *g);
  if (g)
    *g = (goal){.kind = kind, .next = next};
  return g;
}

static int read_goal(machine *m, term_t term, goal *g) {
  term_t a[5] = {0};
  size_t arity;
  atom_t name;
  if (!PL_get_name_arity(term, &name, &arity) || arity > 4)
    return PL_type_error("machine_goal", term);
  for (size_t i = 1; i <= arity; i++)
    a[i] = part_of(term, i);
  const char *is = PL_atom_chars(name);
  goal *ends;
  if (!strcmp(is, "test")) {
    g->kind = TEST;
    return read_order(a[1], &g->order) && (g->left = read_expression(m, a[2])) && (g->right = read_expression(m, a[3]));
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
    return read_store(a[2], &g->store) && read_columns_of(m, a[3], g);
  }
  if (!strcmp(is, "insert") || !strcmp(is, "forget")) {
    g->kind = is[0] == 'i' ? INSERT : FORGET;
    return read_store(a[1], &g->store) && read_columns_of(m, a[2], g);
  }
  if (!strcmp(is, "empty")) {
    g->kind = EMPTY;
    return read_store(a[1], &g->store);
  }
  if (!strcmp(is, "begin")) {
    void *found = NULL;
    g->kind = BEGIN;
    if (!PL_get_pointer(a[1], &found))
      return PL_type_error("goal_group", a[1]);
    g->group = found;
    return read_operand(m, a[2], &g->a);
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
  if (!strcmp(is, "ask")) {
    g->kind = ANSWER;
    g->once = TRUE;
    return PL_get_integer_ex(a[1], &g->number) && read_operand(m, a[2], &g->a);
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
  if (!strcmp(is, "prolog")) {
    atom_t module, predicate;
    g->kind = PROLOG;
    if (!PL_get_atom_ex(a[1], &module) || !PL_get_atom_ex(a[2], &predicate) || !read_columns_of(m, a[3], g))
      return FALSE;
    g->prolog = PL_pred(PL_new_functor_sz(predicate, g->width), PL_new_module(module));
    return TRUE;
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
  return goals;
}

/* clause(Registers, Ins, Outs, Goals) */
static clause *read_clause(machine *m, term_t term) {
  clause *c = piece_of(m, sizeof *c);
  column *outs;
  goal *end;
  if (!c || !is_named(term, "clause", 4)) {
    PL_type_error("machine_clause", term);
    return NULL;
  }
  if (!PL_get_integer_ex(part_of(term, 1), &c->registers) || !read_columns(m, part_of(term, 2), &c->in, &c->ins) ||
      !read_columns(m, part_of(term, 3), &outs, &c->outs) || !(end = new_goal(m, RETURN, NULL)) ||
      !(c->body = read_goals(m, part_of(term, 4), end)) || !(c->out = piece_of(m, c->outs * sizeof *c->out)))
    return NULL;
  for (int i = 0; i < c->outs; i++)
    c->out[i] = outs[i].is;
  return c;
}

static uint64_t trigger_hash(code p, code o) { return mixed(mixed(0, p), o); }

/* trigger(P, O, Clause): P and O are k(Term) or any. */
static int read_trigger(machine *m, term_t term) {
  trigger *t = piece_of(m, sizeof *t);
  if (!t)
    return FALSE;
  t->p = t->o = TAG_ANY;
  term_t p = part_of(term, 1), o = part_of(term, 2);
  if ((is_named(p, "k", 1) && !constant_of(m, part_of(p, 1), &t->p)) ||
      (is_named(o, "k", 1) && !constant_of(m, part_of(o, 1), &t->o)) || !(t->clause = read_clause(m, part_of(term, 3))))
    return FALSE;
  m->forms |= 1 << (2 * (t->p == TAG_ANY) + (t->o == TAG_ANY));
  trigger **at = m->triggers + (trigger_hash(t->p, t->o) & m->mask);
  while (*at)
    at = &(*at)->next; /* in their order */
  *at = t;
  return TRUE;
}

static void forget_occurrence(machine *m, const occurrence *x) {
  release(m->engine, x->s);
  release(m->engine, x->p);
  release(m->engine, x->o);
}

static void end_batch(machine *m) {
  batch *b = &m->rows;
  for (int64_t i = 0; i < b->term_count; i++)
    release(m->engine, b->terms[i]);
  for (size_t i = 0; i < b->opened; i++)
    forget_occurrence(m, b->open.items + i);
  free(b->terms);
  b->terms = NULL;
  b->term_count = b->length = b->at = 0;
  b->open.count = b->opened = b->late_count = 0;
}

static void forget_heard(machine *m);

static void delete_machine(machine *m) {
  end_batch(m);
  forget_heard(m);
  if (m->hears)
    PL_unregister_atom(m->hears);
  free(m->rows.open.items), free(m->rows.late), free(m->set.items);
  for (size_t i = 0; i < m->constant_count; i++)
    release(m->engine, m->constants[i]);
  for (piece *p = m->pieces, *next; p; p = next)
    next = p->next, free(p);
  free(m->choices), free(m->kept), free(m->used);
  free(m->constants), free(m->pool), free(m->found), free(m->cells), free(m);
}

/* program(Predicates, Triggers, Settlements): lists of clauses for each number, of triggers, of numbers. */
static int read_program(machine *m, term_t term) {
  size_t predicates, triggers, settlements;
  term_t head = PL_new_term_ref(), list, clauses, each = PL_new_term_ref();
  for (int i = 1; i <= 3; i++)
    if (PL_skip_list(part_of(term, i), 0, i == 1 ? &predicates : i == 2 ? &triggers : &settlements) != PL_LIST)
      return PL_type_error("machine_program", term);
  for (m->mask = 15; m->mask < 2 * triggers; m->mask = 2 * m->mask + 1)
    ;
  m->settlement_count = settlements;
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
  list = part_of(term, 3);
  for (int i = 0; PL_get_list(list, head, list); i++)
    if (!PL_get_integer_ex(head, m->settlements + i))
      return FALSE;
  return TRUE;
}

/* ---- goals run ------------------------------------------------------------------------------------------ */

enum status { GO_ON, STOP, CUTTING, BROKEN };

static inline code value_of(const frame *f, const operand *o) { return o->at < 0 ? o->constant : f->registers[o->at]; }

static int64_t number_of(code c) {
  if (TAG(c) == TAG_INTEGER)
    return (int64_t)c >> 2;
  if (TAG(c) != TAG_NODE || node_of(c)->kind != NUMBER)
    return 0;
  char text[32] = {0};
  memcpy(text, node_of(c)->parts, node_of(c)->length < 31 ? node_of(c)->length : 31);
  return strtoll(text, NULL, 10);
}

static int64_t evaluated(const frame *f, const expression *e) {
  int64_t a, b;
  switch (e->kind) {
  case REGISTER:
    return number_of(f->registers[e->value]);
  case NUMBER_IS:
    return e->value;
  default:
    a = evaluated(f, e->left);
    b = evaluated(f, e->right);
    return e->kind == MINUS ? a - b : (e->kind == LEAST) == (a < b) ? a : b;
  }
}

static int is_true(const frame *f, const goal *g) {
  int64_t a = evaluated(f, g->left), b = evaluated(f, g->right);
  switch (g->order) {
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

static int keep(machine *m, code made) {
  if (!more((void **)&m->pool, &m->pool_room, m->pool_count, sizeof(code))) {
    release(m->engine, made);
    return FALSE;
  }
  m->pool[m->pool_count++] = made;
  return TRUE;
}

static enum status run(const goal *g, frame *f);

/* Of a row that was found by the columns that `known` names: the others fit, and are taken. */
static int is_fitting(const frame *f, const goal *g, const code *cells, uint64_t known) {
  for (int i = 0; i < g->width; i++) {
    const column *c = g->columns + i;
    if (c->kind == TAKEN)
      f->registers[c->is.at] = cells[i];
    else if (c->kind == CHECKED ? f->registers[c->is.at] != cells[i]
                                : c->kind == KNOWN && !(i < INDEXED && known >> i & 1) && value_of(f, &c->is) != cells[i])
      return FALSE;
  }
  return TRUE;
}

static int begin_find(const goal *g, const frame *f, lookup *l) {
  code key[INDEXED];
  for (uint64_t bound = g->bound; bound; bound &= bound - 1) {
    int i = __builtin_ctzll(bound);
    key[i] = value_of(f, &g->columns[i].is);
  }
  return begin_lookup(g->store, g->way, g->bound, key, l);
}

static enum status find(const goal *g, frame *f) {
  store *s = g->store;
  lookup l;
  if (!begin_find(g, f, &l))
    return GO_ON;
  enum status is = GO_ON;
  s->open++;
  for (int64_t row; is == GO_ON && (row = take(&l)) >= 0;)
    if (is_fitting(f, g, row_cells(s, row), l.known))
      is = run(g->next, f);
    else
      s->wasted += l.known != l.bound;
  s->open--;
  reclaim(s);
  return is;
}

static enum status insert(const goal *g, frame *f) {
  code cells[64], *all = cells;
  if (g->width > 64 && !(all = malloc(g->width * sizeof *all))) {
    PL_resource_error("memory");
    return BROKEN;
  }
  for (int i = 0; i < g->width; i++)
    retain(all[i] = value_of(f, &g->columns[i].is));
  int done = add_row(g->store, all);
  for (int i = 0; !done && i < g->width; i++)
    release(f->m->engine, all[i]);
  if (all != cells)
    free(all);
  return done ? GO_ON : BROKEN;
}

/* STOP: there was one. */
static enum status forget(const goal *g, frame *f) {
  lookup l;
  if (!begin_find(g, f, &l))
    return GO_ON;
  enum status is = GO_ON;
  for (int64_t row; is == GO_ON && (row = take(&l)) >= 0;)
    if (is_fitting(f, g, row_cells(g->store, row), l.known))
      is = remove_row(g->store, row) ? STOP : BROKEN;
    else
      g->store->wasted += l.known != l.bound;
  reclaim(g->store);
  return is;
}

static int is_entered(const clause *c, const goal *g, const frame *f, code *registers) {
  for (int i = 0, in = 0; i < g->width; i++) {
    if (g->columns[i].kind != KNOWN)
      continue;
    code value = value_of(f, &g->columns[i].is);
    const column *head = c->in + in++;
    if (head->kind == TAKEN)
      registers[head->is.at] = value;
    else if (head->kind == CHECKED ? registers[head->is.at] != value : head->kind == KNOWN && head->is.constant != value)
      return FALSE;
  }
  return TRUE;
}

static enum status call(const goal *g, frame *f) {
  for (const clause *c = f->m->predicates[g->number]; c; c = c->next) {
    code registers[c->registers + 1];
    frame own = {f->m, registers, g, c, f};
    if (!is_entered(c, g, f, registers))
      continue;
    enum status is = run(c->body, &own);
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
    code value = value_of(f, f->clause->out + out++);
    if (c->kind == TAKEN)
      f->caller->registers[c->is.at] = value;
    else if (c->kind == CHECKED && f->caller->registers[c->is.at] != value)
      return GO_ON;
  }
  return run(f->call->next, f->caller);
}

static int answer(const goal *g, const frame *f) {
  machine *m = f->m;
  if (!more((void **)&m->found, &m->found_room, m->found_count, sizeof *m->found))
    return FALSE;
  m->found[m->found_count++] = (found){number_of(value_of(f, &g->a)), g->number, g->width, g->once, m->cell_count};
  for (int i = 0; i < g->width; i++) {
    if (!more((void **)&m->cells, &m->cell_room, m->cell_count, sizeof(code)))
      return FALSE;
    m->cells[m->cell_count++] = value_of(f, &g->columns[i].is);
  }
  return TRUE;
}

/* A predicate of Prolog that has one solution at most. STOP: it has. */
static enum status ask_prolog(const goal *g, frame *f) {
  fid_t outer = PL_open_foreign_frame();
  term_t arguments = outer ? PL_new_term_refs(g->width) : 0;
  if (!arguments)
    return BROKEN;
  enum status is = GO_ON;
  for (int i = 0; i < g->width; i++)
    if (g->columns[i].kind == KNOWN && !unify_code(arguments + i, value_of(f, &g->columns[i].is)))
      is = BROKEN;
  if (is == GO_ON && PL_call_predicate(NULL, PL_Q_PASS_EXCEPTION, g->prolog, arguments)) {
    is = STOP;
    for (int i = 0; is == STOP && i < g->width; i++) {
      const column *c = g->columns + i;
      code value;
      if (c->kind != TAKEN && c->kind != CHECKED)
        continue;
      if (code_of(f->m->engine, TRUE, arguments + i, &value) != FOUND || !keep(f->m, value))
        is = BROKEN;
      else if (c->kind == TAKEN)
        f->registers[c->is.at] = value;
      else if (f->registers[c->is.at] != value)
        is = GO_ON;
    }
  } else if (PL_exception(0)) {
    is = BROKEN;
  }
  if (is == BROKEN)
    PL_close_foreign_frame(outer);
  else
    PL_discard_foreign_frame(outer);
  return is;
}

/* ---- choices and what is consumed: see policies.pl ------------------------------------------------------------ */

static int made_of(const frame *f, const template *t, code *made) {
  if (!t->functor) {
    retain(*made = value_of(f, &t->is));
    return TRUE;
  }
  code parts[t->arity + 1];
  size_t known = 0;
  while (known < t->arity && made_of(f, t->parts + known, parts + known))
    known++;
  int done = known == t->arity && node_code(f->m->engine, TRUE, COMPOUND, t->functor, t->arity, parts,
                                            t->arity * sizeof *parts, made) == FOUND;
  while (known)
    release(f->m->engine, parts[--known]);
  return done;
}

static int make(const goal *g, frame *f) {
  code made;
  if (!made_of(f, g->template, &made) || !keep(f->m, made))
    return FALSE;
  f->registers[g->number] = made;
  return TRUE;
}

static int compare_codes(code a, code b);

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
  for (int i = 0; i < width; i++) {
    if (!more((void **)&m->kept, &m->kept_room, m->kept_count, sizeof *m->kept))
      return FALSE;
    m->kept[m->kept_count++] = value_of(f, &columns[i].is);
  }
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

static int next_of(code *list, code *item) {
  const node *n = TAG(*list) == TAG_NODE ? node_of(*list) : NULL;
  if (!n || n->kind != COMPOUND || n->length != 2)
    return FALSE;
  *item = n->parts[0];
  *list = n->parts[1];
  return TRUE;
}

/* Ordered sets as lists. */
static int united(machine *m, code a, code b, code *set) {
  code left = 0, right = 0, rest_a = a, rest_b = b;
  int has_left = next_of(&rest_a, &left), has_right = next_of(&rest_b, &right);
  if (!has_left || !has_right) {
    retain(*set = has_left ? a : b);
    return TRUE;
  }
  int order = compare_codes(left, right);
  code parts[2] = {order <= 0 ? left : right};
  if (!united(m, order <= 0 ? rest_a : a, order >= 0 ? rest_b : b, parts + 1))
    return FALSE;
  functor_t pair = node_of(a)->functor;
  int done = node_code(m->engine, TRUE, COMPOUND, pair, 2, parts, sizeof parts, set) == FOUND;
  release(m->engine, parts[1]);
  return done;
}

static int unite(const goal *g, frame *f) {
  code set;
  if (!united(f->m, value_of(f, &g->a), value_of(f, &g->b), &set) || !keep(f->m, set))
    return FALSE;
  f->registers[g->number] = set;
  return TRUE;
}

static void settle_later(machine *m, int position) {
  m->due_count += !m->due[position];
  m->due[position] = TRUE;
}

static int use_up(const goal *g, frame *f) {
  machine *m = f->m;
  if (!more((void **)&m->used, &m->used_room, m->used_count, sizeof *m->used))
    return FALSE;
  m->used[m->used_count++] = (use_of){g->number, value_of(f, &g->a)};
  settle_later(m, g->number);
  return TRUE;
}

static int consume_used(const goal *g, const machine *m) {
  for (size_t i = 0; i < m->used_count; i++) {
    code list = m->used[i].list, occurrence;
    while (m->used[i].position == g->number && next_of(&list, &occurrence))
      for (int j = 0; j < g->store_count; j++)
        if (!consume_code(g->stores[j], occurrence))
          return FALSE;
  }
  return TRUE;
}

static enum status run(const goal *g, frame *f) {
  enum status is;
  for (;; g = g->next)
    switch (g->kind) {
    case TEST:
      if (!is_true(f, g))
        return GO_ON;
      break;
    case SET:
      f->registers[g->number] = integer_code(evaluated(f, g->left));
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
    case EMPTY:
      if (g->store->live)
        drop_before(g->store, g->store->end);
      break;
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
    case PROLOG:
      if ((is = ask_prolog(g, f)) != STOP)
        return is;
      break;
    case FOUND_ONE:
      return STOP;
    case RETURN:
      return return_from(f);
    }
}

/* ---- an instant ---------------------------------------------------------------------------------------- */

static enum status run_rule(machine *m, const clause *c, const code *ins) {
  code registers[c->registers + 1];
  frame own = {m, registers, NULL, c, NULL};
  for (int i = 0; i < c->ins; i++) {
    const column *head = c->in + i;
    if (head->kind == TAKEN)
      registers[head->is.at] = ins[i];
    else if (head->kind == CHECKED ? registers[head->is.at] != ins[i] : head->kind == KNOWN && head->is.constant != ins[i])
      return GO_ON;
  }
  return run(c->body, &own);
}

static enum status fire_form(machine *m, code p, code o, const code *ins) {
  for (const trigger *t = m->triggers[trigger_hash(p, o) & m->mask]; t; t = t->next)
    if (t->p == p && t->o == o && run_rule(m, t->clause, ins) == BROKEN)
      return BROKEN;
  return GO_ON;
}

static enum status fire(machine *m, const occurrence *x, code end) {
  code ins[] = {x->s, x->p, x->o, integer_code(x->start), end};
  for (int form = 0; form < 4; form++)
    if (m->forms >> form & 1 && fire_form(m, form & 2 ? TAG_ANY : x->p, form & 1 ? TAG_ANY : x->o, ins) == BROKEN)
      return BROKEN;
  return GO_ON;
}

static enum status settle(machine *m, code end) {
  while (m->due_count) {
    int first = 0;
    while (!m->due[first])
      first++;
    m->due[first] = FALSE;
    m->due_count--;
    for (const clause *c = m->predicates[m->settlements[first]]; c; c = c->next) {
      enum status is = run_rule(m, c, &end);
      if (is == BROKEN)
        return BROKEN;
      if (is == CUTTING)
        break;
    }
  }
  return GO_ON;
}

static int is_same_occurrence(const occurrence *a, const occurrence *b) {
  return a->s == b->s && a->o == b->o && a->p == b->p && a->start == b->start;
}

/* The occurrences are a set. */
static int make_set(occurrences *set) {
  size_t count = set->count, mask = 15, kept = 0;
  if (count < 2)
    return TRUE;
  while (mask < 2 * count)
    mask = 2 * mask + 1;
  size_t *places = calloc(mask + 1, sizeof *places);
  if (!places)
    return PL_resource_error("memory");
  for (size_t i = 0; i < count; i++) {
    const occurrence *x = set->items + i;
    uint64_t at = mixed(mixed(mixed(mixed(0, x->s), x->p), x->o), x->start) & mask;
    while (places[at] && !is_same_occurrence(set->items + places[at] - 1, x))
      at = (at + 1) & mask;
    if (!places[at]) {
      set->items[kept] = *x;
      places[at] = ++kept;
    }
  }
  set->count = kept;
  free(places);
  return TRUE;
}

static int add_occurrence(occurrences *all, occurrence x) {
  if (!more((void **)&all->items, &all->room, all->count, sizeof x))
    return FALSE;
  all->items[all->count++] = x;
  return TRUE;
}

/* ---- what is heard of a row ------------------------------------------------------------------------------ */

static uint64_t heard_hash(code p, code key) { return mixed(mixed(1, p), key); }

static heard *known_heard(const machine *m, code p, code key) {
  heard *h = m->heard ? m->heard[heard_hash(p, key) & m->heard_mask] : NULL;
  while (h && (h->p != p || h->key != key))
    h = h->next;
  return h;
}

static void forget_heard(machine *m) {
  for (uint64_t i = 0; m->heard && i <= m->heard_mask; i++)
    for (heard *h = m->heard[i], *next; h; h = next) {
      next = h->next;
      for (int j = 0; j < h->count; j++)
        release(m->engine, h->templates[j].s), release(m->engine, h->templates[j].p), release(m->engine, h->templates[j].o);
      release(m->engine, h->p), release(m->engine, h->key);
      free(h);
    }
  free(m->heard);
  m->heard = NULL;
  m->heard_count = 0;
}

/* s, o or k(Term) */
static int read_part(machine *m, term_t term, code *part) {
  if (is_named(term, "k", 1))
    return code_of(m->engine, TRUE, part_of(term, 1), part) == FOUND;
  *part = is_named(term, "s", 0) ? THE_SUBJECT : THE_OBJECT;
  return TRUE;
}

static heard *add_heard(machine *m, code p, code key, enum hearing how, term_t templates) {
  size_t length = 0;
  if (!m->heard || m->heard_count > m->heard_mask) {
    forget_heard(m); /* what is asked for again is found again */
    m->heard_mask = m->heard_mask ? (m->heard_mask < MOST_HEARD ? 4 * m->heard_mask + 3 : m->heard_mask) : 255;
    if (!(m->heard = calloc(m->heard_mask + 1, sizeof *m->heard)))
      return PL_resource_error("memory"), NULL;
  }
  if (templates)
    PL_skip_list(templates, 0, &length);
  heard *h = calloc(1, sizeof *h + length * sizeof *h->templates);
  if (!h)
    return PL_resource_error("memory"), NULL;
  *h = (heard){.how = how, .p = p, .key = key};
  for (size_t i = 0; i < length; i++)
    h->templates[i] = (occurrence){THE_SUBJECT, THE_SUBJECT, THE_SUBJECT, 0};
  retain(p), retain(key);
  heard **at = m->heard + (heard_hash(p, key) & m->heard_mask);
  h->next = *at;
  *at = h;
  m->heard_count++;
  if (!templates)
    return h;
  term_t list = PL_copy_term_ref(templates), head = PL_new_term_ref();
  for (; PL_get_list(list, head, list); h->count++) {
    occurrence *x = h->templates + h->count;
    if (!read_part(m, part_of(head, 1), &x->s) || !read_part(m, part_of(head, 2), &x->p) ||
        !read_part(m, part_of(head, 3), &x->o))
      return NULL;
  }
  return h;
}

/* etalis_heard_occurrences:heard_templates(Engine, P, O, How, Templates) */
static heard *find_heard(machine *m, code p, code o) {
  static predicate_t ask;
  if (!ask)
    ask = PL_predicate("heard_templates", 5, "etalis_heard_occurrences");
  fid_t outer = PL_open_foreign_frame();
  term_t a = PL_new_term_refs(5);
  heard *h = NULL;
  if (PL_put_atom(a, m->hears) && unify_code(a + 1, p) && unify_code(a + 2, o) &&
      PL_call_predicate(NULL, PL_Q_PASS_EXCEPTION, ask, a)) {
    if (is_named(a + 3, "whole", 0)) {
      h = add_heard(m, p, TAG_ANY, WHOLE, a + 4);
    } else {
      int by_class = is_named(part_of(a + 3, 1), "by_class", 0), is_class = is_named(part_of(a + 3, 2), "class", 0);
      code kind = TAG(o) == TAG_ATOM ? ANY_NODE : ANY_LITERAL;
      if (add_heard(m, p, TAG_ANY, by_class ? BY_CLASS : BY_KIND, 0) &&
          (!by_class || is_class || add_heard(m, p, o, BY_KIND, 0)))
        h = add_heard(m, p, is_class ? o : kind, WHOLE, a + 4);
    }
  }
  PL_close_foreign_frame(outer);
  return h;
}

static const heard *heard_of(machine *m, code p, code o) {
  const heard *h = known_heard(m, p, TAG_ANY);
  if (h && h->how == BY_CLASS && !(h = known_heard(m, p, o)))
    return find_heard(m, p, o);
  if (h && h->how == BY_KIND)
    h = known_heard(m, p, TAG(o) == TAG_ATOM ? ANY_NODE : ANY_LITERAL);
  return h ? h : find_heard(m, p, o);
}

static code filled(code part, const occurrence *x) {
  return part == THE_SUBJECT ? x->s : part == THE_OBJECT ? x->o : part;
}

static int add_heard_of(machine *m, const occurrence *x) {
  const heard *h = heard_of(m, x->p, x->o);
  for (int i = 0; h && i < h->count; i++) {
    const occurrence *t = h->templates + i;
    if (!add_occurrence(&m->set, (occurrence){filled(t->s, x), filled(t->p, x), filled(t->o, x), x->start}))
      return FALSE;
  }
  return h != NULL;
}

/* The occurrences of the instant: the open rows, or what rules hear of them. */
static int begin_set(machine *m) {
  const batch *b = &m->rows;
  m->set.count = 0;
  for (size_t i = 0; i < b->open.count; i++)
    if (!(m->hears ? add_heard_of(m, b->open.items + i) : add_occurrence(&m->set, b->open.items[i])))
      return FALSE;
  return make_set(&m->set);
}

/* ---- answers --------------------------------------------------------------------------------------------- */

static _Thread_local machine *sorting;

static int compare_codes(code a, code b) {
  if (a == b)
    return 0;
  fid_t frame = PL_open_foreign_frame();
  term_t left = PL_new_term_ref(), right = PL_new_term_ref();
  int order = unify_code(left, a) && unify_code(right, b) ? PL_compare(left, right) : 0;
  PL_discard_foreign_frame(frame);
  return order;
}

static int by_order(const void *left, const void *right) {
  const found *a = left, *b = right;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  if (a->query != b->query)
    return a->query < b->query ? -1 : 1;
  for (int i = 0, order; i < a->width; i++)
    if ((order = compare_codes(sorting->cells[a->cells + i], sorting->cells[b->cells + i])))
      return order;
  return 0;
}

/* An ASK says it once. */
static void forget_again(machine *m) {
  size_t kept = 1;
  for (size_t i = 1; i < m->found_count; i++)
    if (!m->found[i].once || by_order(m->found + i, m->found + kept - 1))
      m->found[kept++] = m->found[i];
  m->found_count = kept;
}

static int give_answers(machine *m, int64_t end) {
  for (size_t i = 0; i < m->found_count; i++) {
    const found *x = m->found + i;
    if (!put_codes(x->query, x->start, end, m->cells + x->cells, x->width))
      return FALSE;
  }
  return TRUE;
}

static void end_instant(machine *m) {
  for (size_t i = 0; i < m->pool_count; i++)
    release(m->engine, m->pool[i]);
  m->pool_count = m->found_count = m->cell_count = 0;
  m->choice_count = m->kept_count = m->used_count = 0;
  batch *b = &m->rows;
  for (size_t i = 0; i < b->opened; i++)
    forget_occurrence(m, b->open.items + i);
  b->open.count = b->opened = 0;
}

/* What the open rows bring about is in `found` then, in its order. */
static int run_instant(machine *m) {
  batch *b = &m->rows;
  int64_t time = b->clock;
  if (b->turn <= time)
    turn_stores(m->engine, time, &b->turn);
  if (!begin_set(m))
    return FALSE;
  code end = integer_code(time);
  for (size_t i = 0; i < m->set.count; i++)
    if (fire(m, m->set.items + i, end) == BROKEN)
      return FALSE;
  if (settle(m, end) == BROKEN)
    return FALSE;
  if (m->found_count > 1) {
    sorting = m;
    qsort(m->found, m->found_count, sizeof *m->found, by_order);
    forget_again(m);
  }
  return TRUE;
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

static machine *machine_of(term_t term) {
  void *found = NULL;
  if (!PL_get_pointer(term, &found))
    PL_type_error("machine", term);
  return found;
}

/* new_machine(+Stores, +Program, +Hears, -Machine): Hears is the engine if it has a background that entails something of
   rows (heard_templates/5), else `none`. */
static foreign_t new_machine(term_t stores, term_t program, term_t hears, term_t result) {
  void *e = NULL;
  if (!PL_get_pointer(stores, &e))
    return PL_type_error("goal_stores", stores);
  machine *m = calloc(1, sizeof *m);
  if (!m)
    return PL_resource_error("memory");
  m->engine = e;
  if (!is_named(hears, "none", 0) && PL_get_atom(hears, &m->hears))
    PL_register_atom(m->hears);
  if (read_program(m, program) && PL_unify_pointer(result, m))
    return TRUE;
  delete_machine(m);
  return FALSE;
}

/* delete_machine(+Machine) */
static foreign_t remove_machine(term_t term) {
  machine *m = machine_of(term);
  if (m)
    delete_machine(m);
  return m != NULL;
}

static int take_open(machine *m, term_t list) {
  batch *b = &m->rows;
  term_t rest = PL_copy_term_ref(list), head = PL_new_term_ref();
  while (PL_get_list(rest, head, rest)) {
    code terms[3];
    int64_t start;
    if (!PL_get_int64_ex(part_of(head, 4), &start))
      return FALSE;
    for (int i = 0; i < 3; i++)
      if (code_of(m->engine, TRUE, part_of(head, i + 1), terms + i) != FOUND)
        return FALSE;
    if (!add_occurrence(&b->open, (occurrence){terms[0], terms[1], terms[2], start}))
      return FALSE;
    b->opened = b->open.count;
  }
  return TRUE;
}

static int take_terms(machine *m, term_t list) {
  batch *b = &m->rows;
  size_t length;
  term_t rest = PL_copy_term_ref(list), head = PL_new_term_ref();
  if (PL_skip_list(list, 0, &length) != PL_LIST)
    return PL_type_error("list", list);
  if (!(b->terms = malloc((length + 1) * sizeof *b->terms)))
    return PL_resource_error("memory");
  for (b->term_count = 0; PL_get_list(rest, head, rest); b->term_count++)
    if (code_of(m->engine, TRUE, head, b->terms + b->term_count) != FOUND)
      return FALSE;
  return TRUE;
}

static int get_address(term_t block, int place, const void *address) {
  int64_t number;
  if (!PL_get_int64_ex(part_of(block, place), &number))
    return FALSE;
  *(const void **)address = (const void *)(intptr_t)number;
  return TRUE;
}

/* begin_rows(+Machine, +Terms, +Block, +Clock, +Open, +DropsLate, +Turn): Block is
   block(Length, Ss, Ps, Os, Starts, Ends, FirstP, FirstO), the addresses of positions (32 bits) and of times (64 bits), and
   where in Terms those of predicates and objects begin, from 0; Starts is 0 where they are the ends. */
static foreign_t begin_rows(term_t t0, int arity, control_t control) {
  machine *m = machine_of(t0);
  if (!m)
    return FALSE;
  end_batch(m);
  batch *b = &m->rows;
  term_t block = t0 + 2;
  b->stop = -1;
  if (!PL_get_int64_ex(part_of(block, 1), &b->length) || !get_address(block, 2, &b->s) || !get_address(block, 3, &b->p) ||
      !get_address(block, 4, &b->o) || !get_address(block, 5, &b->starts) || !get_address(block, 6, &b->ends) ||
      !PL_get_integer_ex(part_of(block, 7), &b->first_p) || !PL_get_integer_ex(part_of(block, 8), &b->first_o) ||
      !PL_get_int64_ex(t0 + 3, &b->clock) || !PL_get_bool_ex(t0 + 5, &b->drops_late) || !PL_get_int64_ex(t0 + 6, &b->turn))
    return FALSE;
  b->starts = b->starts ? b->starts : b->ends;
  return take_terms(m, t0 + 1) && take_open(m, t0 + 4);
}

static int add_late(batch *b, int64_t row) {
  if (!more((void **)&b->late, &b->late_room, b->late_count, sizeof *b->late))
    return FALSE;
  b->late[b->late_count++] = row;
  return TRUE;
}

/* One row more; false after an error. */
static int take_row(machine *m) {
  batch *b = &m->rows;
  int64_t row = b->at, end = b->ends[row];
  if (end < b->clock) {
    if (!b->drops_late)
      b->stop = row;
    b->at++;
    return add_late(b, row);
  }
  if (end > b->clock) {
    if (b->open.count) {
      if (!run_instant(m) || !give_answers(m, b->clock))
        return FALSE;
      end_instant(m);
    }
    b->clock = end;
  }
  b->at++;
  const code *terms = b->terms;
  code s = terms[b->s[row]], p = terms[b->first_p + b->p[row]], o = terms[b->first_o + b->o[row]];
  return add_occurrence(&b->open, (occurrence){s, p, o, b->starts[row]});
}

static int put_late(batch *b, term_t list) {
  term_t tail = PL_copy_term_ref(list), head = PL_new_term_ref();
  for (size_t i = 0; i < b->late_count; i++)
    if (!PL_unify_list(tail, head, tail) || !PL_unify_int64(head, b->late[i]))
      return FALSE;
  b->late_count = 0;
  return PL_unify_nil(tail);
}

/* run_rows(+Machine, +Most, -Others, -Late, -IsLast): answers are in columns (answers.c), until there are Most. */
static foreign_t run_rows(term_t t0, int arity, control_t control) {
  machine *m = machine_of(t0);
  int64_t most, steps = 0;
  if (!m || !PL_get_int64_ex(t0 + 1, &most) || !begin_codes(m->engine))
    return FALSE;
  batch *b = &m->rows;
  while (b->at < b->length && b->stop < 0 && codes_put() + (int64_t)b->late_count < most) {
    if (!take_row(m)) {
      end_instant(m);
      b->stop = b->at;
      return FALSE;
    }
    if (!(++steps & 1023) && PL_handle_signals() < 0)
      return FALSE;
  }
  int is_last = b->at >= b->length || b->stop >= 0;
  return put_other_codes(t0 + 2) && put_late(b, t0 + 3) && PL_unify_bool(t0 + 4, is_last);
}

/* answers_before(+Machine, -Others, -Late): after an error in run_rows/5 what there was before. */
static foreign_t answers_before(term_t t0, int arity, control_t control) {
  machine *m = machine_of(t0);
  return m && put_other_codes(t0 + 1) && put_late(&m->rows, t0 + 2);
}

/* end_rows(+Machine, -Clock, -Open, -Taken, -Turn): what is left open, a list of -(S, P, O, Start). */
static foreign_t end_rows(term_t t0, int arity, control_t control) {
  static functor_t open4;
  if (!open4)
    open4 = PL_new_functor(PL_new_atom("-"), 4);
  machine *m = machine_of(t0);
  if (!m)
    return FALSE;
  batch *b = &m->rows;
  term_t tail = PL_copy_term_ref(t0 + 2), head = PL_new_term_ref();
  for (size_t i = 0; i < b->open.count; i++) {
    const occurrence *x = b->open.items + i;
    if (!PL_unify_list(tail, head, tail) || !PL_unify_functor(head, open4) || !unify_code(part_of(head, 1), x->s) ||
        !unify_code(part_of(head, 2), x->p) || !unify_code(part_of(head, 3), x->o) ||
        !PL_unify_int64(part_of(head, 4), x->start))
      return FALSE;
  }
  int done = PL_unify_nil(tail) && PL_unify_int64(t0 + 1, b->clock) &&
             PL_unify_int64(t0 + 3, b->stop < 0 ? b->length : b->stop) && PL_unify_int64(t0 + 4, b->turn);
  end_batch(m);
  return done;
}

static int add_integer(term_t tail, int64_t number) {
  term_t head = PL_new_term_ref();
  return PL_unify_list(tail, head, tail) && PL_unify_int64(head, number);
}

/* run_instant(+Machine, +Open, +Time, +Turn, -Queries, -Starts, -Values, -NewTurn): close one instant; its answers as lists. */
static foreign_t run_one_instant(term_t t0, int arity, control_t control) {
  machine *m = machine_of(t0);
  if (!m)
    return FALSE;
  end_batch(m);
  batch *b = &m->rows;
  if (!PL_get_int64_ex(t0 + 2, &b->clock) || !PL_get_int64_ex(t0 + 3, &b->turn) || !take_open(m, t0 + 1))
    return FALSE;
  term_t queries = PL_copy_term_ref(t0 + 4), starts = PL_copy_term_ref(t0 + 5), values = PL_copy_term_ref(t0 + 6);
  int done = run_instant(m);
  for (size_t i = 0; done && i < m->found_count; i++) {
    const found *x = m->found + i;
    done = add_integer(queries, x->query) && add_integer(starts, x->start);
    for (int j = 0; done && j < x->width; j++) {
      term_t head = PL_new_term_ref();
      done = PL_unify_list(values, head, values) && unify_code(head, m->cells[x->cells + j]);
    }
  }
  end_instant(m);
  return done && PL_unify_nil(queries) && PL_unify_nil(starts) && PL_unify_nil(values) && PL_unify_int64(t0 + 7, b->turn);
}

static void add_predicate(const char *name, int arity, void *function, int more_flags) {
  PL_register_foreign_in_module("etalis_machine", name, arity, (pl_function_t)function, more_flags);
}

void install_machine(void) {
  add_predicate("new_machine", 4, new_machine, 0);
  add_predicate("delete_machine", 1, remove_machine, 0);
  add_predicate("begin_rows", 7, begin_rows, PL_FA_VARARGS);
  add_predicate("run_rows", 5, run_rows, PL_FA_VARARGS);
  add_predicate("run_instant", 8, run_one_instant, PL_FA_VARARGS);
  add_predicate("answers_before", 3, answers_before, PL_FA_VARARGS);
  add_predicate("end_rows", 5, end_rows, PL_FA_VARARGS);
}
