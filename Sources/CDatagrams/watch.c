#define _GNU_SOURCE
#include "cdatagrams.h"
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

int datagram_watch_open(void) {
    int watch = epoll_create1(EPOLL_CLOEXEC);
    return watch < 0 ? -errno : watch;
}

int datagram_watch_add(int watch, int descriptor, uint64_t label) {
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = label};
    return epoll_ctl(watch, EPOLL_CTL_ADD, descriptor, &event) < 0 ? -errno : 0;
}

void datagram_watch_remove(int watch, int descriptor) { epoll_ctl(watch, EPOLL_CTL_DEL, descriptor, NULL); }

// epoll_pwait2 would take nanoseconds, but is younger (Linux 5.11) than some systems in use; a watch can be polled
// like any descriptor, and ppoll takes them everywhere.
static int look(int watch, struct epoll_event *events, int capacity) {
    int count = epoll_wait(watch, events, capacity, 0);
    return count < 0 ? 0 : count;
}

int datagram_watch_wait(int watch, uint64_t *labels, int capacity, int64_t nanoseconds) {
    struct epoll_event events[datagram_watch_depth];
    if (capacity > datagram_watch_depth) capacity = datagram_watch_depth;
    int count = look(watch, events, capacity);
    if (count == 0 && nanoseconds != 0) {
        struct pollfd watched = {.fd = watch, .events = POLLIN};
        struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
        if (ppoll(&watched, 1, nanoseconds < 0 ? NULL : &limit, NULL) > 0) count = look(watch, events, capacity);
    }
    for (int i = 0; i < count; i++) labels[i] = events[i].data.u64;
    return count;
}
