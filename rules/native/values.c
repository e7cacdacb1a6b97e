/*  Operators of SPARQL on the codes of terms.

    They agree with rules/sparql/values.pl and arithmetic.pl, and leave to them what is rare.
*/

#include "native.h"

#define XSD "http://www.w3.org/2001/XMLSchema#"

code unbound, xsd_string, is_true, is_false;
static code xsd_boolean, xsd_date_time, xsd_duration;
static functor_t language2, duration2;

static enum result truth(int is, code *value) {
  *value = is ? is_true : is_false;
  return VALUE_IS;
}

int is_blank(code term) {
  const char *text;
  size_t length;
  return TAG(term) == TAG_ATOM && text_of_name(term, &text, &length) && length >= 2 && text[0] == '_' && text[1] == ':';
}

static int is_text(code c) { return TAG(c) == TAG_NODE && node_of(c)->kind == STRING; }

/* ---- comparison ------------------------------------------------------------------------------------------ */

static int order_of(int64_t a, int64_t b) { return a < b ? -1 : a > b; }

static enum result compare_durations(const node *a, const node *b, int *order) {
  for (int i = 0; i < 2; i++)
    if (TAG(a->parts[i]) != TAG_INTEGER || TAG(b->parts[i]) != TAG_INTEGER)
      return VALUE_UNKNOWN;
  int months = order_of(a->parts[0], b->parts[0]), rest = order_of(a->parts[1], b->parts[1]);
  if (months && rest && months != rest)
    return VALUE_ERROR;
  *order = months ? months : rest;
  return VALUE_IS;
}

static enum result compare_texts(code a, code b, int *order) {
  const node *x = node_of(a), *y = node_of(b);
  size_t shorter = x->length < y->length ? x->length : y->length;
  int differs = memcmp(x->parts, y->parts, shorter);
  *order = differs ? differs : order_of(x->length, y->length);
  return VALUE_IS;
}

/* Of two literals that have an order: numbers, texts, times, durations. */
static enum result compare(code a, code b, int *order) {
  code x, y, type_x, type_y;
  number one, other;
  if (!is_literal(a, &x, &type_x) || !is_literal(b, &y, &type_y))
    return VALUE_UNKNOWN;
  const node *d = compound_of(x, duration2), *e = compound_of(y, duration2);
  if (d && e)
    return compare_durations(d, e, order);
  if (type_x == xsd_string && type_y == xsd_string && is_text(x) && is_text(y))
    return compare_texts(x, y, order);
  int rank_x = rank_of(type_x), rank_y = rank_of(type_y);
  if (type_x == xsd_date_time && type_y == xsd_date_time)
    rank_x = rank_y = INTEGERS;
  if (rank_x < 0 || plain_number(x, rank_x, &one) != VALUE_IS || rank_y < 0 ||
      plain_number(y, rank_y, &other) != VALUE_IS)
    return VALUE_UNKNOWN;
  return compare_numbers(&one, &other, order);
}

static enum result equal(engine *e, const code *a, code *value) {
  int order;
  if (a[0] == unbound || a[1] == unbound)
    return VALUE_ERROR;
  if (TAG(a[0]) == TAG_ATOM || TAG(a[1]) == TAG_ATOM)
    return truth(a[0] == a[1], value);
  if (compound_of(a[0], language2) || compound_of(a[1], language2))
    return truth(a[0] == a[1], value);
  enum result is = compare(a[0], a[1], &order);
  return is == VALUE_IS ? truth(!order, value) : is;
}

static enum result less(engine *e, const code *a, code *value) {
  int order;
  enum result is = compare(a[0], a[1], &order);
  return is == VALUE_IS ? truth(order < 0, value) : is;
}

static enum result less_or_equal(engine *e, const code *a, code *value) {
  int order;
  enum result is = compare(a[0], a[1], &order);
  return is == VALUE_IS ? truth(order <= 0, value) : is;
}

static enum result same_term(engine *e, const code *a, code *value) { return truth(a[0] == a[1], value); }

static enum result compatible(engine *e, const code *a, code *value) {
  if (a[0] != a[1] && a[0] != unbound && a[1] != unbound)
    return VALUE_ERROR;
  *value = a[0] == unbound ? a[1] : a[0];
  if (TAG(*value) == TAG_NODE)
    retain(*value);
  return VALUE_IS;
}

/* ---- truth ----------------------------------------------------------------------------------------------- */

static enum result effective_truth(engine *e, const code *a, code *value) {
  code x, type;
  number n;
  const node *in_language = compound_of(a[0], language2);
  if (in_language)
    return is_text(in_language->parts[0]) ? truth(node_of(in_language->parts[0])->length > 0, value) : VALUE_UNKNOWN;
  if (!is_literal(a[0], &x, &type))
    return TAG(a[0]) == TAG_ATOM ? VALUE_ERROR : VALUE_UNKNOWN;
  if (type == xsd_boolean)
    return truth(x == is_true, value);
  if (type == xsd_string && is_text(x))
    return truth(node_of(x)->length > 0, value);
  if (read_number(a[0], &n) != VALUE_IS)
    return VALUE_UNKNOWN;
  return truth(n.is_real ? n.real < 0 || n.real > 0 : n.up != 0, value);
}

/* ---- arithmetic ------------------------------------------------------------------------------------------ */

static enum result combined(engine *e, const code *a, int negates,
                            enum result (*operate)(const number *, const number *, number *), code *value) {
  number x, y, found;
  if (read_number(a[0], &x) != VALUE_IS || read_number(a[1], &y) != VALUE_IS)
    return VALUE_UNKNOWN;
  if (negates)
    y = negated(&y);
  enum result is = operate(&x, &y, &found);
  return is != VALUE_IS ? is : number_term(e, &found, value) ? VALUE_IS : VALUE_BROKEN;
}

static enum result add(engine *e, const code *a, code *value) { return combined(e, a, FALSE, add_numbers, value); }

static enum result subtract(engine *e, const code *a, code *value) {
  return combined(e, a, TRUE, add_numbers, value);
}

static enum result multiply(engine *e, const code *a, code *value) {
  return combined(e, a, FALSE, multiply_numbers, value);
}

static enum result divide(engine *e, const code *a, code *value) {
  return combined(e, a, FALSE, divide_numbers, value);
}

static enum result signed_number(engine *e, code a, int negates, code *value) {
  number n;
  if (read_number(a, &n) != VALUE_IS || n.is_real)
    return VALUE_UNKNOWN;
  if (negates)
    n = negated(&n);
  return number_term(e, &n, value) ? VALUE_IS : VALUE_BROKEN;
}

static enum result unary_minus(engine *e, const code *a, code *value) { return signed_number(e, a[0], TRUE, value); }

static enum result unary_plus(engine *e, const code *a, code *value) { return signed_number(e, a[0], FALSE, value); }

/* ---- times of a solution --------------------------------------------------------------------------------- */

static enum result literal(engine *e, code x, code type, code *value) {
  return literal_code(e, x, type, value) ? VALUE_IS : VALUE_BROKEN;
}

static enum result moment(engine *e, const code *a, code *value) { return literal(e, a[0], xsd_date_time, value); }

static enum result length(engine *e, const code *a, code *value) {
  if (TAG(a[0]) != TAG_INTEGER || TAG(a[1]) != TAG_INTEGER)
    return VALUE_UNKNOWN;
  int64_t span = ((int64_t)a[1] >> 2) - ((int64_t)a[0] >> 2);
  if (span < 0)
    return VALUE_ERROR;
  if (span >= MOST_INTEGER)
    return VALUE_UNKNOWN;
  code parts[2] = {integer_code(0), integer_code(span)}, duration;
  if (node_code(e, TRUE, COMPOUND, duration2, 2, parts, sizeof parts, &duration) != FOUND)
    return VALUE_BROKEN;
  enum result is = literal(e, duration, xsd_duration, value);
  release(e, duration);
  return is;
}

static enum result length_of_times(engine *e, const code *a, code *value) {
  code times[2], type;
  if (!is_literal(a[0], times, &type) || !is_literal(a[1], times + 1, &type))
    return VALUE_UNKNOWN;
  return length(e, times, value);
}

/* ---- their names ----------------------------------------------------------------------------------------- */

operation operation_of(const char *name, size_t arity) {
  static const struct {
    const char *name;
    size_t arity;
    operation is;
  } all[] = {{"equal", 3, equal},
             {"less", 3, less},
             {"less_or_equal", 3, less_or_equal},
             {"same_term", 3, same_term},
             {"compatible", 3, compatible},
             {"row_before", 4, comes_before},
             {"ebv", 2, effective_truth},
             {"add", 3, add},
             {"subtract", 3, subtract},
             {"multiply", 3, multiply},
             {"divide", 3, divide},
             {"unary_minus", 2, unary_minus},
             {"unary_plus", 2, unary_plus},
             {"f_getstarttime", 2, moment},
             {"f_getendtime", 2, moment},
             {"f_getduration", 3, length},
             {"f_length", 3, length_of_times},
             {"summed", 3, summed},
             {"carried", 4, carried},
             {"sum_since", 3, sum_since},
             {"average_since", 4, average_since},
             {"lesser", 3, lesser},
             {"greater", 3, greater},
             {"longer", 3, longer},
             {"ends_with", 3, ends_with}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].arity == arity && !strcmp(all[i].name, name))
      return all[i].is;
  return NULL;
}

void install_values(void) {
  is_true = lasting_code("true");
  is_false = lasting_code("false");
  unbound = lasting_code("$unbound");
  xsd_string = lasting_code(XSD "string");
  xsd_boolean = lasting_code(XSD "boolean");
  xsd_date_time = lasting_code(XSD "dateTime");
  xsd_duration = lasting_code(XSD "duration");
  language2 = PL_new_functor(PL_new_atom("@"), 2);
  duration2 = PL_new_functor(PL_new_atom("duration"), 2);
}
