/*  What runs of a REPEAT keep of the values of their iterations: as rules/operators/iterations.pl says it.

    What is rare is left to that.
*/

#include "native.h"

static functor_t so_far3;
static code none;

static enum result made(engine *e, functor_t functor, size_t length, const code *parts, code *value) {
  return node_code(e, TRUE, COMPOUND, functor, length, parts, length * sizeof *parts, value) == FOUND ? VALUE_IS
                                                                                                   : VALUE_BROKEN;
}

/* so_far(Exact, Decimals, Others) with a value that is neither an integer nor a decimal. */
static enum result summed_apart(engine *e, const node *sum, code x, code *value) {
  code cell[] = {x, sum->parts[2]}, parts[] = {sum->parts[0], sum->parts[1], 0};
  enum result is = made(e, pair, 2, cell, parts + 2);
  if (is == VALUE_IS) {
    is = made(e, so_far3, 3, parts, value);
    release(e, parts[2]);
  }
  return is;
}

enum result summed(engine *e, const code *a, code *value) {
  const node *sum = compound_of(a[0], so_far3);
  number total, n;
  if (!sum || read_number(sum->parts[0], &total) != VALUE_IS)
    return VALUE_UNKNOWN;
  enum result is = read_number(a[1], &n);
  if (is == VALUE_ERROR || (is == VALUE_IS && n.rank > DECIMALS))
    return summed_apart(e, sum, a[1], value);
  if (is != VALUE_IS || (is = add_numbers(&total, &n, &total)) != VALUE_IS)
    return is;
  code parts[] = {0, sum->parts[1] + (n.rank == DECIMALS ? integer_code(1) - integer_code(0) : 0), sum->parts[2]};
  if (!number_term(e, &total, parts))
    return VALUE_BROKEN;
  is = made(e, so_far3, 3, parts, value);
  release(e, parts[0]);
  return is;
}

/* Of integers and decimals. */
static enum result exact_since(const code *a, number *found) {
  const node *then = compound_of(a[0], so_far3), *now = compound_of(a[1], so_far3);
  number before, after;
  if (!then || !now || then->parts[2] != now->parts[2] || read_number(then->parts[0], &before) != VALUE_IS ||
      read_number(now->parts[0], &after) != VALUE_IS)
    return VALUE_UNKNOWN;
  before = negated(&before);
  enum result is = add_numbers(&after, &before, found);
  found->rank = then->parts[1] == now->parts[1] ? INTEGERS : DECIMALS;
  return is;
}

enum result carried(engine *e, const code *a, code *value) {
  const node *sum = compound_of(a[0], so_far3);
  number total, came;
  enum result is = exact_since(a + 1, &came);
  if (is != VALUE_IS)
    return is;
  if (!sum || read_number(sum->parts[0], &total) != VALUE_IS)
    return VALUE_UNKNOWN;
  if ((is = add_numbers(&total, &came, &total)) != VALUE_IS)
    return is;
  code decimals = sum->parts[1] + node_of(a[2])->parts[1] - node_of(a[1])->parts[1];
  code parts[] = {0, decimals, sum->parts[2]};
  if (!number_term(e, &total, parts))
    return VALUE_BROKEN;
  is = made(e, so_far3, 3, parts, value);
  release(e, parts[0]);
  return is;
}

enum result sum_since(engine *e, const code *a, code *value) {
  number sum;
  enum result is = exact_since(a, &sum);
  return is != VALUE_IS ? is : number_term(e, &sum, value) ? VALUE_IS : VALUE_BROKEN;
}

enum result average_since(engine *e, const code *a, code *value) {
  number sum, count = {INTEGERS, FALSE, (int64_t)a[2] >> 2, 1, 0};
  enum result is = exact_since(a, &sum);
  if (is == VALUE_IS && count.up)
    is = divide_numbers(&sum, &count, &sum);
  return is != VALUE_IS ? is : number_term(e, &sum, value) ? VALUE_IS : VALUE_BROKEN;
}

/* ---- least and greatest values ----------------------------------------------------------------------------- */

static enum result extreme(engine *e, code best, code x, int wanted, code *value) {
  int order = 0;
  if (best == none)
    *value = x;
  else if (best == unbound || x == unbound)
    *value = unbound;
  else if (!term_order(e, x, best, &order))
    return VALUE_BROKEN;
  else
    *value = (order ? (order < 0) == (wanted < 0) : compare_codes(x, best) < 0) ? x : best;
  retain(*value);
  return VALUE_IS;
}

enum result lesser(engine *e, const code *a, code *value) { return extreme(e, a[0], a[1], -1, value); }
enum result greater(engine *e, const code *a, code *value) { return extreme(e, a[0], a[1], 1, value); }

/* ---- which runs are longer: lists with one end are one ------------------------------------------------------- */

static code rest_of(code list) {
  const node *n = compound_of(list, pair);
  return n ? n->parts[1] : 0;
}

enum result longer(engine *e, const code *a, code *value) {
  code rest = rest_of(a[0]);
  while (rest && rest != a[1])
    rest = rest_of(rest);
  *value = rest ? is_true : is_false;
  return VALUE_IS;
}

enum result ends_with(engine *e, const code *a, code *value) {
  code list = a[0], end = a[1];
  const node *one = compound_of(list, pair), *other = compound_of(end, pair);
  int is = other != NULL;
  for (; one && other && (is = one->parts[0] == other->parts[0]);
       one = compound_of(one->parts[1], pair), other = compound_of(other->parts[1], pair))
    ;
  *value = is && one && !other ? is_true : is_false;
  return VALUE_IS;
}

void install_iterations(void) {
  so_far3 = PL_new_functor(PL_new_atom("so_far"), 3);
  none = lasting_code("none");
}
