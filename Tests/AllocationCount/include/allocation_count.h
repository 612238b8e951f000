// Counts heap allocations of the calling thread, so that a test can say "none".
#pragma once
#include <stdbool.h>
#include <stdint.h>

/// malloc, calloc, realloc and aligned allocations of this thread so far.
uint64_t allocation_count(void);
/// Bytes that this thread allocated and did not free, less what it freed for others. A realloc that fails is not seen.
int64_t bytes_alive(void);
/// False in builds with a sanitizer, which needs the allocator for itself.
bool allocations_are_counted(void);
