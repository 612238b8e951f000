#define _GNU_SOURCE
#include "doctor.h"
#include "address.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <unistd.h>

enum { mdns_port = 5353 };

static int switch_on(int socket, int level, int option, int value) {
    return setsockopt(socket, level, option, &value, sizeof value);
}

static int open_ipv4(int socket, unsigned interface, int *stage) {
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(mdns_port)};
    if (bind(socket, (struct sockaddr *)&here, sizeof here) < 0) return -errno;
    *stage = doctor_joining;
    struct ip_mreqn group = {.imr_ifindex = (int)interface};
    inet_pton(AF_INET, "224.0.0.251", &group.imr_multiaddr);
    // Only what comes to this membership, not what others on this machine have asked for.
    switch_on(socket, IPPROTO_IP, IP_MULTICAST_ALL, 0);
    if (setsockopt(socket, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof group) < 0 ||
        setsockopt(socket, IPPROTO_IP, IP_MULTICAST_IF, &group, sizeof group) < 0 ||
        switch_on(socket, IPPROTO_IP, IP_MULTICAST_TTL, 255) < 0 ||
        switch_on(socket, IPPROTO_IP, IP_MULTICAST_LOOP, 1) < 0) return -errno;
    return 0;
}

static int open_ipv6(int socket, unsigned interface, int *stage) {
    struct sockaddr_in6 here = {.sin6_family = AF_INET6, .sin6_port = htons(mdns_port)};
    if (switch_on(socket, IPPROTO_IPV6, IPV6_V6ONLY, 1) < 0) return -errno;
    if (bind(socket, (struct sockaddr *)&here, sizeof here) < 0) return -errno;
    *stage = doctor_joining;
    struct ipv6_mreq group = {.ipv6mr_interface = interface};
    inet_pton(AF_INET6, "ff02::fb", &group.ipv6mr_multiaddr);
    if (setsockopt(socket, IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, &group, sizeof group) < 0 ||
        switch_on(socket, IPPROTO_IPV6, IPV6_MULTICAST_IF, (int)interface) < 0 ||
        switch_on(socket, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, 255) < 0 ||
        switch_on(socket, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, 1) < 0) return -errno;
    return 0;
}

int doctor_mdns_open(int family, unsigned interface, int *stage) {
    *stage = doctor_opening;
    int descriptor = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -errno;
    // Whoever speaks multicast DNS sets both: BSD's way and Linux's.
    switch_on(descriptor, SOL_SOCKET, SO_REUSEADDR, 1);
    switch_on(descriptor, SOL_SOCKET, SO_REUSEPORT, 1);
    int result = family == AF_INET6 ? open_ipv6(descriptor, interface, stage) : open_ipv4(descriptor, interface, stage);
    if (result == 0) return descriptor;
    close(descriptor);
    return result;
}

int doctor_mdns_send(int socket, int family, unsigned interface, const void *bytes, size_t length) {
    struct sockaddr_in group4 = {.sin_family = AF_INET, .sin_port = htons(mdns_port)};
    struct sockaddr_in6 group6 = {.sin6_family = AF_INET6, .sin6_port = htons(mdns_port), .sin6_scope_id = interface};
    inet_pton(AF_INET, "224.0.0.251", &group4.sin_addr);
    inet_pton(AF_INET6, "ff02::fb", &group6.sin6_addr);
    ssize_t sent = family == AF_INET6
        ? sendto(socket, bytes, length, 0, (struct sockaddr *)&group6, sizeof group6)
        : sendto(socket, bytes, length, 0, (struct sockaddr *)&group4, sizeof group4);
    return sent < 0 ? -errno : 0;
}

int doctor_receive(int socket, void *bytes, size_t capacity, datagram_address *from) {
    socket_address sender;
    socklen_t length = sizeof sender;
    ssize_t count = recvfrom(socket, bytes, capacity, 0, &sender.any, &length);
    if (count < 0) return -errno;
    *from = address_from_socket(&sender);
    return (int)count;
}

int doctor_clock_is_synchronised(void) {
    struct timex clock = {0};   // asks, and changes nothing
    int state = adjtimex(&clock);
    if (state < 0) return -errno;
    return state != TIME_ERROR && !(clock.status & STA_UNSYNC);
}
