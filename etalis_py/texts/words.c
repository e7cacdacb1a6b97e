/*  Words: each different text of a column once. */

#include "texts.h"

static inline uint64_t read8(const char *text) {
  uint64_t part;
  memcpy(&part, text, 8);
  return part;
}

static inline uint64_t read4(const char *text) {
  uint32_t part;
  memcpy(&part, text, 4);
  return part;
}

static inline uint64_t folded(uint64_t a, uint64_t b) {
  unsigned __int128 product = (unsigned __int128)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#define ODD1 0xa0761d6478bd642fULL
#define ODD2 0xe7037ed1a0b428dbULL

/* As wyhash: sixteen bytes with one multiplication, those at the end once more where they are no multiple of it. */
static inline uint64_t hashed(const char *text, size_t length) {
  uint64_t hash = ODD1 ^ length, a = 0, b = 0;
  const char *end = text + length;
  if (length >= 8) {
    for (; text + 16 < end; text += 16)
      hash = folded(read8(text) ^ ODD2, read8(text + 8) ^ hash);
    a = read8(length >= 16 ? end - 16 : text);
    b = read8(end - 8);
  } else if (length >= 4) {
    a = read4(text);
    b = read4(end - 4);
  } else if (length) {
    a = (uint64_t)(unsigned char)text[0] << 16 | (uint64_t)(unsigned char)text[length >> 1] << 8 | (unsigned char)end[-1];
  }
  return folded(a ^ ODD2, b ^ hash);
}

/* As memcmp() == 0; most texts are short. */
static inline int is_same(const char *a, const char *b, size_t length) {
  if (length < 8)
    return !memcmp(a, b, length);
  for (size_t at = 0; at + 8 < length; at += 8)
    if (read8(a + at) != read8(b + at))
      return 0;
  return read8(a + length - 8) == read8(b + length - 8);
}

static const uint8_t is_refused[256] = {['<'] = 1, ['>'] = 1, ['"'] = 1, ['{'] = 1, ['}'] = 1,
                                        ['|'] = 1, ['^'] = 1, ['`'] = 1, ['\\'] = 1};

static int is_letter(unsigned char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

/* As the first alternative of etalis_py/core/terms.py: what it refuses is left to it. */
static int is_plain_iri(const char *text, size_t length) {
  if (length < 4 || text[0] != '<' || text[length - 1] != '>' || !is_letter(text[1]))
    return 0;
  int has_scheme = 0;
  for (size_t i = 1; i < length - 1; i++) {
    unsigned char c = text[i];
    if (c <= ' ' || is_refused[c])
      return 0;
    if (!has_scheme && c == ':')
      has_scheme = 1;
    else if (!has_scheme && !is_letter(c) && !(c >= '0' && c <= '9') && c != '+' && c != '.' && c != '-')
      return 0;
  }
  return has_scheme;
}

EXPORT words *words_new(void) {
  words *w = calloc(1, sizeof *w);
  if (!w)
    return NULL;
  w->mask = 255;
  w->batch = 1;
  w->slots = calloc(w->mask + 1, sizeof *w->slots);
  if (!w->slots) {
    free(w);
    return NULL;
  }
  return w;
}

EXPORT void words_free(words *w) {
  free(w->used);
  free(w->bytes);
  free(w->kinds);
  free(w->words);
  free(w->seen);
  free(w->slots);
  free(w);
}

/* Forget all words. */
EXPORT void words_clear(words *w) {
  w->count = w->used_count = 0;
  w->length = 0;
  memset(w->slots, 0, (w->mask + 1) * sizeof *w->slots);
}

/* Where the text of a word is in the bytes; behind the last one where all of them end. */
EXPORT size_t word_begins(const words *w, int64_t number) {
  return number < w->count ? w->words[number].first : w->length;
}

EXPORT void next_batch(words *w) {
  w->used_count = 0;
  if (!++w->batch) { /* all numbers of batches have been there */
    memset(w->seen, 0, (size_t)w->count * sizeof *w->seen);
    w->batch = 1;
  }
}

static void put_slot(slot *slots, uint64_t mask, slot x) {
  uint64_t at = x.hash & mask;
  while (slots[at].behind)
    at = (at + 1) & mask;
  slots[at] = x;
}

static int grow_slots(words *w) {
  uint64_t mask = 2 * w->mask + 1;
  slot *slots = calloc(mask + 1, sizeof *slots);
  if (!slots)
    return 0;
  for (uint64_t at = 0; at <= w->mask; at++) /* in the order of both tables */
    if (w->slots[at].behind)
      put_slot(slots, mask, w->slots[at]);
  free(w->slots);
  w->slots = slots;
  w->mask = mask;
  return 1;
}

/* Whether `array` has room for one more, which it may get. */
static int has_room(void **array, int64_t count, int64_t *room, size_t size) {
  if (count < *room)
    return 1;
  int64_t more = *room ? 2 * *room : 256;
  void *grown = realloc(*array, (size_t)more * size);
  if (!grown)
    return 0;
  *array = grown;
  *room = more;
  return 1;
}

static int add_bytes(words *w, const char *text, size_t length) {
  size_t needed = w->length + length + 1;
  if (needed > w->bytes_room) {
    size_t room = 2 * needed + 4096;
    char *bytes = realloc(w->bytes, room);
    if (!bytes)
      return 0;
    w->bytes = bytes;
    w->bytes_room = room;
  }
  memcpy(w->bytes + w->length, text, length);
  w->bytes[needed - 1] = '\n';
  w->length = needed;
  return 1;
}

static int64_t add_word(words *w, const char *text, size_t length, uint8_t kind, uint32_t hash) {
  int64_t room = w->room, room_seen = w->room;
  if (w->count >= INT32_MAX || !has_room((void **)&w->kinds, w->count, &room, sizeof *w->kinds) ||
      !has_room((void **)&w->seen, w->count, &room_seen, sizeof *w->seen) ||
      !has_room((void **)&w->words, w->count, &w->room, sizeof *w->words))
    return NO_MEMORY;
  if (2 * (uint64_t)w->count > w->mask && !grow_slots(w))
    return NO_MEMORY;
  size_t first = w->length;
  if (!add_bytes(w, text, length))
    return NO_MEMORY;
  int64_t number = w->count++;
  w->kinds[number] = kind;
  w->words[number] = (word){first, length, kind};
  put_slot(w->slots, w->mask, (slot){(uint32_t)number + 1, hash, first});
  w->seen[number] = (seen){0, 0};
  return number;
}

typedef struct {
  const char *text;
  size_t length;
  uint32_t hash;
  uint8_t kind;
} sought;

static inline sought sought_as(uint8_t kind, const char *text, size_t length) {
  return (sought){text, length, (uint32_t)(hashed(text, length) >> 32) + kind, kind};
}

static inline sought sought_of(const char *text, size_t length) {
  return length > 2 && text[0] == '<' && text[length - 1] == '>' ? sought_as(IRI, text + 1, length - 2)
                                                                 : sought_as(OTHER, text, length);
}

/* A word ends where a line does, and has no line end within. */
static inline int is_at(const words *w, slot at, const sought *x) {
  const char *text = w->bytes + at.first;
  return at.hash == x->hash && x->length < w->length - at.first && text[x->length] == '\n' &&
         is_same(text, x->text, x->length);
}

static inline int64_t known_number(const words *w, sought x) {
  for (uint64_t at = x.hash & w->mask;; at = (at + 1) & w->mask) {
    slot found = w->slots[at];
    if (!found.behind)
      return NO_WORD;
    if (is_at(w, found, &x))
      return (int64_t)found.behind - 1;
  }
}

/* The number of a text that is not known as it is sought. */
static __attribute__((noinline)) int64_t new_number(words *w, sought x) {
  if (x.kind == IRI && !is_plain_iri(x.text - 1, x.length + 2)) { /* it is looked for as it stands */
    const char *text = x.text - 1;
    size_t length = x.length + 2;
    x = sought_as(OTHER, text, length);
    int64_t number = known_number(w, x);
    if (number >= 0)
      return number;
  }
  return add_word(w, x.text, x.length, x.kind, x.hash);
}

int64_t word_of(words *w, const char *text, size_t length) {
  sought x = sought_of(text, length);
  int64_t number = known_number(w, x);
  return number >= 0 ? number : new_number(w, x);
}

static __attribute__((noinline)) int64_t new_place(words *w, int64_t number) {
  if (!has_room((void **)&w->used, w->used_count, &w->used_room, sizeof *w->used))
    return NO_MEMORY;
  w->seen[number] = (seen){w->batch, (int32_t)w->used_count};
  w->used[w->used_count] = (int32_t)number;
  return w->used_count++;
}

static inline int64_t place_in_batch(words *w, int64_t number) {
  const seen *each = w->seen + number;
  return each->batch == w->batch ? each->place : new_place(w, number);
}

int64_t place_of(words *w, int64_t number) { return place_in_batch(w, number); }

/* ---- literals -------------------------------------------------------------------------------------------- */

#define XSD "\"^^<http://www.w3.org/2001/XMLSchema#"
#define MOST_DIGITS 18 /* a number of 64 bits */

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* Whether what lies between is the canonical form of a number, and if so whether it has no point. */
static int is_canonical(const char *at, const char *end, int *is_whole) {
  const char *first = at + (*at == '-'), *point = first, *last;
  while (is_digit(*point))
    point++;
  *is_whole = point == end;
  if (point == first || end - first > MOST_DIGITS || (*first == '0' && point - first > 1))
    return 0;
  if (*is_whole)
    return *first != '0' || first == at;
  for (last = point + 1; is_digit(*last); last++)
    ;
  return *point == '.' && last == end && last - point > 1 && last[-1] != '0';
}

static int is_text(const char *at, const char *end, const char *text) {
  size_t length = strlen(text);
  return (size_t)(end - at) == length && !memcmp(at, text, length);
}

/* The kind of a literal that may be read as it stands: a canonical number, or plain characters. All others are read in Python
   (etalis_py/core/terms.py). */
static uint8_t literal_kind(const char *text, size_t length) {
  const char *value = text + 1, *at = value, *end = text + length;
  int is_whole;
  if (length < 2 || *text != '"')
    return OTHER;
  while (at < end && *at != '"' && *at != '\\' && *at >= ' ' && *at <= '~')
    at++;
  if (is_text(at, end, "\""))
    return TEXT;
  if (!is_canonical(value, at, &is_whole))
    return OTHER;
  return is_whole && is_text(at, end, XSD "integer>") ? INTEGER : is_text(at, end, XSD "decimal>") ? DECIMAL : OTHER;
}

/* Say of the words from number `first` on which literals they are. */
EXPORT void find_literals(words *w, int64_t first) {
  for (int64_t number = first; number < w->count; number++)
    if (w->kinds[number] == OTHER)
      w->kinds[number] = literal_kind(w->bytes + w->words[number].first, w->words[number].length);
}

/* ---- columns --------------------------------------------------------------------------------------------- */

#define GROUP 64
#define FEW_WORDS 4096 /* they are in the processor's caches */

/* Of many words most are in none of the processor's caches: what is to be compared is fetched for some texts at a time. (It stands
   where it is called: the compiler would leave out a call that does nothing.) */
static inline __attribute__((always_inline)) void fetch_words(const words *w, const sought *group, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    __builtin_prefetch(w->slots + (group[i].hash & w->mask));
  for (int64_t i = 0; i < count; i++) {
    slot at = w->slots[group[i].hash & w->mask];
    if (at.behind && at.hash == group[i].hash) {
      __builtin_prefetch(w->bytes + at.first);
      __builtin_prefetch(w->bytes + at.first + group[i].length);
      __builtin_prefetch(w->seen + at.behind - 1);
    }
  }
}

/* Whether a text lies within so many bytes of its column. */
static inline int is_within(const int32_t *bounds, int64_t at, int64_t length) {
  return bounds[at] >= 0 && bounds[at] <= bounds[at + 1] && bounds[at + 1] <= length;
}

static inline sought text_at(const int32_t *bounds, const char *bytes, int64_t at) {
  return sought_of(bytes + bounds[at], (size_t)(bounds[at + 1] - bounds[at]));
}

/* The number of a text that is sought; NO_WORD where it has a line end. */
static inline int64_t checked_number(words *w, sought x) {
  int64_t number = known_number(w, x);
  if (number >= 0)
    return number;
  return memchr(x.text, '\n', x.length) ? NO_WORD : new_number(w, x);
}

/* The places of texts; `bounds` are where each begins, and where the last one ends, in so many bytes. NO_WORD, NO_MEMORY,
   MALFORMED. */
EXPORT int64_t find_words(words *w, const int32_t *bounds, const char *bytes, int64_t length, int64_t count,
                          int32_t *places) {
  sought group[GROUP];
  for (int64_t first = 0; first < count; first += GROUP) {
    int64_t size = count - first < GROUP ? count - first : GROUP;
    for (int64_t i = 0; i < size; i++) {
      if (!is_within(bounds, first + i, length))
        return MALFORMED;
      group[i] = text_at(bounds, bytes, first + i);
    }
    if (w->count > FEW_WORDS)
      fetch_words(w, group, size);
    for (int64_t i = 0; i < size; i++) {
      int64_t number = checked_number(w, group[i]), place = number < 0 ? number : place_in_batch(w, number);
      if (place < 0)
        return place;
      places[first + i] = (int32_t)place;
    }
  }
  return count;
}

/* The places of rows that are indices of a dictionary of texts, of which there are `size`; `numbers` has the word of each that
   was looked up, else -1. Errors are those of find_words(). */
EXPORT int64_t find_coded_words(words *w, const int32_t *bounds, const char *bytes, int64_t length, int64_t size,
                                int32_t *numbers, const int32_t *indices, int64_t count, int32_t *places) {
  for (int64_t i = 0; i < count; i++) {
    int64_t entry = indices[i];
    if (entry < 0 || entry >= size)
      return MALFORMED;
    int64_t number = numbers[entry];
    if (number < 0) {
      if (!is_within(bounds, entry, length))
        return MALFORMED;
      if ((number = checked_number(w, text_at(bounds, bytes, entry))) < 0)
        return number;
      numbers[entry] = (int32_t)number;
    }
    int64_t place = place_in_batch(w, number);
    if (place < 0)
      return place;
    places[i] = (int32_t)place;
  }
  return count;
}
