/*  Rows of CSV and of NDJSON, as most files have them.

    A reader stops before the first row that is anything else: another number of values, a line end within quotes, a key
    twice, a time with a zone. What it has taken, any reader of the form would have read in the same way.
*/

#include "texts.h"

typedef struct {
  const char *text;
  size_t length;
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

/* Take the values of the next row. Of a missing one the text is NULL. */
static int take_row(block *b, const column *columns, const field *fields, int64_t count) {
  int64_t *start = b->starts + b->rows, *end = b->ends + b->rows;
  field last = {NULL, 0};
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
    if (columns[i].kind != TERM)
      continue;
    int64_t number = word_of(columns[i].words, fields[i].text ? fields[i].text : "", fields[i].length);
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
    *f = (field){from, (size_t)(at - from)};
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
        *f = (field){from, (size_t)(quote - from)};
      } else {
        memcpy(to, at, (size_t)(quote - at));
        to += quote - at;
        *f = (field){into, (size_t)(to - into)};
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
      fields[i] = (field){"", 0};
    else if (!(at = csv_value(at, end, s, fields + i)))
      return 0;
    if (i < count - 1 && (at >= end || *at++ != ','))
      return 0;
  }
  return at == end;
}

static int csv_row(const char *line, const char *end, block *b, int64_t count, const column *columns, scratch *s,
                   field *fields) {
  return csv_line(line, end, count, s, fields) ? take_row(b, columns, fields, count) : STOPPED;
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
        *f = (field){from, (size_t)(at - from)};
      } else {
        *f = (field){into, (size_t)(to - into)};
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

/* A number, true, false or null; the place behind it. Only whole numbers and null are plain. */
static const char *json_bare(const char *at, const char *end, field *f) {
  if (end - at >= 4 && !memcmp(at, "null", 4)) {
    *f = (field){NULL, 0};
    return at + 4;
  }
  const char *from = at, *first = at + (*at == '-');
  for (at = first; at < end && *at >= '0' && *at <= '9';)
    at++;
  if (at == first || (*first == '0' && at - first > 1))
    return NULL;
  *f = (field){from, (size_t)(at - from)};
  return at;
}

static const char *const KEYS[] = {"start", "end", "s", "p", "o", "stream", "graph"};
enum { KEY_COUNT = 7, NEEDED = 1 | 4 | 8 | 16 };

static int key_of(field f) {
  for (int i = 0; i < KEY_COUNT; i++)
    if (strlen(KEYS[i]) == f.length && !memcmp(KEYS[i], f.text, f.length))
      return i;
  return -1;
}

/* The values of a line by the places of their keys. */
static int json_line(const char *at, const char *end, scratch *s, field *fields) {
  memset(fields, 0, KEY_COUNT * sizeof *fields);
  int seen = 0;
  if (at >= end || *at++ != '{')
    return 0;
  for (;;) {
    field key, value;
    at = without_blanks(at, end);
    if (at >= end || *at != '"' || !(at = json_text(at + 1, end, s, &key)))
      return 0;
    at = without_blanks(at, end);
    if (at >= end || *at != ':')
      return 0;
    at = without_blanks(at + 1, end);
    if (at >= end)
      return 0;
    int place = key_of(key), is_text = *at == '"';
    at = is_text ? json_text(at + 1, end, s, &value) : json_bare(at, end, &value);
    if (!at || place < 0 || seen & 1 << place)
      return 0;
    if (!is_text && place > 1 && (value.text || NEEDED & 1 << place)) /* a term is text, a name may be null */
      return 0;
    if (is_text && place == 0 && !value.length)
      return 0;
    seen |= 1 << place;
    fields[place] = value;
    at = without_blanks(at, end);
    if (at >= end)
      return 0;
    if (*at == '}')
      return (seen & NEEDED) == NEEDED && without_blanks(at + 1, end) == end;
    if (*at++ != ',')
      return 0;
  }
}

static int json_row(const char *line, const char *end, block *b, int64_t count, const column *columns, scratch *s,
                    field *fields) {
  return json_line(without_blanks(line, end), end, s, fields) ? take_row(b, columns, fields, count) : STOPPED;
}

/* ---- the lines of a text ------------------------------------------------------------------------------- */

typedef int row_reader(const char *, const char *, block *, int64_t, const column *, scratch *, field *);

/* Whether only blanks are on a line: it is passed over. */
static int is_blank(const char *line, const char *end, int is_csv) {
  return line == end || (!is_csv && without_blanks(line, end) == end);
}

/* Read at most `most` rows of a text, which has a line end behind each; false if there is no memory. */
EXPORT int64_t read_rows(const char *text, size_t length, int64_t is_csv, int64_t count, const column *columns,
                         int64_t most, block *b) {
  const char *at = text + b->bytes, *stop = text + length;
  row_reader *read = is_csv ? csv_row : json_row;
  field *fields = malloc(((size_t)count + KEY_COUNT) * sizeof *fields);
  scratch s = {NULL, 0};
  size_t room = 0;
  int taken = TAKEN;
  while (fields && b->rows < most && at < stop) {
    const char *next = memchr(at, '\n', (size_t)(stop - at));
    if (!next)
      break;
    const char *end = next > at && next[-1] == '\r' ? next - 1 : next;
    if ((size_t)(end - at) > room) {
      free(s.bytes);
      room = 2 * (size_t)(end - at) + 1024;
      s.bytes = malloc(room);
      if (!s.bytes)
        break;
    }
    s.used = 0;
    if (!is_blank(at, end, (int)is_csv) && (taken = read(at, end, b, count, columns, &s, fields)) != TAKEN)
      break;
    b->lines++;
    at = next + 1;
  }
  int has_memory = fields && (s.bytes || !room) && taken != NO_MEMORY;
  b->bytes = at - text;
  free(fields);
  free(s.bytes);
  return has_memory;
}
