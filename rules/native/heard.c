/*  What rules hear of a row, where the background entails something of it (rules/engine/heard_occurrences.pl).

    It depends on the predicate and, where that says so, on the object or its kind. It is asked of Prolog once. What is heard of
    many classes is the same: each different list of templates is there once.
*/

#include "heard.h"

/* ---- tables ------------------------------------------------------------------------------------------------ */

static by_code *place_of(const code_table *t, code key) {
  uint64_t at = mixed(0, key) & t->mask;
  while (t->items[at].is && t->items[at].key != key)
    at = (at + 1) & t->mask;
  return t->items + at;
}

static const void *known_at(const code_table *t, code key) { return t->items ? place_of(t, key)->is : NULL; }

static int more_places(code_table *t) {
  code_table grown = {.mask = t->items ? 2 * t->mask + 1 : 15, .count = t->count};
  if (!(grown.items = calloc(grown.mask + 1, sizeof *grown.items)))
    return PL_resource_error("memory");
  for (uint64_t i = 0; t->items && i <= t->mask; i++)
    if (t->items[i].is)
      *place_of(&grown, t->items[i].key) = t->items[i];
  free(t->items);
  *t = grown;
  return TRUE;
}

/* The key is there once, and held. */
static int put_at(code_table *t, code key, const void *is) {
  if ((!t->items || 2 * t->count > t->mask) && !more_places(t))
    return FALSE;
  by_code *place = place_of(t, key);
  if (!place->is) {
    retain(key);
    t->count++;
  }
  *place = (by_code){key, is};
  return TRUE;
}

static void forget_table(engine *e, code_table *t, void (*forget)(engine *, void *)) {
  for (uint64_t i = 0; t->items && i <= t->mask; i++)
    if (t->items[i].is) {
      release(e, t->items[i].key);
      if (forget)
        forget(e, (void *)t->items[i].is);
    }
  free(t->items);
  *t = (code_table){0};
}

/* ---- templates ------------------------------------------------------------------------------------------- */

static const templates by_kind; /* of an object that is heard as others of its kind */

static void forget_templates(engine *e, void *about) {
  templates *t = about;
  for (int i = 0; i < t->count; i++) {
    release(e, t->items[i].s);
    release(e, t->items[i].p);
    release(e, t->items[i].o);
  }
  free(t);
}

static void forget_predicate(engine *e, void *about) {
  heard *h = about;
  forget_table(e, &h->objects, NULL);
  free(h);
}

void forget_heard(machine *m) {
  forget_table(m->engine, &m->heard, forget_predicate);
  forget_table(m->engine, &m->templates, forget_templates);
  m->heard_count = 0;
  m->heard_last = NULL;
}

/* s, o or k(Term) */
static int read_part(machine *m, term_t term, code *part) {
  if (is_named(term, "k", 1))
    return code_of(m->engine, TRUE, part_of(term, 1), part) == FOUND;
  *part = is_named(term, "s", 0) ? THE_SUBJECT : THE_OBJECT;
  return TRUE;
}

static templates *read_templates(machine *m, term_t term) {
  size_t length = 0;
  PL_skip_list(term, 0, &length);
  templates *t = calloc(1, sizeof *t + length * sizeof *t->items);
  term_t list = PL_copy_term_ref(term), head = PL_new_term_ref();
  if (!t || !list || !head) {
    free(t);
    return PL_resource_error("memory"), NULL;
  }
  while (PL_get_list(list, head, list)) {
    occurrence *x = t->items + t->count++;
    *x = (occurrence){.s = THE_SUBJECT, .p = THE_SUBJECT, .o = THE_SUBJECT};
    if (!read_part(m, part_of(head, 1), &x->s) || !read_part(m, part_of(head, 2), &x->p) ||
        !read_part(m, part_of(head, 3), &x->o)) {
      forget_templates(m->engine, t);
      return NULL;
    }
  }
  return t;
}

static const templates *templates_of(machine *m, term_t term) {
  code list;
  if (code_of(m->engine, TRUE, term, &list) != FOUND)
    return NULL;
  const templates *known = known_at(&m->templates, list);
  templates *t = known ? NULL : read_templates(m, term);
  if (t && !put_at(&m->templates, list, t)) {
    forget_templates(m->engine, t);
    t = NULL;
  }
  release(m->engine, list);
  return known ? known : t;
}

/* ---- what is heard --------------------------------------------------------------------------------------- */

static heard *heard_with(machine *m, code p, enum hearing how) {
  heard *h = (heard *)known_at(&m->heard, p);
  if (h)
    return h;
  if (!(h = calloc(1, sizeof *h)))
    return PL_resource_error("memory"), NULL;
  *h = (heard){.p = p, .how = how};
  if (!put_at(&m->heard, p, h)) {
    free(h);
    return NULL;
  }
  m->heard_count++;
  return h;
}

static int put_object(machine *m, heard *h, code key, const templates *t) {
  m->heard_count++;
  return put_at(&h->objects, key, t);
}

static code kind_of(code o) { return TAG(o) == TAG_ATOM ? ANY_NODE : ANY_LITERAL; }

/* `how` is `whole`, or of the form F(K), F is by_class or by_kind, K is class where the object is one. */
static const templates *add_heard(machine *m, code p, code o, term_t how, term_t list) {
  const templates *t = templates_of(m, list);
  int is_whole = is_named(how, "whole", 0), by_class = !is_whole && is_named(part_of(how, 1), "by_class", 0);
  int is_class = !is_whole && is_named(part_of(how, 2), "class", 0);
  heard *h = t ? heard_with(m, p, is_whole ? WHOLE : by_class ? BY_CLASS : BY_KIND) : NULL;
  if (!h)
    return NULL;
  if (is_whole)
    h->whole = t;
  else if ((by_class && !is_class && !put_object(m, h, o, &by_kind)) ||
           !put_object(m, h, is_class ? o : kind_of(o), t))
    return NULL;
  return t;
}

typedef struct {
  machine *m;
  code p, o;
  const templates *found;
} heard_query;

/* etalis_heard_occurrences:heard_templates(Engine, P, O, How, Templates) */
static void ask_heard(void *about) {
  heard_query *query = about;
  static predicate_t ask;
  if (!ask)
    ask = PL_predicate("heard_templates", 5, "etalis_heard_occurrences");
  fid_t outer = PL_open_foreign_frame();
  term_t a = PL_new_term_refs(5);
  if (PL_put_atom(a, query->m->module) && unify_code(a + 1, query->p) && unify_code(a + 2, query->o) &&
      PL_call_predicate(NULL, PL_Q_PASS_EXCEPTION, ask, a))
    query->found = add_heard(query->m, query->p, query->o, a + 3, a + 4);
  PL_close_foreign_frame(outer);
}

static const templates *known_templates(const heard *h, code o) {
  if (h->how == WHOLE)
    return h->whole;
  const templates *t = h->how == BY_CLASS ? known_at(&h->objects, o) : &by_kind;
  return t == &by_kind ? known_at(&h->objects, kind_of(o)) : t;
}

static const templates *heard_of(machine *m, code p, code o) {
  if (!m->heard_last || m->heard_last->p != p)
    m->heard_last = known_at(&m->heard, p);
  const templates *t = m->heard_last ? known_templates(m->heard_last, o) : NULL;
  if (t)
    return t;
  heard_query query = {m, p, o, NULL};
  run_outside(m, ask_heard, &query);
  return query.found;
}

static code filled(code part, const occurrence *x) {
  return part == THE_SUBJECT ? x->s : part == THE_OBJECT ? x->o : part;
}

int hear(machine *m, const occurrence *x, occurrences *all) {
  if (!m->hears)
    return add_occurrence(all, x);
  const templates *t = heard_of(m, x->p, x->o);
  code of = x->of;
  if (t && t->count && m->forms[OF_TRIPLE] && x->place && !triple_of(m, x, &of))
    return FALSE;
  for (int i = 0; t && i < t->count; i++) {
    occurrence entailed = *x;
    entailed.of = of;
    entailed.s = filled(t->items[i].s, x), entailed.p = filled(t->items[i].p, x), entailed.o = filled(t->items[i].o, x);
    if (!add_occurrence(all, &entailed))
      return FALSE;
  }
  return t != NULL;
}
