/*  Aggregates: what the parts of groups share. groups.c says what they are. */

#ifndef ETALIS_GROUPS
#define ETALIS_GROUPS

#include "native.h"

#define LASTING (-1) /* the place of a solution that never leaves */
#define ALL (-1)     /* the argument of COUNT(*) */

/* ---- sums (sums.c) --- */

typedef struct {
  wide exact;    /* of integers and decimals, in units of 1/unit */
  int64_t unit;  /* a power of ten */
  int64_t *bits; /* of floats and doubles; NULL before the first */
  int64_t carry; /* so many were added since the last carry */
  code rest;     /* of exact numbers that are too long here: a number of Prolog */
  int64_t ranks[DOUBLES + 1], not_a_number, positive, negative, errors;
} sum;

void begin_sum(sum *s);
int count_value(engine *e, sum *s, code value, int step); /* 1: it comes, -1: it goes */
enum result total_number(const sum *s, int is_average, int may_be_short, number *n); /* SUM or AVG; ERROR: it is unbound */
int total_of(engine *e, const sum *s, int is_average, code *value);
void forget_sum(engine *e, sum *s);
int64_t sum_bytes(const sum *s); /* beside its own */
int sum_term(engine *e, const sum *s, term_t term);
int read_sum(engine *e, sum *s, term_t term);

/* ---- aggregates of one group (accumulators.c) --- */

enum kept { COUNTED, SUMMED, LEAST_ONE, GREATEST_ONE, FIRST_ONE, TEXTS, FIRST_IN_ORDER, LAST_IN_ORDER };

typedef struct {
  enum kept kind;
  int is_distinct, argument; /* a column, or ALL */
  int in_any_order;          /* members leave so, and not as they came, or are of one instant */
  int *keys, key_count;      /* of rows in order: places from 1, below 0 the other way round */
} aggregate;

/* What is read off an aggregate. */
typedef struct {
  int of, is_average;
  code separator; /* of texts */
} output;

typedef struct {
  int64_t place;
  code value;
} item;

typedef struct {
  item *items;
  int64_t first, end, room; /* room is a power of two */
} queue;

typedef struct {
  code value;
  int64_t count; /* 0 for an empty slot, LASTING */
} value_count;

typedef struct {
  value_count *slots;
  uint64_t mask, count;
} value_counts;

typedef struct {
  value_counts *different; /* with DISTINCT */
  union {
    int64_t count;
    sum sum;
    struct {
      queue passing, always; /* `always` of texts alone; `passing` is a heap where members leave in any order */
      code lasting;
      int64_t errors;
    };
  };
} accumulator;

void begin_accumulator(const aggregate *k, accumulator *a);
void forget_accumulator(engine *e, const aggregate *k, accumulator *a);
int64_t accumulator_bytes(const aggregate *k, const accumulator *a); /* beside its own */
int member_comes(engine *e, const aggregate *k, accumulator *a, int64_t place, const code *args, int width, int counts);
int member_goes(engine *e, const aggregate *k, accumulator *a, int64_t place, const code *args, int width);
int result_of(engine *e, const aggregate *k, const output *o, const accumulator *a, code *value);
int is_number_to_show(const aggregate *k, const output *o, const accumulator *a, number *n); /* false: result_of() knows it */
int accumulator_term(engine *e, const aggregate *k, const accumulator *a, term_t term);
int read_accumulator(engine *e, const aggregate *k, accumulator *a, term_t term);

/* ---- groups and windows (groups.c) --- */

typedef struct keyed {
  struct keyed *next;           /* in its bucket */
  struct keyed *older, *newer;  /* of all groups, as they came */
  uint64_t hash;
  int64_t members; /* in the window */
  int64_t held;    /* by the queue, by what waits for it, and by who asks */
  int is_asked;
  code *key;
  accumulator accumulators[];
} keyed;

enum window_kind { LANDMARK, SPAN, ROWS, CHANGES };
enum came { TIMELESS, TIMED, SETTLED };

/* What waits for its instant; also what is noted of changes. Of CHANGES `start` is 0 for what comes, and 1 for what goes. */
typedef struct {
  wide start, end;
  keyed *group; /* which it holds, and whose key it has; NULL: it is not known yet, and the key is its own */
  enum came how;
  code cells[]; /* the key, then the arguments */
} solution;

typedef struct {
  char *bytes;
  size_t count, room;
} solutions;

typedef struct {
  wide end;
  keyed *group;
  code args[];
} member;

typedef struct grouping {
  engine *engine;
  struct grouping *next;
  int keys, width; /* width: of the arguments, -1 before the first solution */
  size_t solution_size, member_size;
  int is_ordered;  /* the order of solutions that end at one time counts */
  aggregate *aggregates;
  int aggregate_count;
  output *outputs;
  int output_count;
  enum window_kind window;
  wide oldest, delay; /* of a SPAN at t: the ends in (t - oldest, t - delay] */
  int64_t rows;
  keyed **buckets, *oldest_group, *newest_group;
  keyed *recent; /* found last: rules ask for one several times; NULL for none */
  uint64_t mask, count;
  char *members;
  int64_t room, first, newest, last; /* places; from `first` to `newest` they are in the window, then not old enough */
  solutions pending, changes;
  int is_marked; /* changes are noted */
  wide asked_at;
  int is_asked, is_made; /* at that time: asked for anything; the group was settled */
  keyed **asked;
  size_t asked_count, asked_room;
  struct step *steps; /* that are idle while it has no members; NULL for most */
} grouping;

solution *solution_at(const grouping *g, const solutions *all, size_t place);
member *member_at(const grouping *g, int64_t place);
int has_width(grouping *g, int width); /* false: it has another one */
int add_solution(grouping *g, enum came how, wide start, wide end, const code *cells); /* the codes stay the caller's */
int settle_groups(grouping *g, wide now);
keyed *settle_one(grouping *g, wide now, const code *cells); /* adds a solution of that instant, which has no other; the caller lets go
                                                                of its group; NULL after an error */
keyed *known_group(grouping *g, const code *key); /* NULL if it has no row */
int group_values(grouping *g, const keyed *k, code *values); /* the caller's to release */
void release_values(grouping *g, const code *values);
int held_groups(grouping *g, keyed ***all, size_t *count);  /* those that have a row; the caller lets go of them */
int asked_groups(grouping *g, keyed ***all, size_t *count); /* the same of those whose row was asked for */
void let_go(grouping *g, keyed *k);
int ask_for(grouping *g, wide now, const code *key); /* 1: rows were made already, 0: its row will be, -1: error */
void take_asked(grouping *g, wide now);              /* the groups are settled; what was asked for is in `asked` */
int64_t solutions_kept(const grouping *g);
int64_t grouping_bytes(const grouping *g); /* without the terms in it */
int has_members(const grouping *g);
void wake_steps(const grouping *g); /* if it has members */
int has_only_group(grouping *g); /* the one that is always there, if it has no keys */
void begin_changes(grouping *g);
void empty_grouping(grouping *g);
void delete_grouping(grouping *g);
int restore_group(grouping *g, const code *key, int64_t members, term_t accumulators);
int restore_member(grouping *g, wide end, const code *cells, int is_in);

#endif
