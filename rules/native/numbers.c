/*  Numbers of RDF: exact ones of up to 120 bits, and floats.

    What is longer, and what does not come to a finite float, is left to Prolog (rules/sparql/arithmetic.pl), which these
    functions agree with in all that they do.
*/

#include "native.h"
#include <math.h>
#include <stdio.h>

#define XSD "http://www.w3.org/2001/XMLSchema#"
#define MOST_BITS 120
#define MOST_DIGITS 37 /* fewer than 125 bits */
#define MOST_DOWN ((int64_t)1 << 60)
#define PLACES ((int64_t)1000000000000000000) /* of a quotient that does not end before */
#define HALF_PLACES ((int64_t)1000000000)     /* PLACES is its square */
#define MOST_BY_HALVES ((int64_t)1 << 33)     /* HALF_PLACES of them are a number of 64 bits */

static const struct {
  const char *name;
  enum rank rank;
} types[] = {{XSD "integer", INTEGERS}, /* first */
             {XSD "double", DOUBLES},
             {XSD "decimal", DECIMALS},
             {XSD "float", FLOATS},
             {XSD "nonPositiveInteger", INTEGERS},
             {XSD "negativeInteger", INTEGERS},
             {XSD "nonNegativeInteger", INTEGERS},
             {XSD "positiveInteger", INTEGERS},
             {XSD "long", INTEGERS},
             {XSD "int", INTEGERS},
             {XSD "short", INTEGERS},
             {XSD "byte", INTEGERS},
             {XSD "unsignedLong", INTEGERS},
             {XSD "unsignedInt", INTEGERS},
             {XSD "unsignedShort", INTEGERS},
             {XSD "unsignedByte", INTEGERS}};
#define TYPES (sizeof types / sizeof *types)

functor_t typed2;
code integer_type, decimal_type, double_type;
static code type_codes[TYPES], result_types[DOUBLES + 1];
static functor_t lexical2;

/* ---- exact numbers --------------------------------------------------------------------------------------- */

static int bits_of(wide x) {
  unsigned __int128 size = x < 0 ? -(unsigned __int128)x : (unsigned __int128)x;
  uint64_t high = size >> 64, low = size;
  return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

static int can_multiply(wide a, wide b) { return bits_of(a) + bits_of(b) <= 125; }

static wide common_divisor(wide a, wide b) {
  while (b && (a != (int64_t)a || b != (int64_t)b)) {
    wide rest = a % b;
    a = b;
    b = rest;
  }
  for (int64_t x = b ? a : 0, y = b, rest; y; y = rest) { /* which is faster */
    rest = y == -1 ? 0 : x % y;
    x = y;
    a = x;
  }
  return a < 0 ? -a : a;
}

/* `by` is above 0. Where both have 64 bits, it takes a fraction of the time. */
static wide divided(wide x, wide by) {
  return x == (int64_t)x && by == (int64_t)by ? (int64_t)x / (int64_t)by : x / by;
}

/* up/down in lowest terms; down is above 0. */
static enum result exact(wide up, wide down, enum rank rank, number *n) {
  wide common = down == 1 ? 1 : common_divisor(up, down);
  if (common != 1) {
    up = divided(up, common);
    down = divided(down, common);
  }
  if (bits_of(up) > MOST_BITS || down > MOST_DOWN)
    return VALUE_UNKNOWN;
  *n = (number){rank, FALSE, up, down, 0};
  return VALUE_IS;
}

/* How many places a decimal with this part below has in lowest terms, -1 if it has no end. */
static int places_of(int64_t down) {
  if (down == PLACES) /* as most that were rounded */
    return 18;
  int twos = __builtin_ctzll(down), fives = 0;
  for (down >>= twos; !(down % 5); down /= 5)
    fives++;
  return down != 1 ? -1 : twos > fives ? twos : fives;
}

/* By a power of five, which is constant: then no division is needed. */
static inline void shorten(int64_t *part, int64_t *down, int64_t power) {
  for (; !(*part % power) && !(*down % power); *down /= power)
    *part /= power;
}

/* whole + part/PLACES in lowest terms */
static enum result in_places(wide whole, int64_t part, number *n) {
  int64_t down = PLACES;
  int twos = __builtin_ctzll(part | down);
  part >>= twos, down >>= twos;
  shorten(&part, &down, 1953125), shorten(&part, &down, 625), shorten(&part, &down, 25), shorten(&part, &down, 5);
  if (bits_of(whole) + bits_of(down) > MOST_BITS)
    return VALUE_UNKNOWN;
  *n = (number){DECIMALS, FALSE, whole * down + part, down, 0};
  return VALUE_IS;
}

/* rest * PLACES / down, where rest is below down and takes what remains. */
static int64_t places_behind(int64_t *rest, int64_t down) {
  if (down > MOST_BY_HALVES) {
    wide all = (wide)*rest * PLACES;
    int64_t part = all / down;
    *rest = all - (wide)part * down;
    return part;
  }
  int64_t first = *rest * HALF_PLACES / down;
  *rest = *rest * HALF_PLACES % down;
  int64_t second = *rest * HALF_PLACES / down;
  *rest = *rest * HALF_PLACES % down;
  return first * HALF_PLACES + second;
}

/* Half to even: what is behind is rest/down of a place. */
static int is_rounded_up(int64_t rest, int64_t down, int64_t part) {
  return 2 * rest > down || (2 * rest == down && part & 1);
}

/* Rounded to PLACES. */
static enum result rounded_quotient(wide up, int64_t down, number *n) {
  wide whole = divided(up, down);
  int64_t rest = up - whole * down;
  if (rest < 0)
    whole--, rest += down;
  int64_t part = places_behind(&rest, down);
  return in_places(whole, part + is_rounded_up(rest, down, part), n);
}

enum result exact_quotient(wide up, wide down, number *n) {
  if (!down)
    return VALUE_ERROR;
  if (down < 0)
    up = -up, down = -down;
  if (up == (int64_t)up && down <= MOST_ENDING)
    return rounded_quotient(up, down, n);
  enum result is = exact(up, down, DECIMALS, n);
  if (is != VALUE_IS || places_of(n->down) >= 0)
    return is;
  return can_multiply(n->up, PLACES) ? rounded_quotient(n->up, n->down, n) : VALUE_UNKNOWN;
}

/* ---- from and to terms ----------------------------------------------------------------------------------- */

static const char *read_digits(const char *at, const char *end, wide *value) {
  const char *most = end - at > MOST_DIGITS ? at + MOST_DIGITS : end;
  for (*value = 0; at < most && *at >= '0' && *at <= '9'; at++)
    *value = 10 * *value + (*at - '0');
  return at;
}

/* The text of an integer, or of a ratio as Prolog writes it: 5r2. */
enum result exact_of(const char *text, size_t length, wide *up, int64_t *down) {
  const char *at = text, *end = at + length;
  int is_negative = *at == '-';
  wide below = 1;
  at = read_digits(at + is_negative, end, up);
  if (at < end && *at == 'r')
    at = read_digits(at + 1, end, &below);
  if (at < end || bits_of(*up) > MOST_BITS || below > MOST_DOWN)
    return VALUE_UNKNOWN;
  *up = is_negative ? -*up : *up;
  *down = below;
  return VALUE_IS;
}

void parts_of(const node *n, wide *up, int64_t *down) {
  *up = (wide)((unsigned __int128)n->parts[1] << 64 | n->parts[0]);
  *down = n->parts[2];
}

int rank_of(code type) {
  for (size_t i = 0; i < TYPES; i++)
    if (type_codes[i] == type)
      return types[i].rank;
  return -1;
}

enum result plain_number(code c, enum rank rank, number *found) {
  if (TAG(c) == TAG_INTEGER) {
    *found = (number){rank, FALSE, (int64_t)c >> 2, 1, 0};
    return VALUE_IS;
  }
  const node *n = TAG(c) == TAG_NODE ? node_of(c) : NULL;
  if (n && n->kind == LONG)
    return VALUE_UNKNOWN;
  if (n && n->kind == EXACT) {
    *found = (number){rank, FALSE, 0, 1, 0};
    parts_of(n, &found->up, &found->down);
    return VALUE_IS;
  }
  if (!n || n->kind != REAL)
    return VALUE_ERROR;
  *found = (number){rank, TRUE, 0, 1, 0};
  memcpy(&found->real, n->parts, sizeof found->real);
  return VALUE_IS;
}

int is_literal(code term, code *value, code *type) {
  const node *n = TAG(term) == TAG_NODE ? node_of(term) : NULL;
  if (!n || n->kind != COMPOUND || n->functor != typed2)
    return FALSE;
  *value = n->parts[0];
  *type = n->parts[1];
  n = TAG(*value) == TAG_NODE ? node_of(*value) : NULL;
  if (n && n->kind == COMPOUND && n->functor == lexical2)
    *value = n->parts[0];
  return TRUE;
}

enum result read_number(code term, number *n) {
  code value, type;
  int rank;
  return is_literal(term, &value, &type) && (rank = rank_of(type)) >= 0 ? plain_number(value, rank, n) : VALUE_ERROR;
}

static char pairs[200]; /* of digits */

static inline char *write_two(unsigned two, char *end) { return memcpy(end - 2, pairs + 2 * two, 2); }

static char *write_digits(unsigned __int128 value, char *end) {
  for (; value >> 64; value /= PLACES)
    for (uint64_t low = value % PLACES, digit = 0; digit < 18; digit += 2, low /= 100)
      end = write_two(low % 100, end);
  uint64_t high = value;
  for (; high >= 100; high /= 100)
    end = write_two(high % 100, end);
  if (high >= 10)
    return write_two(high, end);
  *--end = '0' + (int)high;
  return end;
}

static unsigned __int128 size_of(wide x) { return x < 0 ? -(unsigned __int128)x : (unsigned __int128)x; }

size_t write_exact(wide up, int64_t down, char *text) {
  char *end = text + EXACT_TEXT, *at = end;
  if (down != 1) {
    at = write_digits(down, at);
    *--at = 'r';
  }
  at = write_digits(size_of(up), at);
  if (up < 0)
    *--at = '-';
  memmove(text, at, end - at);
  return end - at;
}

static const int64_t powers[] = {1,    10,   100,  1000, 1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};

size_t write_decimal(wide up, int64_t down, char *text) {
  char *end = text + EXACT_TEXT, *at = end;
  int places = places_of(down);
  if (places < 0 || places > 18)
    return 0;
  int64_t unit = powers[places];
  if (!can_multiply(up, unit / down))
    return 0;
  unsigned __int128 size = size_of(up) * (unit / down), whole = size >> 64 ? size / unit : (uint64_t)size / (uint64_t)unit;
  if (places) {
    char *point = at - places - 1;
    at = write_digits(size - whole * unit, at);
    while (at > point + 1)
      *--at = '0';
    *--at = '.';
  }
  at = write_digits(whole, at);
  if (up < 0)
    *--at = '-';
  memmove(text, at, end - at);
  return end - at;
}

static void write_nine(uint32_t digits, char *text) {
  char *end = text + 9;
  for (int i = 0; i < 4; i++, digits /= 100)
    end = write_two(digits % 100, end);
  *text = '0' + digits;
}

size_t write_quotient(int64_t packed, char *text) {
  char *at = text;
  int64_t up = packed >> ENDING_BITS, down = (packed & (MOST_ENDING - 1)) + 1;
  uint64_t size = up < 0 ? -up : up, whole = size / down;
  int64_t rest = size - whole * down;
  int digits = 1;
  while (digits < 18 && powers[digits] <= (int64_t)whole)
    digits++;
  if (up < 0)
    *at++ = '-';
  write_digits(whole, at += digits);
  if (rest) {
    uint64_t part = places_behind(&rest, down);
    part += is_rounded_up(rest, down, part);
    *at = '.';
    write_nine(part / HALF_PLACES, at + 1);
    write_nine(part % HALF_PLACES, at + 10);
    for (at += 19; at[-1] == '0'; at--)
      ;
  }
  return at - text;
}

int exact_code(engine *e, wide up, int64_t down, code *made) {
  if (down == 1 && bits_of(up) <= 60) {
    *made = integer_code(up);
    return TRUE;
  }
  uint64_t parts[] = {up, up >> 64, down};
  return node_code(e, TRUE, EXACT, 0, 1, parts, sizeof parts, made) == FOUND;
}

int literal_code(engine *e, code value, code type, code *made) {
  code parts[2] = {value, type};
  return node_code(e, TRUE, COMPOUND, typed2, 2, parts, sizeof parts, made) == FOUND;
}

int written_code(engine *e, code value, const char *text, size_t length, code type, code *made) {
  code parts[2] = {value}, kept;
  if (node_code(e, TRUE, STRING, 0, length, text, length, parts + 1) != FOUND)
    return FALSE;
  int done = node_code(e, TRUE, COMPOUND, lexical2, 2, parts, sizeof parts, &kept) == FOUND;
  release(e, parts[1]);
  if (!done)
    return FALSE;
  done = literal_code(e, kept, type, made);
  release(e, kept);
  return done;
}

int number_term(engine *e, const number *n, code *made) {
  code value;
  int done = n->is_real ? node_code(e, TRUE, REAL, 0, 1, &n->real, sizeof n->real, &value) == FOUND
                        : exact_code(e, n->up, n->down, &value);
  if (!done)
    return FALSE;
  done = literal_code(e, value, result_types[n->rank], made);
  release(e, value);
  return done;
}

/* ---- floats ---------------------------------------------------------------------------------------------- */

/* The nearest float of a rank, where the usual operations of C give that. */
static int nearest(const number *n, enum rank rank, double *real) {
  int most = rank == FLOATS ? 24 : 53;
  if (!n->is_real && (bits_of(n->up) > most || bits_of(n->down) > most))
    return FALSE;
  *real = n->is_real ? n->real : (double)(int64_t)n->up / (double)n->down;
  if (rank == FLOATS && !n->is_real)
    *real = (float)*real;
  return rank != FLOATS || *real == (float)*real; /* no NaN either */
}

static enum result real(double x, enum rank rank, number *n) {
  if (rank == FLOATS)
    x = (float)x;
  if (!isfinite(x))
    return VALUE_UNKNOWN;
  *n = (number){rank, TRUE, 0, 1, x};
  return VALUE_IS;
}

/* ---- operations ------------------------------------------------------------------------------------------ */

static enum rank higher(const number *a, const number *b) { return a->rank > b->rank ? a->rank : b->rank; }

static int are_floats(const number *a, const number *b, enum rank rank, double *x, double *y) {
  return nearest(a, rank, x) && nearest(b, rank, y) && isfinite(*x) && isfinite(*y);
}

enum result add_numbers(const number *a, const number *b, number *sum) {
  enum rank rank = higher(a, b);
  double x, y;
  if (rank >= FLOATS)
    return are_floats(a, b, rank, &x, &y) ? real(x + y, rank, sum) : VALUE_UNKNOWN;
  if (a->down == b->down)
    return exact(a->up + b->up, a->down, rank, sum);
  if (!can_multiply(a->up, b->down) || !can_multiply(b->up, a->down))
    return VALUE_UNKNOWN;
  return exact(a->up * b->down + b->up * a->down, (wide)a->down * b->down, rank, sum);
}

number negated(const number *a) {
  number n = *a;
  n.up = -n.up;
  n.real = -n.real;
  return n;
}

enum result multiply_numbers(const number *a, const number *b, number *product) {
  enum rank rank = higher(a, b);
  double x, y;
  if (rank >= FLOATS)
    return are_floats(a, b, rank, &x, &y) ? real(x * y, rank, product) : VALUE_UNKNOWN;
  if (!can_multiply(a->up, b->up))
    return VALUE_UNKNOWN;
  return exact(a->up * b->up, (wide)a->down * b->down, rank, product);
}

enum result divide_numbers(const number *a, const number *b, number *found) {
  enum rank rank = higher(a, b);
  double x, y;
  if (rank >= FLOATS)
    return are_floats(a, b, rank, &x, &y) ? real(x / y, rank, found) : VALUE_UNKNOWN;
  if (!can_multiply(a->up, b->down) || !can_multiply(b->up, a->down))
    return VALUE_UNKNOWN;
  return exact_quotient(a->up * b->down, b->up * a->down, found);
}

/* *order is below, at or above 0, or UNORDERED. Exact numbers are compared with floats as floats. */
enum result compare_numbers(const number *a, const number *b, int *order) {
  if (a->is_real || b->is_real) {
    enum rank rank = a->is_real && b->is_real ? DOUBLES : higher(a, b);
    double x, y;
    if (!nearest(a, rank, &x) || !nearest(b, rank, &y))
      return VALUE_UNKNOWN;
    *order = x < y ? -1 : x > y ? 1 : x == y ? 0 : UNORDERED;
    return VALUE_IS;
  }
  wide left = a->up, right = b->up;
  if (a->down != b->down) {
    if (!can_multiply(a->up, b->down) || !can_multiply(b->up, a->down))
      return VALUE_UNKNOWN;
    left *= b->down;
    right *= a->down;
  }
  *order = left < right ? -1 : left > right;
  return VALUE_IS;
}

void install_numbers(void) {
  static const int ranked[] = {0, 2, 3, 1}; /* places in `types` */
  typed2 = PL_new_functor(PL_new_atom("^^"), 2);
  lexical2 = PL_new_functor(PL_new_atom("lexical"), 2);
  for (size_t i = 0; i < TYPES; i++)
    type_codes[i] = lasting_code(types[i].name);
  integer_type = type_codes[0], double_type = type_codes[1], decimal_type = type_codes[2];
  for (int i = 0; i < 100; i++)
    pairs[2 * i] = '0' + i / 10, pairs[2 * i + 1] = '0' + i % 10;
  for (int rank = INTEGERS; rank <= DOUBLES; rank++)
    result_types[rank] = type_codes[ranked[rank]];
}
