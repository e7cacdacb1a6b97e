/*  What native code asks Prolog for. It may be in the middle of a walk (instants.c): then it stands still meanwhile. */

#include "machine.h"

void call_outside(engine *e, void (*errand)(void *), void *about) {
  if (e->machine)
    run_outside(e->machine, errand, about);
  else
    errand(about);
}

typedef struct {
  engine *engine;
  predicate_t predicate;
  const code *about;
  int count;
  code *value;
  int done;
} question;

static void ask(void *about) {
  question *q = about;
  fid_t frame = PL_open_foreign_frame();
  term_t arguments = frame ? PL_new_term_refs(q->count + 1) : 0;
  q->done = arguments != 0;
  for (int i = 0; q->done && i < q->count; i++)
    q->done = unify_code(arguments + i, q->about[i]);
  q->done = q->done && PL_call_predicate(NULL, PL_Q_PASS_EXCEPTION, q->predicate, arguments) &&
            code_of(q->engine, TRUE, arguments + q->count, q->value) == FOUND;
  if (frame)
    PL_close_foreign_frame(frame);
}

/* The last argument of a predicate that is true of the others; the code is the caller's to release. */
int prolog_value(engine *e, const char *module, const char *name, const code *about, int count, code *value) {
  question q = {e, PL_predicate(name, count + 1, module), about, count, value, FALSE};
  call_outside(e, ask, &q);
  return q.done;
}
