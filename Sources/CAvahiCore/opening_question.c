#define _GNU_SOURCE
#include "include/avahi_core.h"

#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const int PORT = 5353;
static const int on = 1, hops = 255;

static void ask4(int socket, unsigned interface, const uint8_t *question, size_t length) {
    struct ip_mreqn leaving = {.imr_ifindex = (int)interface};
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(PORT)}, everybody = own;
    everybody.sin_addr.s_addr = htonl(0xE00000FB);  // 224.0.0.251
    if (setsockopt(socket, IPPROTO_IP, IP_MULTICAST_IF, &leaving, sizeof leaving) == 0 &&
        setsockopt(socket, IPPROTO_IP, IP_MULTICAST_TTL, &hops, sizeof hops) == 0 &&
        bind(socket, (struct sockaddr *)&own, sizeof own) == 0)
        sendto(socket, question, length, MSG_DONTWAIT, (struct sockaddr *)&everybody, sizeof everybody);
}

static void ask6(int socket, unsigned interface, const uint8_t *question, size_t length) {
    int leaving = (int)interface;
    struct sockaddr_in6 own = {.sin6_family = AF_INET6, .sin6_port = htons(PORT)}, everybody = own;
    memcpy(&everybody.sin6_addr, (uint8_t[16]){0xFF, 0x02, [15] = 0xFB}, 16);  // ff02::fb
    everybody.sin6_scope_id = interface;
    if (setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) == 0 &&
        setsockopt(socket, IPPROTO_IPV6, IPV6_MULTICAST_IF, &leaving, sizeof leaving) == 0 &&
        setsockopt(socket, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, sizeof hops) == 0 &&
        bind(socket, (struct sockaddr *)&own, sizeof own) == 0)
        sendto(socket, question, length, MSG_DONTWAIT, (struct sockaddr *)&everybody, sizeof everybody);
}

void roomful_ask_everybody(unsigned interface, bool by_v6, const uint8_t *question, size_t length) {
    int made = socket(by_v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (made < 0) return;
    // As libavahi-core does at the same port: several programs of a machine share it.
    if (setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        setsockopt(made, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0)
        (by_v6 ? ask6 : ask4)(made, interface, question, length);
    close(made);
}
