// ENet's functions, found at run time: a program that is built where the header is (Debian: libenet-dev) runs, and says what
// is missing, where the library is not.
#pragma once

#if __has_include(<enet/enet.h>)
#include <enet/enet.h>

#define EACH_ENET_FUNCTION(DO) \
    DO(enet_initialize) DO(enet_host_create) DO(enet_host_connect) DO(enet_host_service) DO(enet_host_flush) \
    DO(enet_host_destroy) DO(enet_packet_create) DO(enet_packet_destroy) DO(enet_peer_send) DO(enet_host_check_events) \
    DO(enet_socket_get_address) DO(enet_peer_throttle_configure) DO(enet_socket_set_option)
#define DECLARE_ENET_FUNCTION(NAME) __typeof__(&NAME) NAME;
typedef struct { EACH_ENET_FUNCTION(DECLARE_ENET_FUNCTION) } enet_library;

// The library, started; NULL, and why, where there is none.
const enet_library *enet_library_find(const char **why);
#endif
