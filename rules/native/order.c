/*  The order of ORDER BY (rules/sparql/order.pl). */

#include "native.h"

/* False: the order is left to Prolog. */
static int compare_exactly(const number *a, const number *b, int *order) {
  if (a->is_real != b->is_real) {
    const number *whole = a->is_real ? b : a;
    if (whole->down != 1 || whole->up >= (wide)1 << 53 || whole->up <= -((wide)1 << 53))
      return FALSE;
  }
  return compare_numbers(a, b, order) == VALUE_IS && *order != UNORDERED;
}

/* What is no literal comes first: unbound, blank nodes, IRIs. */
static int class_of(code c) { return TAG(c) != TAG_ATOM ? 3 : c == unbound ? 0 : is_blank(c) ? 1 : 2; }

/* Of what is usual. */
static int quick_order(code a, code b, int *order) {
  number x, y;
  code text_a, text_b, type_a, type_b;
  if (TAG(a) == TAG_ATOM || TAG(b) == TAG_ATOM) {
    int differ = class_of(a) - class_of(b);
    *order = differ ? differ : compare_codes(a, b);
    return TRUE;
  }
  enum result is = read_number(a, &x), is_other = read_number(b, &y);
  if (is == VALUE_IS && is_other == VALUE_IS)
    return compare_exactly(&x, &y, order);
  if (!is_literal(a, &text_a, &type_a) || !is_literal(b, &text_b, &type_b) || type_a != xsd_string ||
      type_b != xsd_string)
    return FALSE;
  *order = compare_codes(text_a, text_b);
  return TRUE;
}

int term_order(engine *e, code a, code b, int *order) {
  code found, about[] = {a, b};
  *order = 0;
  if (a == b || quick_order(a, b, order))
    return TRUE;
  if (!prolog_value(e, "etalis_aggregate_values", "order_of_terms", about, 2, &found))
    return FALSE;
  *order = (int)((int64_t)found >> 2);
  return TRUE;
}
