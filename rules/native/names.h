/*  Names: IRIs, blank nodes, and whatever else is an atom in Prolog. native.h includes this.

    An engine has each name once, as bytes, and counts who holds it; it is an atom when Prolog asks for it. Names that the
    library registers, as types of literals, are the same in all engines and are never given back. Atoms that are no
    text are themselves.
*/

#ifndef ETALIS_NAMES
#define ETALIS_NAMES

typedef struct engine engine;

typedef struct name {
  uint64_t uses;   /* first, as in a node */
  atom_t atom;     /* 0 until Prolog asks for it; it is held */
  int32_t place;   /* among the names in answers (answer_names.c), -1 for none */
  uint32_t length; /* of the text in bytes of UTF-8 */
  char text[];
} name;

typedef struct {
  uint64_t hash;
  name *is; /* NULL where the place is free */
} named;

#define NAMES_BY_ATOM 256 /* a power of two */
#define MOST_LASTING 64

/* Names that have been in answers, by their places there: those of one engine, or atoms of one thread. */
typedef struct {
  uint64_t table; /* places mean nothing in another one; 0 before there is one */
  code *names;
  int64_t count, room;
  int32_t lasting[MOST_LASTING]; /* of those that the library registers the number behind their place, 0 for none */
} answered;

/* The low bits of the code of an atom; those of a name that an engine has are TAG_ATOM alone. */
enum { IS_PROLOGS = 4, IS_COUNTED = 8, BEFORE_ATOM = 4 };

static inline int is_own_name(code c) { return (c & (IS_PROLOGS | 3)) == TAG_ATOM; }
static inline name *name_of(code c) { return (name *)(uintptr_t)(c - TAG_ATOM); }
static inline code name_code(const name *n) { return (uintptr_t)n + TAG_ATOM; }
static inline atom_t atom_of(code c) { return c >> BEFORE_ATOM; } /* of what is not its engine's */
static inline code counted_atom_code(atom_t atom) { return (uint64_t)atom << BEFORE_ATOM | IS_COUNTED | IS_PROLOGS | TAG_ATOM; }

/* A node or a name of an engine's. */
static inline int is_own(code c) { return !(c & (IS_PROLOGS | 1)); }
static inline uint64_t *uses_of(code c) { return (uint64_t *)(uintptr_t)(c & ~(code)3); }
static inline int is_counted_atom(code c) { return (c & (IS_COUNTED | IS_PROLOGS | 3)) == (IS_COUNTED | IS_PROLOGS | TAG_ATOM); }

static inline void retain(code c) {
  if (is_own(c))
    ++*uses_of(c);
  else if (is_counted_atom(c))
    PL_register_atom(atom_of(c));
}

/* When the library is installed. */
code lasting_code(const char *text); /* in ASCII */
code lasting_atom_code(atom_t atom); /* of one that is no text */

/* As code_of() gives them. The hash of a text is its node_hash(). */
int code_of_text(engine *e, int make, uint64_t hash, const char *text, size_t length, code *found);
int code_of_atom(engine *e, int make, atom_t atom, code *found);

int unify_name(term_t term, code c);
int lasting_number(code c); /* -1: it is none that the library registers */
int text_of_name(code c, const char **text, size_t *length); /* false: it is no text */
size_t most_bytes(atom_t atom); /* in UTF-8 */
size_t write_atom(atom_t atom, char *to);
void forget_name(engine *e, name *n); /* nobody holds it */
void forget_names(engine *e); /* all */

#endif
