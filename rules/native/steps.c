/*  Instants at which something is due though nothing happens: the steps of windows, deadlines, evaluations
    (rules/engine/instant.pl).

    A step whose window has no members is passed over. An event with a wrong clock may have thousands of millions of steps
    before it: so there is a limit to their number, and where they are due whatever is in the window, it is known before
    the first of them.
*/

#include "groups.h"
#include "machine.h"

#define MOST_STEPS 1000000

/* How long before `time` the last one was; it is none before the first. */
static int64_t since_step(const step *s, int64_t time) {
  int64_t rest = (time - s->first) % s->length;
  return rest < 0 ? rest + s->length : rest;
}

static int64_t step_after(const step *s, int64_t time) { return time - since_step(s, time) + s->length; }

/* The first one that is open; `none` for no one. */
static int64_t deadline_of(const step *s, int64_t none) {
  int64_t row = earliest_row(s->store);
  return row < 0 ? none : number_of(row_cells(s->store, row)[s->store->ordered_by]) + s->length;
}

/* From when on nothing changes at the instants of a grid, when the input has ended; `none` where that is not known. */
static int64_t over_from(const machine *m, const step *s, int64_t none) {
  if (s->end == LASTS)
    return m->rows.ended_at;
  int64_t row = s->end == PASSES ? -1 : earliest_row(s->emptied);
  return row < 0 ? none : number_of(row_cells(s->emptied, row)[s->emptied->ordered_by]);
}

/* Whether the input has ended, and there was an instant of the same grids before `time` from which on nothing changes. */
static int is_over(const machine *m, const step *s, int64_t time) {
  if (m->rows.end != HAS_ENDED)
    return FALSE;
  int64_t over = over_from(m, s, time);
  for (const step *other = m->steps; other < m->steps + m->step_count; other++) {
    if (other->kind != GRID || other->position != s->position)
      continue;
    int64_t last = time - 1 - since_step(other, time - 1);
    if (last >= other->since && last >= over)
      return TRUE;
  }
  return FALSE;
}

static int is_step_due(const machine *m, const step *s, int64_t time) {
  switch (s->kind) {
  case STEP:
    return m->rows.end != HAS_ENDED && !since_step(s, time);
  case GRID:
    return time >= s->since && !since_step(s, time) && !is_over(m, s, time);
  default:
    return deadline_of(s, time + 1) == time;
  }
}

static int64_t grid_after(const machine *m, const step *s, int64_t time, int64_t end) {
  int64_t next = time < s->since ? s->since : step_after(s, time);
  return is_over(m, s, next) ? end : next;
}

/* When it is due after `time`, `end` where it is not. */
static int64_t due_after(const machine *m, const step *s, int64_t time, int64_t end) {
  switch (s->kind) {
  case STEP:
    return m->rows.end != HAS_ENDED && (!s->idle || has_members(s->idle)) ? step_after(s, time) : end;
  case GRID:
    return s->store->live ? grid_after(m, s, time, end) : end;
  default:
    return deadline_of(s, end);
  }
}

int is_due(const machine *m, int64_t time) {
  for (int i = 0; time > BEFORE_ALL && i < m->step_count; i++)
    if (is_step_due(m, m->steps + i, time))
      return TRUE;
  return FALSE;
}

int has_only_grids(const machine *m) {
  for (int i = 0; i < m->step_count; i++)
    if (m->steps[i].kind != GRID)
      return FALSE;
  return TRUE;
}

int64_t first_on_grids(const machine *m, int64_t time) {
  int64_t first = INT64_MAX;
  for (const step *s = m->steps; s < m->steps + m->step_count; s++) {
    int64_t next = time < s->since ? s->since : step_after(s, time);
    first = next < first ? next : first;
  }
  return first;
}

void plan_steps(machine *m, int64_t time) {
  for (int i = 0; i < m->step_count; i++)
    if (is_step_due(m, m->steps + i, time))
      settle_later(m, m->steps[i].position);
  for (int i = 0; i < m->step_count; i++)
    if (m->steps[i].kind == MOMENT && is_step_due(m, m->steps + i, time)) {
      remove_row(m->steps[i].store, earliest_row(m->steps[i].store));
      reclaim(m->steps[i].store); /* else the earliest is looked for behind all that is gone */
    }
}

static int is_pause(const machine *m, int64_t from, int64_t end, int64_t left) {
  for (int i = 0; i < m->step_count; i++)
    if (m->steps[i].kind == STEP && !m->steps[i].idle && (end - from) / m->steps[i].length > left)
      return TRUE;
  return left <= 0;
}

/* error(etalis_pause(Before, End, Most), _) */
static int pause_error(int64_t before, int64_t end) {
  term_t error = PL_new_term_ref();
  return error &&
         PL_unify_term(error, PL_FUNCTOR_CHARS, "error", 2, PL_FUNCTOR_CHARS, "etalis_pause", 3, PL_INT64, before,
                       PL_INT64, end, PL_INT, MOST_STEPS, PL_VARIABLE) &&
         PL_raise_exception(error);
}

enum status next_step(machine *m, int64_t end) {
  batch *b = &m->rows;
  int64_t before = b->clock, first = end;
  for (int i = 0; before > BEFORE_ALL && i < m->step_count; i++) {
    int64_t next = due_after(m, m->steps + i, before, end);
    first = next < first ? next : first;
  }
  if (first == end) {
    m->steps_taken = 0;
    return GO_ON;
  }
  b->clock = first;
  if (b->end == HAS_ENDED || !is_pause(m, first, end, MOST_STEPS - m->steps_taken++))
    return STOP;
  m->steps_taken = 0;
  pause_error(before, end);
  return BROKEN;
}

/* step(Position, Length, Groups), Groups `none` where the window is looked at whatever is in it; deadline(Position, Length,
   Store); moment(Position, 0, Store); grid(Position, Period, Store, First, End), First `none` for all multiples, End `passing`,
   `lasting` or a store */
static int read_step(term_t term, step *s) {
  void *idle = NULL;
  term_t groups = part_of(term, 3);
  *s = (step){.since = INT64_MIN};
  if (!PL_get_integer_ex(part_of(term, 1), &s->position) || !PL_get_int64_ex(part_of(term, 2), &s->length))
    return FALSE;
  if (is_named(term, "grid", 5)) {
    term_t first = part_of(term, 4), end = part_of(term, 5);
    s->kind = GRID;
    s->end = is_named(end, "passing", 0) ? PASSES : is_named(end, "lasting", 0) ? LASTS : IS_EMPTIED;
    if (s->end == IS_EMPTIED && !read_store(end, &s->emptied))
      return FALSE;
    if (!is_named(first, "none", 0)) {
      if (!PL_get_int64_ex(first, &s->first))
        return FALSE;
      s->since = s->first;
    }
    return read_store(groups, &s->store);
  }
  if (is_named(term, "deadline", 3) || is_named(term, "moment", 3)) {
    s->kind = is_named(term, "deadline", 3) ? DEADLINE : MOMENT;
    return read_store(groups, &s->store);
  }
  if (!is_named(groups, "none", 0) && !PL_get_pointer(groups, &idle))
    return PL_type_error("groups", groups);
  s->idle = idle;
  return TRUE;
}

int read_steps(machine *m, term_t list) {
  term_t head = PL_new_term_ref();
  for (list = PL_copy_term_ref(list); PL_get_list(list, head, list); m->step_count++)
    if (!more((void **)&m->steps, &m->step_room, m->step_count, sizeof *m->steps) ||
        !read_step(head, m->steps + m->step_count))
      return FALSE;
  return TRUE;
}
