// Two hosts in this machine, and networks between them whose packets pass through the caller's hands.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

// A host: a network namespace of its own. Its descriptor, or -errno: without root there is none.
int path_host(void);

// The calling thread makes its sockets on that host until it enters another; 0 or -errno. The one that it came from is
// path_here(), to be asked first.
int path_enter(int host);
int path_here(void);

// One end of a network between two hosts: a device on that host with this address, and the other's at its far end, both as
// numbers with the first byte highest. A descriptor that gives and takes whole IP packets without waiting, or -errno.
int path_end(int host, uint32_t address, uint32_t other);

// Waits until one of so many descriptors, at most 512, can be read, or so many nanoseconds have passed, and says which can.
void path_wait(const int *descriptors, size_t count, bool *is_readable, int64_t nanoseconds);

// Two TCP sockets that are connected from one host to the other, as the kernel's defaults make them but for TCP_NODELAY; both
// without waiting. Packets must pass meanwhile. 0 or -errno.
int path_tcp(int from_host, int to_host, uint32_t to, int *sender, int *receiver);

// Reliable, ordered packets by ENet over the same: one peer and its host in one hand.
typedef struct path_enet path_enet;
// NULL, and why, without the library. Packets must pass meanwhile.
path_enet *path_enet_open(int from_host, int to_host, uint32_t to, const char **why);
// Hands over one packet of so many bytes; false once the library has given the connection up.
bool path_enet_send(path_enet *pair, const void *bytes, size_t length);
// Lets both sides work; copies the next packet that has arrived, and returns its length; 0 when there is none.
size_t path_enet_receive(path_enet *pair, void *bytes, size_t capacity);
void path_enet_close(path_enet *pair);
