/*  Predicates that only tell something of their arguments: what C knows of them (values.c), else what Prolog says. */

#include "background.h"

int keep(machine *m, code made) {
  if (!more((void **)&m->pool, &m->pool_room, m->pool_count, sizeof(code))) {
    release(m->engine, made);
    return FALSE;
  }
  m->pool[m->pool_count++] = made;
  return TRUE;
}

typedef struct {
  const goal *goal;
  frame *frame;
  enum status is;
} prolog_call;

/* A predicate of Prolog that has one solution at most. STOP: it has. */
static void call_prolog(void *about) {
  prolog_call *asked = about;
  const goal *g = asked->goal;
  frame *f = asked->frame;
  asked->is = BROKEN;
  fid_t outer = PL_open_foreign_frame();
  term_t arguments = outer ? PL_new_term_refs(g->width) : 0;
  if (!arguments)
    return;
  enum status is = GO_ON;
  for (int i = 0; i < g->width; i++)
    if (g->columns[i].kind == KNOWN && !unify_code(arguments + i, value_of(f, &g->columns[i].is)))
      is = BROKEN;
  if (is == GO_ON && PL_call_predicate(g->module, PL_Q_PASS_EXCEPTION, g->prolog, arguments)) {
    is = STOP;
    for (int i = 0; is == STOP && i < g->width; i++) {
      const column *c = g->columns + i;
      code value;
      if (c->kind != TAKEN && c->kind != CHECKED)
        continue;
      int known = code_of(f->m->engine, TRUE, arguments + i, &value);
      if (known == OPEN)
        PL_instantiation_error(arguments + i);
      if (known != FOUND || !keep(f->m, value))
        is = BROKEN;
      else if (c->kind == TAKEN)
        f->registers[c->is.at] = value;
      else if (f->registers[c->is.at] != value)
        is = GO_ON;
    }
  } else if (PL_exception(0)) {
    is = BROKEN;
  }
  if (is == BROKEN)
    PL_close_foreign_frame(outer);
  else
    PL_discard_foreign_frame(outer);
  asked->is = is;
}

static enum status ask_prolog(const goal *g, frame *f) {
  prolog_call about = {g, f, BROKEN};
  run_outside(f->m, call_prolog, &about);
  return about.is;
}

enum status tell(const goal *g, frame *f) {
  int last = g->width - 1;
  code arguments[g->width + 1], value;
  if (!g->operation)
    return ask_prolog(g, f);
  for (int i = 0; i < last; i++)
    arguments[i] = value_of(f, &g->columns[i].is);
  enum result is = g->operation(f->m->engine, arguments, &value);
  if (is == VALUE_UNKNOWN)
    return ask_prolog(g, f);
  if (is != VALUE_IS)
    return is == VALUE_ERROR ? GO_ON : BROKEN;
  if (TAG(value) == TAG_NODE && !keep(f->m, value))
    return BROKEN;
  const column *c = g->columns + last;
  if (c->kind == TAKEN)
    f->registers[c->is.at] = value;
  return c->kind == TAKEN || c->kind == IGNORED || value_of(f, &c->is) == value ? STOP : GO_ON;
}

typedef struct {
  const goal *goal;
  frame *frame;
  size_t from, to; /* which solutions */
  size_t rows;     /* so many of them */
  int is_done, has_more;
} search;

static inline int is_found(const column *c) { return c->kind == TAKEN || c->kind == CHECKED; }

/* The columns that are not known, for each solution: the last things of the pool. */
static void search_prolog(void *about) {
  search *asked = about;
  const goal *g = asked->goal;
  machine *m = asked->frame->m;
  fid_t outer = PL_open_foreign_frame();
  term_t arguments = outer ? PL_new_term_refs(g->width) : 0;
  if (!arguments)
    return;
  int is_right = TRUE;
  for (int i = 0; is_right && i < g->width; i++)
    is_right = g->columns[i].kind != KNOWN || unify_code(arguments + i, value_of(asked->frame, &g->columns[i].is));
  qid_t query = is_right ? PL_open_query(g->module, PL_Q_PASS_EXCEPTION, g->prolog, arguments) : 0;
  is_right = query != 0;
  for (size_t place = 0; is_right && !asked->has_more && PL_next_solution(query); place++) {
    asked->has_more = place == asked->to;
    if (place < asked->from || asked->has_more)
      continue;
    for (int i = 0; is_right && i < g->width; i++) {
      code value;
      if (is_found(g->columns + i))
        is_right = code_of(m->engine, TRUE, arguments + i, &value) == FOUND && keep(m, value);
    }
    asked->rows++;
  }
  is_right = is_right && !PL_exception(query);
  if (query)
    PL_cut_query(query);
  if (is_right)
    PL_discard_foreign_frame(outer);
  else
    PL_close_foreign_frame(outer);
  asked->is_done = is_right;
}

/* The next goals with one solution, if it fits. */
static enum status run_with(const goal *g, frame *f, const code *solution) {
  for (int i = 0; i < g->width; i++) {
    const column *c = g->columns + i;
    if (c->kind == TAKEN)
      f->registers[c->is.at] = *solution++;
    else if (c->kind == CHECKED && f->registers[c->is.at] != *solution++)
      return GO_ON;
  }
  return run(g->next, f);
}

/* With some solutions that stand in `*cells` from `at` on, which may move meanwhile. */
static enum status run_with_all(const goal *g, frame *f, code *const *cells, size_t at, size_t rows) {
  size_t width = 0;
  enum status is = GO_ON;
  for (int i = 0; i < g->width; i++)
    width += is_found(g->columns + i);
  for (; is == GO_ON && rows--; at += width)
    is = run_with(g, f, *cells + at);
  return is;
}

enum { FIRST_SOLUTIONS = 4, MORE_SOLUTIONS = 16, MOST_KEPT = 64 };

/* A predicate that may have any number of solutions. Where they are not known, some are found before the first is used, since
   the walk may stand still between two of them. The background is asked again, for sixteen times as many, where these do not
   do; what may say something else then is asked for all at once. */
enum status every(const goal *g, frame *f) {
  machine *m = f->m;
  const saying *before = g->sayings ? said_before(g, f) : NULL;
  if (before && before->rows != TOO_MANY)
    return run_with_all(g, f, &m->said, solutions_at(g->sayings, before), before->rows);
  int is_new = g->sayings && !before && !m->has_said_much;
  size_t many = is_new ? MOST_KEPT : FIRST_SOLUTIONS;
  search about = {g, f, 0, g->sayings ? many : SIZE_MAX, 0, FALSE, FALSE};
  enum status is = GO_ON;
  do {
    size_t at = m->pool_count;
    about.rows = about.is_done = about.has_more = 0;
    run_outside(m, search_prolog, &about);
    if (!about.is_done)
      return BROKEN;
    if (is_new && !note_saying(g, f, about.has_more ? TOO_MANY : (int)about.rows, m->pool + at))
      return BROKEN;
    is_new = FALSE;
    is = run_with_all(g, f, &m->pool, at, about.rows);
    about.from = about.to;
    about.to *= MORE_SOLUTIONS;
  } while (is == GO_ON && about.has_more);
  return is;
}
