#define _GNU_SOURCE
#include "cdatagrams.h"
#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <string.h>

void process_memory_own_pages(int bytes) {
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, bytes);
#else
    (void)bytes;
#endif
}

struct identity {
    uint8_t *bytes;
    int capacity;
    int count;
};

/// Looks for GNU's note among those of the program itself, which is told first, and of nothing that it loaded.
static int find_identity(struct dl_phdr_info *object, size_t size, void *found) {
    (void)size;
    struct identity *identity = found;
    for (int place = 0; place < object->dlpi_phnum; place++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[place];
        if (header->p_type != PT_NOTE) continue;
        const uint8_t *at = (const uint8_t *)(object->dlpi_addr + header->p_vaddr);
        const uint8_t *end = at + header->p_memsz;
        while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
            const ElfW(Nhdr) *note = (const void *)at;
            const uint8_t *name = at + sizeof *note;
            size_t named = (note->n_namesz + 3u) & ~(size_t)3, described = (note->n_descsz + 3u) & ~(size_t)3;
            if (named + described > (size_t)(end - name)) break;
            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
                identity->count = (int)note->n_descsz < identity->capacity ? (int)note->n_descsz : identity->capacity;
                memcpy(identity->bytes, name + named, (size_t)identity->count);
                return 1;
            }
            at = name + named + described;
        }
    }
    return 1;
}

int process_build(uint8_t *bytes, int capacity) {
    struct identity identity = {bytes, capacity, 0};
    dl_iterate_phdr(find_identity, &identity);
    return identity.count;
}
