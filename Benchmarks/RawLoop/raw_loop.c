#define _GNU_SOURCE
#include "raw_loop.h"
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

enum { depth = 64, capacity = 2048 };

int raw_open(int receive_buffer, uint16_t *port) {
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (descriptor < 0 || bind(descriptor, (struct sockaddr *)&address, length) < 0) return -1;
    if (setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &receive_buffer, sizeof receive_buffer) < 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    if (getsockname(descriptor, (struct sockaddr *)&address, &length) < 0) return -1;
    *port = ntohs(address.sin_port);
    return descriptor;
}

int raw_connect(uint16_t port) {
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(port)};
    if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address) < 0) return -1;
    return descriptor;
}

int raw_drain(int socket) {
    static unsigned char bytes[depth][capacity];
    static struct sockaddr_in6 senders[depth];
    static struct iovec vectors[depth];
    static struct mmsghdr headers[depth];
    static volatile unsigned touched;
    int total = 0;
    for (;;) {
        for (int i = 0; i < depth; i++) {
            vectors[i] = (struct iovec){bytes[i], capacity};
            headers[i].msg_hdr = (struct msghdr){
                .msg_name = &senders[i], .msg_namelen = sizeof senders[i], .msg_iov = &vectors[i], .msg_iovlen = 1};
        }
        int count = recvmmsg(socket, headers, depth, MSG_DONTWAIT, NULL);
        if (count <= 0) return total;
        unsigned sum = 0;
        for (int i = 0; i < count; i++) sum += bytes[i][0];
        touched += sum;
        total += count;
    }
}

void raw_sleep_exactly(void) { prctl(PR_SET_TIMERSLACK, 1ul); }

int64_t raw_thread_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}
