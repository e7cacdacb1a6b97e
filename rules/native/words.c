/*  Columns of terms come in: each different term once, and of each row its place among them.

    Words that a reader numbers (etalis_py/texts/words.py) come once, too, and not with each batch: their codes are kept by
    their numbers, until the reader forgets its words and begins to count anew.
*/

#define _GNU_SOURCE /* rawmemchr */
#include "machine.h"

enum { OTHER, NAME, WHOLE, DECIMAL, TEXT }; /* kinds of words, as the reader says (etalis_py/texts/texts.h) */

void forget_words(engine *e, vocabulary *v) {
  while (v->count)
    release(e, v->codes[--v->count]);
  free(v->codes);
  *v = (vocabulary){0};
}

/* The next text; there are some. */
static const char *next_text(const incoming *c, const char *text) {
  return (c->kinds ? (const char *)rawmemchr(text, '\n') : text + strlen(text)) + 1;
}

/* Of a canonical number in quotes. */
static int written_number(engine *e, enum rank rank, const char *text, code *found) {
  int64_t up = 0, down = 1;
  const char *at = text + 1 + (text[1] == '-');
  number n;
  for (int is_behind = FALSE; *at != '"'; at++) {
    if (*at == '.') {
      is_behind = TRUE;
      continue;
    }
    up = 10 * up + (*at - '0');
    down *= is_behind ? 10 : 1;
  }
  if (exact_quotient(text[1] == '-' ? -up : up, down, &n) != VALUE_IS)
    return PL_representation_error("words");
  n.rank = rank;
  return number_term(e, &n, found);
}

static int text_code(engine *e, const char *text, const char *end, code *found) {
  code value;
  if (node_code(e, TRUE, STRING, 0, end - text, text, end - text, &value) != FOUND)
    return FALSE;
  int done = literal_code(e, value, xsd_string, found);
  release(e, value);
  return done;
}

typedef struct {
  const char *text, *next; /* next: behind its end */
  int kind;
  uint64_t hash; /* of a name */
} word;

static int word_code(engine *e, const word *w, code *found) {
  switch (w->kind) {
  case WHOLE:
    return written_number(e, INTEGERS, w->text, found);
  case DECIMAL:
    return written_number(e, DECIMALS, w->text, found);
  case TEXT:
    return text_code(e, w->text + 1, w->next - 2, found);
  default:
    return code_of_text(e, TRUE, w->hash, w->text, w->next - w->text - 1, found) == FOUND;
  }
}

static int other_code(engine *e, term_t others, term_t head, code *found) {
  if (PL_get_list(others, head, others) && code_of(e, TRUE, head, found) == FOUND)
    return TRUE;
  return PL_exception(0) ? FALSE : PL_representation_error("words");
}

#define GROUP 32

/* The words from number `first` on. Where names will be is in none of the processor's caches: it is fetched for all of them. */
static int64_t read_words(const engine *e, const incoming *c, int64_t first, const char *next, word *group) {
  int64_t count = c->added - first < GROUP ? c->added - first : GROUP;
  for (word *w = group; w < group + count; w++) {
    const char *text = next;
    next = text ? next_text(c, text) : NULL;
    int kind = c->kinds ? c->kinds[first + (w - group)] : text ? NAME : OTHER;
    *w = (word){text, next, kind, kind == NAME ? node_hash(0, text, next - text - 1) : 0};
    if (kind == NAME)
      __builtin_prefetch(e->names + (w->hash & e->name_mask));
  }
  return count;
}

/* `others` are the terms of words that are OTHER. */
static int learn_words(engine *e, vocabulary *v, const incoming *c, term_t others, term_t head) {
  word group[GROUP];
  const char *next = c->names;
  if (!more_by((void **)&v->codes, &v->room, v->count, c->added, sizeof *v->codes))
    return FALSE;
  for (int64_t first = 0, count; first < c->added; first += count) {
    count = read_words(e, c, first, next, group);
    next = group[count - 1].next;
    for (const word *w = group; w < group + count; w++, v->count++)
      if (!(w->kind == OTHER ? other_code(e, others, head, v->codes + v->count) : word_code(e, w, v->codes + v->count)))
        return FALSE;
  }
  return TRUE;
}

static int take_column(engine *e, vocabulary *v, const incoming *c, term_t others, term_t head) {
  if (!c->table || v->table != c->table)
    forget_words(e, v);
  v->table = c->table;
  if (v->count != c->known)
    return PL_representation_error("words");
  if (learn_words(e, v, c, others, head))
    return TRUE;
  forget_words(e, v);
  return FALSE;
}

int take_terms(machine *m, const incoming *columns, term_t list) {
  batch *b = &m->rows;
  size_t others;
  int64_t used = columns[0].used + columns[1].used + columns[2].used;
  term_t rest = PL_copy_term_ref(list), head = PL_new_term_ref();
  if (!rest || !head)
    return FALSE;
  for (int i = 0; i < 3; i++)
    if (!take_column(m->engine, m->engine->words + i, columns + i, rest, head))
      return FALSE;
  if (PL_skip_list(rest, 0, &others) != PL_LIST)
    return PL_type_error("list", list);
  if (!(b->terms = malloc((used + others + 1) * sizeof *b->terms)))
    return PL_resource_error("memory");
  code *terms = b->terms;
  for (int i = 0; i < 3; i++) {
    const code *codes = m->engine->words[i].codes;
    const int32_t *numbers = columns[i].numbers;
    for (int64_t place = 0; place < columns[i].used; place++)
      *terms++ = codes[numbers ? numbers[place] : place];
  }
  for (b->known_count = b->term_count = used; PL_get_list(rest, head, rest); b->term_count++)
    if (code_of(m->engine, TRUE, head, b->terms + b->term_count) != FOUND)
      return FALSE;
  return TRUE;
}

/* words_known(+Machine, -Known): of subjects, predicates and objects the table whose words are known, and how many are. */
foreign_t words_known(term_t machine, term_t known) {
  void *m = NULL;
  if (!PL_get_pointer(machine, &m))
    return PL_type_error("machine", machine);
  term_t tail = PL_copy_term_ref(known), head = PL_new_term_ref();
  for (int i = 0; i < 3; i++) {
    const vocabulary *v = ((struct machine *)m)->engine->words + i;
    if (!PL_unify_list(tail, head, tail) || !PL_unify_int64(head, v->table) || !PL_unify_list(tail, head, tail) ||
        !PL_unify_int64(head, v->count))
      return FALSE;
  }
  return PL_unify_nil(tail);
}
