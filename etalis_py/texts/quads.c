/*  The quads of an N-Quads file, whole and in columns.

    A graph is known by the number of its name in a table of words; numbers follow the order in which graphs are named
    first. What is not plain ends the reading: a line that is no quad, a triple of the default graph that is no time, a
    time that is told twice.
*/

#include "texts.h"

enum { GENERATED = 1, STARTED = 2, ENDED = 4 };

typedef struct {
  int64_t start, end;
  uint8_t told, has_triples;
} graph;

typedef struct {
  int32_t s, p, o, graph;
  int64_t line, end;
} triple;

typedef struct {
  int64_t count, given, lines; /* triples, those that were taken, and lines of the file */
  triple *triples;
  graph *graphs;
  int64_t room, graph_count, graph_room;
} quads;

EXPORT quads *quads_new(void) { return calloc(1, sizeof(quads)); }

EXPORT void quads_free(quads *q) {
  free(q->triples);
  free(q->graphs);
  free(q);
}

/* ---- a line ------------------------------------------------------------------------------------------ */

typedef struct {
  const char *text;
  size_t length;
} term;

static const char *without_blanks(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\t'))
    at++;
  return at;
}

static const char *behind(const char *at, const char *end, char c) {
  const char *found = at < end ? memchr(at, c, (size_t)(end - at)) : NULL;
  return found ? found + 1 : NULL;
}

static const char *behind_literal(const char *at, const char *end) {
  for (at++; at < end && *at != '"'; at++)
    if (*at == '\\' && ++at >= end)
      return NULL;
  if (at++ >= end)
    return NULL;
  if (end - at > 2 && at[0] == '^' && at[1] == '^' && at[2] == '<')
    return behind(at, end, '>');
  if (at < end && *at == '@')
    for (at++; at < end && ((*at | 32) >= 'a' ? (*at | 32) <= 'z' : *at == '-' || (*at >= '0' && *at <= '9')); at++)
      ;
  return at;
}

/* A label of usual characters, with a blank behind it. */
static const char *behind_blank_node(const char *at, const char *end) {
  const char *from = at;
  while (at < end && *at > ' ' && *at != '<' && *at != '"')
    at++;
  return at - from > 2 && from[1] == ':' && at < end && (*at == ' ' || *at == '\t') ? at : NULL;
}

/* The next term; the place behind it, NULL where there is none. */
static const char *read_term(const char *at, const char *end, term *t) {
  at = without_blanks(at, end);
  t->text = at;
  if (at >= end)
    return NULL;
  at = *at == '<'   ? behind(at, end, '>')
       : *at == '"' ? behind_literal(at, end)
       : *at == '_' ? behind_blank_node(at, end)
                    : NULL;
  t->length = at ? (size_t)(at - t->text) : 0;
  return at;
}

/* The terms of a quad: 3 or 4 of them, 0 where it is none. */
static int read_quad(const char *at, const char *end, term *terms) {
  int count = 0;
  for (; count < 4; count++) {
    at = without_blanks(at, end);
    if (count == 3 && at < end && *at == '.')
      break;
    if (!(at = read_term(at, end, terms + count)))
      return 0;
  }
  at = without_blanks(at, end);
  if (at >= end || *at != '.')
    return 0;
  at = without_blanks(at + 1, end);
  return at == end || *at == '#' ? count : 0;
}

/* ---- what it says ------------------------------------------------------------------------------------ */

static int is(term t, const char *text) { return strlen(text) == t.length && !memcmp(text, t.text, t.length); }

static int kind_of_time(term predicate) {
  if (is(predicate, "<http://www.w3.org/ns/prov#generatedAtTime>"))
    return GENERATED;
  if (is(predicate, "<http://www.w3.org/ns/prov#startedAtTime>"))
    return STARTED;
  return is(predicate, "<http://www.w3.org/ns/prov#endedAtTime>") ? ENDED : 0;
}

static int time_of(term literal, int64_t *time) {
  static const char type[] = "\"^^<http://www.w3.org/2001/XMLSchema#dateTime>";
  size_t rest = sizeof type - 1;
  return literal.length > rest + 1 && literal.text[0] == '"' &&
         !memcmp(literal.text + literal.length - rest, type, rest) &&
         read_moment(literal.text + 1, literal.length - rest - 1, time);
}

static graph *graph_named(quads *q, words *names, term name, int64_t *number) {
  *number = word_of(names, name.text, name.length);
  if (*number < 0)
    return NULL;
  if (*number >= q->graph_room) {
    int64_t room = 2 * *number + 256;
    graph *grown = realloc(q->graphs, (size_t)room * sizeof *grown);
    if (!grown)
      return NULL;
    q->graphs = grown;
    q->graph_room = room;
  }
  for (; q->graph_count <= *number; q->graph_count++)
    q->graphs[q->graph_count] = (graph){0, 0, 0, 0};
  return q->graphs + *number;
}

static int64_t add_time(quads *q, words *names, const term *terms) {
  int64_t number, time;
  int kind = kind_of_time(terms[1]);
  if (!kind || !time_of(terms[2], &time))
    return 0;
  graph *g = graph_named(q, names, terms[0], &number);
  if (!g)
    return NO_MEMORY;
  if (g->told & (kind == GENERATED ? GENERATED | STARTED | ENDED : GENERATED | kind))
    return 0;
  g->told |= (uint8_t)kind;
  if (kind != ENDED)
    g->start = time;
  if (kind != STARTED)
    g->end = time;
  return 1;
}

/* `tables` are those of subjects, predicates, objects and names of graphs. */
static int64_t add_triple(quads *q, words *const *tables, const term *terms) {
  int64_t numbers[3], number;
  for (int i = 0; i < 3; i++)
    if ((numbers[i] = word_of(tables[i], terms[i].text, terms[i].length)) < 0)
      return NO_MEMORY;
  graph *g = graph_named(q, tables[3], terms[3], &number);
  if (!g)
    return NO_MEMORY;
  if (q->count >= q->room) {
    int64_t room = 2 * q->room + 1024;
    triple *grown = realloc(q->triples, (size_t)room * sizeof *grown);
    if (!grown)
      return NO_MEMORY;
    q->triples = grown;
    q->room = room;
  }
  g->has_triples = 1;
  q->triples[q->count++] =
      (triple){(int32_t)numbers[0], (int32_t)numbers[1], (int32_t)numbers[2], (int32_t)number, q->lines, 0};
  return 1;
}

/* Take the lines of a text, each with its end; 1 if all are plain, else 0 or NO_MEMORY. */
EXPORT int64_t quads_read(quads *q, words *const *tables, const char *text, size_t length) {
  const char *at = text, *stop = text + length;
  while (at < stop) {
    const char *next = memchr(at, '\n', (size_t)(stop - at));
    if (!next)
      return 0;
    const char *end = next > at && next[-1] == '\r' ? next - 1 : next, *begin = without_blanks(at, end);
    q->lines++;
    if (begin < end && *begin != '#') {
      term terms[4];
      int count = read_quad(begin, end, terms);
      int64_t taken = count == 4 ? add_triple(q, tables, terms) : count ? add_time(q, tables[3], terms) : 0;
      if (taken != 1)
        return taken;
    }
    at = next + 1;
  }
  return 1;
}

/* ---- in order ------------------------------------------------------------------------------------------ */

static int compare(const void *one, const void *other) {
  const triple *a = one, *b = other;
  if (a->end != b->end)
    return a->end < b->end ? -1 : 1;
  if (a->graph != b->graph)
    return a->graph < b->graph ? -1 : 1;
  return a->line < b->line ? -1 : a->line > b->line;
}

/* Put the triples in the order of their ends, then of their graphs; false where a graph has not one time. */
EXPORT int64_t quads_order(quads *q) {
  for (graph *g = q->graphs; g < q->graphs + q->graph_count; g++) {
    if (g->has_triples && g->told != GENERATED && g->told != (STARTED | ENDED))
      return 0;
    if (g->told == (STARTED | ENDED) && g->end < g->start)
      return 0;
  }
  int is_sorted = 1;
  for (int64_t i = 0; i < q->count; i++) {
    q->triples[i].end = q->graphs[q->triples[i].graph].end;
    is_sorted = is_sorted && (!i || compare(q->triples + i - 1, q->triples + i) <= 0);
  }
  if (!is_sorted)
    qsort(q->triples, (size_t)q->count, sizeof *q->triples, compare);
  return 1;
}

/* How many triples to take next: whole graphs, of at least `least` triples. */
EXPORT int64_t quads_next(const quads *q, int64_t least) {
  int64_t last = q->given + least < q->count ? q->given + least : q->count;
  while (last > q->given && last < q->count && q->triples[last].graph == q->triples[last - 1].graph)
    last++;
  return last - q->given;
}

/* Take so many triples: the places of their terms in the next batch of each table, times and lines; 1, NO_MEMORY. */
EXPORT int64_t quads_take(quads *q, words *const *tables, int64_t count, int32_t *const *codes, int64_t *starts,
                          int64_t *ends, int64_t *lines) {
  for (int64_t row = 0; row < count; row++) {
    const triple *t = q->triples + q->given++;
    const int32_t numbers[] = {t->s, t->p, t->o, t->graph};
    for (int i = 0; i < 4; i++) {
      int64_t place = place_of(tables[i], numbers[i]);
      if (place < 0)
        return NO_MEMORY;
      codes[i][row] = (int32_t)place;
    }
    starts[row] = q->graphs[t->graph].start;
    ends[row] = t->end;
    lines[row] = t->line;
  }
  return 1;
}
