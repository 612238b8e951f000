#include "address.h"
#include <endian.h>
#include <string.h>

// ::ffff:0:0/96, the place of the IPv4 addresses (RFC 4291, 2.5.5.2).
static const uint64_t mapped_prefix = 0x0000ffff00000000;

datagram_address address_from_socket(const socket_address *from) {
    if (from->any.sa_family == AF_INET) {
        return (datagram_address){0, mapped_prefix | ntohl(from->v4.sin_addr.s_addr), 0, ntohs(from->v4.sin_port)};
    }
    uint64_t halves[2];
    memcpy(halves, &from->v6.sin6_addr, sizeof halves);
    return (datagram_address){be64toh(halves[0]), be64toh(halves[1]), from->v6.sin6_scope_id,
                              ntohs(from->v6.sin6_port)};
}

socklen_t address_to_socket(datagram_address from, int family, socket_address *to) {
    memset(to, 0, sizeof *to);
    if (family == AF_INET6) {
        uint64_t halves[2] = {htobe64(from.high), htobe64(from.low)};
        to->v6.sin6_family = AF_INET6;
        to->v6.sin6_port = htons(from.port);
        to->v6.sin6_scope_id = from.scope;
        memcpy(&to->v6.sin6_addr, halves, sizeof halves);
        return sizeof to->v6;
    }
    bool is_any = from.high == 0 && from.low == 0;
    if (!is_any && (from.high != 0 || (from.low & ~0xffffffffull) != mapped_prefix)) return 0;
    to->v4.sin_family = AF_INET;
    to->v4.sin_port = htons(from.port);
    to->v4.sin_addr.s_addr = htonl((uint32_t)from.low);
    return sizeof to->v4;
}
