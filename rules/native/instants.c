/*  Rows come, instants are closed, answers are given (rules/engine/feed.pl says when).

    The rows of an instant are known in full before a rule fires. They are a set; with a background that entails
    something of them, they are what rules hear of that.
*/

#define _GNU_SOURCE
#include "background.h"
#include "soon.h"
#include "stacks.h"
#undef _FORTIFY_SOURCE /* its longjmp does not know of two stacks */
#include <pthread.h>
#include <setjmp.h>
#include <ucontext.h>

/* To walk through rows has a stack of its own: it stands still in the middle of an instant while answers leave, and goes
   on when more are wanted. Prolog wants to be called on the stack of its thread: such calls are errands. */
typedef struct walk {
  ucontext_t begin;
  jmp_buf inside, outside;
  int is_begun, is_inside, is_done, has_failed;
  void (*errand)(void *);
  void *about;
  int64_t many; /* answers, and late rows, are enough to stand still */
  char *stack;
  extent thread; /* the stack that it goes back to */
  void *kept_inside, *kept_outside;
} walk;

#define STACK ((size_t)8 << 20)
#define SPARED ((size_t)256 << 10) /* of a stack, for what rules call */

/* Where rules may no longer go on the stack of this thread. */
static uintptr_t deepest_of_thread(void) {
  static _Thread_local uintptr_t known;
  if (!known) {
    pthread_attr_t attributes;
    void *lowest = (char *)__builtin_frame_address(0) - 2 * SPARED;
    size_t size;
    if (!pthread_getattr_np(pthread_self(), &attributes)) {
      pthread_attr_getstack(&attributes, &lowest, &size);
      pthread_attr_destroy(&attributes);
    }
    known = (uintptr_t)lowest + SPARED;
  }
  return known;
}

/* Whether nothing but one rule for a row can answer in this instant, and there is no limit to its answers. */
static inline int is_alone(const machine *m) {
  return m->out && m->set.count == 1 && !m->derived && !m->due_count && !m->answers;
}

static inline enum status run_rule(machine *m, const clause *c, const code *ins, int is_only) {
  const shape *s = c->shape;
  code registers[s->registers + 1];
  frame own = {m, registers, NULL, c, NULL};
  put_taken(c, ins, registers);
  for (int i = 0; i < s->checked; i++)
    if (!enter(s->in + s->checks[i], ins[s->checks[i]], registers))
      return GO_ON;
  const goal *rest = s->body;
  enum status is = s->straight && (keeps(s->straight) || (is_only && is_alone(m))) ? run_straight(&own, &rest) : STOP;
  return is == STOP ? run(rest, &own) : is;
}


static inline enum status fire_form(machine *m, enum sight sight, code p, code o, const code *ins) {
  for (const trigger *t = m->triggers[trigger_hash(p, o) & m->mask]; t; t = t->next) {
    if (t->p != p || t->o != o || t->sight != sight)
      continue;
    enum status is = t->group && is_alone(m) ? answer_of_group(m, t->group, ins) : STOP;
    if (is != STOP)
      return is; /* there are no other rules */
    if (run_rule(m, t->clause, ins, t->is_only) == BROKEN)
      return BROKEN;
  }
  return GO_ON;
}

inline enum status fire_sight(machine *m, enum sight sight, const occurrence *x, const code *ins) {
  for (int forms = m->forms[sight]; forms; forms &= forms - 1) {
    int form = __builtin_ctz(forms);
    if (fire_form(m, sight, form & 2 ? TAG_ANY : x->p, form & 1 ? TAG_ANY : x->o, ins) == BROKEN)
      return BROKEN;
  }
  return GO_ON;
}

inline enum status fire(machine *m, const occurrence *x, code end) {
  code ins[8] = {x->s, x->p, x->o, integer_code(x->start), end};
  enum status is = x->as == FIRST_OF_ALL ? fire_sight(m, ANYWHERE, x, ins) : GO_ON;
  return is == BROKEN || !x->place ? is : fire_in_place(m, x, ins);
}

static enum status settle_first(machine *m, code end) {
  int first = 0;
  while (!m->due[first])
    first++;
  m->due[first] = FALSE;
  m->due_count--;
  for (const clause *c = m->predicates[m->settlements[first]]; c; c = c->next) {
    enum status is = run_rule(m, c, &end, FALSE);
    if (is == BROKEN || is == CUTTING)
      return is;
  }
  return GO_ON;
}

static inline enum status settle(machine *m, code end) {
  enum status is = GO_ON;
  while (is != BROKEN && (m->rounds[m->next_round].begin_count || m->due_count))
    is = m->rounds[m->next_round].begin_count ? fire_added(m, end) : settle_first(m, end);
  return is;
}

static void forget_occurrence(machine *m, const occurrence *x) {
  release(m->engine, x->s);
  release(m->engine, x->p);
  release(m->engine, x->o);
  if (x->place)
    release(m->engine, x->place);
}

void end_instant(machine *m) {
  end_lending(m->engine);
  for (size_t i = 0; i < m->pool_count; i++)
    release(m->engine, m->pool[i]);
  release_gone(m->engine);
  m->pool_count = m->found_count = m->cell_count = m->shown_count = 0;
  m->cut_count = m->choice_count = m->kept_count = m->used_count = 0;
  m->is_cut = FALSE;
  m->element.identity = 0;
  if (m->has_said_much)
    forget_sayings(m); /* what is asked again is found again */
  forget_rows(m);
  if (m->answers)
    memset(m->answers, 0, m->query_count * sizeof *m->answers);
  forget_derived(m);
  batch *b = &m->rows;
  for (size_t i = 0; i < b->opened; i++)
    forget_occurrence(m, b->open.items + i);
  b->open.count = b->opened = 0;
}

static void end_batch(machine *m) {
  end_instant(m);
  batch *b = &m->rows;
  for (int64_t i = b->known_count; i < b->term_count; i++)
    release(m->engine, b->terms[i]);
  free(b->terms), free(b->needed);
  b->terms = NULL;
  b->needed = NULL;
  b->known_count = b->term_count = b->length = b->at = 0;
  b->until = BEFORE_ALL;
  b->end = NO_END;
  for (int i = 0; i < 3; i++)
    if (!m->engine->words[i].table)
      forget_words(m->engine, m->engine->words + i);
  b->late_count = 0;
}

static void delete_machine(machine *m) {
  if (m->engine->machine == m)
    m->engine->machine = NULL;
  end_batch(m);
  if (m->walk)
    free(m->walk->stack), free(m->walk);
  forget_heard(m);
  forget_sayings(m);
  free_direct(m);
  if (m->module)
    PL_unregister_atom(m->module);
  free(m->cuts);
  free(m->rows.open.items), free(m->rows.late), free(m->set.items);
  for (size_t i = 0; i < m->constant_count; i++)
    release(m->engine, m->constants[i]);
  for (piece *p = m->pieces, *next; p; p = next)
    next = p->next, free(p);
  free_derived(m), free_rows(m), free_steps(m);
  free(m->choices), free(m->kept), free(m->used);
  free(m->constants), free(m->pool), free(m->found), free(m->cells), free(m->shown), free(m);
}

static int by_terms(const void *left, const void *right) {
  const occurrence *a = left, *b = right;
  int order = compare_codes(a->s, b->s);
  order = order ? order : compare_codes(a->p, b->p);
  order = order ? order : compare_codes(a->o, b->o);
  order = order ? order : (a->start > b->start) - (a->start < b->start);
  if (order || (a->place == b->place && a->of == b->of))
    return order;
  if (!a->place || !b->place)
    return a->place ? 1 : -1;
  order = compare_codes(a->place, b->place);
  return order ? order : compare_codes(a->of, b->of);
}

static int hear_rows(machine *m) {
  const batch *b = &m->rows;
  if (m->heard_count > MOST_HEARD)
    forget_heard(m); /* what is asked for again is found again */
  for (size_t i = 0; i < b->open.count; i++)
    if (!hear(m, b->open.items + i, &m->set))
      return FALSE;
  return TRUE;
}

/* The occurrences of the instant: the open rows, or what rules hear of them, in an order that does not depend on which came
   first: it shows in the names of blank nodes, and in that of goals. */
static inline int begin_set(machine *m) {
  batch *b = &m->rows;
  m->set.count = 0;
  if (!m->hears && !b->opened) {
    occurrences rows = b->open;
    b->open = m->set;
    m->set = rows;
  } else if (!hear_rows(m)) {
    return FALSE;
  }
  if (m->set.count > 1)
    qsort(m->set.items, m->set.count, sizeof *m->set.items, by_terms);
  return (m->set.count < 2 && !m->asks_places) || make_set(m);
}

/* ---- answers --------------------------------------------------------------------------------------------- */

static _Thread_local machine *sorting;

/* Rows whose order counts come after all others. */
static int by_rank(const found *a, const found *b) {
  if (a->rank < 0 || b->rank < 0)
    return a->rank < 0 ? -1 : 1;
  if (a->query != b->query)
    return a->query < b->query ? -1 : 1;
  return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* 0 also after an error. */
static int order_of_cells(machine *m, size_t a, size_t b) {
  return make_term(m, m->cells + a) && make_term(m, m->cells + b) ? compare_codes(m->cells[a], m->cells[b]) : 0;
}

static int by_order(const void *left, const void *right) {
  const found *a = left, *b = right;
  if (a->rank >= 0 || b->rank >= 0)
    return by_rank(a, b);
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  if (a->query != b->query)
    return a->query < b->query ? -1 : 1;
  for (int i = 0, order; i < a->width && i < b->width; i++)
    if ((order = order_of_cells(sorting, a->cells + i, b->cells + i)))
      return order;
  return a->width - b->width;
}

static int by_key(const void *left, const void *right) {
  const found *a = left, *b = right;
  if (a->key != b->key && a->rank < 0 && b->rank < 0 && a->start == b->start && a->query == b->query)
    return a->key < b->key ? -1 : 1;
  return by_order(a, b);
}

typedef struct {
  int query;
  int64_t limit;
} excess;

static void refuse(void *about) {
  const excess *too_many = about;
  term_t error = PL_new_term_ref();
  if (PL_unify_term(error, PL_FUNCTOR_CHARS, "error", 2, PL_FUNCTOR_CHARS, "etalis_limit", 2, PL_FUNCTOR_CHARS, "answers",
                    1, PL_INT, too_many->query, PL_INT64, too_many->limit, PL_VARIABLE))
    PL_raise_exception(error);
}

/* No query has more answers in the instant than it may have. */
static int are_within_limits(machine *m, size_t from) {
  if (!m->answers)
    return TRUE;
  for (size_t i = from; i < m->found_count; i++)
    m->answers[m->found[i].query]++;
  for (int query = 0; query < m->query_count; query++)
    if (m->most_answers[query] >= 0 && m->answers[query] > m->most_answers[query]) {
      excess too_many = {query, m->most_answers[query]};
      run_outside(m, refuse, &too_many);
      return FALSE;
    }
  return TRUE;
}

/* Whether it was in an earlier part of the instant; it is in this one now. */
static enum status was_given(machine *m, const found *x) {
  static functor_t graph;
  occurrence given = {.s = TAG_ANY, .p = integer_code(x->query), .o = TAG_ANY, .start = x->start};
  if (!graph)
    graph = PL_new_functor(PL_new_atom("graph"), 0);
  if (x->is_graph && (node_code(m->engine, TRUE, COMPOUND, graph, x->width, m->cells + x->cells,
                                x->width * sizeof(code), &given.s) != FOUND ||
                      !keep(m, given.s)))
    return BROKEN;
  return know(&m->known, &given);
}

/* Some answers come once. */
static int forget_again(machine *m, size_t from) {
  size_t kept = from;
  for (size_t i = from; i < m->found_count; i++) {
    const found *x = m->found + i;
    enum status is = x->once && kept > from && !by_order(x, m->found + kept - 1) ? STOP : GO_ON;
    if (x->once && m->is_cut && is == GO_ON)
      is = was_given(m, x);
    if (is == BROKEN)
      return FALSE;
    if (is == GO_ON && kept++ < i)
      m->found[kept - 1] = *x;
  }
  m->found_count = kept;
  return TRUE;
}

#define FEW 16

static void sort_few(found *items, size_t count) {
  for (size_t i = 1; i < count; i++) {
    if (by_order(items + i - 1, items + i) <= 0)
      continue;
    found item = items[i];
    size_t to = i;
    for (; to && by_order(&item, items + to - 1) < 0; to--)
      items[to] = items[to - 1];
    items[to] = item;
  }
}

/* The part of the answers that is not in order yet. */
static int put_in_order(machine *m) {
  size_t from = m->cut_count ? m->cuts[m->cut_count - 1] : 0;
  found *first = m->found + from;
  size_t count = m->found_count - from;
  if (!are_within_limits(m, from))
    return FALSE;
  sorting = m;
  if (count > FEW) {
    find_keys(m, first, count);
    qsort(first, count, sizeof *first, by_key);
  } else {
    sort_few(first, count);
  }
  return forget_again(m, from) && !PL_exception(0);
}

int give_answers(machine *m, int64_t end) {
  return put_found(m->out, m->found, m->found_count, m->cells, m->shown, end);
}

/* What the open rows bring about is in `found` then, in its order. */
inline int run_instant(machine *m) {
  batch *b = &m->rows;
  int64_t time = b->clock;
  if (b->turn <= time)
    turn_stores(m->engine, time, &b->turn);
  m->engine->is_running = TRUE;
  if (!begin_set(m))
    return FALSE;
  if (m->step_count)
    plan_steps(m, time);
  code end = integer_code(time);
  for (size_t i = 0; i < m->set.count; i++)
    if (fire(m, m->set.items + i, end) == BROKEN)
      return FALSE;
  if (settle(m, end) == BROKEN)
    return FALSE;
  if (m->engine->lacks_memory)
    return PL_resource_error("memory");
  return (m->found_count < 2 && !m->is_cut && !m->answers) || put_in_order(m);
}

enum status run_rest(machine *m, const goal *rest, frame *f) {
  m->engine->is_running = TRUE;
  int done = run(rest, f) != BROKEN && (!m->engine->lacks_memory || PL_resource_error("memory")) && put_in_order(m) &&
             give_answers(m, m->rows.clock);
  end_instant(m);
  return done ? GO_ON : BROKEN;
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

machine *machine_of(term_t term) {
  void *found = NULL;
  if (!PL_get_pointer(term, &found))
    PL_type_error("machine", term);
  return found;
}

/* new_machine(+Engine, +Stores, +Program, +Hears, -Machine): Hears is true if the engine has a background that entails
   something of rows (heard_templates/5). */
static foreign_t new_machine(term_t t0, int arity, control_t control) {
  void *e = NULL;
  if (!PL_get_pointer(t0 + 1, &e))
    return PL_type_error("goal_stores", t0 + 1);
  machine *m = calloc(1, sizeof *m);
  if (!m)
    return PL_resource_error("memory");
  m->engine = e;
  if (PL_get_atom_ex(t0, &m->module))
    PL_register_atom(m->module);
  if (m->module && PL_get_bool_ex(t0 + 3, &m->hears) && read_program(m, t0 + 2) && PL_unify_pointer(t0 + 4, m)) {
    m->engine->machine = m;
    return TRUE;
  }
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

/* occ(S, P, O, Start, Place) */
static int take_open(machine *m, term_t list) {
  batch *b = &m->rows;
  term_t rest = PL_copy_term_ref(list), head = PL_new_term_ref(), part = PL_new_term_ref();
  if (!rest || !head || !part)
    return FALSE;
  while (PL_get_list(rest, head, rest)) {
    occurrence x = {0};
    code *terms[] = {&x.s, &x.p, &x.o, &x.place};
    int known = 0, count = 3;
    _PL_get_arg(5, head, part);
    if (m->asks_places && PL_is_compound(part))
      count = 4;
    int fits = (_PL_get_arg(4, head, part), PL_get_int64_ex(part, &x.start));
    while (fits && known < count) {
      _PL_get_arg(known < 3 ? known + 1 : 5, head, part);
      if ((fits = code_of(m->engine, TRUE, part, terms[known]) == FOUND))
        known++;
    }
    if (!fits || !add_occurrence(&b->open, &x)) {
      while (known)
        release(m->engine, *terms[--known]);
      return FALSE;
    }
    b->opened = b->open.count;
  }
  return TRUE;
}

static int get_address(term_t block, int place, const void *address) {
  int64_t number;
  if (!PL_get_int64_ex(part_of(block, place), &number))
    return FALSE;
  *(const void **)address = (const void *)(intptr_t)number;
  return TRUE;
}

/* begin_rows(+Machine, +Terms, +Block, +Clock, +Open, +DropsLate, +Turn): Block is block(Length, Columns, Starts, Ends,
   Places): the addresses of three columns of terms (see `incoming`), of times (64 bits) and of positions (32 bits) among the
   places. Starts are the ends where they have one address; Places is 0 where no rule asks for them. Terms are those of the
   columns that are no names, and the places. */
static foreign_t begin_rows(term_t t0, int arity, control_t control) {
  machine *m = machine_of(t0);
  if (!m)
    return FALSE;
  end_batch(m);
  batch *b = &m->rows;
  term_t block = t0 + 2;
  const incoming *columns;
  if (m->walk)
    m->walk->is_begun = FALSE;
  b->stop = -1;
  if (!PL_get_int64_ex(part_of(block, 1), &b->length) || !get_address(block, 2, &columns) ||
      !get_address(block, 3, &b->starts) || !get_address(block, 4, &b->ends) || !get_address(block, 5, &b->places))
    return FALSE;
  if (!m->asks_places)
    b->places = NULL;
  if (!PL_get_int64_ex(t0 + 3, &b->clock) || !PL_get_bool_ex(t0 + 5, &b->drops_late) ||
      !PL_get_int64_ex(t0 + 6, &b->turn))
    return FALSE;
  b->starts = b->starts ? b->starts : b->ends;
  b->s = columns[0].places, b->p = columns[1].places, b->o = columns[2].places;
  b->first_p = columns[0].used;
  b->first_o = b->first_p + columns[1].used;
  b->first_place = b->first_o + columns[2].used;
  return take_terms(m, columns, t0 + 1) && find_needed(m, columns[1].used) && take_open(m, t0 + 4);
}

/* begin_pause(+Machine, +Clock, +Open, +Turn, +Until): no row comes, but time passes until Until, or where that is `end` as long
   as something is due: the input has ended. */
static foreign_t begin_pause(term_t t0, int arity, control_t control) {
  machine *m = machine_of(t0);
  if (!m)
    return FALSE;
  end_batch(m);
  batch *b = &m->rows;
  if (m->walk)
    m->walk->is_begun = FALSE;
  b->stop = -1;
  b->until = (int64_t)1 << 60;
  if (is_named(t0 + 4, "end", 0))
    b->end = ENDS;
  else if (!PL_get_int64_ex(t0 + 4, &b->until))
    return FALSE;
  return PL_get_int64_ex(t0 + 1, &b->clock) && PL_get_int64_ex(t0 + 3, &b->turn) && take_open(m, t0 + 2);
}

static int add_late(batch *b, int64_t row) {
  if (!more((void **)&b->late, &b->late_room, b->late_count, sizeof *b->late))
    return FALSE;
  b->late[b->late_count++] = row;
  return TRUE;
}

/* The open instant ends, if it has something. */
static inline int close_open(machine *m) {
  batch *b = &m->rows;
  if (!b->open.count && (!m->step_count || !is_due(m, b->clock)))
    return TRUE;
  if (!run_instant(m) || (m->found_count && !give_answers(m, b->clock)))
    return FALSE;
  end_instant(m);
  return TRUE;
}

/* Nothing comes any more into the instant of the row before: it is closed at once, where nothing is due but rows. */
static inline int is_whole(machine *m) {
  const batch *b = &m->rows;
  if (b->at == b->length || b->ends[b->at] <= b->clock)
    return FALSE;
  return !m->step_count || (m->is_plain && !is_due(m, b->clock));
}

/* One row more, or what is due before it; false after an error. */
static inline int take_row(machine *m) {
  batch *b = &m->rows;
  int64_t row = b->at, end = b->ends[row];
  if (end < b->clock) {
    if (!b->drops_late)
      b->stop = row;
    b->at++;
    return add_late(b, row);
  }
  if (end > b->clock) {
    if (!close_open(m))
      return FALSE;
    enum status is = m->step_count ? next_step(m, end) : GO_ON;
    if (is != GO_ON)
      return is == STOP; /* the row is looked at again */
    b->clock = end;
  }
  b->at++;
  const code *terms = b->terms;
  occurrence *x = new_occurrence(&b->open);
  if (!x)
    return FALSE;
  x->s = terms[b->s[row]];
  x->p = terms[b->first_p + b->p[row]];
  x->o = terms[b->first_o + b->o[row]];
  x->start = b->starts[row];
  x->place = b->places ? terms[b->first_place + b->places[row]] : 0;
  x->of = 0;
  x->as = FIRST_OF_ALL;
  return is_whole(m) ? close_open(m) : TRUE;
}

/* What is due behind the rows, one instant after the other; false after an error. */
static int pass_time(machine *m) {
  batch *b = &m->rows;
  if (!close_open(m))
    return FALSE;
  if (b->end == ENDS) {
    b->end = HAS_ENDED;
    b->ended_at = b->clock;
  }
  enum status is = next_step(m, b->until);
  if (is != GO_ON)
    return is == STOP;
  b->clock = b->end ? b->clock + 1 : b->until;
  b->until = BEFORE_ALL;
  return TRUE;
}

static int is_walked(const batch *b) { return b->stop >= 0 || (b->at == b->length && b->until == BEFORE_ALL); }

static int put_late(batch *b, term_t list) {
  term_t tail = PL_copy_term_ref(list), head = PL_new_term_ref();
  for (size_t i = 0; i < b->late_count; i++)
    if (!PL_unify_list(tail, head, tail) || !PL_unify_int64(head, b->late[i]))
      return FALSE;
  b->late_count = 0;
  return PL_unify_nil(tail);
}

static void stand_still(machine *m) {
  walk *w = m->walk;
  if (!_setjmp(w->inside)) {
    leave(&w->kept_inside, w->thread);
    _longjmp(w->outside, 1);
  }
  arrive(w->kept_inside, &w->thread);
}

int cut_instant(machine *m) {
  int is_walk = m->walk && m->walk->is_inside;
  if (is_walk && (codes_put(m->out) || m->rows.late_count))
    stand_still(m); /* what came before leaves by itself */
  m->is_cut = TRUE;
  if (!put_in_order(m))
    return FALSE;
  if (!is_walk) {
    if (!more((void **)&m->cuts, &m->cut_room, m->cut_count, sizeof *m->cuts))
      return FALSE;
    m->cuts[m->cut_count++] = m->found_count;
    return TRUE;
  }
  if (!give_answers(m, m->rows.clock))
    return FALSE;
  m->found_count = m->cell_count = 0;
  stand_still(m);
  return TRUE;
}

void run_outside(machine *m, void (*errand)(void *), void *about) {
  walk *w = m->walk;
  if (w && w->is_inside) {
    w->errand = errand;
    w->about = about;
    stand_still(m);
  } else {
    errand(about);
  }
}

static void handle_signals(void *about) { *(int *)about = PL_handle_signals() >= 0; }

int may_go_on(machine *m, const store *searched) {
  int may = TRUE;
  m->searched = searched;
  run_outside(m, handle_signals, &may);
  return may;
}

/* ---- the walk -------------------------------------------------------------------------------------------- */

static void walk_rows(unsigned high, unsigned low) {
  machine *m = (machine *)(((uintptr_t)high << 32) | low);
  batch *b = &m->rows;
  walk *w = m->walk;
  int64_t steps = 0;
  arrive(NULL, &w->thread);
  look_for_sought(m);
  while (!is_walked(b) && !w->has_failed) {
    int64_t wanted = w->many - (int64_t)b->late_count, from = b->at;
    if (codes_put(m->out) >= wanted)
      stand_still(m);
    int done = take_alone(m, wanted);
    steps += b->at - from;
    if (done && b->at == from) {
      steps++;
      look_ahead(m);
      done = (b->at < b->length ? take_row : pass_time)(m);
    }
    if (!done) {
      end_instant(m);
      b->stop = b->at;
      w->has_failed = TRUE;
    } else if (steps >= BETWEEN_SIGNALS) {
      steps = 0;
      look_for_sought(m);
      if ((w->has_failed = !may_go_on(m, NULL)))
        b->stop = b->at;
    }
  }
  w->is_done = TRUE;
  stand_still(m); /* for good */
}

/* The walk goes on until it stands still. */
static void go_on(machine *m) {
  walk *w = m->walk;
  do {
    if (w->errand) {
      void (*errand)(void *) = w->errand;
      w->errand = NULL;
      errand(w->about);
    }
    w->is_inside = TRUE;
    if (!_setjmp(w->outside)) {
      leave(&w->kept_outside, ((extent){w->stack, STACK}));
      if (w->is_begun)
        _longjmp(w->inside, 1);
      w->is_begun = TRUE;
      setcontext(&w->begin);
    }
    extent own;
    arrive(w->kept_outside, &own);
    w->is_inside = FALSE;
  } while (w->errand);
}

static int begin_walk(machine *m) {
  walk *w = m->walk;
  if (!w) {
    if (!(w = calloc(1, sizeof *w)) || !(w->stack = malloc(STACK))) {
      free(w);
      return PL_resource_error("memory");
    }
    m->walk = w;
  }
  if (!w->is_begun) {
    uintptr_t address = (uintptr_t)m;
    getcontext(&w->begin);
    w->begin.uc_stack.ss_sp = w->stack;
    w->begin.uc_stack.ss_size = STACK;
    w->begin.uc_link = NULL;
    makecontext(&w->begin, (void (*)(void))walk_rows, 2, (unsigned)(address >> 32), (unsigned)address);
    w->errand = NULL;
    w->is_done = w->has_failed = FALSE;
  }
  return TRUE;
}

/* run_rows(+Machine, +Many, +Most, -Others, -Late, -IsLast): answers are in columns (answers.c), until there are Many, or Most of one
   instant. */
static foreign_t run_rows(term_t t0, int arity, control_t control) {
  machine *m = machine_of(t0);
  int64_t many, most;
  if (!m || !PL_get_int64_ex(t0 + 1, &many) || !PL_get_int64_ex(t0 + 2, &most) || !(m->out = begin_codes(m->engine)) ||
      !begin_walk(m))
    return FALSE;
  walk *w = m->walk;
  m->deepest = (uintptr_t)w->stack + SPARED;
  w->many = many;
  m->found_most = most;
  go_on(m);
  if (w->is_done)
    w->is_begun = FALSE;
  if (w->has_failed)
    return PL_exception(0) ? FALSE : PL_representation_error("machine");
  return put_other_codes(m->out, t0 + 3) && put_late(&m->rows, t0 + 4) && PL_unify_bool(t0 + 5, w->is_done);
}

/* machine_state(+Machine, -Clock, -Store): the instant that is worked on; the store that is looked through, or `none`. */
static foreign_t machine_state(term_t term, term_t clock, term_t searched) {
  machine *m = machine_of(term);
  return m && PL_unify_int64(clock, m->rows.clock) &&
         (m->searched ? PL_unify_pointer(searched, (void *)m->searched) : PL_unify_atom_chars(searched, "none"));
}

/* rows_looked_at(+Machine, -Count): of stores, modulo 2**32, since it was made. */
static foreign_t rows_looked_at(term_t term, term_t count) {
  machine *m = machine_of(term);
  return m && PL_unify_int64(count, (uint32_t)(m->looked + m->looked_to_forget));
}

/* steps_asked(+Machine, -Count): so often was a step asked when it is due, since the machine was made. */
static foreign_t steps_asked(term_t term, term_t count) {
  machine *m = machine_of(term);
  return m && PL_unify_int64(count, m->steps_asked);
}

/* answers_before(+Machine, -Others, -Late): after an error in run_rows/6 what there was before. */
static foreign_t answers_before(term_t t0, int arity, control_t control) {
  machine *m = machine_of(t0);
  return m && put_other_codes(m->out, t0 + 1) && put_late(&m->rows, t0 + 2);
}

/* end_rows(+Machine, -Clock, -Open, -Taken, -Turn): what is left open, a list of occ(S, P, O, Start, Place). */
static foreign_t end_rows(term_t t0, int arity, control_t control) {
  static functor_t occ5;
  if (!occ5)
    occ5 = PL_new_functor(PL_new_atom("occ"), 5);
  machine *m = machine_of(t0);
  if (!m)
    return FALSE;
  batch *b = &m->rows;
  term_t tail = PL_copy_term_ref(t0 + 2), head = PL_new_term_ref(), part = PL_new_term_ref();
  int done = tail && head && part;
  for (size_t i = 0; done && i < b->open.count; i++) {
    const occurrence *x = b->open.items + i;
    const code terms[] = {x->s, x->p, x->o};
    done = PL_unify_list(tail, head, tail) && PL_unify_functor(head, occ5);
    for (int j = 0; done && j < 3; j++) {
      _PL_get_arg(j + 1, head, part);
      done = unify_code(part, terms[j]);
    }
    if (done) {
      _PL_get_arg(4, head, part);
      done = PL_unify_int64(part, x->start);
    }
    if (done) {
      _PL_get_arg(5, head, part);
      done = x->place ? unify_code(part, x->place) : PL_unify_nil(part);
    }
  }
  done = done && PL_unify_nil(tail) && PL_unify_int64(t0 + 1, b->clock) &&
             PL_unify_int64(t0 + 3, b->stop < 0 ? b->length : b->stop) && PL_unify_int64(t0 + 4, b->turn);
  end_batch(m);
  return done;
}

static int add_integer(term_t tail, term_t head, int64_t number) {
  return PL_unify_list(tail, head, tail) && PL_unify_int64(head, number);
}

static int put_row(const machine *m, const found *x, term_t values) {
  term_t head = PL_new_term_ref();
  for (int i = 0; i < x->width; i++)
    if (!PL_unify_list(values, head, values) || !unify_code(head, m->cells[x->cells + i]))
      return FALSE;
  return TRUE;
}

/* triples([t(S,P,O),...]) */
static int put_graph(const machine *m, const found *x, term_t values) {
  static functor_t triples1, t3;
  if (!t3) {
    triples1 = PL_new_functor(PL_new_atom("triples"), 1);
    t3 = PL_new_functor(PL_new_atom("t"), 3);
  }
  term_t head = PL_new_term_ref();
  if (!PL_unify_list(values, head, values) || !PL_unify_functor(head, triples1))
    return FALSE;
  term_t list = part_of(head, 1), triple = PL_new_term_ref();
  for (int i = 0; i < x->width; i++)
    if ((i % 3 == 0 && (!PL_unify_list(list, triple, list) || !PL_unify_functor(triple, t3))) ||
        !unify_code(part_of(triple, i % 3 + 1), m->cells[x->cells + i]))
      return FALSE;
  return PL_unify_nil(list);
}

/* part(Queries, Starts, Values) */
static int put_part(const machine *m, size_t from, size_t to, term_t part) {
  static functor_t part3;
  if (!part3)
    part3 = PL_new_functor(PL_new_atom("part"), 3);
  if (!PL_unify_functor(part, part3))
    return FALSE;
  term_t queries = part_of(part, 1), starts = part_of(part, 2), values = part_of(part, 3), head = PL_new_term_ref();
  for (size_t i = from; i < to; i++) {
    const found *x = m->found + i;
    if (!add_integer(queries, head, x->query) || !add_integer(starts, head, x->start))
      return FALSE;
    if (!(x->is_graph ? put_graph : put_row)(m, x, values))
      return FALSE;
  }
  return PL_unify_nil(queries) && PL_unify_nil(starts) && PL_unify_nil(values);
}

void begin_instant(machine *m, int64_t time, int64_t most) {
  end_batch(m);
  m->rows.clock = time;
  m->out = NULL;
  m->found_most = most;
  m->deepest = deepest_of_thread();
}

/* run_instant(+Machine, +Open, +Time, +Turn, +Most, -Parts, -NewTurn): close one instant; its answers as lists, Most in
   each part but the last. */
static foreign_t run_one_instant(term_t t0, int arity, control_t control) {
  machine *m = machine_of(t0);
  int64_t time, most;
  if (!m || !PL_get_int64_ex(t0 + 2, &time) || !PL_get_int64_ex(t0 + 4, &most))
    return FALSE;
  batch *b = &m->rows;
  begin_instant(m, time, most);
  if (!PL_get_int64_ex(t0 + 3, &b->turn) || !take_open(m, t0 + 1))
    return FALSE;
  term_t parts = PL_copy_term_ref(t0 + 5), part = PL_new_term_ref();
  int done = run_instant(m) && make_terms(m);
  size_t from = 0;
  for (size_t i = 0; done && i <= m->cut_count; i++) {
    size_t to = i < m->cut_count ? m->cuts[i] : m->found_count;
    done = PL_unify_list(parts, part, parts) && put_part(m, from, to, part);
    from = to;
  }
  end_instant(m);
  return done && PL_unify_nil(parts) && PL_unify_int64(t0 + 6, b->turn);
}

/* Whether all times are those that the machine takes: sums of two are numbers of 62 bits. */
EXPORT int times_fit(const int64_t *times, int64_t count) {
  const int64_t most = (int64_t)1 << 60;
  int fit = TRUE;
  for (int64_t i = 0; i < count; i++)
    fit &= times[i] < most && times[i] > -most;
  return fit;
}

void add_machine_predicate(const char *name, int arity, void *function, int more_flags) {
  PL_register_foreign_in_module("etalis_machine", name, arity, (pl_function_t)function, more_flags);
}

void install_machine(void) {
  add_machine_predicate("new_machine", 5, new_machine, PL_FA_VARARGS);
  add_machine_predicate("delete_machine", 1, remove_machine, 0);
  add_machine_predicate("words_known", 2, words_known, 0);
  add_machine_predicate("begin_rows", 7, begin_rows, PL_FA_VARARGS);
  add_machine_predicate("begin_pause", 5, begin_pause, PL_FA_VARARGS);
  add_machine_predicate("run_rows", 6, run_rows, PL_FA_VARARGS);
  add_machine_predicate("run_instant", 7, run_one_instant, PL_FA_VARARGS);
  add_machine_predicate("machine_state", 3, machine_state, 0);
  add_machine_predicate("rows_looked_at", 2, rows_looked_at, 0);
  add_machine_predicate("steps_asked", 2, steps_asked, 0);
  add_machine_predicate("answers_before", 3, answers_before, PL_FA_VARARGS);
  add_machine_predicate("end_rows", 5, end_rows, PL_FA_VARARGS);
  install_direct();
}
