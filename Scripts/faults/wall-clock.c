// Moves the wall clock of a running program, and nothing else: preload it, and write seconds into the file that
// WALL_CLOCK_FILE names (read at each look at the clock).
//
//     clang -shared -fPIC -o wall-clock.so wall-clock.c
//     WALL_CLOCK_FILE=offset LD_PRELOAD=./wall-clock.so roomful host …
//
// libfaketime 0.9.10 moves monotonic timers too when they are absolute (timerfd_settime), as libdispatch's are.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long offset(void) {
    const char *path = getenv("WALL_CLOCK_FILE");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    char text[32] = "0";
    if (file >= 0) {
        ssize_t count = read(file, text, sizeof text - 1);
        text[count > 0 ? count : 0] = 0;
        close(file);
    }
    return atol(text);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += offset();
    return result;
}

int gettimeofday(struct timeval *restrict value, void *restrict zone) {
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    value->tv_sec = now.tv_sec;
    value->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

// Who waits until a time on the wall (libnats does) names the moved clock's, and the kernel has the other one.
int pthread_cond_timedwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict until) {
    typedef int wait_type(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    static wait_type *_Atomic real;
    if (!real) real = (wait_type *)dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    struct timespec moved = *until;
    // A time of the monotonic clock is no time of this century.
    const long day = 86400;
    if (labs(until->tv_sec - time(NULL)) < day) moved.tv_sec -= offset();
    return real(condition, mutex, &moved);
}

// The kernel stamps arrivals by its own wall clock. What waited in the socket while the clock was set still bears the
// time before: so it is with a real step.
int recvmmsg(int socket, struct mmsghdr *messages, unsigned count, int flags, struct timespec *limit) {
    static _Thread_local long stamped;
    int received = (int)syscall(SYS_recvmmsg, socket, messages, count, flags, limit);
    for (int i = 0; i < received; i++) {
        struct msghdr *header = &messages[i].msg_hdr;
        for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part)) {
            if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS) continue;
            struct timespec stamp;
            memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
            stamp.tv_sec += stamped;
            memcpy(CMSG_DATA(part), &stamp, sizeof stamp);
        }
    }
    if (received > 0) stamped = offset();
    return received;
}
