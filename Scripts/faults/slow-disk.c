// A disk that stands still once: the first write to a recording after the file SLOW_DISK_FILE has come to be takes as
// many seconds as stand in it.
//
//     clang -shared -fPIC -o slow-disk.so slow-disk.c
//     SLOW_DISK_FILE=seconds LD_PRELOAD=./slow-disk.so roomful host … --record evening.mcap
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_recording(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path);
    return length > 5 && memcmp(path + length - 5, ".mcap", 5) == 0;
}

ssize_t write(int file, const void *bytes, size_t count) {
    static ssize_t (*next)(int, const void *, size_t);
    if (!next) next = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    const char *path = getenv("SLOW_DISK_FILE");
    if (path && is_recording(file)) {
        int wish = open(path, O_RDONLY | O_CLOEXEC);
        char text[16] = "0";
        if (wish >= 0) {
            ssize_t length = read(wish, text, sizeof text - 1);
            text[length > 0 ? length : 0] = 0;
            close(wish);
            unlink(path);
            sleep((unsigned)atoi(text));
        }
    }
    return next(file, bytes, count);
}
