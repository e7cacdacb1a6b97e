/*  Instants at which something is due though nothing happens: the steps of windows, deadlines, evaluations
    (rules/engine/instant.pl).

    A step whose window has no members is passed over. An event with a wrong clock may have thousands of millions of steps
    before it: so there is a limit to their number, and where they are due whatever is in the window, it is known before
    the first of them.

    Not all steps are asked at each instant. A tree has before when none of them is due: a step is asked when that is over,
    or after a row came that may bring it forward. What puts it off, rows that go, is found out when it is asked.
*/

#include "groups.h"
#include "machine.h"

#define MOST_STEPS 1000000
#define NEVER INT64_MAX

/* How long before `time` the last one was; it is none before the first. */
static int64_t since_step(const step *s, int64_t time) {
  int64_t rest = (time - s->first) % s->length;
  return rest < 0 ? rest + s->length : rest;
}

static int64_t step_after(const step *s, int64_t time) { return time - since_step(s, time) + s->length; }

/* The first one that is open. */
static int64_t deadline_of(const step *s) {
  int64_t row = earliest_row(s->store);
  return row < 0 ? NEVER : number_of(row_cells(s->store, row)[s->store->ordered_by]) + s->length;
}

/* From when on nothing changes at the instants of a grid, when the input has ended; never where that is not known. */
static int64_t over_from(const machine *m, const step *s) {
  if (s->end == LASTS)
    return m->rows.ended_at;
  int64_t row = s->end == PASSES ? -1 : earliest_row(s->emptied);
  return row < 0 ? NEVER : number_of(row_cells(s->emptied, row)[s->emptied->ordered_by]);
}

/* Whether the input has ended, and there was an instant of the same grids before `time` from which on nothing changes. */
static int is_over(const machine *m, const step *s, int64_t time) {
  if (m->rows.end != HAS_ENDED)
    return FALSE;
  int64_t over = over_from(m, s);
  for (const step *other = m->steps; other < m->steps + m->step_count; other++) {
    if (other->kind != GRID || *other->positions != *s->positions)
      continue;
    int64_t last = time - 1 - since_step(other, time - 1);
    if (last >= other->since && last >= over)
      return TRUE;
  }
  return FALSE;
}

/* The first time from `from` on at which it is due. */
static int64_t due_from(const machine *m, const step *s, int64_t from) {
  int64_t next = NEVER;
  switch (s->kind) {
  case STEP:
    return m->rows.end != HAS_ENDED ? step_after(s, from - 1) : NEVER;
  case GRID:
    next = from <= s->since ? s->since : step_after(s, from - 1);
    return is_over(m, s, next) ? NEVER : next;
  default:
    return deadline_of(s);
  }
}

static int is_idle(const step *s) {
  return s->kind == STEP ? s->idle && !has_members(s->idle) : s->kind == GRID && !s->store->live;
}

/* ---- the tree: of the step n at step_count + n, and of two of its places at half of the first of them ------------- */

static due earlier(const due *of) {
  return (due){of[0].at < of[1].at ? of[0].at : of[1].at, of[0].awake < of[1].awake ? of[0].awake : of[1].awake};
}

static due due_of(machine *m, const step *s, int64_t from) {
  m->steps_asked++;
  int64_t at = due_from(m, s, from);
  return (due){at, is_idle(s) ? NEVER : at};
}

static void put_due(machine *m, int place, due is) {
  for (m->due_times[place] = is; place > 1; place /= 2)
    m->due_times[place / 2] = earlier(m->due_times + place / 2 * 2);
}

/* Those below a place that may be due by `until` are asked when they are, from `from` on. */
static void ask_steps(machine *m, int place, int64_t until, int64_t from) {
  due *is = m->due_times + place;
  if (is->at > until)
    return;
  if (place >= m->step_count) {
    *is = due_of(m, m->steps + place - m->step_count, from);
    return;
  }
  ask_steps(m, 2 * place, until, from);
  ask_steps(m, 2 * place + 1, until, from);
  *is = earlier(m->due_times + 2 * place);
}

/* Where time has gone back nothing is known of them, nor at the end of the input: what windows hold still says when they are
   over. */
static void begin_asking(machine *m, int64_t from) {
  static const due unknown = {INT64_MIN, INT64_MIN};
  int ends = m->rows.end != m->asked_end || m->rows.end == HAS_ENDED;
  for (int i = 1; (ends || from < m->asked_from) && i < 2 * m->step_count; i++)
    m->due_times[i] = unknown;
  m->asked_from = from;
  m->asked_end = m->rows.end;
  while (m->changed_count) {
    step *s = m->changed[--m->changed_count];
    s->is_changed = FALSE;
    put_due(m, m->step_count + (int)(s - m->steps), unknown);
  }
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

void bring_forward(engine *e, step *first) {
  machine *m = e->machine;
  for (step *s = first; s; s = s->next)
    if (!s->is_changed) {
      s->is_changed = TRUE;
      m->changed[m->changed_count++] = s;
    }
}

int is_due(machine *m, int64_t time) {
  if (time <= BEFORE_ALL)
    return FALSE;
  begin_asking(m, time);
  ask_steps(m, 1, time, time);
  return m->due_times[1].at == time;
}

static void settle_step(machine *m, const step *s) {
  for (int i = 0; i < s->position_count; i++)
    settle_later(m, s->positions[i]);
  if (s->kind == MOMENT) {
    remove_row(s->store, earliest_row(s->store));
    reclaim(s->store); /* else the earliest is looked for behind all that is gone */
  }
}

static void settle_due(machine *m, int place, int64_t time) {
  if (m->due_times[place].at > time)
    return;
  if (place >= m->step_count) {
    settle_step(m, m->steps + place - m->step_count);
    return;
  }
  settle_due(m, 2 * place, time);
  settle_due(m, 2 * place + 1, time);
}

void plan_steps(machine *m, int64_t time) {
  if (is_due(m, time))
    settle_due(m, 1, time);
}

/* Where `end` is not after it. */
static int64_t first_after(machine *m, int64_t before, int64_t end) {
  if (before <= BEFORE_ALL || !m->step_count)
    return end;
  begin_asking(m, before + 1);
  ask_steps(m, 1, before, before + 1);
  for (due *all = m->due_times; all[1].awake < end;) {
    int place = 1;
    while (place < m->step_count)
      place = 2 * place + (all[2 * place].awake > all[1].awake);
    due is = due_of(m, m->steps + place - m->step_count, before + 1);
    if (is.awake == all[1].awake)
      return is.awake;
    put_due(m, place, is);
  }
  return end;
}

static int is_pause(const machine *m, int64_t from, int64_t end, int64_t left) {
  return left <= 0 || (m->shortest && (end - from) / m->shortest > left);
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
  int64_t before = b->clock, first = first_after(m, before, end);
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

static int read_positions(machine *m, term_t list, step *s) {
  term_t rest = PL_copy_term_ref(list), head = PL_new_term_ref();
  size_t length;
  if (PL_skip_list(list, 0, &length) != PL_LIST)
    return PL_type_error("list", list);
  if (!(s->positions = piece_of(m, length * sizeof *s->positions)))
    return FALSE;
  while (PL_get_list(rest, head, rest))
    if (!PL_get_integer_ex(head, s->positions + s->position_count++))
      return FALSE;
  return TRUE;
}

/* step(Positions, Length, Groups), Groups `none` where the window is looked at whatever is in it; deadline(Positions, Length,
   Store); moment(Positions, 0, Store); grid(Positions, Period, Store, First, End), First `none` for all multiples, End `passing`,
   `lasting` or a store */
static int read_step(machine *m, term_t term, step *s) {
  void *idle = NULL;
  term_t groups = part_of(term, 3);
  *s = (step){.since = INT64_MIN};
  if (!read_positions(m, part_of(term, 1), s) || !PL_get_int64_ex(part_of(term, 2), &s->length))
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

/* Whose rows, or members, bring it forward. */
static step **steps_of(const step *s) { return s->store ? &s->store->steps : s->idle ? &s->idle->steps : NULL; }

static int make_tree(machine *m) {
  m->due_times = piece_of(m, 2 * m->step_count * sizeof *m->due_times);
  m->changed = piece_of(m, m->step_count * sizeof *m->changed);
  m->asked_from = INT64_MAX;
  for (step *s = m->steps, **first; s < m->steps + m->step_count; s++) {
    if ((first = steps_of(s)))
      s->next = *first, *first = s;
    else if (!m->shortest || s->length < m->shortest)
      m->shortest = s->length;
  }
  return m->due_times && m->changed;
}

int read_steps(machine *m, term_t list) {
  term_t head = PL_new_term_ref();
  for (list = PL_copy_term_ref(list); PL_get_list(list, head, list); m->step_count++)
    if (!more((void **)&m->steps, &m->step_room, m->step_count, sizeof *m->steps) ||
        !read_step(m, head, m->steps + m->step_count))
      return FALSE;
  return make_tree(m);
}

void free_steps(machine *m) {
  for (step *s = m->steps, **first; s < m->steps + m->step_count; s++)
    if ((first = steps_of(s)))
      *first = NULL;
  free(m->steps);
}
