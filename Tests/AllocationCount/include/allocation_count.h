// Counts heap allocations of the calling thread, so that a test can say "none".
#pragma once
#include <stdint.h>

/// malloc, calloc, realloc and aligned allocations of this thread so far.
uint64_t allocation_count(void);
