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
  int64_t x, y;
  if (usual_integer(a, &x) && usual_integer(b, &y)) {
    *order = (x > y) - (x < y);
    return TRUE;
  }
  *order = 0;
  if (a == b || quick_order(a, b, order))
    return TRUE;
  if (!prolog_value(e, "etalis_aggregate_values", "order_of_terms", about, 2, &found))
    return FALSE;
  *order = (int)((int64_t)found >> 2);
  return TRUE;
}

int order_by_keys(engine *e, const int *keys, int count, const code *a, const code *b, int *order) {
  *order = 0;
  for (int i = 0; !*order && i < count; i++) {
    int place = abs(keys[i]) - 1;
    if (!term_order(e, a[place], b[place], order))
      return FALSE;
    *order = keys[i] < 0 ? -*order : *order;
  }
  return TRUE;
}

int row_order(engine *e, const int *keys, int count, code a, code b, int *order) {
  if (!order_by_keys(e, keys, count, node_of(a)->parts, node_of(b)->parts, order))
    return FALSE;
  if (!*order)
    *order = compare_codes(a, b);
  return TRUE;
}

#define MOST_KEYS 16

enum result comes_before(engine *e, const code *a, code *value) {
  int keys[MOST_KEYS], count = 0, order;
  const node *rest;
  for (code list = a[0]; (rest = compound_of(list, pair)); list = rest->parts[1]) {
    if (count == MOST_KEYS)
      return VALUE_UNKNOWN;
    keys[count++] = (int)((int64_t)rest->parts[0] >> 2);
  }
  if (!row_order(e, keys, count, a[1], a[2], &order))
    return VALUE_BROKEN;
  *value = order < 0 ? is_true : is_false;
  return VALUE_IS;
}
