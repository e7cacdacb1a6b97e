/*  Numbers that are only shown.

    What an aggregate comes to is mostly read by an answer alone (machine.pl finds out where). Then it is no term but a number of
    this instant, which a register, and the cell of an answer, has the place of. Answers are written from it (answers.c); where
    they are compared, or leave as terms, it becomes one.
*/

#include "machine.h"

int show(machine *m, const number *n, code *shown) {
  if (!more((void **)&m->shown, &m->shown_room, m->shown_count, sizeof *n))
    return FALSE;
  m->shown[m->shown_count++] = *n;
  *shown = (code)m->shown_count << 2 | TAG_ANY;
  return TRUE;
}

int make_term(machine *m, code *cell) {
  if (!is_shown(*cell))
    return TRUE;
  number n = *number_shown(m->shown, *cell);
  if (n.rank == DECIMALS && exact_quotient(n.up, n.down, &n) != VALUE_IS)
    return PL_representation_error("number");
  return number_term(m->engine, &n, cell) && keep(m, *cell);
}

int make_terms(machine *m) {
  if (m->shown_count)
    for (size_t i = 0; i < m->cell_count; i++)
      if (!make_term(m, m->cells + i))
        return FALSE;
  return TRUE;
}
