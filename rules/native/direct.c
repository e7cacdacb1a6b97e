/*  Instants that Python closes without calling a predicate (etalis_py/engine/direct_instant.py).

    Events that come one by one are rows of numbers. A term has its number from number_name() and its like; the machine
    holds it until forget_numbers(). Answers whose terms all have numbers leave the same way, others in columns
    (answers.c). An error waits for direct_problem/2.

    Prolog may be called on the way, so the interpreter's lock is not held in any of these functions.
*/

#include "machine.h"

enum { COLUMNS = -1, BROKEN_OFF = -2 };
#define ROW_NUMBERS 5  /* s, p, o, place, start; place is 0 where none is known */
#define BEFORE_TERMS 3 /* of an answer: query, start, how many terms it has */
#define NO_NUMBER (-1)
#define UNBOUND_NUMBER 0

/* ---- terms by number ------------------------------------------------------------------------------------- */

static numbered *place_of(const direct *d, code c) {
  uint64_t at = mixed(0, c) & d->mask;
  while (d->places[at].term && d->places[at].term != c)
    at = (at + 1) & d->mask;
  return d->places + at;
}

static int more_places(direct *d) {
  uint64_t mask = d->places ? 2 * d->mask + 1 : 255;
  numbered *places = calloc(mask + 1, sizeof *places);
  if (!places)
    return FALSE;
  free(d->places);
  d->places = places;
  d->mask = mask;
  for (size_t i = 0; i < d->count; i++)
    *place_of(d, d->terms[i]) = (numbered){d->terms[i], i};
  return TRUE;
}

/* The code is the caller's, and the machine's then. */
static int64_t number_code(machine *m, code c) {
  direct *d = &m->direct;
  numbered *place = d->places ? place_of(d, c) : NULL;
  if (place && place->term) {
    release(m->engine, c);
    return place->number;
  }
  if ((2 * d->count >= d->mask && !more_places(d)) || !more((void **)&d->terms, &d->room, d->count, sizeof c)) {
    release(m->engine, c);
    return NO_NUMBER;
  }
  *place_of(d, c) = (numbered){c, d->count};
  d->terms[d->count] = c;
  return d->count++;
}

/* What is unbound has the first number. */
static int is_numbering(machine *m) {
  if (!m->direct.count)
    retain(unbound);
  return m->direct.count || number_code(m, unbound) == UNBOUND_NUMBER;
}

EXPORT void forget_numbers(machine *m) {
  direct *d = &m->direct;
  for (size_t i = 0; i < d->count; i++)
    release(m->engine, d->terms[i]);
  if (d->places)
    memset(d->places, 0, (d->mask + 1) * sizeof *d->places);
  d->count = 0;
}

void free_direct(machine *m) {
  forget_numbers(m);
  if (m->direct.problem)
    PL_erase(m->direct.problem);
  free(m->direct.terms), free(m->direct.places);
}

static int64_t literal_number(machine *m, code value, int64_t type) {
  code made;
  int is_made = is_numbering(m) && literal_code(m->engine, value, m->direct.terms[type], &made);
  release(m->engine, value);
  return is_made ? number_code(m, made) : NO_NUMBER;
}

/* Nobody is there who could catch an error. */
static int64_t close_frame(fid_t frame, int64_t number) {
  if (number == NO_NUMBER)
    PL_clear_exception();
  PL_close_foreign_frame(frame);
  return number;
}

/* NO_NUMBER where there is no memory, as from the others. */
EXPORT int64_t number_name(machine *m, const char *text, size_t length) {
  fid_t frame = PL_open_foreign_frame();
  code made;
  int is_made = frame && is_numbering(m) &&
                code_of_text(m->engine, TRUE, node_hash(0, text, length), text, length, &made) == FOUND;
  return close_frame(frame, is_made ? number_code(m, made) : NO_NUMBER);
}

/* A literal with up/down in lowest terms, and a type that has a number. */
EXPORT int64_t number_exact(machine *m, int64_t up, int64_t down, int64_t type) {
  code made;
  fid_t frame = PL_open_foreign_frame();
  int is_made = frame && exact_code(m->engine, up, down, &made);
  return close_frame(frame, is_made ? literal_number(m, made, type) : NO_NUMBER);
}

static int64_t number_node(machine *m, int kind, size_t length, const void *bytes, size_t size, int64_t type) {
  code made;
  fid_t frame = PL_open_foreign_frame();
  int is_made = frame && node_code(m->engine, TRUE, kind, 0, length, bytes, size, &made) == FOUND;
  return close_frame(frame, is_made ? literal_number(m, made, type) : NO_NUMBER);
}

EXPORT int64_t number_real(machine *m, double value, int64_t type) {
  return number_node(m, REAL, 1, &value, sizeof value, type);
}

EXPORT int64_t number_text(machine *m, const char *text, size_t length, int64_t type) {
  return number_node(m, STRING, length, text, length, type);
}

/* A literal that is written with this text, of the value and type of one that has a number. */
EXPORT int64_t number_written(machine *m, const char *text, size_t length, int64_t number) {
  code value, type, made;
  int64_t found = NO_NUMBER;
  fid_t frame = PL_open_foreign_frame();
  if (frame && is_literal(m->direct.terms[number], &value, &type) &&
      written_code(m->engine, value, text, length, type, &made))
    found = number_code(m, made);
  return close_frame(frame, found);
}

/* number_term(+Machine, +Term, -Number): of any term. */
static foreign_t number_any(term_t machine_term, term_t term, term_t number) {
  machine *m = machine_of(machine_term);
  code c;
  int64_t found = m && is_numbering(m) && code_of(m->engine, TRUE, term, &c) == FOUND ? number_code(m, c) : NO_NUMBER;
  if (m && found == NO_NUMBER && !PL_exception(0))
    return PL_resource_error("memory");
  return m && PL_unify_int64(number, found);
}

/* ---- instants -------------------------------------------------------------------------------------------- */

/* Where few answers are put, as numbers. */
EXPORT void set_direct(machine *m, int64_t *to, int64_t room) { m->direct.to = to, m->direct.room_to = room; }

/* begin_direct(+Machine, +Turn, -Address, -Count): Turn is when stores turn next, Count how many terms have numbers. */
static foreign_t begin_direct(term_t machine_term, term_t turn, term_t address, term_t count) {
  machine *m = machine_of(machine_term);
  return m && PL_get_int64_ex(turn, &m->rows.turn) && PL_unify_int64(address, (intptr_t)m) &&
         PL_unify_int64(count, m->direct.count);
}

/* direct_problem(+Machine, -Error): the error with which an instant was broken off. */
static foreign_t take_problem(term_t machine_term, term_t error) {
  machine *m = machine_of(machine_term);
  term_t known = PL_new_term_ref();
  if (!m || !known || !m->direct.problem)
    return FALSE;
  int done = PL_recorded(m->direct.problem, known) && PL_unify(error, known);
  PL_erase(m->direct.problem);
  m->direct.problem = 0;
  return done;
}

static void keep_problem(machine *m) {
  term_t error = PL_exception(0);
  m->direct.problem = error ? PL_record(error) : 0;
  PL_clear_exception();
}

static int take_rows(machine *m, const int64_t *rows, int64_t count) {
  const direct *d = &m->direct;
  for (const int64_t *row = rows; row < rows + count * ROW_NUMBERS; row += ROW_NUMBERS) {
    occurrence x = {.s = d->terms[row[0]],
                    .p = d->terms[row[1]],
                    .o = d->terms[row[2]],
                    .start = row[4],
                    .place = m->asks_places && row[3] ? d->terms[row[3]] : 0};
    if (!add_occurrence(&m->rows.open, &x))
      return FALSE;
  }
  return TRUE;
}

/* etalis_goal_store:set_next_turn(Engine, Turn) */
static int keep_turn(machine *m, int64_t turn) {
  static predicate_t keep;
  if (turn == m->rows.turn)
    return TRUE;
  if (!keep)
    keep = PL_predicate("set_next_turn", 2, "etalis_goal_store");
  term_t a = PL_new_term_refs(2);
  return a && PL_put_atom(a, m->module) && PL_put_int64(a + 1, m->rows.turn) &&
         PL_call_predicate(NULL, PL_Q_PASS_EXCEPTION, keep, a);
}

/* The answers as numbers; false where there are too many of them, or one has a term without a number. */
static int put_numbers(const machine *m, int64_t *length) {
  int64_t *to = m->direct.to, at = 0;
  for (size_t i = 0; i < m->found_count; at += BEFORE_TERMS + m->found[i++].width) {
    const found *x = m->found + i;
    if (at + BEFORE_TERMS + x->width > m->direct.room_to)
      return FALSE;
    to[at] = x->query, to[at + 1] = x->start, to[at + 2] = x->width;
    for (int j = 0; j < x->width; j++) {
      const numbered *n = place_of(&m->direct, m->cells[x->cells + j]);
      if (!n->term)
        return FALSE;
      to[at + BEFORE_TERMS + j] = n->number;
    }
  }
  *length = at;
  return TRUE;
}

static int64_t run_direct(machine *m, const int64_t *rows, int64_t count) {
  int64_t turn = m->rows.turn, length, *to = m->direct.to;
  if (!take_rows(m, rows, count) || !run_instant(m) || !keep_turn(m, turn))
    return BROKEN_OFF;
  if (!m->cut_count && put_numbers(m, &length))
    return length;
  if (!(m->out = begin_codes(m->engine)) || !give_answers(m, m->rows.clock))
    return BROKEN_OFF;
  to[0] = other_codes_put(m->out), to[1] = m->cut_count > 0;
  return COLUMNS;
}

/* Close the instant `time` of some rows. What answers there are stands where set_direct() said: its length, or COLUMNS, and
   then how many terms are left to other_answers/2, and whether there are more answers than `most`. */
EXPORT int64_t close_directly(machine *m, int64_t time, const int64_t *rows, int64_t count, int64_t most) {
  fid_t frame = PL_open_foreign_frame();
  if (!frame)
    return BROKEN_OFF;
  begin_instant(m, time, most);
  int64_t is = run_direct(m, rows, count);
  end_instant(m);
  if (is == BROKEN_OFF)
    keep_problem(m);
  PL_close_foreign_frame(frame);
  return is;
}

/* other_answers(+Machine, -Others): the terms without a column among the answers that were put into columns. */
static foreign_t take_others(term_t machine_term, term_t others) {
  machine *m = machine_of(machine_term);
  return m && put_other_codes(m->out, others);
}

void install_direct(void) {
  add_machine_predicate("begin_direct", 4, begin_direct, 0);
  add_machine_predicate("number_term", 3, number_any, 0);
  add_machine_predicate("direct_problem", 2, take_problem, 0);
  add_machine_predicate("other_answers", 2, take_others, 0);
}
