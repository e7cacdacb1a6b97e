/*  Lines of text from columns: pieces that are the same in all lines, and values between them. */

#include "texts.h"

enum { NOTHING, TEXTS, INTEGERS, MOMENTS };

/* A piece, and the value behind it: a text by its number (`numbers`; NULL: that of the line), or a number. */
typedef struct {
  const char *piece;
  size_t length;
  int64_t kind;
  const int64_t *numbers;
  const char *bytes;
  const int64_t *bounds; /* of text n: from bounds[n] to bounds[n + 1] */
} part;

static size_t room_for(const part *p, int64_t rows) {
  size_t each = p->length;
  if (p->kind == INTEGERS)
    each += INTEGER_ROOM + 1;
  if (p->kind == MOMENTS)
    each += MOMENT_ROOM;
  size_t room = each * (size_t)rows;
  if (p->kind == TEXTS && !p->numbers)
    room += (size_t)(p->bounds[rows] - p->bounds[0]);
  else if (p->kind == TEXTS)
    for (int64_t row = 0; row < rows; row++)
      room += (size_t)(p->bounds[p->numbers[row] + 1] - p->bounds[p->numbers[row]]);
  return room;
}

static char *write_value(char *out, const part *p, int64_t row) {
  if (p->kind == INTEGERS)
    return write_integer(out, p->numbers[row]);
  if (p->kind == MOMENTS)
    return write_moment(out, p->numbers[row]);
  int64_t number = p->numbers ? p->numbers[row] : row;
  size_t length = (size_t)(p->bounds[number + 1] - p->bounds[number]);
  if (length)
    memcpy(out, p->bytes + p->bounds[number], length);
  return out + length;
}

/* All lines, which are the caller's to free; NULL if there is no memory. `ends` takes the place behind each line. */
EXPORT char *write_lines(const part *parts, int64_t count, int64_t rows, int64_t *ends, size_t *length) {
  size_t room = 1;
  for (int64_t i = 0; i < count; i++)
    room += room_for(parts + i, rows);
  char *lines = malloc(room), *out = lines;
  if (!lines)
    return NULL;
  for (int64_t row = 0; row < rows; row++) {
    for (const part *p = parts; p < parts + count; p++) {
      memcpy(out, p->piece, p->length);
      out += p->length;
      if (p->kind != NOTHING)
        out = write_value(out, p, row);
    }
    ends[row] = out - lines;
  }
  *length = (size_t)(out - lines);
  return lines;
}

EXPORT void lines_free(char *lines) { free(lines); }
