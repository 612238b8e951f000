#define _GNU_SOURCE
#include "lossy_paths.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

int path_here(void) {
    int here = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    return here < 0 ? -errno : here;
}

int path_enter(int host) { return setns(host, CLONE_NEWNET) < 0 ? -errno : 0; }

// The device is up from now on, with these addresses if there are any.
static int bring_up(const char *name, uint32_t address, uint32_t other) {
    struct ifreq request = {0};
    strncpy(request.ifr_name, name, IFNAMSIZ - 1);
    int socket_ = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0) return -errno;
    int result = 0;
    struct sockaddr_in *place = (struct sockaddr_in *)&request.ifr_addr;
    place->sin_family = AF_INET;
    if (address) {
        place->sin_addr.s_addr = htonl(address);
        result = ioctl(socket_, SIOCSIFADDR, &request);
        place->sin_addr.s_addr = htonl(other);
        if (result == 0) result = ioctl(socket_, SIOCSIFDSTADDR, &request);
    }
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    if (result == 0) result = ioctl(socket_, SIOCSIFFLAGS, &request);
    int error = errno;
    close(socket_);
    return result < 0 ? -error : 0;
}

int path_host(void) {
    int here = path_here();
    if (here < 0) return here;
    if (unshare(CLONE_NEWNET) < 0) {
        int error = errno;
        close(here);
        return -error;
    }
    int there = path_here();
    int result = bring_up("lo", 0, 0);
    path_enter(here);
    close(here);
    return result < 0 ? result : there;
}

int path_end(int host, uint32_t address, uint32_t other) {
    int here = path_here();
    if (here < 0) return here;
    int result = path_enter(host);
    int device = -1;
    if (result == 0) {
        struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
        device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
        if (device < 0 || ioctl(device, TUNSETIFF, &request) < 0) result = -errno;
        else result = bring_up(request.ifr_name, address, other);
        path_enter(here);
    }
    close(here);
    if (result < 0 && device >= 0) close(device);
    return result < 0 ? result : device;
}

void path_wait(const int *descriptors, size_t count, bool *is_readable, int64_t nanoseconds) {
    struct pollfd watched[512];
    if (count > sizeof watched / sizeof *watched) count = sizeof watched / sizeof *watched;
    for (size_t i = 0; i < count; i++) watched[i] = (struct pollfd){.fd = descriptors[i], .events = POLLIN};
    if (nanoseconds < 0) nanoseconds = 0;
    struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    int ready = ppoll(watched, count, &limit, NULL);
    for (size_t i = 0; i < count; i++) is_readable[i] = ready > 0 && watched[i].revents != 0;
}

static int socket_on(int host, int kind) {
    int here = path_here();
    if (here < 0) return here;
    int result = path_enter(host);
    if (result == 0) {
        result = socket(AF_INET, kind | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (result < 0) result = -errno;
        path_enter(here);
    }
    close(here);
    return result;
}

int path_tcp(int from_host, int to_host, uint32_t to, int *sender, int *receiver) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(to)};
    socklen_t length = sizeof address;
    int one = 1;
    int door = socket_on(to_host, SOCK_STREAM);
    *sender = socket_on(from_host, SOCK_STREAM);
    *receiver = -1;
    if (door < 0 || *sender < 0) return door < 0 ? door : *sender;
    struct pollfd waiting = {.fd = door, .events = POLLIN};
    if (bind(door, (struct sockaddr *)&address, length) == 0 && listen(door, 1) == 0 &&
        getsockname(door, (struct sockaddr *)&address, &length) == 0 &&
        (connect(*sender, (struct sockaddr *)&address, length) == 0 || errno == EINPROGRESS) &&
        poll(&waiting, 1, 5000) == 1)
        *receiver = accept4(door, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    int error = errno ? errno : ETIMEDOUT;
    close(door);
    if (*receiver < 0) return -error;
    setsockopt(*sender, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return 0;
}
