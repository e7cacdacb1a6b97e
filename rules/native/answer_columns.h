/*  Answers as Python has them (etalis_py/embedding/merging.py): the cells of one answer stand behind those of another. */

#ifndef ETALIS_ANSWER_COLUMNS
#define ETALIS_ANSWER_COLUMNS

#include "native.h"

/* Of cells. A quotient is a decimal, see packed_quotient(). */
enum kind { ATOM, INTEGER, DOUBLE, UNBOUND, OTHER, GRAPH, DECIMAL, QUOTIENT };

typedef struct {
  int32_t *queries;
  int64_t *starts, *ends;
  uint8_t *kinds;
  int64_t *values;
} answer_columns;

#endif
