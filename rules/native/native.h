/*  What the native parts of the rules share: terms as codes, and stores of goals.

    A term is a code of 64 bits: a small integer is itself, names (names.h) and other terms (nodes) are what an engine has once
    each, counted. So terms are equal where codes are. An engine is used by one thread at a time.
*/

#ifndef ETALIS_NATIVE
#define ETALIS_NATIVE

#include <SWI-Prolog.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

#ifdef ETALIS_FAIL_ALLOCATIONS /* in tests (tests/engine/failing_allocations.py) */
int allocation_fails(void);
#define malloc(size) (allocation_fails() ? NULL : malloc(size))
#define calloc(count, size) (allocation_fails() ? NULL : calloc(count, size))
#define realloc(items, size) (allocation_fails() ? NULL : realloc(items, size))
#endif

#define MOST_COLUMNS 60 /* of a goal whose columns are arguments of the predicates of goals.c */

typedef uint64_t code;

enum { TAG_NODE, TAG_INTEGER, TAG_ATOM, TAG_ANY }; /* the low two bits of a code; TAG_ANY is a variable of its own */
#define TAG(c) ((c) & 3)
#define MOST_INTEGER ((int64_t)1 << 60)
#define MOST_NESTED 4096 /* terms in one another, other than as last parts */

#include "names.h"

#ifdef __SANITIZE_ADDRESS__
#define SPARE_SIZES 1 /* so that each node comes from malloc and goes back */
#else
#define SPARE_SIZES 6 /* nodes of fewer words are kept for those that come */
#endif

/* SINGLE is the list of one occurrence (policies.pl), with its functor and parts. Of what is neither a small integer nor a
   float, EXACT has up/down in lowest terms, up in two halves, LONG a text. */
enum { COMPOUND, SINGLE, REAL, EXACT, LONG, STRING };

typedef struct node {
  uint64_t uses;     /* first, as in a name */
  struct node *next; /* in its bucket, or of the spare ones */
  uint64_t hash;
  int kind;
  functor_t functor;
  size_t length; /* of parts, or of the text in bytes */
  code parts[];
} node;

/* A row as an index has it: the low bits of its number, or -1 for none. Rows that are there are fewer than MOST_ROWS. */
typedef int32_t near_row;
#define MOST_ROWS ((int64_t)1 << 30)
#define FIRST_ROW (INT32_MAX - 100) /* so tests see how it goes on behind the greatest of them */

typedef struct {
  near_row first, last; /* first is -1 where there is none */
  uint64_t hash;
} entry;

/* Rows with the same key before and after one. */
typedef struct {
  near_row before, after;
} neighbours;

#define LEAST_ROOM 1024 /* Is kept. Of more, half is given back where an eighth is not used. */
#define LARGE 8192 /* so many entries of an index are not in the processor's first caches */

typedef struct {
  uint64_t columns; /* a bit for each */
  int in_order;     /* of one column of integers, in whose order rows came: they are the index, there is nothing else */
  entry *entries;   /* open hash; its length is mask + 1 */
  uint64_t mask, count;
  neighbours *links; /* of the row in each slot */
  int first;         /* of the columns */
  int64_t most;      /* no row has a greater integer there, as a code */
} column_index;

/* A row is made of an occurrence: a compound, or the set that has nothing else. */
typedef struct {
  code occurrence; /* 0 for none */
  int64_t row;
  uint32_t hash; /* the low bits of the occurrence's own: most others differ in them */
  int32_t next;  /* in its bucket, or of the free ones; -1 for none */
} use;

/* A row and its time. */
typedef struct {
  code time;
  int64_t row;
} timed;

/* What becomes of a life that goes on: it had begun, or begins; NOT_KEPT: there is no memory. */
enum renewal { HAD_BEGUN, BEGINS, NOT_KEPT };

enum row_state { GONE, HELD, LENT }; /* HELD: its codes are its own */

#define MOST_INDEXES 8
#define INDEXED 64 /* columns behind these are never in an index */
#define MOST_ASKED 8 /* a power of two */
#define WASTE 64   /* rows that were looked at in vain before an index is made */

/* A store turns so many times in the time of its window; who came before all of these turns goes. */
#define TURNS 4

/* Rows are numbered as they come; row n is in slot n & (room - 1). What a row needs that comes or is looked for stands in the
   first two lines of the processor's cache: with many queries their stores are in none of the first caches. */
typedef struct store {
  int arity, is_consumed;
  int64_t first, end, live;
  int64_t room;
  code *cells;
  uint8_t *alive; /* see `row_state` */
  struct group *group;
  int64_t wasted;
  uint64_t asked[MOST_ASKED]; /* columns that were looked for, each at its place, if they are those of an index: */
  int8_t asked_index[MOST_ASKED];
  int indexes;
  int open;       /* lookups that may go on */
  int ordered_by; /* a column of times, -1 for none */
  struct engine *engine;
  struct step *steps; /* that its rows bring forward; NULL for most */
  int64_t marked; /* rows from here on are new to whom changes are told, -1: nobody */
  struct store *next;
  int64_t window; /* microseconds; 0 for none */
  column_index index[MOST_INDEXES];
  struct store *peer; /* the next of the group */
  int64_t young[TURNS]; /* rows from each of these on came after one of its last turns, the first of which is the earliest */
  int64_t dropped;
  record_t *removed;
  int64_t removed_count, removed_room;
  use *uses;
  int32_t *use_buckets;
  int64_t use_room, free_use; /* buckets have places in `uses`, and as much room: a power of two */
  code latest;  /* of the row that came last; TAG_ANY before the first */
  int is_timed; /* rows have come in another order: they are in a heap */
  timed *timed;
  int64_t timed_count, timed_room;
} store;

/* Stores that are emptied together, when an instant begins. */
typedef struct group {
  struct engine *engine;
  struct group *next;
  struct group *lent; /* the next of those that have rows of codes that are not theirs */
  int is_lent;
  store *stores;
  code now; /* TAG_ANY before the first instant */
} group;

typedef struct {
  int64_t length, until, stores; /* stores: how many have it */
} window;

/* Codes by the numbers of words, see words.c. */
typedef struct {
  int64_t table; /* 0: they are of one batch */
  code *codes;
  int64_t count;
  size_t room;
} vocabulary;

typedef struct engine {
  node **buckets;
  uint64_t mask, nodes, spares;
  node *spare[SPARE_SIZES]; /* by the words of their parts */
  named *names;             /* open hash; its length is name_mask + 1 */
  uint64_t name_mask, name_count;
  name *by_atom[NAMES_BY_ATOM]; /* names by what they were as atoms lately */
  answered answered;
  store *stores;
  group *groups, *lent;
  window *windows;
  int64_t window_count, window_room;
  struct grouping *groupings;
  struct machine *machine; /* NULL where rules are run by Prolog */
  int is_running; /* rules run without Prolog: they speak of what they found, and do not hold it */
  code *gone;     /* so what went meanwhile goes behind them */
  size_t gone_count, gone_room;
  int lacks_memory; /* for that */
  int grown;        /* so many indexes became large */
  vocabulary words[3]; /* of subjects, predicates and objects */
} engine;

/* ---- codes (codes.c) --- */

/* One to one, from `x`. */
static inline uint64_t mixed(uint64_t hash, uint64_t x) {
  hash = (hash ^ x) * 0x9e3779b97f4a7c15ULL;
  return hash ^ hash >> 32;
}

static inline code integer_code(int64_t i) { return (uint64_t)i << 2 | TAG_INTEGER; }
static inline node *node_of(code c) { return (node *)(uintptr_t)c; }
static inline int has_parts(code c) { return TAG(c) == TAG_NODE && node_of(c)->kind <= SINGLE; }
static inline int is_compound(code c) { return TAG(c) == TAG_NODE && node_of(c)->kind == COMPOUND; }

static inline const node *compound_of(code c, functor_t functor) {
  return is_compound(c) && node_of(c)->functor == functor ? node_of(c) : NULL;
}

enum { FAILED, FOUND, ABSENT, OPEN }; /* ABSENT: no row has it; OPEN: it has variables */

enum { ANEW = 2 }; /* `make` of who holds each part, and has made one of them: what has a part that was made just now is not looked for */
int code_of(engine *e, int make, term_t term, code *found); /* with `make` it is the caller's to release */
int node_code(engine *e, int make, int kind, functor_t functor, size_t length, const void *parts, size_t bytes,
              code *found);
uint64_t node_hash(functor_t functor, const void *parts, size_t bytes); /* of one kind as of another */
int unify_code(term_t term, code c);
extern code nil;
extern functor_t pair, occurrence5; /* pair: of lists */
void forget_code(engine *e, code c); /* nobody holds it */
void forget_later(engine *e, code c);

static inline void release(engine *e, code c) {
  if (is_counted_atom(c))
    PL_unregister_atom(atom_of(c));
  else if (is_own(c) && !--*uses_of(c))
    forget_code(e, c);
}

/* What nobody else holds stays until the rules that run have ended. */
static inline void release_later(engine *e, code c) {
  if (e->is_running && is_own(c) && *uses_of(c) == 1)
    forget_later(e, c);
  else
    release(e, c);
}

void release_gone(engine *e);
void forget_codes(engine *e);

/* ---- stores (stores.c) --- */

static inline int64_t slot_of(const store *s, int64_t row) { return row & (s->room - 1); }
static inline code *row_cells(const store *s, int64_t row) { return s->cells + slot_of(s, row) * s->arity; }
static inline int is_alive(const store *s, int64_t row) { return s->alive[slot_of(s, row)] != GONE; }

static inline near_row near_of(int64_t row) { return row & INT32_MAX; }

static inline int64_t row_of(const store *s, near_row near) {
  int32_t behind = (int32_t)(((uint32_t)near - (uint32_t)s->first) << 1) >> 1; /* or before: it has gone */
  return near < 0 ? -1 : s->first + behind;
}

int add_row(store *s, const code *cells); /* the codes are the row's now; false: they are still the caller's */
int lend_row(store *s, const code *cells); /* of a group: the codes are held until end_lending() */
void end_lending(engine *e);
int remove_row(store *s, int64_t row);
enum renewal renew_life(store *s, code *cells, code *least);
void drop_before(store *s, int64_t bound);
void reclaim(store *s);
void give_back_room(store *s); /* for which rows have not come for some time */
void forget_instant(group *g);

/* ---- the earliest row (earliest.c) --- */

int64_t store_bytes(const store *s); /* without the terms in its rows */
int order_store(store *s, int column);
int64_t earliest_row(store *s);           /* of an ordered store; -1 where there is none */
int expect_time(store *s, code time);     /* room for a row with it */
void note_time(store *s, int64_t row);
void time_anew(store *s); /* rows have other numbers */
void give_back_times(store *s); /* of a store without rows */
void forget_times(store *s);
int is_earliest(const store *s, int64_t row); /* of a row that came just now; where there is no order, it is the first */
void bring_forward(engine *e, struct step *first); /* this step and the next ones may be due earlier (steps.c) */

/* ---- goals (goals.c) --- */

int next_occurrence(code *set, code *occurrence);
int consume_code(store *s, code occurrence); /* forget what is made of it */
void turn_stores(engine *e, int64_t time, int64_t *next);

/* ---- answers (answers.c) --- */

typedef struct outlet outlet; /* of a thread */
typedef struct number number;

typedef struct {
  int64_t start;
  int query, width, once, is_graph; /* once: equal ones are one; is_graph: cells are triples */
  size_t cells;                     /* where its first one is */
  int64_t rank;                     /* of rows whose order counts, else -1 */
  uint64_t key;                     /* see answer_keys.c */
} found;

outlet *begin_codes(engine *e); /* of an engine's rules; NULL: that Prolog has found */
void end_codes(engine *e); /* it is closed */
int put_found(outlet *to, const found *all, size_t count, const code *cells, const number *shown,
              int64_t end); /* of an instant, in their order */

/* Of the goal that was found, or else of what is the same for all goals. */
typedef struct {
  int is_found, at;
} source;

/* One answer for each goal, as put_found() puts them; starts are small integers. */
int put_goals(outlet *to, int query, int64_t end, const code **goals, int count, const code *same, source start,
              const source *cells, int width);
int begin_row(outlet *to, int width); /* so many cells follow: */
int put_term_code(outlet *to, code c);
int put_number(outlet *to, const number *n); /* DECIMALS may be a short quotient */
void end_row(outlet *to, int query, int64_t start, int64_t end);
void drop_row(outlet *to); /* and what was put of it */
int64_t codes_put(const outlet *from);
int64_t other_codes_put(const outlet *from);
int put_other_codes(outlet *from, term_t list);

/* ---- numbers that are only shown (shown.c): cells have a place among them --- */

static inline int is_shown(code c) { return TAG(c) == TAG_ANY && c != TAG_ANY; }

/* ---- numbers (numbers.c) --- */

typedef __int128 wide;
enum rank { INTEGERS, DECIMALS, FLOATS, DOUBLES }; /* numeric_rank/2: operations give the higher one */

struct number {
  enum rank rank;
  int is_real;
  wide up; /* exact numbers are up/down in lowest terms */
  int64_t down;
  double real;
};

/* ERROR: SPARQL has one; UNKNOWN: ask Prolog; BROKEN: Prolog has an error. */
enum result { VALUE_IS, VALUE_ERROR, VALUE_UNKNOWN, VALUE_BROKEN };
enum { UNORDERED = 2, EXACT_TEXT = 128 };

int is_literal(code term, code *value, code *type); /* not of a language; the value without a kept form */
int literal_code(engine *e, code value, code type, code *made); /* the caller's to release, as those below */
int written_code(engine *e, code value, const char *text, size_t length, code type, code *made); /* it keeps its text */
enum result exact_of(const char *text, size_t length, wide *up, int64_t *down); /* UNKNOWN: it is longer */
int exact_code(engine *e, wide up, int64_t down, code *made);
void parts_of(const node *n, wide *up, int64_t *down);
size_t write_exact(wide up, int64_t down, char *text); /* as Prolog reads it, at most EXACT_TEXT */
size_t write_decimal(wide up, int64_t down, char *text); /* the canonical form; 0: it has none of that length */
#define ENDING_BITS 18
#define MOST_ENDING ((int64_t)1 << ENDING_BITS) /* what ends ends within 18 places, divided by no more than that */

/* It may stay as it is: 64 bits hold it, and write_quotient() takes it. */
static inline int is_short_quotient(wide up, wide down) {
  return up == (int64_t)up && (int64_t)up >> 45 == (int64_t)up >> 63 && down > 0 && down <= MOST_ENDING;
}

static inline int64_t packed_quotient(int64_t up, int64_t down) { return up * MOST_ENDING + down - 1; }

#define QUOTIENT_TEXT 40
size_t write_quotient(int64_t packed, char *text); /* as write_decimal() writes what exact_quotient() gives */
int rank_of(code type);                                         /* -1 where it is not a number's */
enum result plain_number(code value, enum rank rank, number *n);

extern functor_t typed2; /* a literal: its value and its type */
extern code integer_type, decimal_type, double_type;

/* One of xsd:integer in its usual form, as most numbers are. */
static inline int usual_integer(code term, int64_t *found) {
  const node *n = compound_of(term, typed2);
  if (!n || TAG(n->parts[0]) != TAG_INTEGER || n->parts[1] != integer_type)
    return FALSE;
  *found = (int64_t)n->parts[0] >> 2;
  return TRUE;
}

enum result read_number(code term, number *n); /* ERROR: it is none */
int number_term(engine *e, const number *n, code *made);
enum result add_numbers(const number *a, const number *b, number *sum);
enum result multiply_numbers(const number *a, const number *b, number *product);
enum result divide_numbers(const number *a, const number *b, number *quotient);
static inline const number *number_shown(const number *all, code c) { return all + (c >> 2) - 1; }
enum result exact_quotient(wide up, wide down, number *n); /* as a decimal: exact if that has an end, else rounded */
enum result compare_numbers(const number *a, const number *b, int *order);
number negated(const number *a);

/* ---- order (order.c) --- */

int compare_codes(code a, code b); /* the standard order of terms */
int term_order(engine *e, code a, code b, int *order); /* of ORDER BY: *order is below, at or above 0; false after an error */
/* By columns: each key is the number of one, from 1 on, below 0 where the order is the other way round. */
int order_by_keys(engine *e, const int *keys, int count, const code *a, const code *b, int *order);
/* Of rows: by columns, as row_before() of rules/sparql/order.pl has them, then by all that they have. */
int row_order(engine *e, const int *keys, int count, code a, code b, int *order);
enum result comes_before(engine *e, const code *arguments, code *value);

/* ---- words (words.c) --- */

void forget_words(engine *e, vocabulary *v);

/* ---- values (values.c) --- */

extern code unbound, xsd_string, is_true, is_false; /* '$unbound', ..., `true`, `false` */
int is_blank(code term);

/* A predicate of rules/sparql: what its last argument is, a node of which is the caller's to release. */
typedef enum result (*operation)(engine *e, const code *arguments, code *value);

operation operation_of(const char *name, size_t arity); /* NULL: only Prolog knows it */

/* ---- iterations (iterations.c) --- */

enum result summed(engine *e, const code *arguments, code *value);
enum result carried(engine *e, const code *arguments, code *value);
enum result sum_since(engine *e, const code *arguments, code *value);
enum result average_since(engine *e, const code *arguments, code *value);
enum result lesser(engine *e, const code *arguments, code *value);
enum result greater(engine *e, const code *arguments, code *value);
enum result longer(engine *e, const code *arguments, code *value);
enum result ends_with(engine *e, const code *arguments, code *value);

/* ---- what Prolog is asked for (outside.c) --- */

void call_outside(engine *e, void (*errand)(void *), void *about);
int prolog_value(engine *e, const char *module, const char *name, const code *about, int count, code *value);

/* ---- groups (groups.c) --- */

void delete_groupings(engine *e);

void install_names(void);
void install_groups(void);
void install_numbers(void);
void install_values(void);
void install_iterations(void);
void install_goals(void);
void install_machine(void);

#endif
