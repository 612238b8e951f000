#include "cdatagrams.h"
#include <malloc.h>

void process_memory_own_pages(int bytes) {
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, bytes);
#else
    (void)bytes;
#endif
}
