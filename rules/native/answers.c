/*  Answers leave as columns.

    put_answers/3 (answers.pl) writes answers into arrays of this thread; answers_taken() gives the arrays to
    Python, which reads them in place. So no list cell and no Python object is made on the way. A name is a
    place in a table that both sides have (answer_names.h): the text of each crosses once, by answers_texts(). A
    usual number is itself, a quotient its two parts, whose text is written when somebody looks. All other terms
    are left to Prolog, which encodes them. The cell of an answer that is a graph says which; its triples are in
    arrays of their own.

    All state is the thread's own. Python fetches the columns in the thread that made the call.
*/

#include "answer_columns.h"
#include "answer_names.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef union {
  int64_t integer;
  double real;
} value;

/* As etalis_py/embedding/native.py has it. */
typedef struct {
  int64_t rows;
  int64_t cells;
  int64_t kinds_seen; /* a bit for each */
  uint64_t owner, table; /* of names; the owner is an engine, 0 where Prolog has found the answers */
  int64_t names;         /* how many there are */
  int32_t *queries;
  int64_t *starts, *ends;
  uint8_t *kinds;
  value *values;
  int64_t graphs;      /* what the cells of a CONSTRUCT speak of */
  int64_t *graph_ends; /* behind the last triple of each */
  int64_t terms;       /* three a triple */
  uint8_t *term_kinds;
  value *term_values;
  int64_t decimals;      /* what the cells of decimals speak of: their texts */
  int32_t *decimal_ends; /* the first is 0 */
  char *decimal_texts;
} columns;

typedef struct outlet {
  columns out;
  int64_t room_rows, room_cells, others, room_graphs, room_terms, room_decimals, room_texts;
  answered *names; /* of the owner, or of this thread */
  answered_atoms atoms;
  engine *owner; /* of codes; NULL where Prolog has found the answers */
  char *name_texts; /* for answers_texts() */
  int64_t room_name_texts;
  code *other_codes;
  int64_t held, room_other_codes;
  int64_t row_begins; /* its cells */
} state;

static _Thread_local state *own;

static functor_t answer2, problem1, a3, o4, triples1, t3;
static atom_t ask, xsd_integer, xsd_double, row;

/* Room for one item more behind `length`; the new length of the array is `*room`. */
static int fits(void **items, int64_t *room, int64_t length, size_t size) {
  if (length < *room)
    return TRUE;
  int64_t more = *room ? *room * 2 : 1024;
  void *moved = realloc(*items, more * size);
  if (!moved)
    return PL_resource_error("memory");
  *items = moved;
  *room = more;
  return TRUE;
}

/* ---- the state of a thread --------------------------------------------------------------------------- */

static void free_state(void *closure) {
  state *s = closure;
  forget_answered(NULL, &s->atoms.names);
  free(s->out.queries), free(s->out.starts), free(s->out.ends);
  free(s->out.kinds), free(s->out.values), free(s->atoms.names.names), free(s->atoms.places);
  free(s->out.graph_ends), free(s->out.term_kinds), free(s->out.term_values), free(s->other_codes), free(s->name_texts);
  free(s->out.decimal_ends), free(s->out.decimal_texts), free(s);
  own = NULL;
}

state *begin_codes(engine *e) {
  if (!own) {
    state *s = calloc(1, sizeof *s);
    if (!s || !PL_thread_at_exit(free_state, s, FALSE)) {
      free(s);
      PL_resource_error("memory");
      return NULL;
    }
    own = s;
  }
  own->owner = e;
  own->names = e ? &e->answered : &own->atoms.names;
  begin_answered(e, own->names);
  own->out.rows = own->out.cells = own->out.kinds_seen = own->others = 0;
  own->out.graphs = own->out.terms = own->out.decimals = own->held = 0;
  return own;
}

/* ---- cells and rows ---------------------------------------------------------------------------------- */

static int more_cells(state *s, int64_t wanted) {
  int64_t room = s->room_cells ? s->room_cells : 1024;
  while (room < wanted)
    room *= 2;
  value *values = realloc(s->out.values, room * sizeof *values);
  if (values)
    s->out.values = values;
  uint8_t *kinds = realloc(s->out.kinds, room);
  if (kinds)
    s->out.kinds = kinds;
  if (!values || !kinds)
    return PL_resource_error("memory");
  s->room_cells = room;
  return TRUE;
}

static inline int cells_fit(state *s, int64_t count) {
  return s->out.cells + count <= s->room_cells || more_cells(s, s->out.cells + count);
}

/* There is room for it. */
static inline void set_cell(state *s, enum kind kind, value v) {
  s->out.kinds[s->out.cells] = kind;
  s->out.values[s->out.cells++] = v;
  s->out.kinds_seen |= 1 << kind;
}

static int put_cell(state *s, enum kind kind, value v) {
  if (!cells_fit(s, 1))
    return FALSE;
  set_cell(s, kind, v);
  return TRUE;
}

/* There is room for the cell. UNKNOWN: its text is longer than usual. */
static enum result put_decimal(state *s, const number *n) {
  if (is_short_quotient(n->up, n->down)) {
    set_cell(s, QUOTIENT, (value){.integer = packed_quotient(n->up, n->down)});
    return VALUE_IS;
  }
  int64_t first = s->out.decimals ? s->out.decimal_ends[s->out.decimals] : 0;
  if (first > INT32_MAX - EXACT_TEXT)
    return VALUE_UNKNOWN;
  if (!fits((void **)&s->out.decimal_ends, &s->room_decimals, s->out.decimals + 1, sizeof *s->out.decimal_ends) ||
      !fits((void **)&s->out.decimal_texts, &s->room_texts, first + EXACT_TEXT, 1))
    return VALUE_BROKEN;
  char *text = s->out.decimal_texts + first;
  size_t length = write_decimal(n->up, n->down, text);
  if (!length)
    return VALUE_UNKNOWN;
  s->out.decimal_ends[0] = 0;
  s->out.decimal_ends[s->out.decimals + 1] = first + length;
  return put_cell(s, DECIMAL, (value){.integer = s->out.decimals++}) ? VALUE_IS : VALUE_BROKEN;
}

/* What others takes is a list that is built from its end: `tail` is what is still open. */
static int put_other(state *s, term_t term, term_t tail) {
  term_t head = PL_new_term_ref();
  return head && PL_unify_list(tail, head, tail) && PL_unify(head, term) &&
         put_cell(s, OTHER, (value){.integer = s->others++});
}

static int put_term(state *s, term_t term, term_t part, term_t tail) {
  atom_t atom;
  value v;
  if (PL_get_atom(term, &atom)) {
    if (atom == atom_of(unbound))
      return put_cell(s, UNBOUND, (value){.integer = 0});
    return place_atom(&s->atoms, atom, &v.integer) && put_cell(s, ATOM, v);
  }
  if (PL_is_functor(term, typed2)) {
    _PL_get_arg(2, term, part);
    if (PL_get_atom(part, &atom)) {
      _PL_get_arg(1, term, part);
      if (atom == xsd_integer && PL_is_integer(part) && PL_get_int64(part, &v.integer))
        return put_cell(s, INTEGER, v);
      if (atom == xsd_double && PL_is_float(part) && PL_get_float(part, &v.real))
        return put_cell(s, DOUBLE, v);
    }
  }
  return put_other(s, term, tail);
}

/* The cells of answers and the terms of graphs change places. */
static void swap_cells(state *s) {
  columns c = s->out;
  int64_t room = s->room_cells;
  s->out.cells = c.terms, s->out.kinds = c.term_kinds, s->out.values = c.term_values;
  s->out.terms = c.cells, s->out.term_kinds = c.kinds, s->out.term_values = c.values;
  s->room_cells = s->room_terms, s->room_terms = room;
}

static int put_triples(state *s, term_t list, term_t tail) {
  term_t triple = PL_new_term_ref(), term = PL_new_term_ref(), part = PL_new_term_ref();
  if (!triple || !term || !part)
    return FALSE;
  while (PL_get_list(list, triple, list)) {
    if (!PL_is_functor(triple, t3))
      return PL_type_error("triple", triple);
    for (size_t i = 1; i <= 3; i++) {
      _PL_get_arg(i, triple, term);
      if (!put_term(s, term, part, tail))
        return FALSE;
    }
  }
  return TRUE;
}

static int put_graph(state *s, term_t what, term_t tail) {
  term_t list = PL_new_term_ref();
  if (!list || !fits((void **)&s->out.graph_ends, &s->room_graphs, s->out.graphs, sizeof(int64_t)))
    return FALSE;
  _PL_get_arg(1, what, list);
  swap_cells(s);
  int done = put_triples(s, list, tail);
  swap_cells(s);
  s->out.graph_ends[s->out.graphs] = s->out.terms / 3;
  return done && put_cell(s, GRAPH, (value){.integer = s->out.graphs++});
}

static int put_what(state *s, term_t what, term_t tail) {
  size_t arity;
  atom_t name;
  if (PL_is_atom(what)) /* ask, or a row without columns */
    return TRUE;
  if (!PL_get_name_arity(what, &name, &arity))
    return PL_type_error("answer", what);
  if (PL_is_functor(what, triples1))
    return put_graph(s, what, tail);
  if (name != row)
    return PL_type_error("answer", what);
  term_t cell = PL_new_term_ref(), part = PL_new_term_ref();
  if (!cell || !part)
    return FALSE;
  for (size_t i = 1; i <= arity; i++) {
    _PL_get_arg(i, what, cell);
    if (!put_term(s, cell, part, tail))
      return FALSE;
  }
  return TRUE;
}

static int more_rows(state *s) {
  int64_t room = s->room_rows ? 2 * s->room_rows : 1024;
  int64_t *starts = realloc(s->out.starts, room * sizeof *starts);
  if (starts)
    s->out.starts = starts;
  int64_t *ends = realloc(s->out.ends, room * sizeof *ends);
  if (ends)
    s->out.ends = ends;
  int32_t *queries = realloc(s->out.queries, room * sizeof *queries);
  if (queries)
    s->out.queries = queries;
  if (!starts || !ends || !queries)
    return PL_resource_error("memory");
  s->room_rows = room;
  return TRUE;
}

static inline int row_fits(state *s) { return s->out.rows < s->room_rows || more_rows(s); }

inline void end_row(state *s, int query, int64_t start, int64_t end) {
  s->out.starts[s->out.rows] = start;
  s->out.ends[s->out.rows] = end;
  s->out.queries[s->out.rows++] = query;
}

static inline int add_row_of(state *s, int query, int64_t start, int64_t end) {
  if (!row_fits(s))
    return FALSE;
  end_row(s, query, start, end);
  return TRUE;
}

static int put_row(state *s, int64_t end, term_t answer, term_t tail) {
  int64_t start;
  int query, long_form = PL_is_functor(answer, o4);
  fid_t frame = PL_open_foreign_frame();
  term_t part = PL_new_term_ref();
  if (!part)
    return FALSE;
  if (!long_form && !PL_is_functor(answer, a3))
    return PL_type_error("answer", answer);
  _PL_get_arg(long_form ? 3 : 1, answer, part);
  if (!PL_get_int64(part, &start))
    return FALSE;
  _PL_get_arg(long_form ? 1 : 2, answer, part);
  if (!PL_get_integer_ex(part, &query))
    return FALSE;
  if (!add_row_of(s, query, start, end))
    return FALSE;
  _PL_get_arg(long_form ? 4 : 3, answer, part);
  if (!put_what(s, part, tail))
    return FALSE;
  PL_close_foreign_frame(frame);
  return TRUE;
}

/* ---- an instant with several answers ------------------------------------------------------------------ */

/* Start and query come first in the standard order of a(Start,Query,Row); most answers differ in them. */
typedef struct {
  int64_t start;
  term_t answer;
  int query, long_form;
} sorted;

static int by_order(const void *left, const void *right) {
  const sorted *a = left, *b = right;
  if (!a->long_form && !b->long_form) {
    if (a->start != b->start)
      return a->start < b->start ? -1 : 1;
    if (a->query != b->query)
      return a->query < b->query ? -1 : 1;
  }
  return PL_compare(a->answer, b->answer);
}

/* A CONSTRUCT gives sets of triples: the same triples with the same interval are one answer; an ASK says it once. */
static int is_said_once(term_t answer, term_t part) {
  atom_t name;
  _PL_get_arg(3, answer, part);
  return PL_is_functor(answer, a3) && (PL_is_functor(part, triples1) || (PL_get_atom(part, &name) && name == ask));
}

static int put_instant(state *s, int64_t end, sorted *answers, int64_t count, term_t tail) {
  qsort(answers, count, sizeof *answers, by_order);
  term_t part = PL_new_term_ref();
  if (!part)
    return FALSE;
  for (int64_t i = 0; i < count; i++) {
    if (i + 1 < count && is_said_once(answers[i].answer, part) &&
        !PL_compare(answers[i].answer, answers[i + 1].answer))
      continue;
    if (!put_row(s, end, answers[i].answer, tail))
      return FALSE;
  }
  return TRUE;
}

static int add_sorted(sorted **answers, int64_t *room, int64_t count, term_t answer, term_t part) {
  term_t kept = PL_copy_term_ref(answer);
  int64_t start = 0;
  int query = 0, long_form = !PL_is_functor(answer, a3);
  if (!kept || !fits((void **)answers, room, count, sizeof **answers))
    return FALSE;
  if (!long_form) {
    _PL_get_arg(1, answer, part);
    if (!PL_get_int64(part, &start))
      return FALSE;
    _PL_get_arg(2, answer, part);
    if (!PL_get_integer_ex(part, &query))
      return FALSE;
  }
  (*answers)[count] = (sorted){start, kept, query, long_form};
  return TRUE;
}

/* ---- put_answers(+Found, -Others, -Problem) ------------------------------------------------------------ */
/* Fails where a time is beyond 64 bits. */

static int item_of(term_t item, term_t answer, int64_t *end) {
  _PL_get_arg(1, item, answer);
  if (!PL_get_int64(answer, end))
    return FALSE;
  _PL_get_arg(2, item, answer);
  return TRUE;
}

static int put_all(state *s, term_t found, term_t tail, term_t problem, sorted **answers, int64_t *room) {
  term_t list = PL_copy_term_ref(found), item = PL_new_term_ref(), answer = PL_new_term_ref();
  int64_t end, next;
  if (!list || !item || !answer)
    return FALSE;
  int more = PL_get_list(list, item, list);
  while (more && !PL_is_functor(item, problem1)) {
    if (!PL_is_functor(item, answer2))
      return PL_type_error("answer", item);
    fid_t frame = PL_open_foreign_frame();
    term_t first = PL_new_term_ref(), part = PL_new_term_ref();
    if (!first || !part || !item_of(item, first, &end))
      return FALSE;
    int64_t count = 0;
    while ((more = PL_get_list(list, item, list)) && PL_is_functor(item, answer2)) {
      if (!item_of(item, answer, &next))
        return FALSE;
      if (next != end)
        break;
      if (!count && !add_sorted(answers, room, count++, first, part))
        return FALSE;
      if (!add_sorted(answers, room, count++, answer, part))
        return FALSE;
    }
    if (!(count ? put_instant(s, end, *answers, count, tail) : put_row(s, end, first, tail)))
      return FALSE;
    PL_close_foreign_frame(frame);
  }
  return PL_unify_nil(tail) && (more ? PL_unify(problem, item) : PL_unify_nil(problem));
}

static foreign_t put_answers(term_t found, term_t others, term_t problem) {
  state *s = begin_codes(NULL);
  sorted *answers = NULL;
  int64_t room = 0;
  int done = s && put_all(s, found, PL_copy_term_ref(others), problem, &answers, &room);
  free(answers);
  return done;
}

/* ---- answers of machine.c -------------------------------------------------------------------------------- */

void end_codes(engine *e) {
  forget_answered(e, &e->answered);
  free(e->answered.names);
  if (own && own->owner == e)
    own->owner = NULL, own->names = &own->atoms.names;
}

int64_t codes_put(const state *s) { return s->out.rows; }

static int put_other_code(state *s, code c) {
  if (!fits((void **)&s->other_codes, &s->room_other_codes, s->held, sizeof *s->other_codes))
    return FALSE;
  retain(c);
  s->other_codes[s->held++] = c;
  set_cell(s, OTHER, (value){.integer = s->others++});
  return TRUE;
}

static int put_other_name(state *s, code c) {
  value v = {.integer = 0};
  if (is_own_name(c) || lasting_number(c) >= 0) {
    if (c != unbound && !place_name(s->owner, c, &v.integer))
      return FALSE;
    set_cell(s, c == unbound ? UNBOUND : ATOM, v);
    return TRUE;
  }
  return put_other_code(s, c);
}

int put_number(state *s, const number *n) {
  enum result is = VALUE_IS;
  if (n->rank == DECIMALS)
    is = put_decimal(s, n);
  else if (n->is_real)
    set_cell(s, DOUBLE, (value){.real = n->real});
  else
    set_cell(s, INTEGER, (value){.integer = n->up});
  code made;
  if (is != VALUE_UNKNOWN || !number_term(s->owner, n, &made))
    return is == VALUE_IS;
  int done = put_other_code(s, made);
  release(s->owner, made);
  return done;
}

static __attribute__((noinline)) int put_rare_code(state *s, code c) {
  if (TAG(c) == TAG_ATOM)
    return put_other_name(s, c);
  if (compound_of(c, typed2)) {
    code found = node_of(c)->parts[0], type = node_of(c)->parts[1];
    if (TAG(found) == TAG_NODE && node_of(found)->kind == REAL && type == double_type) {
      value v;
      memcpy(&v.real, node_of(found)->parts, sizeof v.real);
      set_cell(s, DOUBLE, v);
      return TRUE;
    }
    number n;
    if (type == decimal_type && plain_number(found, DECIMALS, &n) == VALUE_IS) {
      enum result is = put_decimal(s, &n);
      if (is != VALUE_UNKNOWN)
        return is == VALUE_IS;
    }
  }
  return put_other_code(s, c);
}

/* There is room for the cell. */
static inline int put_code(state *s, code c) {
  if (is_own_name(c) && name_of(c)->place >= 0) {
    set_cell(s, ATOM, (value){.integer = name_of(c)->place});
    return TRUE;
  }
  const node *n = compound_of(c, typed2);
  if (!n || TAG(n->parts[0]) != TAG_INTEGER || n->parts[1] != integer_type)
    return put_rare_code(s, c);
  set_cell(s, INTEGER, (value){.integer = (int64_t)n->parts[0] >> 2});
  return TRUE;
}

int put_term_code(state *s, code c) { return put_code(s, c); }

int begin_row(state *s, int width) {
  s->row_begins = s->out.cells;
  return row_fits(s) && cells_fit(s, width);
}

void drop_row(state *s) { s->out.cells = s->row_begins; }

static inline void copy_cell(state *s, int64_t to, int64_t from) {
  s->out.kinds[to] = s->out.kinds[from];
  s->out.values[to] = s->out.values[from];
}

/* `before` are those in the cells before, or NULL: most answers of an instant have some in common. */
static int put_cells(state *s, const code *cells, int count, const code *before, const number *shown) {
  int64_t first = s->out.cells;
  if (!cells_fit(s, count))
    return FALSE;
  for (int i = 0; i < count; i++) {
    s->out.cells = first + i;
    if (before && before[i] == cells[i] && s->out.kinds[first + i - count] <= UNBOUND)
      copy_cell(s, first + i, first + i - count);
    else if (!(is_shown(cells[i]) ? put_number(s, number_shown(shown, cells[i])) : put_code(s, cells[i])))
      return FALSE;
  }
  s->out.cells = first + count;
  return TRUE;
}

static int put_graph_codes(state *s, const code *terms, int count) {
  if (!fits((void **)&s->out.graph_ends, &s->room_graphs, s->out.graphs, sizeof(int64_t)))
    return FALSE;
  swap_cells(s);
  int done = put_cells(s, terms, count, NULL, NULL);
  swap_cells(s);
  s->out.graph_ends[s->out.graphs] = s->out.terms / 3;
  return done && put_cell(s, GRAPH, (value){.integer = s->out.graphs++});
}

int put_found(state *s, const found *all, size_t count, const code *cells, const number *shown, int64_t end) {
  const code *before = NULL;
  int width = 0; /* of `before` */
  for (const found *x = all; x < all + count; x++) {
    const code *own = cells + x->cells;
    if (!add_row_of(s, x->query, x->start, end) ||
        !(x->is_graph ? put_graph_codes(s, own, x->width)
                      : put_cells(s, own, x->width, width == x->width ? before : NULL, shown)))
      return FALSE;
    before = x->is_graph ? NULL : own;
    width = x->width;
  }
  return TRUE;
}

/* A column of so many answers, whose cells are `width` apart; a value that all have in common is looked at once. */
static int put_column(state *s, int64_t at, int width, const code **goals, int count, const code *same, source from) {
  if (from.is_found) {
    for (int i = 0; i < count; i++, at += width) {
      s->out.cells = at;
      if (!put_code(s, goals[i][from.at]))
        return FALSE;
    }
    return TRUE;
  }
  s->out.cells = at;
  if (!put_code(s, same[from.at]))
    return FALSE;
  uint8_t *kinds = s->out.kinds, kind = kinds[at];
  value *values = s->out.values, v = values[at];
  for (int i = 1; i < count; i++) {
    at += width;
    if (kind <= UNBOUND) {
      kinds[at] = kind;
      values[at] = v;
    } else { /* what speaks of something else does so in each cell */
      s->out.cells = at;
      if (!put_code(s, same[from.at]))
        return FALSE;
    }
  }
  return TRUE;
}

int put_goals(state *s, int query, int64_t end, const code **goals, int count, const code *same, source start,
              const source *cells, int width) {
  int64_t first = s->out.cells;
  if (!cells_fit(s, (int64_t)count * width))
    return FALSE;
  for (int i = 0; i < count; i++)
    if (!add_row_of(s, query, (int64_t)(start.is_found ? goals[i] : same)[start.at] >> 2, end))
      return FALSE;
  for (int i = 0; i < width; i++)
    if (!put_column(s, first + i, width, goals, count, same, cells[i]))
      return FALSE;
  s->out.cells = first + (int64_t)count * width;
  return TRUE;
}

int64_t other_codes_put(const state *s) { return s->held; }

/* The terms that have no column; none, where nothing could begin. */
int put_other_codes(state *s, term_t list) {
  term_t tail = PL_copy_term_ref(list), head = PL_new_term_ref();
  int done = TRUE;
  for (int64_t i = 0; s && i < s->held; i++) {
    done = done && PL_unify_list(tail, head, tail) && unify_code(head, s->other_codes[i]);
    release(s->owner, s->other_codes[i]);
  }
  if (s)
    s->held = s->others = 0;
  return done && PL_unify_nil(tail);
}

/* ---- for Python ---------------------------------------------------------------------------------------- */

EXPORT const columns *answers_taken(void) {
  static const columns none; /* there was no memory for a state */
  if (!own)
    return &none;
  own->out.owner = (uintptr_t)own->owner;
  own->out.table = own->names->table;
  own->out.names = own->names->count;
  return &own->out;
}

/* Behind so many bytes, with a NUL; how many there are then, -1 without memory. */
static int64_t add_text(state *s, int64_t length, code c) {
  const char *text;
  size_t size;
  int is_known = text_of_name(c, &text, &size);
  int64_t most = length + (is_known ? size : most_bytes(atom_of(c))) + 1;
  if (most > s->room_name_texts) {
    char *moved = realloc(s->name_texts, 2 * most);
    if (!moved)
      return -1;
    s->name_texts = moved;
    s->room_name_texts = 2 * most;
  }
  if (is_known)
    memcpy(s->name_texts + length, text, size);
  else
    size = write_atom(atom_of(c), s->name_texts + length);
  s->name_texts[length + size] = 0;
  return length + size + 1;
}

/* The texts of the `count` names of the table from `at` on, in UTF-8, a NUL behind each; `ends` says where each ends, of texts that
   have so many bytes before. NULL: there is no memory. */
EXPORT const char *answers_texts(int64_t at, int64_t count, int64_t before, int64_t *ends) {
  state *s = own;
  int64_t length = 0;
  for (int64_t i = 0; i < count; i++) {
    if (!s || at + i >= s->names->count || (length = add_text(s, length, s->names->names[at + i])) < 0)
      return NULL;
    ends[i] = before + length;
  }
  return s ? s->name_texts : NULL;
}

install_t EXPORT install(void) {
  answer2 = PL_new_functor(PL_new_atom("answer"), 2);
  problem1 = PL_new_functor(PL_new_atom("problem"), 1);
  a3 = PL_new_functor(PL_new_atom("a"), 3);
  o4 = PL_new_functor(PL_new_atom("o"), 4);
  triples1 = PL_new_functor(PL_new_atom("triples"), 1);
  t3 = PL_new_functor(PL_new_atom("t"), 3);
  ask = PL_new_atom("ask");
  row = PL_new_atom("row");
  xsd_integer = PL_new_atom("http://www.w3.org/2001/XMLSchema#integer");
  xsd_double = PL_new_atom("http://www.w3.org/2001/XMLSchema#double");
  PL_register_foreign("put_answers", 3, put_answers, 0);
  install_names();
  install_numbers();
  install_values();
  install_iterations();
  install_goals();
  install_groups();
  install_machine();
}
