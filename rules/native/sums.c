/*  Sums that forget exactly.

    SPARQL 1.1 sections 18.5.1.3 and 18.5.1.4. The sum is exact, of doubles too: a number that leaves takes away just what
    it brought, the order does not matter, and a sum of floats or doubles is rounded once, when it is asked for (to an
    infinity where it is out of range). NaN, INF and -INF are counted apart, as are the values that are not numbers, and
    the members of each rank of type: the type of the sum is that of what is in it now. A count of a rank has the special
    ones of that rank in it.

    The bits of floats are summed in limbs of 32, each with room for 2^31 of them: limb i counts 2^(32 i - BEFORE). What is
    too long for `exact` is summed by Prolog, and so is what is neither a float nor in whole units (aggregate_numbers.pl).
*/

#include "groups.h"
#include <math.h>

#define LIMBS 68
#define BEFORE 1088
#define MOST_ADDED ((int64_t)1 << 30)
#define MOST_SUM ((wide)1 << 118)
#define MOST_UNIT ((int64_t)1000000000000000000)

void begin_sum(sum *s) { *s = (sum){.unit = 1, .rest = integer_code(0)}; }

void forget_sum(engine *e, sum *s) {
  release(e, s->rest);
  free(s->bits);
}

int64_t sum_bytes(const sum *s) { return s->bits ? LIMBS * sizeof *s->bits : 0; }

/* ---- the bits of floats ----------------------------------------------------------------------------------- */

static void add_bits(int64_t *limbs, unsigned __int128 size, int place, int step) {
  for (int64_t *limb = limbs + place; size; size >>= 32)
    *limb++ += step * (int64_t)(size & 0xffffffff);
}

/* All limbs but the last are from 0 to 2^32 then. */
static void carry_bits(int64_t *limbs) {
  for (int i = 0; i + 1 < LIMBS; i++) {
    limbs[i + 1] += limbs[i] >> 32;
    limbs[i] &= 0xffffffff;
  }
}

static int add_real(sum *s, double x, int step) {
  if (!s->bits && !(s->bits = calloc(LIMBS, sizeof *s->bits)))
    return PL_resource_error("memory");
  if (s->carry++ == MOST_ADDED) {
    carry_bits(s->bits);
    s->carry = 0;
  }
  int exponent;
  int64_t size = (int64_t)ldexp(frexp(fabs(x), &exponent), 53);
  int at = exponent - 53 + BEFORE;
  if (at < 0) { /* a subnormal float: its last bits are none */
    size >>= -at;
    at = 0;
  }
  add_bits(s->bits, (unsigned __int128)size << (at & 31), at >> 5, x < 0 ? -step : step);
  return TRUE;
}

/* The bits of normal limbs from `from` on; `top` is the last that is set. */
static uint64_t bits_from(const int64_t *limbs, int from, int top) {
  unsigned __int128 found = 0;
  for (int i = top >> 5; i >= from >> 5; i--)
    found = found << 32 | limbs[i];
  return found >> (from & 31);
}

static int any_before(const int64_t *limbs, int end) {
  for (int i = 0; i < end >> 5; i++)
    if (limbs[i])
      return TRUE;
  return (limbs[end >> 5] & (((int64_t)1 << (end & 31)) - 1)) != 0;
}

/* The float nearest to the limbs, of two the even one: of `precision` bits, the last of them 2^least or more. */
static double nearest(int64_t *limbs, int precision, int least, int most) {
  carry_bits(limbs);
  int is_negative = limbs[LIMBS - 1] < 0;
  if (is_negative) {
    for (int i = 0; i < LIMBS; i++)
      limbs[i] = -limbs[i];
    carry_bits(limbs);
  }
  int last = LIMBS - 1;
  while (last >= 0 && !limbs[last])
    last--;
  if (last < 0)
    return 0.0;
  int top = 32 * last + 63 - __builtin_clzll(limbs[last]);
  int low = top - precision + 1 > least + BEFORE ? top - precision + 1 : least + BEFORE;
  uint64_t size = bits_from(limbs, low, top);
  int is_half = limbs[(low - 1) >> 5] >> ((low - 1) & 31) & 1;
  size += is_half && (size & 1 || any_before(limbs, low - 1));
  double found = ldexp((double)size, low - BEFORE);
  if (found >= ldexp(1, most))
    found = INFINITY;
  return is_negative ? -found : found;
}

/* ---- members ---------------------------------------------------------------------------------------------- */

static wide size_of(wide x) { return x < 0 ? -x : x; }

/* rest + step * value */
static int add_to_rest(engine *e, sum *s, code value, int step) {
  code found, about[] = {s->rest, value, integer_code(step)};
  if (!prolog_value(e, "etalis_aggregate_numbers", "add_exact", about, 3, &found))
    return FALSE;
  release(e, s->rest);
  s->rest = found;
  return TRUE;
}

static enum result exact_number(const sum *s, enum rank rank, number *n) {
  number total = {INTEGERS, FALSE, s->exact, 1, 0}, unit = {INTEGERS, FALSE, s->unit, 1, 0};
  *n = total;
  if (s->unit != 1 && divide_numbers(&total, &unit, n) != VALUE_IS)
    return VALUE_UNKNOWN;
  n->rank = rank;
  return VALUE_IS;
}

static int exact_literal(engine *e, const sum *s, code *value) {
  number n;
  return exact_number(s, DECIMALS, &n) == VALUE_IS && number_term(e, &n, value);
}

static int move_to_rest(engine *e, sum *s) {
  code value;
  if (!exact_literal(e, s, &value) || !add_to_rest(e, s, value, 1))
    return FALSE;
  release(e, value);
  s->exact = 0;
  return TRUE;
}

/* The number is a whole number of units then, if the unit may be as small as that. */
static int has_unit(sum *s, int64_t down) {
  int64_t unit = s->unit;
  wide exact = s->exact;
  while (unit % down) {
    if (unit == MOST_UNIT || size_of(exact) > MOST_SUM / 10)
      return FALSE;
    unit *= 10;
    exact *= 10;
  }
  s->unit = unit;
  s->exact = exact;
  return TRUE;
}

static int add_exact(engine *e, sum *s, const number *n, code value, int step) {
  wide units = n->up;
  if (n->down != s->unit) {
    if (!has_unit(s, n->down) || size_of(units) > MOST_SUM / (s->unit / n->down))
      return add_to_rest(e, s, value, step);
    units *= s->unit / n->down;
  }
  s->exact += step * units;
  return size_of(s->exact) <= MOST_SUM || move_to_rest(e, s);
}

int count_value(engine *e, sum *s, code value, int step) {
  number n;
  int64_t integer;
  if (s->unit == 1 && usual_integer(value, &integer)) {
    s->ranks[INTEGERS] += step;
    s->exact += step * integer;
    return size_of(s->exact) <= MOST_SUM || move_to_rest(e, s);
  }
  enum result is = read_number(value, &n);
  if (is == VALUE_ERROR) {
    s->errors += step;
    return TRUE;
  }
  if (is == VALUE_UNKNOWN) {
    code x, type;
    is_literal(value, &x, &type);
    s->ranks[rank_of(type)] += step;
    return add_to_rest(e, s, value, step);
  }
  s->ranks[n.rank] += step;
  if (!n.is_real)
    return add_exact(e, s, &n, value, step);
  if (isfinite(n.real))
    return add_real(s, n.real, step);
  *(isnan(n.real) ? &s->not_a_number : n.real > 0 ? &s->positive : &s->negative) += step;
  return TRUE;
}

/* ---- results ---------------------------------------------------------------------------------------------- */

static int has_rest(const sum *s) { return s->rest != integer_code(0); }

/* What is rare: aggregate_numbers.pl has all that is known. */
static int ask_result(engine *e, const sum *s, const char *name, code *value);

static enum rank rank_of_sum(const sum *s) {
  enum rank rank = DOUBLES;
  while (rank > INTEGERS && !s->ranks[rank])
    rank--;
  return rank;
}

/* A sum of floats or doubles. False: it is left to Prolog. */
static int real_sum(const sum *s, enum rank rank, double *x) {
  if (s->not_a_number || s->positive || s->negative) {
    *x = s->not_a_number || (s->positive && s->negative) ? NAN : s->positive ? INFINITY : -INFINITY;
    return TRUE;
  }
  if (has_rest(s) || s->exact % s->unit)
    return FALSE;
  int64_t limbs[LIMBS] = {0};
  if (s->bits)
    memcpy(limbs, s->bits, sizeof limbs);
  carry_bits(limbs);
  wide whole = s->exact / s->unit;
  add_bits(limbs, size_of(whole), BEFORE / 32, whole < 0 ? -1 : 1);
  *x = rank == DOUBLES ? nearest(limbs, 53, -1074, 1024) : nearest(limbs, 24, -149, 128);
  return TRUE;
}

static enum result real_result(double x, enum rank rank, number *n) {
  *n = (number){rank, TRUE, 0, 1, x};
  return VALUE_IS;
}

static enum result sum_number(const sum *s, number *n) {
  enum rank rank = rank_of_sum(s);
  double x;
  if (s->errors)
    return VALUE_ERROR;
  if (rank >= FLOATS)
    return real_sum(s, rank, &x) ? real_result(x, rank, n) : VALUE_UNKNOWN;
  return has_rest(s) ? VALUE_UNKNOWN : exact_number(s, rank, n);
}

/* SUM divided by COUNT, as the specification defines it; it may be left as a short quotient. */
static enum result average_number(const sum *s, int may_be_short, number *n) {
  enum rank rank = rank_of_sum(s);
  int64_t count = s->ranks[INTEGERS] + s->ranks[DECIMALS] + s->ranks[FLOATS] + s->ranks[DOUBLES];
  double x;
  if (s->errors || !count)
    return sum_number(s, n);
  if (rank >= FLOATS && real_sum(s, rank, &x))
    return real_result(isnan(x) ? NAN : rank == DOUBLES ? x / count : (float)(x / (float)count), rank, n);
  if (rank >= FLOATS || has_rest(s))
    return VALUE_UNKNOWN;
  wide down = (wide)count * s->unit;
  if (may_be_short && is_short_quotient(s->exact, down)) {
    *n = (number){DECIMALS, FALSE, s->exact, down, 0};
    return VALUE_IS;
  }
  return exact_quotient(s->exact, down, n);
}

enum result total_number(const sum *s, int is_average, int may_be_short, number *n) {
  return is_average ? average_number(s, may_be_short, n) : sum_number(s, n);
}

int total_of(engine *e, const sum *s, int is_average, code *value) {
  number n;
  switch (total_number(s, is_average, FALSE, &n)) {
  case VALUE_IS:
    return number_term(e, &n, value);
  case VALUE_ERROR:
    retain(*value = unbound);
    return TRUE;
  default:
    return ask_result(e, s, is_average ? "average_of" : "sum_of", value);
  }
}

/* ---- as terms: sum(Exact, Rest, Bits, Integers, Decimals, Floats, Doubles, NaNs, Positives, Negatives, Errors) ------ */

#define PARTS 11
#define COUNTS (PARTS - 3)

static void counts_of(const sum *s, int64_t *counts) {
  memcpy(counts, s->ranks, sizeof s->ranks);
  counts[4] = s->not_a_number, counts[5] = s->positive, counts[6] = s->negative, counts[7] = s->errors;
}

int sum_term(engine *e, const sum *s, term_t term) {
  code exact;
  int64_t counts[COUNTS];
  term_t part = PL_new_term_ref(), head = PL_new_term_ref();
  if (!part || !head || !PL_unify_functor(term, PL_new_functor(PL_new_atom("sum"), PARTS)) ||
      !exact_literal(e, s, &exact))
    return FALSE;
  _PL_get_arg(1, term, part);
  int done = unify_code(part, exact);
  release(e, exact);
  _PL_get_arg(2, term, part);
  done = done && unify_code(part, s->rest);
  _PL_get_arg(3, term, part);
  for (int i = 0; done && s->bits && i < LIMBS; i++)
    done = PL_unify_list(part, head, part) && PL_unify_int64(head, s->bits[i]);
  done = done && PL_unify_nil(part);
  counts_of(s, counts);
  for (int i = 0; done && i < COUNTS; i++) {
    _PL_get_arg(i + 4, term, part);
    done = PL_unify_int64(part, counts[i]);
  }
  return done;
}

int read_sum(engine *e, sum *s, term_t term) {
  code exact;
  number n;
  int64_t counts[COUNTS];
  term_t part = PL_new_term_ref(), head = PL_new_term_ref();
  if (!part || !head || !PL_get_arg(1, term, part) || code_of(e, TRUE, part, &exact) != FOUND)
    return FALSE;
  int done = read_number(exact, &n) == VALUE_IS && add_exact(e, s, &n, exact, 1);
  release(e, exact);
  if (!done || !PL_get_arg(2, term, part) || code_of(e, TRUE, part, &s->rest) != FOUND || !PL_get_arg(3, term, part))
    return FALSE;
  for (int i = 0; i < LIMBS && PL_get_list(part, head, part); i++) {
    if (!s->bits && !(s->bits = calloc(LIMBS, sizeof *s->bits)))
      return PL_resource_error("memory");
    if (!PL_get_int64_ex(head, s->bits + i))
      return FALSE;
  }
  for (int i = 0; i < COUNTS; i++)
    if (!PL_get_arg(i + 4, term, part) || !PL_get_int64_ex(part, counts + i))
      return FALSE;
  memcpy(s->ranks, counts, sizeof s->ranks);
  s->not_a_number = counts[4], s->positive = counts[5], s->negative = counts[6], s->errors = counts[7];
  s->carry = MOST_ADDED;
  return TRUE;
}

typedef struct {
  engine *engine;
  const sum *sum;
  const char *name;
  code *value;
  int done;
} result_question;

static void call_result(void *about) {
  result_question *q = about;
  fid_t frame = PL_open_foreign_frame();
  term_t arguments = frame ? PL_new_term_refs(2) : 0;
  q->done = arguments && sum_term(q->engine, q->sum, arguments) &&
            PL_call_predicate(NULL, PL_Q_PASS_EXCEPTION, PL_predicate(q->name, 2, "etalis_aggregate_numbers"),
                              arguments) &&
            code_of(q->engine, TRUE, arguments + 1, q->value) == FOUND;
  if (frame)
    PL_close_foreign_frame(frame);
}

static int ask_result(engine *e, const sum *s, const char *name, code *value) {
  result_question q = {e, s, name, value, FALSE};
  call_outside(e, call_result, &q);
  return q.done;
}
