/*  Columns of terms come in: each different term once, and of each row its place among them.

    Words that a reader numbers (etalis_py/texts/words.py) come once, too, and not with each batch: their codes are kept by
    their numbers, until the reader forgets its words and begins to count anew.
*/

#define _GNU_SOURCE /* rawmemchr */
#include "machine.h"

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

static int name_code(const char *text, const char *next, code *found) {
  atom_t name = PL_new_atom_mbchars(REP_UTF8, next - text - 1, text);
  *found = atom_code(name);
  return name != 0;
}

/* `others` are the terms that are no names. */
static int learn_words(engine *e, vocabulary *v, const incoming *c, term_t others, term_t head) {
  const char *next = c->names;
  if (!more_by((void **)&v->codes, &v->room, v->count, c->added, sizeof *v->codes))
    return FALSE;
  for (int64_t i = 0; i < c->added; i++, v->count++) {
    const char *text = next;
    next = text ? next_text(c, text) : NULL;
    if (c->kinds ? c->kinds[i] : text != NULL) {
      if (!name_code(text, next, v->codes + v->count))
        return FALSE;
    } else if (!PL_get_list(others, head, others) || code_of(e, TRUE, head, v->codes + v->count) != FOUND) {
      return PL_exception(0) ? FALSE : PL_representation_error("words");
    }
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
