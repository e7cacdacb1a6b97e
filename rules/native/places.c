/*  Where occurrences are from: rules/engine/places.pl says what it means.

    A place is the code of place(Stream, Graph), 0 where no rule asks. What is known of an instant is its triples, and
    those with their stream, and those with their place.
*/

#include <inttypes.h>
#include <stdio.h>

#include "machine.h"

static code graph_of(code place) { return node_of(place)->parts[1]; }

static enum status know_in(known *k, const occurrence *x, code place) {
  occurrence key = *x;
  key.place = place;
  key.of = 0;
  return know(k, &key);
}

/* What it is as one in its stream: a copy if it is new there, else the same again, in a new element, or once more, of another
   triple; STOP: nothing new. */
static enum status know_copy(known *k, occurrence *x) {
  enum status in_stream = know_in(k, x, stream_of(x->place)), in_element = know_in(k, x, x->place);
  enum status of_triple = x->of ? know(k, x) : in_element;
  if (in_stream == BROKEN || in_element == BROKEN)
    return BROKEN;
  x->as = in_stream == GO_ON ? COPY : in_element == GO_ON ? AGAIN : MORE_OF;
  return of_triple;
}

enum status know_occurrence(known *k, occurrence *x) {
  enum status is = know_in(k, x, 0);
  if (is == BROKEN || !x->place)
    return is;
  enum status copy = know_copy(k, x);
  if (is == GO_ON && copy != BROKEN)
    x->as = FIRST_OF_ALL;
  return is == GO_ON && copy != BROKEN ? GO_ON : copy;
}

/* Into the default stream a triple comes as any other; into a stream with a name, only for those who ask for streams. */
enum status know_derived(known *k, occurrence *x, int is_named, int *is_new) {
  if (is_named) {
    enum status is = know_copy(k, x);
    *is_new = is == GO_ON && x->as != MORE_OF;
    return is;
  }
  enum status is = know_occurrence(k, x);
  *is_new = is == GO_ON && x->as == FIRST_OF_ALL;
  return is;
}

/* The occurrences of an instant become a set, and it is known what each is. */
int make_set(machine *m) {
  occurrences *set = &m->set;
  size_t kept = 0;
  for (size_t i = 0; i < set->count; i++) {
    enum status is = know_occurrence(&m->known, set->items + i);
    if (is == BROKEN)
      return FALSE;
    if (is == GO_ON)
      set->items[kept++] = set->items[i];
  }
  set->count = kept;
  m->known.has_set = TRUE;
  return TRUE;
}

int is_given(const goal *g, const frame *f) {
  const machine *m = f->m;
  int64_t start = number_of(value_of(f, &g->a));
  for (size_t i = 0; i < m->set.count; i++) {
    const occurrence *x = m->set.items + i;
    int is_of = !g->width;
    for (int j = 0; x->place && j < g->width; j++)
      is_of |= stream_of(x->place) == value_of(f, &g->columns[j].is);
    if (is_of && x->start == start)
      return TRUE;
  }
  return FALSE;
}

/* ---- who sees it ----------------------------------------------------------------------------------------- */

/* etalis_places:element_identity(Place, Start, End, Identity) */
static int identify(machine *m, const occurrence *x, code end, code *identity) {
  const char *stream, *graph;
  size_t stream_length, graph_length;
  if (!text_of_name(stream_of(x->place), &stream, &stream_length) ||
      !text_of_name(graph_of(x->place), &graph, &graph_length))
    return PL_representation_error("place");
  size_t room = stream_length + graph_length + 64;
  char *text = malloc(room);
  if (!text)
    return PL_resource_error("memory");
  size_t length = snprintf(text, room, "%.*s %.*s %" PRId64 " %" PRId64, (int)stream_length, stream, (int)graph_length, graph,
                           x->start, number_of(end));
  int is = code_of_text(m->engine, TRUE, node_hash(0, text, length), text, length, identity);
  free(text);
  return is == FOUND && keep(m, *identity);
}

/* Several occurrences of one element come one after the other. */
static int identity_of(machine *m, const occurrence *x, code end, code *identity) {
  if (!m->element.identity || m->element.place != x->place || m->element.start != x->start) {
    m->element.identity = 0;
    if (!identify(m, x, end, &m->element.identity))
      return FALSE;
    m->element.place = x->place;
    m->element.start = x->start;
  }
  *identity = m->element.identity;
  return TRUE;
}

static int made(machine *m, functor_t functor, size_t length, const code *parts, code *compound) {
  return node_code(m->engine, TRUE, COMPOUND, functor, length, parts, length * sizeof *parts, compound) == FOUND &&
         keep(m, *compound);
}

int triple_of(machine *m, const occurrence *x, code *triple) {
  static functor_t t3;
  if (!t3)
    t3 = PL_new_functor(PL_new_atom("t"), 3);
  const code parts[] = {x->s, x->p, x->o};
  return made(m, t3, 3, parts, triple);
}

static enum status fire_of_triple(machine *m, const occurrence *x, code *ins) {
  static functor_t triple2;
  if (!triple2)
    triple2 = PL_new_functor(PL_new_atom("triple"), 2);
  code parts[] = {ins[7], x->of};
  if ((!x->of && !triple_of(m, x, parts + 1)) || !made(m, triple2, 2, parts, ins + 7))
    return BROKEN;
  return fire_sight(m, OF_TRIPLE, x, ins);
}

enum status fire_in_place(machine *m, const occurrence *x, code *ins) {
  enum status is = GO_ON;
  ins[5] = stream_of(x->place);
  if (x->as < AGAIN)
    is = fire_sight(m, IN_STREAM, x, ins);
  if (is == BROKEN || !(m->forms[IN_ELEMENT] | m->forms[OF_TRIPLE]))
    return is;
  ins[6] = graph_of(x->place);
  if (!identity_of(m, x, ins[4], ins + 7))
    return BROKEN;
  if (x->as != MORE_OF)
    is = fire_sight(m, IN_ELEMENT, x, ins);
  return is == BROKEN || !m->forms[OF_TRIPLE] ? is : fire_of_triple(m, x, ins);
}
