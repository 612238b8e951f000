// Between the kernel's socket addresses and ours.
#pragma once
#include "cdatagrams.h"
#include <netinet/in.h>

typedef union {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} socket_address;

datagram_address address_from_socket(const socket_address *from);
/// Writes the address in the socket's family and returns its length: 0 for an IPv6 address on an IPv4 socket, by which
/// the kernel refuses to send.
socklen_t address_to_socket(datagram_address from, int family, socket_address *to);
