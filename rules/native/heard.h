/*  What is heard of rows (heard.c), and where it is found. */

#ifndef ETALIS_HEARD
#define ETALIS_HEARD

#include "machine.h"

/* What is heard of a row; `s` and `o` of an item may be THE_SUBJECT and THE_OBJECT. */
typedef struct templates {
  int count;
  occurrence items[];
} templates;

enum hearing { WHOLE, BY_CLASS, BY_KIND };

/* Of rows with a predicate; but for WHOLE it depends on the object, or on ANY_NODE and ANY_LITERAL. */
typedef struct heard {
  code p;
  enum hearing how;
  const templates *whole;
  code_table objects;
} heard;

#define ANY_NODE (1 << 2 | TAG_ANY)
#define ANY_LITERAL (2 << 2 | TAG_ANY)
#define THE_SUBJECT (3 << 2 | TAG_ANY)
#define THE_OBJECT (4 << 2 | TAG_ANY)
#define MOST_HEARD 200000

#endif
