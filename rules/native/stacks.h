/*  AddressSanitizer is told of each change of stacks: `leave` stands before it, `arrive` behind it. */

#ifndef ETALIS_STACKS
#define ETALIS_STACKS

#include <stddef.h>

typedef struct {
  const void *bottom;
  size_t size;
} extent;

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#define leave(kept, extent) __sanitizer_start_switch_fiber(kept, (extent).bottom, (extent).size)
#define arrive(kept, from) __sanitizer_finish_switch_fiber(kept, &(from)->bottom, &(from)->size)
#else
#define leave(kept, extent) ((void)(kept), (void)(extent))
#define arrive(kept, from) ((void)(kept), (void)(from))
#endif

#endif
