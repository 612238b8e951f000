#include "enet_library.h"

#if __has_include(<enet/enet.h>)
#include <dlfcn.h>
#include <stddef.h>

const enet_library *enet_library_find(const char **why) {
    static enet_library found;
    void *library = dlopen("libenet.so.7", RTLD_NOW);
    *why = "libenet.so.7 cannot be opened";
    if (!library) return NULL;
#define FIND(NAME) \
    *why = "libenet has no " #NAME; \
    if (!(found.NAME = (__typeof__(&NAME))dlsym(library, #NAME))) return NULL;
    EACH_ENET_FUNCTION(FIND)
    *why = "ENet does not start";
    return found.enet_initialize() == 0 ? &found : NULL;
}
#endif
