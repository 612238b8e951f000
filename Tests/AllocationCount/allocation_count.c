// A program's own malloc comes before glibc's for every library in the process (glibc's manual, "Replacing malloc").
// These only count and pass on to the names under which glibc keeps its own.
#include "allocation_count.h"
#include <errno.h>
#include <malloc.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static __thread uint64_t count __attribute__((tls_model("initial-exec")));
static __thread int64_t live __attribute__((tls_model("initial-exec")));

uint64_t allocation_count(void) { return count; }
int64_t bytes_alive(void) { return live; }

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)

bool allocations_are_counted(void) { return false; }

#else

bool allocations_are_counted(void) { return true; }

static void *counted(void *made) {
    count++;
    live += (int64_t)malloc_usable_size(made);
    return made;
}

void *malloc(size_t size) {
    return counted(__libc_malloc(size));
}

void *calloc(size_t number, size_t size) {
    return counted(__libc_calloc(number, size));
}

void *realloc(void *memory, size_t size) {
    live -= (int64_t)malloc_usable_size(memory);
    return counted(__libc_realloc(memory, size));
}

void *memalign(size_t alignment, size_t size) {
    return counted(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    void *made = memalign(alignment, size);
    if (!made) return ENOMEM;
    *memory = made;
    return 0;
}

void free(void *memory) {
    live -= (int64_t)malloc_usable_size(memory);
    __libc_free(memory);
}

#endif
