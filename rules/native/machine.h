/*  Rules that run without Prolog: what the parts of the machine share. machine.c says what it is. */

#ifndef ETALIS_MACHINE
#define ETALIS_MACHINE

#include "lookup.h"

enum kind {
  TEST, COMPARE, SET, BIND, SAME, DIFFERENT, FIND, INSERT, FORGET, RENEW, EMPTY, BEGIN, EITHER, IF, SOFT, SOFTLY, NOT, CUT, NOTHING, CALL,
  LATER, ANSWER, PROLOG, EVERY, FOUND_ONE, RETURN, MAKE, CHOICE, DECIDED, MEET, MET, KEEP, CHOSEN, UNITE, USE, CONSUME,
  CONSTRUCT, ADD, SETTLE, ROWS_OF, ASK, ASKED, COLLECT, GATHER, ORDER, EACH, SLICE, RANK, APART, GIVEN, LIMITED, NOW,
  NEWEST_OF, WHOLE_STEPS, TIMES
};
enum order { LESS, AT_MOST, MORE, AT_LEAST, EQUAL };
enum sum { REGISTER, NUMBER_IS, MINUS, LEAST, MOST, MODULO, QUOTIENT };
enum adding { TO_NONE, TO_ALL, TO_DEFAULT, TO_NAMED }; /* streams that triples come into; TO_ALL: no rule asks */
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
  int is_shown; /* TAKEN, and only answers have it */
  operand is;   /* for TAKEN and CHECKED the register */
} column;

/* A cell of a row and the register that gets it. */
typedef struct {
  int from, to;
} taking;

/* A cell of a row that is found is compared with a time that is known before: cell - other =< bound, or other - cell. */
typedef struct {
  int column, is_least; /* is_least: the other way round */
  operand other;
  int64_t bound;
} comparison;

#define MOST_COMPARED 4

/* A compound with registers in it. */
typedef struct template {
  operand is; /* where `functor` is 0 */
  int kind;   /* of node */
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
  enum kind kind; /* what most goals have comes first, to be in few lines of the processor's cache */
  enum order order;
  struct goal *next;
  int number; /* a register, which may have a store or a query in it, a predicate, a position */
  int way, width;
  int only_takes; /* no column has to be compared but those that are known: */
  int taken;      /* so many are taken */
  taking *takes;
  int *gives; /* the registers of the columns, where all of them are known; else NULL */
  uint64_t known; /* the columns that are, a bit for each */
  column *columns;
  int compared; /* by so many of the goals behind a FIND rows are compared before they are taken: */
  comparison *compares;
  struct goal *behind; /* what follows these goals */
  int64_t bound; /* of COMPARE: the difference of `a` and `b` is at most that */
  operand a, b;
  struct goal *first, *second, *third; /* of EITHER, IF, SOFT, NOT */
  expression *left, *right;
  group *group;
  struct grouping *grouping;
  int once, is_ranked; /* is_ranked: an answer's rank is `b` */
  enum adding adds;
  column *rank;
  int rank_width;
  module_t module; /* from which `prolog` is called */
  predicate_t prolog;
  operation operation; /* the same in C, or NULL */
  struct sayings *sayings; /* of EVERY: what was said to it before; NULL where that may change */
  template *template;
  functor_t functor; /* of what is taken apart */
  store **stores;
  int store_count;
  int *keys, key_count;  /* places in a row from 1; those below 0 are descending. Or registers, see newest.c */
  int64_t offset, limit; /* limit: -1 for none */
} goal;

/* A rule that does no more than to look at times, to have a life go on, to find goals, and to answer or to keep goals, see
   straight.c. */
typedef struct {
  const goal *renews, *find, *last; /* renews, find: NULL for none; last: what answers or keeps */
  source start, cells[];            /* start: of an answer */
} straight;

/* What clauses have in common that differ in constants, stores and queries alone: these are in the last registers. */
typedef struct {
  int registers, own; /* own: without constants */
  int ins, outs;
  column *in;
  taking *takes; /* of values that it is called with; */
  int taken, checked;
  int *checks; /* the others are compared */
  operand *out;
  goal *body;
  straight *straight; /* NULL for most */
} shape;

typedef struct clause {
  const shape *shape;
  struct clause *next;
  const store *store; /* the first that it looks at, or NULL */
  code constants[];
} clause;

/* Which occurrences a pattern sees, see places.pl: what comes for the first time, in its stream, in its element, of a triple. */
enum sight { ANYWHERE, IN_STREAM, IN_ELEMENT, OF_TRIPLE, SIGHTS };

/* Goals that a rule looks for by the subject and the object of its row, see ahead.c. */
typedef struct {
  store *store;
  int index;
  uint64_t objects; /* the columns of the index that are the object; the others are the subject */
} sought;

typedef struct straight_group straight_group;

typedef struct trigger {
  struct trigger *next; /* in its bucket */
  code p, o, stream;    /* TAG_ANY for any */
  enum sight sight;
  int is_only; /* for a row with its predicate there is no other */
  int is_entered; /* its rule need not look at the predicate and the stream again, and at nothing else of a row */
  int sought_count;
  clause *clause;
  const straight_group *group; /* of this rule and the other one for its predicate, or NULL */
  sought *sought;
} trigger;

typedef struct {
  size_t at; /* of its first cell */
  int count, width;
} row_set;

typedef struct {
  code s, p, o;
  int64_t start;
  code place; /* 0 for none that is known */
  code of;    /* the triple that it is, or follows from; 0: no rule asks, or nothing follows from any */
  enum { FIRST_OF_ALL, COPY, AGAIN, MORE_OF } as;
} occurrence;

typedef struct {
  occurrence *items;
  size_t count, room;
} occurrences;

/* A set that is emptied with each instant: places of another one are free. */
typedef struct {
  uint32_t instant, at;
} place;

typedef struct {
  occurrences all;
  place *places; /* open hash; its length is mask + 1 */
  uint64_t mask;
  uint32_t instant;
  int has_set; /* the occurrences that were there before any was derived */
} known;

/* Occurrences that were derived and not fired yet; each solution's begin at one of `begins`. */
typedef struct {
  occurrences added;
  size_t *begins, begin_count, begin_room;
} round;

/* Things by codes. */
typedef struct {
  code key;
  const void *is; /* NULL where the place is free */
} by_code;

typedef struct {
  by_code *items; /* open hash; its length is mask + 1 */
  uint64_t mask, count;
} code_table;

/* What a row with a predicate needs first, if rules listen to it: its rules, and goals that the first of them looks at. */
typedef struct {
  trigger *const *rules; /* a bucket */
  const trigger *first;
  const clause *clause;
  const store *store; /* of the first rule, or NULL */
} needed;

/* A column of terms as Python describes it (etalis_py/engine/crossing.py): the words that are `added` behind those that are
   known, the words that are `used`, and of each row its place among these. Addresses are 0 for none. */
typedef struct {
  int64_t table, known, added;
  const uint8_t *kinds; /* of words */
  const char *names;    /* in UTF-8, a NUL behind each; with kinds the texts of all words, a line end behind each */
  int64_t used;
  const int32_t *numbers; /* of the words that are used; 0: all are, in their order */
  const int32_t *places;
} incoming;

/* The rows that are walked through. A column has positions in its part of the terms, which begins at `first_...`. */
typedef struct {
  int64_t length, at, clock, turn, stop; /* stop: the row that is not taken, -1 for none */
  int64_t until;                         /* time passes until then, behind the rows; BEFORE_ALL: it does not */
  enum { NO_END, ENDS, HAS_ENDED } end;  /* of the input: until nothing is due any more */
  int64_t ended_at;
  const int32_t *s, *p, *o;
  const int32_t *places; /* NULL for none */
  int first_p, first_o, first_place;
  const int64_t *starts, *ends;
  code *terms; /* the first ones are those of words */
  needed *needed; /* by the places of predicates; NULL where rules are so few that they are in the caches */
  int64_t known_count, term_count;
  int drops_late;
  occurrences open;
  size_t opened; /* those before own their codes */
  int64_t *late;
  size_t late_count, late_room;
} batch;

/* An answer is made of the occurrences of a set: the operator at the position consumes them. Where the set is only needed for
   that, it is not made: its parts are in `kept`. */
typedef struct {
  int position;
  code set;
  const template *unmade; /* NULL for none */
  size_t at;
} use_of;

/* When something is due: of STEP at the multiples of `length`, of GRID from `first` on, of DEADLINE so long after the times of
   goals, of MOMENT at these times, which are then forgotten. */
typedef struct step {
  enum { STEP, GRID, DEADLINE, MOMENT } kind;
  int *positions, position_count; /* of what is settled */
  int64_t length, first, since; /* since: INT64_MIN where there is no first */
  struct grouping *idle; /* of STEP */
  store *store;          /* of GRID: nothing need be done while it is empty */
  enum { PASSES, LASTS, IS_EMPTIED } end; /* of GRID, when the input has ended: goes on, is due once more, or until */
  store *emptied;                         /* this has an earlier time, in its first column */
  struct step *next;                      /* that the same rows, or members, bring forward */
  int is_changed;                         /* they have */
} step;

/* No step is due before `at`; none that is not idle before `awake`. */
typedef struct {
  int64_t at, awake;
} due;

/* What Python knows the terms of events by, which come one by one (direct.c). */
typedef struct {
  code term; /* 0 where the place is free */
  int64_t number;
} numbered;

typedef struct {
  code *terms; /* by number */
  size_t count, room;
  numbered *places; /* open hash; its length is mask + 1 */
  uint64_t mask;
  int64_t *to, room_to; /* where few answers go */
  record_t problem; /* 0 for none */
} direct;

typedef struct machine {
  engine *engine;
  atom_t module; /* of the engine in Prolog */
  shape *shapes;
  clause **predicates;
  trigger **triggers;
  uint64_t mask;
  int forms[SIGHTS]; /* of triggers, for each sight: a bit for each of the four */
  int asks_places;
  int is_plain; /* but for those of grids each instant has its rows and their rules alone, which are found by the predicate: see
                   alone.c */
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
  size_t found_count, found_room, found_most; /* more of them are a part of the instant by themselves */
  size_t *cuts, cut_count, cut_room;           /* where parts end that have not left */
  code *cells;
  size_t cell_count, cell_room;
  number *shown; /* of this instant */
  size_t shown_count, shown_room;
  struct frame *cut; /* who is cut */
  uintptr_t deepest; /* where the stack of C ends for rules */
  int hears;         /* whether the background entails something of rows */
  code_table heard, templates; /* by predicates; by lists in Prolog */
  const struct heard *heard_last; /* what was asked for last */
  int64_t heard_count;
  struct sayings *sayings; /* what the background said, and how much of it */
  code *said;
  size_t said_count, said_room;
  int has_said_much;
  occurrences set; /* of the instant */
  known known;
  round rounds[2]; /* what is derived comes into next_round */
  int next_round;
  int64_t derived, derived_again, most_derived;
  int64_t *most_answers, *answers; /* of each query in an instant, -1 for no limit; NULL where none has one */
  int query_count;
  struct {
    code place, identity; /* identity: 0 for none */
    int64_t start;
  } element; /* the last of which the identity was asked */
  row_set *row_sets;
  size_t row_set_count, row_set_room;
  code *row_cells;
  size_t row_cell_count, row_cell_room;
  int64_t *slices; /* how many rows have come to each */
  size_t slice_count, slice_room;
  int64_t rank; /* of the next row whose order counts */
#define SOON 16
#define MOST_CONSUMED 4
  const store *consumed[MOST_CONSUMED]; /* large stores whose goals are consumed */
  int consumed_count;
  uint64_t soon[SOON];   /* hashes of rows that come soon, as occurrences */
  int grown, has_sought; /* grown: large indexes of the engine, when it was found out what rules seek */
  uint32_t looked, looked_to_forget; /* at how many rows */
  const store *searched; /* in which of them, when signals were handled last */
  int is_cut; /* a part of the instant's answers has left, or is in order by itself */
  step *steps;
  int step_count;
  size_t step_room;
  due *due_times; /* see steps.c */
  step **changed;
  int changed_count, asked_end; /* asked_end: the state of the input when they were asked last */
  int64_t asked_from, steps_asked;
  int64_t shortest; /* of steps that are never idle; 0: there is none */
  int64_t steps_taken; /* since the last row */
  batch rows;
  direct direct;
  outlet *out; /* where answers go; NULL where they wait until the instant has ended */
  struct walk *walk;
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

enum status { GO_ON, STOP, CUTTING, BROKEN };

static inline int64_t number_of(code c) {
  if (TAG(c) == TAG_INTEGER)
    return (int64_t)c >> 2;
  return TAG(c) == TAG_NODE && node_of(c)->kind == EXACT ? (int64_t)node_of(c)->parts[0] : 0;
}

static inline store *store_of(const frame *f, const goal *g) { return (store *)(uintptr_t)f->registers[g->number]; }

static inline code value_of(const frame *f, const operand *o) { return o->at < 0 ? o->constant : f->registers[o->at]; }

/* Whether so many bytes more are too much for the stack of C; then there is an error. */
static inline int is_too_deep(const machine *m, size_t bytes) {
  return (uintptr_t)__builtin_frame_address(0) - bytes < m->deepest && !PL_resource_error("c_stack");
}

static inline code stream_of(code place) { return node_of(place)->parts[0]; }

static inline uint64_t trigger_hash(code p, code o) { return mixed(mixed(0, p), o); }

/* The bucket of the rules for rows with a predicate, whatever else they have, and the first of them. */
static inline trigger **bucket_of_rules(const machine *m, code p) { return m->triggers + (trigger_hash(p, TAG_ANY) & m->mask); }

static inline const trigger *first_rule(const machine *m, code p) {
  const trigger *t = *bucket_of_rules(m, p);
  while (t && t->p != p)
    t = t->next;
  return t;
}

static inline void put_constants(const clause *c, code *registers) {
  for (int at = c->shape->own; at < c->shape->registers; at++)
    registers[at] = c->constants[at - c->shape->own];
}

/* With what a rule takes of a row that fires it. */
static inline void put_taken(const clause *c, const code *ins, code *registers) {
  put_constants(c, registers);
  for (const taking *t = c->shape->takes, *end = t + c->shape->taken; t < end; t++)
    registers[t->to] = ins[t->from];
}

/* The values of the columns of a goal, all of which are known. */
static inline void put_columns(const frame *f, const goal *g, code *cells) {
  int i = 0;
  if (g->gives)
    for (; i < g->width; i++)
      cells[i] = f->registers[g->gives[i]];
  else
    for (; i < g->width; i++)
      cells[i] = value_of(f, &g->columns[i].is);
}

/* Give a rule one of the values that it is called with; false: it is not for this one. */
static inline int enter(const column *head, code value, code *registers) {
  if (head->kind == TAKEN)
    registers[head->is.at] = value;
  return head->kind == TAKEN || value == (head->is.at < 0 ? head->is.constant : registers[head->is.at]);
}

int widen(void **items, size_t *room, size_t wanted, size_t size);

/* Room for `added` items behind `count`. */
static inline int more_by(void **items, size_t *room, size_t count, size_t added, size_t size) {
  return count + added <= *room || widen(items, room, count + added, size);
}

static inline int more(void **items, size_t *room, size_t count, size_t size) {
  return more_by(items, room, count, 1, size);
}

/* program.c */
int read_program(machine *m, term_t term);
void *piece_of(machine *m, size_t size); /* of zeros, which goes with the machine */
int is_named(term_t term, const char *name, size_t arity);
int read_store(term_t term, store **s);
term_t part_of(term_t term, int place);

/* construct.c */
enum status construct(const goal *g, frame *f); /* STOP: no triple comes of it */
enum status fire_added(machine *m, code end);
enum status know(known *k, const occurrence *x); /* STOP: it was known before */
void forget_derived(machine *m);
void free_derived(machine *m);

/* rows.c */
row_set *set_of(const frame *f, int number); /* of a register */
int begin_set_of_rows(frame *f, int number, row_set rows);
enum status collect(const goal *g, frame *f);
int gather(const goal *g, frame *f);
int put_rows_in_order(const goal *g, frame *f);
enum status each_row(const goal *g, frame *f);
enum status count_row(const goal *g, frame *f); /* STOP: the row is not wanted */
void forget_rows(machine *m);
void free_rows(machine *m);

/* newest.c */
int take_newest(const goal *g, frame *f);
int take_whole_steps(const goal *g, frame *f);
enum status repeated(const goal *g, frame *f);

/* answer_keys.c */
void find_keys(machine *m, found *all, size_t count); /* of two that are alike otherwise, the one with the lesser key is before */

/* words.c */
int take_terms(machine *m, const incoming *columns, term_t list);
foreign_t words_known(term_t machine, term_t known);

/* heard.c */
int hear(machine *m, const occurrence *x, occurrences *all); /* what rules hear of it */
void forget_heard(machine *m);

/* instants.c */
machine *machine_of(term_t term);
void add_machine_predicate(const char *name, int arity, void *function, int more_flags);
void begin_instant(machine *m, int64_t time, int64_t most); /* of which no row is known; so many answers are a part of it */
int run_instant(machine *m);
int give_answers(machine *m, int64_t end);
void end_instant(machine *m);
enum status run_rest(machine *m, const goal *rest, frame *f); /* of a rule that is all of an instant */
enum status fire(machine *m, const occurrence *x, code end);
enum status fire_sight(machine *m, enum sight sight, const occurrence *x, const code *ins);

/* places.c */
int is_given(const goal *g, const frame *f); /* an element of the input has that start */
int make_set(machine *m);
int triple_of(machine *m, const occurrence *x, code *triple);
enum status know_occurrence(known *k, occurrence *x); /* STOP: all of it was known before */
enum status know_derived(known *k, occurrence *x, int is_named, int *is_new);
enum status fire_in_place(machine *m, const occurrence *x, code *ins); /* who asks where it is from */
void run_outside(machine *m, void (*errand)(void *), void *about); /* what calls Prolog */
int may_go_on(machine *m, const store *searched); /* signals are handled; false after an error */
int cut_instant(machine *m); /* the answers there are leave, though the instant goes on; false after an error */

/* predicates.c */
int keep(machine *m, code made);           /* until the instant ends */
enum status tell(const goal *g, frame *f); /* STOP: it is so */
enum status every(const goal *g, frame *f);

/* shown.c */
int show(machine *m, const number *n, code *shown); /* a decimal may be a short quotient */
int make_term(machine *m, code *cell);              /* of what it shows */
int make_terms(machine *m);                         /* of what answers show */

/* ahead.c */
void look_for_sought(machine *m); /* if an index has become large */
int find_needed(machine *m, int64_t predicates); /* of a batch whose terms are there */

/* straight.c */
int read_straight(machine *m, shape *s); /* false: there is no memory */
enum status run_straight(frame *f, const goal **rest); /* STOP: its rule has to be run from `rest` on */
static inline int keeps(const straight *of) { return of->last->kind == INSERT; }

/* alone.c */
#define BETWEEN_SIGNALS 1024 /* rows */
int take_alone(machine *m, int64_t many); /* rows, until so many answers are put; false after an error */

/* straight_groups.c */
int read_straight_group(machine *m, const trigger *adds, const trigger *asks, const straight_group **found); /* false: no memory */
enum status answer_of_group(machine *m, const straight_group *of, const code *row); /* STOP: nothing was done, rules have to be run */

/* direct.c */
void free_direct(machine *m);
void install_direct(void);

/* steps.c */
int read_steps(machine *m, term_t list);
#define BEFORE_ALL (-((int64_t)1 << 62))
void free_steps(machine *m);
int is_due(machine *m, int64_t time);
int has_only_grids(const machine *m);
int64_t first_on_grids(const machine *m, int64_t time); /* the first instant of all grids after it */
void plan_steps(machine *m, int64_t time);
enum status next_step(machine *m, int64_t end); /* STOP: the clock is at one before `end` */

/* group_goals.c */
int add_to_group(const goal *g, const frame *f);
int settle_goal(const goal *g, const frame *f);
enum status ask_for_row(const goal *g, const frame *f); /* STOP: rows were made already */
enum status rows_of_groups(const goal *g, frame *f);
enum status rows_asked_for(const goal *g, frame *f);

/* machine.c */
enum status run(const goal *g, frame *f);
enum status renew(const goal *g, frame *f); /* STOP: something begins to live */
void evaluate(const goal *g, frame *f);     /* of SET */
int order_of_bytes(const void *a, size_t a_length, const void *b, size_t b_length);
void settle_later(machine *m, int position);
int is_compared(const frame *f, const goal *g, const code *cells, uint64_t known);

/* Of a row that was found by the columns that `known` names: the others fit, and are taken. */
static inline int is_fitting(const frame *f, const goal *g, const code *cells, uint64_t known) {
  if (!g->only_takes || known != g->known)
    return is_compared(f, g, cells, known);
  for (const taking *t = g->takes, *end = t + g->taken; t < end; t++)
    f->registers[t->to] = cells[t->from];
  return TRUE;
}

static inline occurrence *new_occurrence(occurrences *all) {
  return more((void **)&all->items, &all->room, all->count, sizeof *all->items) ? all->items + all->count++ : NULL;
}

static inline int add_occurrence(occurrences *all, const occurrence *x) {
  occurrence *added = new_occurrence(all);
  if (added)
    *added = *x;
  return added != NULL;
}

/* An answer, which is filled in place, also its cells; NULL after an error. */
static inline found *begin_answer(machine *m, int width) {
  if (!more((void **)&m->found, &m->found_room, m->found_count, sizeof *m->found) ||
      !more_by((void **)&m->cells, &m->cell_room, m->cell_count, width, sizeof *m->cells))
    return NULL;
  found *x = m->found + m->found_count;
  x->width = width;
  x->cells = m->cell_count;
  return x;
}

static inline int end_answer(machine *m) {
  m->cell_count += m->found[m->found_count++].width;
  size_t from = m->cut_count ? m->cuts[m->cut_count - 1] : 0;
  return m->found_count - from < m->found_most || cut_instant(m);
}

#endif
