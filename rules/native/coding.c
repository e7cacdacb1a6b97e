/*  Values of answers by number (etalis_py/embedding/coding.py): each different one once, as Arrow's dictionaries have them.

    Decimals are told apart by their texts. */

#include "answer_columns.h"

#define AHEAD 16 /* a power of two */

typedef struct {
  int64_t value;
  int32_t number;
  uint8_t kind;
} numbered_value;

typedef struct {
  int32_t *direct; /* of values of this kind that are less than `few` the number behind theirs, 0 where there is none */
  uint64_t few;
  uint8_t kind;
  numbered_value *places; /* of others, an open hash; number is -1 where there is none */
  uint64_t mask;
  uint64_t hashed;
  uint8_t *kinds; /* of the different values */
  int64_t *values;
  int64_t count;
} numbering;

static inline int is_direct(const numbering *n, int64_t value, uint8_t kind) {
  return kind == n->kind && (uint64_t)value < n->few;
}

static numbered_value *place_of(const numbering *n, int64_t value, uint8_t kind) {
  uint64_t at = mixed(kind, value) & n->mask;
  while (n->places[at].number >= 0 && (n->places[at].value != value || n->places[at].kind != kind))
    at = (at + 1) & n->mask;
  return n->places + at;
}

/* Of a value that comes soon. */
static inline void fetch_place(const numbering *n, int64_t value, uint8_t kind) {
  if (is_direct(n, value, kind))
    __builtin_prefetch(n->direct + value);
  else if (n->mask)
    __builtin_prefetch(n->places + (mixed(kind, value) & n->mask));
}

static int more_places(numbering *n) {
  uint64_t mask = n->places ? 4 * n->mask + 3 : 1023;
  numbered_value *places = malloc((mask + 1) * sizeof *places);
  if (!places)
    return FALSE;
  for (uint64_t i = 0; i <= mask; i++)
    places[i].number = -1;
  free(n->places);
  n->places = places;
  n->mask = mask;
  n->hashed = 0;
  for (int64_t i = 0; i < n->count; i++)
    if (!is_direct(n, n->values[i], n->kinds[i])) {
      *place_of(n, n->values[i], n->kinds[i]) = (numbered_value){n->values[i], (int32_t)i, n->kinds[i]};
      n->hashed++;
    }
  return TRUE;
}

static int64_t add_value(numbering *n, int64_t value, uint8_t kind) {
  n->kinds[n->count] = kind;
  n->values[n->count] = value;
  return n->count++;
}

/* -1 without memory */
static int64_t number_value(numbering *n, int64_t value, uint8_t kind) {
  if (is_direct(n, value, kind)) {
    int32_t *number = n->direct + value;
    if (!*number)
      *number = (int32_t)add_value(n, value, kind) + 1;
    return *number - 1;
  }
  if (!n->places && !more_places(n))
    return -1;
  numbered_value *place = place_of(n, value, kind);
  if (place->number >= 0)
    return place->number;
  if (2 * n->hashed > n->mask) {
    if (!more_places(n))
      return -1;
    place = place_of(n, value, kind);
  }
  *place = (numbered_value){value, (int32_t)n->count, kind};
  n->hashed++;
  return add_value(n, value, kind);
}

/* Of every `width`th value its number among the different ones; what is unbound is 0 there, and has no bit in `is_bound`, all of
   whose bits are set before. `different_kinds` and `different_values` have room for as many rows. How many are different, -1
   without memory. */
EXPORT int64_t number_values(const uint8_t *kinds, const int64_t *values, int64_t width, int64_t rows, int32_t *numbers,
                             uint8_t *is_bound, uint8_t *different_kinds, int64_t *different_values, int64_t *unbound_count) {
  numbering n = {.kind = rows && *kinds != UNBOUND ? *kinds : ATOM, .few = 2 * rows, .kinds = different_kinds, .values = different_values};
  if (!(n.direct = calloc(n.few + 1, sizeof *n.direct)))
    return -1;
  int64_t number = 0, nulls = 0, last = 0;
  uint8_t last_kind = UNBOUND;
  for (int64_t row = 0; row < rows; row++, kinds += width, values += width) {
    if (row + AHEAD < rows)
      fetch_place(&n, values[AHEAD * width], kinds[AHEAD * width]);
    if (*kinds == UNBOUND) {
      is_bound[row >> 3] &= ~(1 << (row & 7));
      numbers[row] = 0;
      nulls++;
      continue;
    }
    if (*values != last || *kinds != last_kind) {
      last = *values, last_kind = *kinds;
      if ((number = number_value(&n, last, last_kind)) < 0)
        break;
    }
    numbers[row] = (int32_t)number;
  }
  free(n.places);
  free(n.direct);
  *unbound_count = nulls;
  return number < 0 ? -1 : n.count;
}

/* The bytes of some names of a table (etalis_py/embedding/names.py), each with one character more. */
EXPORT int64_t iris_size(const int64_t *places, int64_t count, const int64_t *ends) {
  int64_t size = 0;
  for (int64_t n = 0; n < count; n++)
    size += ends[places[n] + 1] - ends[places[n]] + 1;
  return size;
}

static const uint8_t is_escaped[256] = {[0 ... ' '] = 1, ['<'] = 1, ['>'] = 1, ['"'] = 1,  ['{'] = 1,
                                        ['}'] = 1,       ['|'] = 1, ['^'] = 1, ['`'] = 1, ['\\'] = 1};

/* These names as IRIs in N-Triples syntax; `bounds` are those of what is written, as Arrow has them. False: one is a blank node, or
   has a character that is to be escaped. */
EXPORT int write_iris(const int64_t *places, int64_t count, const int64_t *ends, const char *texts, int32_t *bounds, char *written) {
  char *to = written;
  for (int64_t n = 0; n < count; n++) {
    const char *text = texts + ends[places[n]], *end = texts + ends[places[n] + 1] - 1;
    int is_plain = !(end - text >= 2 && text[0] == '_' && text[1] == ':');
    bounds[n] = to - written;
    *to++ = '<';
    while (text < end) {
      is_plain &= !is_escaped[(unsigned char)*text];
      *to++ = *text++;
    }
    *to++ = '>';
    if (!is_plain)
      return FALSE;
  }
  bounds[count] = to - written;
  return TRUE;
}

typedef struct {
  uint32_t hash;
  int32_t number; /* from 1 on, 0 where there is none */
} numbered_text;

/* A row that comes soon. */
typedef struct {
  const char *text;
  size_t length;
  uint64_t hash;
  char own[QUOTIENT_TEXT]; /* of a quotient */
} next_text;

typedef struct {
  const uint8_t *kinds;
  const int64_t *values;
  int64_t rows;
  const int32_t *ends;
  const char *texts;
  numbered_text *known; /* open hash; its length is mask + 1 */
  uint64_t mask;
  int32_t *bounds;
  char *written;
  next_text next[2 * AHEAD];
} text_numbering;

static next_text *next_of(text_numbering *n, int64_t row) { return n->next + (row & (2 * AHEAD - 1)); }

static void read_text(text_numbering *n, int64_t row) {
  next_text *t = next_of(n, row);
  if (n->kinds[row] == QUOTIENT) {
    t->length = write_quotient(n->values[row], t->own);
    t->text = t->own;
  } else {
    const int32_t *ends = n->ends + n->values[row];
    t->length = ends[1] - ends[0];
    t->text = n->texts + ends[0];
  }
  t->hash = node_hash(0, t->text, t->length);
}

/* Entries, and the texts that they lead to, are in none of the processor's first caches: they are fetched for rows that come soon. */
static void read_ahead(text_numbering *n, int64_t row) {
  if (row + AHEAD < n->rows) {
    read_text(n, row + AHEAD);
    __builtin_prefetch(n->known + (next_of(n, row + AHEAD)->hash & n->mask));
  }
  if (row + AHEAD / 2 >= 0 && row + AHEAD / 2 < n->rows) {
    const numbered_text *k = n->known + (next_of(n, row + AHEAD / 2)->hash & n->mask);
    if (k->number)
      __builtin_prefetch(n->written + n->bounds[k->number - 1]);
  }
}

/* Where it is known, or would be. */
static numbered_text *known_text(const text_numbering *n, const next_text *t, int32_t size) {
  numbered_text *k;
  for (uint64_t at = t->hash & n->mask; (k = n->known + at)->number; at = (at + 1) & n->mask) {
    const int32_t *bounds = n->bounds + k->number - 1;
    if (k->hash == t->hash >> 32 && bounds[1] - bounds[0] == size && !memcmp(n->written + bounds[0] + 1, t->text, t->length))
      break;
  }
  return k;
}

/* Of each of some decimals its number among those with different texts, which are `written` in quotes with the same `behind` each. A
   decimal is a quotient, or text n, which is `texts` from ends[n] to ends[n + 1], as the bounds of those that are written. There is
   room for all of them. How many are different, -1 without memory. */
EXPORT int64_t number_decimals(const uint8_t *kinds, const int64_t *values, int64_t rows, const int32_t *ends, const char *texts,
                               const char *behind, int64_t length_behind, int32_t *numbers, int32_t *bounds, char *written) {
  text_numbering n = {kinds, values, rows, ends, texts, .mask = 15, .bounds = bounds, .written = written};
  int32_t count = bounds[0] = 0;
  while (n.mask < 2 * (uint64_t)rows)
    n.mask = 2 * n.mask + 1;
  if (!(n.known = calloc(n.mask + 1, sizeof *n.known)))
    return -1;
  for (int64_t row = -AHEAD; row < rows; row++) {
    read_ahead(&n, row);
    if (row < 0)
      continue;
    const next_text *t = next_of(&n, row);
    int32_t size = t->length + length_behind + 2;
    numbered_text *k = known_text(&n, t, size);
    if (!k->number) {
      char *end = written + bounds[count];
      *end++ = '"';
      memcpy(end, t->text, t->length);
      end[t->length] = '"';
      memcpy(end + t->length + 1, behind, length_behind);
      bounds[count + 1] = bounds[count] + size;
      *k = (numbered_text){t->hash >> 32, ++count};
    }
    numbers[row] = k->number - 1;
  }
  free(n.known);
  return count;
}
