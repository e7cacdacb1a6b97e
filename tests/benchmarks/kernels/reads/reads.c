/*  What memory costs: a read at a place that the one before tells, again and again. */

#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))
#define LINE 8 /* words */

/* The word at the beginning of each line is the number of another one. */
EXPORT int64_t read_lines(const int64_t *words, int64_t line, int64_t count) {
  while (count--)
    line = words[line * LINE];
  return line;
}
