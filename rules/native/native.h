#include <SWI-Prolog.h>

#define EXPORT __attribute__((visibility("default")))
#define MOST_COLUMNS 60 /* of a goal whose columns are arguments of the predicates of goals.c */

void install_goals(void);
