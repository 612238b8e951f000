// ENet beside a room: a host that counts what it receives, and peers that send as phones do, each a packet of 64 bytes,
// unreliable and unsealed, at its own moment. Scripts/bench.py runs both as processes of their own on loopback.
//
//   ENetPeers host PEERS                     says "port N", then each second what it has received and used
//   ENetPeers send PORT PEERS RATE SECONDS   says "connected" when all are, sends, and says how many it sent
//
// Built without ENet's header (Debian: libenet-dev) it says so, and exits with 69. The library is found at run time.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "enet_library.h"

#if __has_include(<enet/enet.h>)
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

enum { payload = 64, most_peers = 4095 };

static const enet_library *library;

static void fail(const char *what) {
    fprintf(stderr, "ENetPeers: %s\n", what);
    exit(1);
}

static void load(void) {
    const char *why;
    if (!(library = enet_library_find(&why))) fail(why);
}

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

// The moment in seconds; what was until then: packets received, seconds of processor time, wake-ups.
static int say(unsigned long long received) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("%.6f %llu %.9f %ld\n", seconds(CLOCK_MONOTONIC), received, seconds(CLOCK_PROCESS_CPUTIME_ID), used.ru_nvcsw);
    return fflush(stdout);
}

static int host(size_t peers) {
    ENetAddress address = {.host = htonl(INADDR_LOOPBACK), .port = 0};
    ENetHost *host = library->enet_host_create(&address, peers, 1, 0, 0);
    if (!host || library->enet_socket_get_address(host->socket, &address) != 0) fail("the host cannot be made");
    // As large as a room's: what a burst overflows says nothing of the library.
    library->enet_socket_set_option(host->socket, ENET_SOCKOPT_RCVBUF, 4 << 20);
    printf("port %u\n", address.port);
    fflush(stdout);
    unsigned long long received = 0;
    double next = seconds(CLOCK_MONOTONIC) + 1;
    for (;;) {
        ENetEvent event;
        int happened = library->enet_host_service(host, &event, 100);
        for (; happened > 0; happened = library->enet_host_check_events(host, &event)) {
            if (event.type != ENET_EVENT_TYPE_RECEIVE) continue;
            received++;
            library->enet_packet_destroy(event.packet);
        }
        if (seconds(CLOCK_MONOTONIC) < next) continue;
        next += 1;
        if (say(received) != 0) return 0;
    }
}

static int send_all(unsigned short port, size_t peers, double rate, double duration) {
    ENetAddress address = {.host = htonl(INADDR_LOOPBACK), .port = port};
    ENetHost *host = library->enet_host_create(NULL, peers, 1, 0, 0);
    if (!host) fail("the peers cannot be made");
    size_t connected = 0;
    // ENet drops unreliable packets by itself where round trips vary; a decelerating throttle of 0 keeps it from that.
    enum { interval = 5000, most = ENET_PEER_PACKET_THROTTLE_SCALE };
    for (size_t made = 0; connected < peers;) {
        // A few at a time: a burst of thousands would only overflow the host's socket.
        for (; made < peers && made < connected + 64; made++)
            if (!library->enet_host_connect(host, &address, 1, 0)) fail("there is no peer left");
        ENetEvent event;
        if (library->enet_host_service(host, &event, 1) <= 0 || event.type != ENET_EVENT_TYPE_CONNECT) continue;
        library->enet_peer_throttle_configure(event.peer, interval, most, 0);
        connected++;
    }
    puts("connected");
    fflush(stdout);

    static unsigned char bytes[payload];
    unsigned long long sent = 0, all = (unsigned long long)(peers * rate * duration);
    // Else the kernel may let each sleep last 50 microseconds longer: several packets would be due at once.
    prctl(PR_SET_TIMERSLACK, 1);
    double began = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
    // One after another, evenly: phones do not speak all at once. The room's pads do the same (Benchmarks/Thousands).
    while (sent < all) {
        ENetPacket *packet = library->enet_packet_create(bytes, payload, 0);
        if (!packet || library->enet_peer_send(&host->peers[sent % peers], 0, packet) != 0) fail("a packet cannot be sent");
        library->enet_host_flush(host);
        sent++;
        if (sent % 64 == 0) {
            ENetEvent event;
            while (library->enet_host_service(host, &event, 0) > 0)
                if (event.type == ENET_EVENT_TYPE_DISCONNECT) fail("a peer was disconnected");
        }
        double wait = began + sent / (peers * rate) - seconds(CLOCK_MONOTONIC);
        if (wait > 0) nanosleep(&(struct timespec){.tv_nsec = (long)(wait * 1e9)}, NULL);
    }
    printf("sent %llu, %.1f %% of a core\n", sent,
           (seconds(CLOCK_PROCESS_CPUTIME_ID) - used) / (seconds(CLOCK_MONOTONIC) - began) * 100);
    return 0;
}

int main(int count, char **words) {
    if (count == 3 && strcmp(words[1], "host") == 0 && atol(words[2]) > 0 && atol(words[2]) <= most_peers) {
        load();
        return host(atol(words[2]));
    }
    if (count == 6 && strcmp(words[1], "send") == 0 && atol(words[3]) > 0 && atol(words[3]) <= most_peers) {
        load();
        return send_all(atoi(words[2]), atol(words[3]), atof(words[4]), atof(words[5]));
    }
    fputs("usage: ENetPeers host PEERS | send PORT PEERS RATE SECONDS\n", stderr);
    return 2;
}
#else
int main(void) {
    fputs("ENetPeers: built without ENet's header: sudo apt install libenet-dev\n", stderr);
    return 69;
}
#endif
