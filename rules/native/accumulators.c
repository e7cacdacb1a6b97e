/*  One aggregate of one group, kept up to date.

    What is kept changes with each solution that comes into the window or leaves it, at a cost that does not depend on how
    many are in it. Solutions leave in the order in which they came; a solution's place is one in that order, or LASTING
    for one that never leaves: all of those come first, and leave nothing behind that would be needed to take them out.

    Least and greatest values are at the front of a queue: a value that comes removes those before it that it beats,
    since they leave the window earlier and can never be the answer again. The order is that of ORDER BY (order.pl); of
    terms of one value both give the first in the standard order of terms, so they depend on what is in the window alone.
    A sample is the first bound value. The values of GROUP_CONCAT are a queue, too: they are joined when it is asked for.
    Where members leave in any order, or are all of one instant, different values are counted. The least or greatest of them
    is on top of a heap, and so is a sample, the first in the standard order; GROUP_CONCAT joins them in that order. So is the
    first row, or the last, in an order of rows; these only leave in any order.

    Terms in queues are held by the solutions that they are of, those in a heap by the heap.
*/

#include "groups.h"
#include "machine.h"

/* ---- queues ------------------------------------------------------------------------------------------------ */

static item *item_at(const queue *q, int64_t place) { return q->items + (place & (q->room - 1)); }

/* False: there is no memory. */
static int move_items(queue *q, int64_t room) {
  queue other = {malloc(room * sizeof *other.items), q->first, q->end, room};
  if (!other.items)
    return FALSE;
  for (int64_t i = q->first; i < q->end; i++)
    *item_at(&other, i) = *item_at(q, i);
  free(q->items);
  *q = other;
  return TRUE;
}

static int put_item(queue *q, int64_t place, code value) {
  if (q->end - q->first == q->room && !move_items(q, q->room ? 2 * q->room : 2))
    return PL_resource_error("memory");
  *item_at(q, q->end++) = (item){place, value};
  return TRUE;
}

static void give_back_items(queue *q) {
  if (q->room > LEAST_ROOM && 8 * (q->end - q->first) < q->room)
    move_items(q, q->room / 2);
}

static int is_empty(const queue *q) { return q->first == q->end; }

/* ---- DISTINCT: which values there are, and how often ------------------------------------------------------- */

static value_count *slot_of_value(const value_counts *v, code value) {
  uint64_t at = mixed(0, value) & v->mask;
  while (v->slots[at].count && v->slots[at].value != value)
    at = (at + 1) & v->mask;
  return v->slots + at;
}

/* False: there is no memory. */
static int move_values(value_counts *v, uint64_t mask) {
  value_counts other = {calloc(mask + 1, sizeof *other.slots), mask, v->count};
  if (!other.slots)
    return FALSE;
  for (uint64_t i = 0; v->slots && i <= v->mask; i++)
    if (v->slots[i].count)
      *slot_of_value(&other, v->slots[i].value) = v->slots[i];
  free(v->slots);
  *v = other;
  return TRUE;
}

static int more_slots(value_counts *v) {
  if (v->slots && 2 * v->count <= v->mask)
    return TRUE;
  uint64_t mask = v->slots ? 2 * v->mask + 1 : 1; /* many groups have one value */
  return move_values(v, mask) || PL_resource_error("memory");
}

/* 1: it was not there, 0: it was, -1: error. */
static int value_comes(accumulator *a, int64_t place, code value) {
  if (!a->different && !(a->different = calloc(1, sizeof *a->different)))
    return PL_resource_error("memory"), -1;
  value_counts *v = a->different;
  if (!more_slots(v))
    return -1;
  value_count *slot = slot_of_value(v, value);
  int is_new = !slot->count;
  if (is_new) {
    retain(slot->value = value);
    v->count++;
  }
  slot->count = place == LASTING || slot->count == LASTING ? LASTING : slot->count + 1;
  return is_new;
}

static void forget_slot(value_counts *v, value_count *slot) {
  uint64_t hole = slot - v->slots, at = hole;
  while (v->slots[at = (at + 1) & v->mask].count) {
    uint64_t home = mixed(0, v->slots[at].value) & v->mask;
    if (((at - home) & v->mask) >= ((at - hole) & v->mask)) {
      v->slots[hole] = v->slots[at];
      hole = at;
    }
  }
  v->slots[hole].count = 0;
  v->count--;
  if (v->mask > LEAST_ROOM && 8 * v->count < v->mask)
    move_values(v, v->mask / 2);
}

/* Whether that was the last of it. */
static int value_goes(engine *e, accumulator *a, code value) {
  value_count *slot = slot_of_value(a->different, value);
  if (slot->count == LASTING || !slot->count || --slot->count)
    return FALSE;
  forget_slot(a->different, slot);
  release(e, value);
  return TRUE;
}

/* ---- least and greatest values ----------------------------------------------------------------------------- */

static int is_of_rows(const aggregate *k) { return k->kind == FIRST_IN_ORDER || k->kind == LAST_IN_ORDER; }

/* 1: `value` is as good as `other` or better, 0: it is not, -1: error. */
static int is_not_beaten(engine *e, const aggregate *k, code other, code value) {
  int order;
  if (other == value)
    return 1;
  if (k->kind == FIRST_ONE)
    return compare_codes(value, other) <= 0;
  if (is_of_rows(k))
    return row_order(e, k->keys, k->key_count, value, other, &order) ? (k->kind == FIRST_IN_ORDER) == (order < 0) : -1;
  if (!term_order(e, value, other, &order))
    return -1;
  return order ? (k->kind == LEAST_ONE) == (order < 0) : compare_codes(value, other) <= 0;
}

static int extreme_comes(engine *e, const aggregate *k, accumulator *a, int64_t place, code value) {
  int is = a->lasting == unbound ? 1 : is_not_beaten(e, k, a->lasting, value);
  if (is <= 0)
    return is == 0;
  if (place == LASTING) {
    release(e, a->lasting);
    retain(a->lasting = value);
    return TRUE;
  }
  queue *q = &a->passing;
  while (!is_empty(q) && (is = is_not_beaten(e, k, item_at(q, q->end - 1)->value, value)) > 0)
    q->end--;
  return is >= 0 && put_item(q, place, value);
}

/* ---- the same where members leave in any order: a heap, which may still have values that are gone, but not on top --- */
/* Places are keys there: most values are told apart by these. */

#define NO_KEY INT64_MIN

/* The better value has the lesser one. */
static int64_t key_of(const aggregate *k, code value) {
  int is_of = is_of_rows(k), is_back = k->kind == GREATEST_ONE || k->kind == LAST_IN_ORDER;
  int64_t number;
  if (k->kind == FIRST_ONE || (is_of && !k->key_count))
    return NO_KEY;
  if (is_of) {
    value = node_of(value)->parts[abs(k->keys[0]) - 1];
    is_back ^= k->keys[0] < 0;
  }
  if (!usual_integer(value, &number))
    return NO_KEY;
  return is_back ? -number : number;
}

/* As is_not_beaten(). */
static inline int is_not_below(engine *e, const aggregate *k, const item *other, const item *x) {
  if (other->place != x->place && other->place != NO_KEY && x->place != NO_KEY)
    return x->place < other->place;
  return is_not_beaten(e, k, other->value, x->value);
}

static void swap_items(queue *q, int64_t one, int64_t other) {
  item kept = *item_at(q, one);
  *item_at(q, one) = *item_at(q, other);
  *item_at(q, other) = kept;
}

static int put_on_heap(engine *e, const aggregate *k, queue *q, code value) {
  int is = 1;
  if (!put_item(q, key_of(k, value), value))
    return FALSE;
  retain(value);
  for (int64_t at = q->end - 1, up; at && is > 0; at = up) {
    up = (at - 1) / 2;
    if ((is = is_not_below(e, k, item_at(q, up), item_at(q, at))) > 0)
      swap_items(q, at, up);
  }
  return is >= 0;
}

static int take_off_heap(engine *e, const aggregate *k, queue *q) {
  int64_t at = 0, down;
  swap_items(q, 0, --q->end);
  release(e, item_at(q, q->end)->value);
  while ((down = 2 * at + 1) < q->end) {
    int is = 0;
    if (down + 1 < q->end && (is = is_not_below(e, k, item_at(q, down), item_at(q, down + 1))) < 0)
      return FALSE;
    down += is;
    if ((is = is_not_below(e, k, item_at(q, at), item_at(q, down))) <= 0)
      return is == 0;
    swap_items(q, at, down);
    at = down;
  }
  return TRUE;
}

static int is_counted(const value_counts *v, code value) { return slot_of_value(v, value)->count != 0; }

/* Without what is gone, once that is more than half. */
static int cleared_heap(engine *e, const aggregate *k, accumulator *a) {
  queue *q = &a->passing, old = *q;
  int done = TRUE;
  if (q->end < 16 || q->end / 2 < (int64_t)a->different->count)
    return TRUE;
  *q = (queue){0};
  for (uint64_t i = 0; done && i <= a->different->mask; i++)
    if (a->different->slots[i].count)
      done = put_on_heap(e, k, q, a->different->slots[i].value);
  for (int64_t i = 0; i < old.end; i++)
    release(e, item_at(&old, i)->value);
  free(old.items);
  return done;
}

static int ranked_comes(engine *e, const aggregate *k, accumulator *a, code value) {
  int is_new = value_comes(a, 0, value);
  if (is_new <= 0)
    return is_new == 0;
  return put_on_heap(e, k, &a->passing, value) && cleared_heap(e, k, a);
}

static int ranked_goes(engine *e, const aggregate *k, accumulator *a, code value) {
  queue *q = &a->passing;
  if (!value_goes(e, a, value))
    return TRUE;
  while (!is_empty(q) && !is_counted(a->different, item_at(q, 0)->value))
    if (!take_off_heap(e, k, q))
      return FALSE;
  give_back_items(q);
  return TRUE;
}

/* ---- members ----------------------------------------------------------------------------------------------- */

static int is_ranked(const aggregate *k) {
  return is_of_rows(k) || (k->in_any_order && (k->kind == LEAST_ONE || k->kind == GREATEST_ONE || k->kind == FIRST_ONE));
}

void begin_accumulator(const aggregate *k, accumulator *a) {
  if (k->kind == SUMMED)
    begin_sum(&a->sum);
  else if (k->kind != COUNTED)
    retain(a->lasting = unbound);
}

void forget_accumulator(engine *e, const aggregate *k, accumulator *a) {
  value_counts *v = a->different;
  for (uint64_t i = 0; v && v->slots && i <= v->mask; i++)
    if (v->slots[i].count)
      release(e, v->slots[i].value);
  if (v)
    free(v->slots), free(v);
  if (k->kind == SUMMED)
    forget_sum(e, &a->sum);
  if (k->kind == SUMMED || k->kind == COUNTED)
    return;
  release(e, a->lasting);
  for (int64_t i = 0; is_ranked(k) && i < a->passing.end; i++)
    release(e, item_at(&a->passing, i)->value);
  for (int64_t i = a->always.first; i < a->always.end; i++)
    release(e, item_at(&a->always, i)->value);
  free(a->passing.items), free(a->always.items);
}

int64_t accumulator_bytes(const aggregate *k, const accumulator *a) {
  const value_counts *v = a->different;
  int64_t bytes = !v ? 0 : sizeof *v + (v->slots ? v->mask + 1 : 0) * sizeof *v->slots;
  if (k->kind == SUMMED)
    return bytes + sum_bytes(&a->sum);
  return k->kind == COUNTED ? bytes : bytes + (a->passing.room + a->always.room) * sizeof(item);
}

/* Whether it has a STR. */
static int has_text(code value) { return value != unbound && !is_blank(value); }

static int first_comes(engine *e, accumulator *a, int64_t place, code value) {
  if (value == unbound || a->lasting != unbound)
    return TRUE;
  if (place != LASTING)
    return put_item(&a->passing, place, value);
  release(e, a->lasting);
  retain(a->lasting = value);
  return TRUE;
}

static int text_comes(const aggregate *k, accumulator *a, int64_t place, code value) {
  if (k->in_any_order)
    return value_comes(a, 0, value) >= 0;
  if (place != LASTING)
    return put_item(&a->passing, place, value);
  int is_new = k->is_distinct ? value_comes(a, LASTING, value) : 1;
  if (is_new <= 0)
    return is_new == 0;
  if (!put_item(&a->always, LASTING, value))
    return FALSE;
  retain(value);
  return TRUE;
}

static int value_of_all(engine *e, const code *args, int width, int make, code *value) {
  functor_t functor = PL_new_functor(PL_new_atom("args"), width);
  return node_code(e, make, COMPOUND, functor, width, args, width * sizeof *args, value) == FOUND;
}

/* With `counts` it is new; else it only takes its place again, in what was counted (a snapshot). */
static int value_is_in(engine *e, const aggregate *k, accumulator *a, int64_t place, code value, int counts) {
  if (k->in_any_order && !counts) /* that goes by counts alone */
    return TRUE;
  if (is_ranked(k)) {
    a->errors += value == unbound && k->kind != FIRST_ONE;
    return value == unbound || ranked_comes(e, k, a, value);
  }
  if (k->is_distinct && k->kind != TEXTS) {
    int is_new = value_comes(a, place, value);
    if (is_new <= 0)
      return is_new == 0;
  }
  switch (k->kind) {
  case COUNTED:
    a->count += counts && value != unbound;
    return TRUE;
  case SUMMED:
    return !counts || count_value(e, &a->sum, value, 1);
  case FIRST_ONE:
    return first_comes(e, a, place, value);
  default:
    if (k->kind == TEXTS ? has_text(value) : value != unbound)
      return k->kind == TEXTS ? text_comes(k, a, place, value) : extreme_comes(e, k, a, place, value);
    a->errors += counts;
    return TRUE;
  }
}

int member_comes(engine *e, const aggregate *k, accumulator *a, int64_t place, const code *args, int width, int counts) {
  if (k->argument != ALL)
    return value_is_in(e, k, a, place, args[k->argument], counts);
  if (!k->is_distinct) {
    a->count += counts;
    return TRUE;
  }
  code value;
  if (!value_of_all(e, args, width, TRUE, &value))
    return FALSE;
  int done = value_is_in(e, k, a, place, value, counts);
  release(e, value);
  return done;
}

static int value_is_out(engine *e, const aggregate *k, accumulator *a, int64_t place, code value) {
  queue *q = &a->passing;
  if (is_ranked(k)) {
    a->errors -= value == unbound && k->kind != FIRST_ONE;
    return value == unbound || ranked_goes(e, k, a, value);
  }
  if (k->is_distinct && k->kind != TEXTS && !value_goes(e, a, value))
    return TRUE;
  switch (k->kind) {
  case COUNTED:
    a->count -= value != unbound;
    return TRUE;
  case SUMMED:
    return count_value(e, &a->sum, value, -1);
  default:
    if (k->kind != FIRST_ONE && (k->kind == TEXTS ? !has_text(value) : value == unbound))
      a->errors--;
    else if (k->in_any_order)
      value_goes(e, a, value);
    else if (!is_empty(q) && item_at(q, q->first)->place == place)
      q->first++;
    give_back_items(q);
    return TRUE;
  }
}

int member_goes(engine *e, const aggregate *k, accumulator *a, int64_t place, const code *args, int width) {
  if (k->argument != ALL)
    return value_is_out(e, k, a, place, args[k->argument]);
  a->count -= !k->is_distinct;
  code value;
  return !k->is_distinct || (value_of_all(e, args, width, FALSE, &value) && value_is_out(e, k, a, place, value));
}

/* ---- results ----------------------------------------------------------------------------------------------- */

typedef struct {
  engine *engine;
  const aggregate *aggregate;
  const output *output;
  const accumulator *accumulator;
  code *value;
  int done;
} text_question;

static int add_values(term_t tail, term_t head, const queue *q) {
  for (int64_t i = q->first; i < q->end; i++)
    if (!PL_unify_list(tail, head, tail) || !unify_code(head, item_at(q, i)->value))
      return FALSE;
  return TRUE;
}

static int by_standard_order(const void *one, const void *other) {
  return compare_codes(((const value_count *)one)->value, ((const value_count *)other)->value);
}

/* Each as often as it was counted. */
static int add_counted(term_t tail, term_t head, const value_counts *v) {
  value_count *sorted = malloc((v->count + 1) * sizeof *sorted);
  uint64_t count = 0;
  if (!sorted)
    return PL_resource_error("memory");
  for (uint64_t i = 0; v->slots && i <= v->mask; i++)
    if (v->slots[i].count)
      sorted[count++] = v->slots[i];
  qsort(sorted, count, sizeof *sorted, by_standard_order);
  int done = TRUE;
  for (uint64_t i = 0; done && i < count; i++)
    for (int64_t n = 0; done && n < sorted[i].count; n++)
      done = PL_unify_list(tail, head, tail) && unify_code(head, sorted[i].value);
  free(sorted);
  return done;
}

static int add_texts(term_t tail, term_t head, const aggregate *k, const accumulator *a) {
  if (k->in_any_order)
    return !a->different || add_counted(tail, head, a->different);
  return add_values(tail, head, &a->always) && add_values(tail, head, &a->passing);
}

/* etalis_aggregate_values:joined(Separator, IsDistinct, Values, Literal) */
static void call_joined(void *about) {
  text_question *q = about;
  static predicate_t joined;
  if (!joined)
    joined = PL_predicate("joined", 4, "etalis_aggregate_values");
  fid_t frame = PL_open_foreign_frame();
  term_t arguments = frame ? PL_new_term_refs(4) : 0, tail = frame ? PL_copy_term_ref(arguments + 2) : 0;
  term_t head = frame ? PL_new_term_ref() : 0;
  q->done = head && unify_code(arguments, q->output->separator) && PL_unify_bool(arguments + 1, q->aggregate->is_distinct) &&
            add_texts(tail, head, q->aggregate, q->accumulator) && PL_unify_nil(tail) && PL_call_predicate(NULL, PL_Q_PASS_EXCEPTION, joined, arguments) &&
            code_of(q->engine, TRUE, arguments + 3, q->value) == FOUND;
  if (frame)
    PL_close_foreign_frame(frame);
}

static int joined_texts(engine *e, const aggregate *k, const output *o, const accumulator *a, code *value) {
  text_question q = {e, k, o, a, value, FALSE};
  call_outside(e, call_joined, &q);
  return q.done;
}

/* What an output reads off what is kept for it; an error is unbound. The code is the caller's to release. */
int result_of(engine *e, const aggregate *k, const output *o, const accumulator *a, code *value) {
  number count = {INTEGERS, FALSE, a->count, 1, 0};
  switch (k->kind) {
  case COUNTED:
    return number_term(e, &count, value);
  case SUMMED:
    return total_of(e, &a->sum, o->is_average, value);
  case TEXTS:
    if (!a->errors)
      return joined_texts(e, k, o, a, value);
    *value = unbound;
    break;
  default:
    *value = a->errors ? unbound : is_empty(&a->passing) ? a->lasting : item_at(&a->passing, a->passing.first)->value;
  }
  retain(*value);
  return TRUE;
}

/* One that answers have a column for; a decimal may be a short quotient. */
int is_number_to_show(const aggregate *k, const output *o, const accumulator *a, number *n) {
  if (k->kind == COUNTED)
    *n = (number){INTEGERS, FALSE, a->count, 1, 0};
  else if (k->kind != SUMMED || total_number(&a->sum, o->is_average, TRUE, n) != VALUE_IS)
    return FALSE;
  return n->rank != FLOATS && (n->rank != INTEGERS || (n->up < MOST_INTEGER && n->up > -MOST_INTEGER));
}

/* ---- what never leaves, and counts, as terms ---------------------------------------------------------------- */

static int counts_term(const value_counts *v, term_t tail, term_t head) {
  term_t value = PL_new_term_ref();
  for (uint64_t i = 0; v && v->slots && i <= v->mask; i++)
    if (v->slots[i].count &&
        (!PL_put_variable(value) || !unify_code(value, v->slots[i].value) || !PL_unify_list(tail, head, tail) ||
         !PL_unify_term(head, PL_FUNCTOR_CHARS, "-", 2, PL_TERM, value, PL_INT64, v->slots[i].count)))
      return FALSE;
  return PL_unify_nil(tail);
}

static int values_term(const aggregate *k, const accumulator *a, term_t term) {
  term_t tail = PL_copy_term_ref(term), head = PL_new_term_ref();
  const value_counts *v = a->different;
  if (k->in_any_order)
    return tail && head && counts_term(v, tail, head);
  if (k->kind == TEXTS)
    return tail && head && add_values(tail, head, &a->always) && PL_unify_nil(tail);
  for (uint64_t i = 0; v && v->slots && i <= v->mask; i++)
    if (v->slots[i].count == LASTING && (!PL_unify_list(tail, head, tail) || !unify_code(head, v->slots[i].value)))
      return FALSE;
  return PL_unify_nil(tail);
}

/* kept(Values, What): the values that DISTINCT and GROUP_CONCAT have for ever, or Value-Count of each where members leave in
   any order; What is a count, a sum, or Lasting-Errors. */
int accumulator_term(engine *e, const aggregate *k, const accumulator *a, term_t term) {
  term_t values = PL_new_term_ref(), what = PL_new_term_ref(), lasting = PL_new_term_ref();
  if (!lasting || !values_term(k, a, values))
    return FALSE;
  if (k->kind == COUNTED)
    return PL_unify_term(term, PL_FUNCTOR_CHARS, "kept", 2, PL_TERM, values, PL_INT64, a->count);
  if (k->kind == SUMMED)
    return sum_term(e, &a->sum, what) && PL_unify_term(term, PL_FUNCTOR_CHARS, "kept", 2, PL_TERM, values, PL_TERM, what);
  return unify_code(lasting, a->lasting) &&
         PL_unify_term(term, PL_FUNCTOR_CHARS, "kept", 2, PL_TERM, values, PL_FUNCTOR_CHARS, "-", 2, PL_TERM, lasting,
                       PL_INT64, a->errors);
}

static int count_comes(engine *e, const aggregate *k, accumulator *a, code value, int64_t count) {
  int done = is_ranked(k) ? ranked_comes(e, k, a, value) : value_comes(a, 0, value) >= 0;
  if (done)
    slot_of_value(a->different, value)->count = count;
  return done;
}

static int read_values(engine *e, const aggregate *k, accumulator *a, term_t list) {
  term_t head = PL_new_term_ref(), part = PL_new_term_ref();
  while (PL_get_list(list, head, list)) {
    code value;
    int64_t count = 0;
    if (k->in_any_order && (!PL_get_arg(2, head, part) || !PL_get_int64_ex(part, &count) || !PL_get_arg(1, head, head)))
      return FALSE;
    if (code_of(e, TRUE, head, &value) != FOUND)
      return FALSE;
    int done = k->in_any_order    ? count_comes(e, k, a, value, count)
               : k->kind == TEXTS ? text_comes(k, a, LASTING, value)
                                  : value_comes(a, LASTING, value) >= 0;
    release(e, value);
    if (!done)
      return FALSE;
  }
  return TRUE;
}

int read_accumulator(engine *e, const aggregate *k, accumulator *a, term_t term) {
  term_t values = PL_new_term_ref(), what = PL_new_term_ref(), part = PL_new_term_ref();
  if (!part || !PL_get_arg(1, term, values) || !PL_get_arg(2, term, what) || !read_values(e, k, a, values))
    return FALSE;
  if (k->kind == COUNTED)
    return PL_get_int64_ex(what, &a->count);
  if (k->kind == SUMMED)
    return read_sum(e, &a->sum, what);
  release(e, a->lasting);
  a->lasting = integer_code(0);
  return PL_get_arg(1, what, part) && code_of(e, TRUE, part, &a->lasting) == FOUND && PL_get_arg(2, what, part) &&
         PL_get_int64_ex(part, &a->errors);
}
