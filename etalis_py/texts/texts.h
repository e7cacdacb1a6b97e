/*  Texts of files as columns, and columns as texts.

    A column of terms is read into codes: each different text is a word, which is handed out once. What is read is only
    what is plain; before anything else a reader stops, and whoever called goes on there in another way. Nothing is
    shared between two tables of words, and whoever has one calls for it from one thread at a time.
*/

#ifndef ETALIS_TEXTS
#define ETALIS_TEXTS

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { NO_WORD = -1, NO_MEMORY = -2, MALFORMED = -3 };

/* ---- words (words.c) --- */

/* An absolute IRI without escapes is kept without its brackets. Literals are known by find_literals(). */
enum { OTHER, IRI, INTEGER, DECIMAL, TEXT };

typedef struct {
  size_t first, length; /* in the bytes of its table */
  uint8_t kind;
} word;

typedef struct {
  uint32_t batch; /* the one in which a word was seen last */
  int32_t place;  /* among the words of that batch */
} seen;

/* Where a word may be. */
typedef struct {
  uint32_t behind; /* the number of the word, and one more; 0 for none */
  uint32_t hash;   /* two words of one text are of two kinds, and have two */
  size_t first;    /* of its text in the bytes of the table */
} slot;

typedef struct {
  int64_t count, used_count; /* words in all, and in this batch */
  int32_t *used;             /* the words of this batch in the order of their places */
  char *bytes;               /* the texts, a line end behind each */
  size_t length;
  uint8_t *kinds;
  word *words;
  seen *seen; /* by their numbers: so many more of these fit into the processor's caches */
  slot *slots; /* open hash; its length is mask + 1 */
  uint64_t mask;
  int64_t room, used_room;
  uint32_t batch; /* from 1 on */
  size_t bytes_room;
} words;

int64_t word_of(words *w, const char *text, size_t length); /* its number; NO_MEMORY */
int64_t place_of(words *w, int64_t number);                 /* its place in this batch; NO_MEMORY */
void next_batch(words *w);

/* ---- times (times.c) --- */

int read_moment(const char *text, size_t length, int64_t *time); /* 2011-03-11T05:46:23.5Z as microseconds */
int read_integer(const char *text, size_t length, int64_t *number);
char *write_moment(char *out, int64_t time); /* as etalis_py.core.times.format_time; at most MOMENT_ROOM bytes */
char *write_integer(char *out, int64_t number);
#define MOMENT_ROOM 40
#define INTEGER_ROOM 20

/* ---- rows of a file (rows.c) --- */

/* A TERM is a text; a NAME is one, or missing: then it is empty. A VALUE is one, or what else a value of JSON may be: MARK
   and what stands in the file, MARK alone where it is missing. */
enum { UNUSED, TERM, NAME, VALUE, START, END };
#define MARK '\1'

/* A column of the file, and where it goes. */
typedef struct {
  int64_t kind;
  words *words;
  int32_t *codes; /* of texts, their places in the batch */
} column;

/* A key that is looked for in objects of JSON, or a place in lists of it; the first of all stands for the whole row. */
typedef struct {
  const char *text; /* NULL for a place */
  int64_t length;   /* or the place */
  int64_t child, next; /* numbers of keys: one within it, another one beside it; 0: none */
  int64_t column;      /* where its value goes; NOWHERE, or NOT_PLAIN if the key must not be there */
} key;
enum { NOWHERE = -1, NOT_PLAIN = -2 };

/* What is read: rows and lines so far, the bytes of the text behind them. */
typedef struct {
  int64_t rows, lines, bytes;
  int64_t *starts, *ends; /* microseconds */
  int64_t scale;          /* microseconds of the unit of times that are numbers */
  int64_t has_numbers;    /* whether some time was a number */
  int64_t has_ends;       /* whether some end was told */
} block;

#endif
