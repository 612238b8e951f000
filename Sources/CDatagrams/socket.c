#define _GNU_SOURCE
#include "cdatagrams.h"
#include "address.h"
#include <errno.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int datagram_socket_open(int family, datagram_address bound_to) {
    socket_address address;
    socklen_t length = address_to_socket(bound_to, family, &address);
    if (length == 0) return -EAFNOSUPPORT;

    int descriptor = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -errno;
    int off = 0;
    bool is_dual = family != AF_INET6 || setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0;
    if (is_dual && bind(descriptor, &address.any, length) == 0) return descriptor;
    int reason = errno;
    close(descriptor);
    return -reason;
}

int datagram_socket_address(int socket, datagram_address *address) {
    socket_address bound;
    socklen_t length = sizeof bound;
    if (getsockname(socket, &bound.any, &length) < 0) return -errno;
    *address = address_from_socket(&bound);
    return 0;
}

int datagram_socket_receive_buffer(int socket, int bytes) {
    if (setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) < 0 &&
        setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes) < 0) return -errno;
    int granted = 0;
    socklen_t length = sizeof granted;
    if (getsockopt(socket, SOL_SOCKET, SO_RCVBUF, &granted, &length) < 0) return -errno;
    return granted / 2;   // the kernel doubles what is asked, for its own books, and reports the double (socket(7))
}

int datagram_socket_stamp_arrivals(int socket) {
    int on = 1;
    return setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) < 0 ? -errno : 0;
}

// On a socket of both families the kernel tells of an IPv4 datagram in IPv6's message, the address mapped.
int datagram_socket_note_dialled(int socket, int family) {
    int on = 1;
    int result = family == AF_INET6 ? setsockopt(socket, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on)
                                    : setsockopt(socket, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
    return result < 0 ? -errno : 0;
}

// SO_MEMINFO (Linux 4.12) shows the same counter as SO_RXQ_OVFL, but costs nothing a datagram and also counts what was
// dropped after the last datagram that came through.
int64_t datagram_socket_drops(int socket) {
    uint32_t figures[SK_MEMINFO_VARS] = {0};
    socklen_t length = sizeof figures;
    if (getsockopt(socket, SOL_SOCKET, SO_MEMINFO, figures, &length) < 0) return -1;
    return length > SK_MEMINFO_DROPS * sizeof *figures ? (int64_t)figures[SK_MEMINFO_DROPS] : -1;
}

int datagram_doorbell_open(void) {
    int bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return bell < 0 ? -errno : bell;
}

void datagram_doorbell_ring(int bell) {
    uint64_t one = 1;
    // The only failure left is a counter at its limit, and that bell rings already.
    while (write(bell, &one, sizeof one) < 0 && errno == EINTR) {}
}

void datagram_doorbell_silence(int bell) {
    uint64_t count;
    while (read(bell, &count, sizeof count) < 0 && errno == EINTR) {}
}

int datagram_wait(int first, int second, int third, int64_t nanoseconds) {
    struct pollfd watched[3] = {
        {.fd = first, .events = POLLIN}, {.fd = second, .events = POLLIN}, {.fd = third, .events = POLLIN}};
    struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    if (ppoll(watched, 3, nanoseconds < 0 ? NULL : &limit, NULL) <= 0) return 0;
    return (watched[0].revents != 0) | (watched[1].revents != 0) << 1 | (watched[2].revents != 0) << 2;
}

int stream_socket_listen(int family, datagram_address bound_to, int backlog) {
    socket_address address;
    socklen_t length = address_to_socket(bound_to, family, &address);
    if (length == 0) return -EADDRNOTAVAIL;
    int descriptor = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -errno;
    int on = 1, off = 0;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (family == AF_INET6) setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(descriptor, &address.any, length) < 0 || listen(descriptor, backlog) < 0) {
        int error = errno;
        close(descriptor);
        return -error;
    }
    return descriptor;
}
