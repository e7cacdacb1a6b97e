/*  Rows of CSV and of NDJSON, as most files have them.

    A reader stops before the first row that is anything else: another number of values, a line end within quotes, a key
    twice, a time with a zone. What it has taken, any reader of the form would have read in the same way.
*/

#include "texts.h"

typedef struct {
  const char *text; /* NULL: there is none, or null */
  size_t length;
  int is_bare; /* a number, true or false of JSON; MARK stands before the text */
} field;

enum { STOPPED, TAKEN };

typedef struct {
  char *bytes; /* of values that stand otherwise in the file; as long as the line at least */
  size_t used;
} scratch;

/* ---- a row ------------------------------------------------------------------------------------------- */

static int read_time(block *b, field f, int64_t *time) {
  if (read_moment(f.text, f.length, time))
    return 1;
  if (!read_integer(f.text, f.length, time))
    return 0;
  b->has_numbers = 1;
  return !__builtin_mul_overflow(*time, b->scale, time);
}

/* The text of a field as a column has it; the one of NULL is not plain. */
static field text_for(const column *c, field f) {
  static const char mark[] = {MARK};
  static const field missing = {mark, 1, 1}, empty = {"", 0, 0}, not_plain = {NULL, 0, 0};
  if (c->kind == VALUE) {
    if (!f.text)
      return missing;
    if (f.is_bare)
      return (field){f.text - 1, f.length + 1, 1};
    return f.length && *f.text == MARK ? not_plain : f;
  }
  if (f.is_bare)
    return not_plain;
  return f.text || c->kind == TERM ? f : empty;
}

/* Take the values of the next row. */
static int take_row(block *b, const column *columns, const field *fields, int64_t count) {
  int64_t *start = b->starts + b->rows, *end = b->ends + b->rows;
  field last = {NULL, 0, 0};
  for (int64_t i = 0; i < count; i++) {
    if (columns[i].kind == START && (!fields[i].text || !read_time(b, fields[i], start)))
      return STOPPED;
    if (columns[i].kind == END)
      last = fields[i];
  }
  *end = *start;
  if (last.length) {
    b->has_ends = 1;
    if (!read_time(b, last, end) || *end < *start)
      return STOPPED;
  }
  for (int64_t i = 0; i < count; i++) {
    if (!columns[i].words)
      continue;
    field f = text_for(columns + i, fields[i]);
    if (!f.text)
      return STOPPED;
    int64_t number = word_of(columns[i].words, f.text, f.length);
    int64_t place = number < 0 ? number : place_of(columns[i].words, number);
    if (place < 0)
      return (int)place;
    columns[i].codes[b->rows] = (int32_t)place;
  }
  b->rows++;
  return TAKEN;
}

/* ---- CSV --------------------------------------------------------------------------------------------- */

/* One value from `at` on; the place behind it, NULL where it is not plain. */
static const char *csv_value(const char *at, const char *end, scratch *s, field *f) {
  if (*at != '"') {
    const char *from = at;
    while (at < end && *at != ',' && *at != '"' && *at != '\r' && *at)
      at++;
    *f = (field){from, (size_t)(at - from), 0};
    return at < end && (*at == '"' || !*at) ? NULL : at;
  }
  const char *from = ++at;
  char *into = s->bytes + s->used, *to = into;
  for (;;) {
    const char *quote = memchr(at, '"', (size_t)(end - at));
    if (!quote)
      return NULL;
    if (quote + 1 >= end || quote[1] != '"') {
      if (to == into) {
        *f = (field){from, (size_t)(quote - from), 0};
      } else {
        memcpy(to, at, (size_t)(quote - at));
        to += quote - at;
        *f = (field){into, (size_t)(to - into), 0};
        s->used += f->length;
      }
      return memchr(f->text, 0, f->length) ? NULL : quote + 1;
    }
    memcpy(to, at, (size_t)(quote + 1 - at));
    to += quote + 1 - at;
    at = quote + 2;
  }
}

/* The values of a line. */
static int csv_line(const char *at, const char *end, int64_t count, scratch *s, field *fields) {
  for (int64_t i = 0; i < count; i++) {
    if (at >= end)
      fields[i] = (field){"", 0, 0};
    else if (!(at = csv_value(at, end, s, fields + i)))
      return 0;
    if (i < count - 1 && (at >= end || *at++ != ','))
      return 0;
  }
  return at == end;
}

/* ---- NDJSON ------------------------------------------------------------------------------------------ */

static const char *without_blanks(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\t'))
    at++;
  return at;
}

static char *put_character(char *to, unsigned code) {
  if (code < 0x80) {
    *to++ = (char)code;
    return to;
  }
  if (code < 0x800) {
    *to++ = (char)(0xc0 | code >> 6);
  } else {
    *to++ = (char)(0xe0 | code >> 12);
    *to++ = (char)(0x80 | (code >> 6 & 0x3f));
  }
  *to++ = (char)(0x80 | (code & 0x3f));
  return to;
}

/* What stands behind a backslash; the place behind it. A line end within a text, and what needs two escapes, is not
   plain. */
static const char *json_escape(const char *at, const char *end, char **to) {
  static const char names[] = "\"\\/bftr", values[] = "\"\\/\b\f\t\r";
  const char *found = *at ? strchr(names, *at) : NULL;
  if (found) {
    *(*to)++ = values[found - names];
    return at + 1;
  }
  if (*at != 'u' || end - at < 5)
    return NULL;
  unsigned code = 0;
  for (int i = 1; i < 5; i++) {
    unsigned char c = at[i];
    int letter = (c | 32) - 'a';
    if (c >= '0' && c <= '9')
      code = 16 * code + c - '0';
    else if (letter >= 0 && letter < 6)
      code = 16 * code + 10 + (unsigned)letter;
    else
      return NULL;
  }
  if (code == '\n' || code == 0 || (code >= 0xd800 && code < 0xe000))
    return NULL;
  *to = put_character(*to, code);
  return at + 5;
}

/* A text from behind its opening quote on; the place behind the closing one. */
static const char *json_text(const char *at, const char *end, scratch *s, field *f) {
  const char *from = at;
  char *into = s->bytes + s->used, *to = into;
  for (; at < end; at++) {
    if (*at == '"') {
      if (from) {
        *f = (field){from, (size_t)(at - from), 0};
      } else {
        *f = (field){into, (size_t)(to - into), 0};
        s->used += f->length;
      }
      return at + 1;
    }
    if ((unsigned char)*at < ' ')
      return NULL;
    if (*at == '\\') {
      if (from) {
        memcpy(into, from, (size_t)(at - from));
        to = into + (at - from);
        from = NULL;
      }
      if (at + 1 >= end || !(at = json_escape(at + 1, end, &to)))
        return NULL;
      at--;
    } else if (!from) {
      *to++ = *at;
    }
  }
  return NULL;
}

/* So many digits, one at least; the place behind them. */
static const char *json_digits(const char *at, const char *end) {
  const char *from = at;
  while (at < end && *at >= '0' && *at <= '9')
    at++;
  return at == from ? NULL : at;
}

/* A number; the place behind it. */
static const char *json_number(const char *at, const char *end) {
  const char *first = at + (*at == '-');
  at = json_digits(first, end);
  if (!at || (*first == '0' && at - first > 1))
    return NULL;
  if (at < end && *at == '.' && !(at = json_digits(at + 1, end)))
    return NULL;
  if (at < end && (*at == 'e' || *at == 'E')) {
    at++;
    at = json_digits(at + (at < end && (*at == '-' || *at == '+')), end);
  }
  return at;
}

/* A number, true, false or null; the place behind it. A number that is longer than any that is meant is not plain. */
static const char *json_bare(const char *at, const char *end, scratch *s, field *f) {
  static const char *const words[] = {"true", "false", "null"};
  enum { WORDS = 3, LONGEST = 400 };
  const char *from = at;
  at = NULL;
  for (int i = 0; i < WORDS && !at; i++) {
    size_t length = strlen(words[i]);
    if ((size_t)(end - from) >= length && !memcmp(from, words[i], length))
      at = from + length;
  }
  *f = (field){NULL, 0, 1};
  if (at && *from == 'n')
    return at;
  if (!at && !(at = json_number(from, end)))
    return NULL;
  if (at - from > LONGEST)
    return NULL;
  char *into = s->bytes + s->used;
  *into = MARK;
  memcpy(into + 1, from, (size_t)(at - from));
  *f = (field){into + 1, (size_t)(at - from), 1};
  s->used += f->length + 1;
  return at;
}

/* What reads a row: the keys that it looks for, and whether it has seen them; where their values go. */
typedef struct {
  const key *keys;
  uint8_t *seen;
  field *fields;
  scratch s;
} json;

enum { DEEPEST = 100 };

/* The key within one that has this text, or is this place, as a number; 0 where nobody looks for it. */
static int64_t key_of(const json *j, int64_t within, const char *text, int64_t length) {
  int64_t found = within < 0 ? 0 : j->keys[within].child;
  for (; found; found = j->keys[found].next) {
    const key *k = j->keys + found;
    if (!k->text == !text && k->length == length && (!text || !memcmp(k->text, text, (size_t)length)))
      return found;
  }
  return 0;
}

static const char *json_items(const char *at, const char *end, json *j, int64_t within, int depth);

/* The value of a key, or of none (-1); the place behind it. */
static const char *json_value(const char *at, const char *end, json *j, int64_t of, int depth) {
  int64_t column = of < 0 ? NOWHERE : j->keys[of].column;
  if (at >= end || column == NOT_PLAIN || (of > 0 && j->seen[of]))
    return NULL;
  if (of > 0)
    j->seen[of] = 1;
  if (*at == '{' || *at == '[')
    return column != NOWHERE || depth == DEEPEST ? NULL : json_items(at, end, j, of, depth + 1);
  field value;
  int is_text = *at == '"';
  at = is_text ? json_text(at + 1, end, &j->s, &value) : json_bare(at, end, &j->s, &value);
  if (is_text && of >= 0)
    for (int64_t child = j->keys[of].child; child; child = j->keys[child].next)
      if (!j->keys[child].text) /* a character of it */
        return NULL;
  if (at && column >= 0)
    j->fields[column] = value;
  return at;
}

/* The values of an object or of a list, from its bracket on; the place behind the other one. */
static const char *json_items(const char *at, const char *end, json *j, int64_t within, int depth) {
  int is_object = *at == '{';
  char last = is_object ? '}' : ']';
  at = without_blanks(at + 1, end);
  if (at < end && *at == last)
    return at + 1;
  for (int64_t place = 0;; place++) {
    field text = {NULL, 0, 0};
    if (is_object) {
      if (at >= end || *at != '"' || !(at = json_text(at + 1, end, &j->s, &text)))
        return NULL;
      at = without_blanks(at, end);
      if (at >= end || *at++ != ':')
        return NULL;
      at = without_blanks(at, end);
    }
    int64_t of = key_of(j, within, text.text, is_object ? (int64_t)text.length : place);
    if (!(at = json_value(at, end, j, of ? of : -1, depth)))
      return NULL;
    at = without_blanks(at, end);
    if (at < end && *at == last)
      return at + 1;
    if (at >= end || *at != ',')
      return NULL;
    at = without_blanks(at + 1, end);
  }
}

/* The values of a line by the columns of their keys. */
static int json_line(const char *at, const char *end, json *j) {
  at = without_blanks(at, end);
  return at < end && *at == '{' && (at = json_items(at, end, j, 0, 1)) && without_blanks(at, end) == end;
}

/* ---- the lines of a text ------------------------------------------------------------------------------- */

/* Whether only blanks are on a line: it is passed over. */
static int is_blank(const char *line, const char *end, int is_csv) {
  return line == end || (!is_csv && without_blanks(line, end) == end);
}

/* Room for what a line may need: what stands otherwise, and a mark before each bare value. */
static int make_room(scratch *s, size_t *room, size_t length) {
  if (length <= *room && s->bytes)
    return 1;
  free(s->bytes);
  *room = length;
  s->bytes = malloc(2 * length + 1024);
  return s->bytes != NULL;
}

/* Read at most `most` rows of a text, which has a line end behind each; of CSV `keys` is NULL. False if there is no
   memory. */
EXPORT int64_t read_rows(const char *text, size_t length, const key *keys, int64_t key_count, int64_t count,
                         const column *columns, int64_t most, block *b) {
  const char *at = text + b->bytes, *stop = text + length;
  json j = {keys, malloc((size_t)key_count + 1), malloc(((size_t)count + 1) * sizeof(field)), {NULL, 0}};
  size_t room = 0;
  int taken = j.seen && j.fields ? TAKEN : NO_MEMORY;
  while (taken == TAKEN && b->rows < most && at < stop) {
    const char *next = memchr(at, '\n', (size_t)(stop - at));
    if (!next)
      break;
    const char *end = next > at && next[-1] == '\r' ? next - 1 : next;
    if (!make_room(&j.s, &room, (size_t)(end - at))) {
      taken = NO_MEMORY;
      break;
    }
    j.s.used = 0;
    if (!is_blank(at, end, !keys)) {
      if (keys) {
        memset(j.seen, 0, (size_t)key_count);
        memset(j.fields, 0, (size_t)count * sizeof(field));
      }
      int is_plain = keys ? json_line(at, end, &j) : csv_line(at, end, count, &j.s, j.fields);
      if (!is_plain || (taken = take_row(b, columns, j.fields, count)) != TAKEN)
        break;
    }
    b->lines++;
    at = next + 1;
  }
  b->bytes = at - text;
  free(j.seen);
  free(j.fields);
  free(j.s.bytes);
  return taken != NO_MEMORY;
}
