#define _GNU_SOURCE  // posix_spawn_file_actions_addclosefrom_np
#include "include/avahi_core.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

// What a responder needs of our environment; a secret that somebody keeps there it does not.
static const char *const passed_on[] = {
    "LD_LIBRARY_PATH=", "ROOMFUL_NO_AVAHI_CORE=", "LIBDISPATCH_LOG=", "ASAN_OPTIONS=", "TSAN_OPTIONS=", "UBSAN_OPTIONS=",
};
enum { passed_on_count = sizeof passed_on / sizeof *passed_on };

static void choose_environment(char *chosen[passed_on_count + 2]) {
    size_t count = 0;
    // A crash is an everyday matter there, and its backtrace takes longer than the process lives.
    chosen[count++] = "SWIFT_BACKTRACE=enable=no";
    for (size_t place = 0; place < passed_on_count; place++) {
        for (char **entry = environ; entry && *entry; entry++) {
            if (strncmp(*entry, passed_on[place], strlen(passed_on[place])) != 0) continue;
            chosen[count++] = *entry;
            break;
        }
    }
    chosen[count] = NULL;
}

// The spawning itself, with what says how.
static int spawn(
    const char *program, pid_t *child, int end, posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error;
    if ((error = posix_spawn_file_actions_adddup2(actions, end, STDIN_FILENO))) return error;
    if ((error = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0))) return error;
    if ((error = posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO, STDERR_FILENO))) return error;
    if ((error = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1))) return error;
    if ((error = posix_spawnattr_setsigmask(attributes, &none))) return error;
    if ((error = posix_spawnattr_setsigdefault(attributes, &all))) return error;
    if ((error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))) return error;
    char *arguments[] = {"roomful", "responder", NULL};
    char *environment[passed_on_count + 2];
    choose_environment(environment);
    return posix_spawn(child, program, actions, attributes, arguments, environment);
}

int roomful_responder_start(const char *program, pid_t *child, int *socket) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (!error) {
        error = posix_spawnattr_init(&attributes);
        if (!error) {
            error = spawn(program, child, ends[1], &actions, &attributes);
            posix_spawnattr_destroy(&attributes);
        }
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    if (error) close(ends[0]);
    else *socket = ends[0];
    return error;
}

void roomful_responder_begin(void) {
    // Ctrl-C and a service manager's SIGTERM reach every process of a group. The parent answers them, by closing its end;
    // this process then still has goodbyes to say.
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    // Whoever lists processes reads this: it was started as /proc/self/exe. A name for all of the process (proc(5)).
    const int name = open("/proc/self/comm", O_WRONLY | O_CLOEXEC);
    if (name >= 0) {
        const char text[] = "roomful-mdns";
        if (write(name, text, sizeof text - 1) < 0) { /* it keeps the other */ }
        close(name);
    }
    const struct rlimit nothing = {0, 0};
    setrlimit(RLIMIT_CORE, &nothing);
    setrlimit(RLIMIT_FSIZE, &nothing);
    // Nobody's folder is held.
    if (chdir("/") != 0) return;
}
