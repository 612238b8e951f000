#define _GNU_SOURCE
#include "lossy_paths.h"
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if __has_include(<enet/enet.h>)
#include "enet_library.h"

struct path_enet {
    const enet_library *library;
    ENetHost *pad, *host;
    ENetPeer *peer;
    bool is_over;
};

static ENetHost *host_on(const enet_library *library, int space, const ENetAddress *address) {
    int here = path_here();
    ENetHost *host = NULL;
    if (here >= 0 && path_enter(space) == 0) {
        host = library->enet_host_create(address, 1, 1, 0, 0);
        path_enter(here);
    }
    if (here >= 0) close(here);
    return host;
}

path_enet *path_enet_open(int from_host, int to_host, uint32_t to, const char **why) {
    const enet_library *library = enet_library_find(why);
    if (!library) return NULL;
    path_enet *pair = calloc(1, sizeof *pair);
    ENetAddress address = {.host = htonl(to), .port = 0};
    *why = "ENet's hosts cannot be made";
    if (pair) pair->library = library;
    if (!pair || !(pair->host = host_on(library, to_host, &address)) || !(pair->pad = host_on(library, from_host, NULL)) ||
        library->enet_socket_get_address(pair->host->socket, &address) != 0)
        return NULL;
    address.host = htonl(to);
    pair->peer = library->enet_host_connect(pair->pad, &address, 1, 0);
    *why = "ENet's peer does not come through";
    for (int tries = 0; pair->peer && tries < 5000; tries++) {
        ENetEvent event;
        library->enet_host_service(pair->host, &event, 0);
        if (library->enet_host_service(pair->pad, &event, 1) > 0 && event.type == ENET_EVENT_TYPE_CONNECT) return pair;
    }
    return NULL;
}

bool path_enet_send(path_enet *pair, const void *bytes, size_t length) {
    if (pair->is_over) return false;
    ENetPacket *packet = pair->library->enet_packet_create(bytes, length, ENET_PACKET_FLAG_RELIABLE);
    if (!packet || pair->library->enet_peer_send(pair->peer, 0, packet) != 0) return false;
    pair->library->enet_host_flush(pair->pad);
    return true;
}

size_t path_enet_receive(path_enet *pair, void *bytes, size_t capacity) {
    ENetEvent event;
    while (pair->library->enet_host_service(pair->pad, &event, 0) > 0)
        if (event.type == ENET_EVENT_TYPE_DISCONNECT) pair->is_over = true;
    while (pair->library->enet_host_service(pair->host, &event, 0) > 0) {
        if (event.type != ENET_EVENT_TYPE_RECEIVE) continue;
        size_t length = event.packet->dataLength < capacity ? event.packet->dataLength : capacity;
        memcpy(bytes, event.packet->data, length);
        pair->library->enet_packet_destroy(event.packet);
        return length;
    }
    return 0;
}

void path_enet_close(path_enet *pair) {
    pair->library->enet_host_destroy(pair->pad);
    pair->library->enet_host_destroy(pair->host);
    free(pair);
}
#else
path_enet *path_enet_open(int from_host, int to_host, uint32_t to, const char **why) {
    (void)from_host, (void)to_host, (void)to;
    *why = "built without ENet's header: sudo apt install libenet-dev";
    return NULL;
}
bool path_enet_send(path_enet *pair, const void *bytes, size_t length) { return (void)pair, (void)bytes, (void)length, false; }
size_t path_enet_receive(path_enet *pair, void *bytes, size_t capacity) {
    return (void)pair, (void)bytes, (void)capacity, (size_t)0;
}
void path_enet_close(path_enet *pair) { (void)pair; }
#endif
