#define _GNU_SOURCE
#include "cdatagrams.h"
#include "address.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

// Room for one control message: the kernel's stamp.
typedef union {
    struct cmsghdr aligned;
    unsigned char bytes[CMSG_SPACE(sizeof(struct timespec))];
} control;

struct datagram_envelopes {
    struct mmsghdr headers[datagram_batch_depth];
    struct iovec vectors[datagram_batch_depth];
    socket_address addresses[datagram_batch_depth];
    control controls[datagram_batch_depth];
};

datagram_batch *datagram_batch_create(void) {
    size_t bytes = (size_t)datagram_batch_depth * datagram_capacity;
    datagram_batch *batch = calloc(1, sizeof *batch);
    if (!batch) return NULL;
    batch->bytes = aligned_alloc(64, bytes);
    batch->lengths = calloc(datagram_batch_depth, sizeof *batch->lengths);
    batch->waited = calloc(datagram_batch_depth, sizeof *batch->waited);
    batch->envelopes = calloc(1, sizeof *batch->envelopes);
    if (!batch->bytes || !batch->lengths || !batch->waited || !batch->envelopes) {
        datagram_batch_destroy(batch);
        return NULL;
    }
    memset(batch->bytes, 0, bytes);
    struct datagram_envelopes *envelopes = batch->envelopes;
    for (int i = 0; i < datagram_batch_depth; i++) {
        envelopes->vectors[i].iov_base = batch->bytes + (size_t)i * datagram_capacity;
        envelopes->headers[i].msg_hdr.msg_name = &envelopes->addresses[i];
        envelopes->headers[i].msg_hdr.msg_iov = &envelopes->vectors[i];
        envelopes->headers[i].msg_hdr.msg_iovlen = 1;
    }
    return batch;
}

void datagram_batch_destroy(datagram_batch *batch) {
    free(batch->bytes);
    free(batch->lengths);
    free(batch->waited);
    free(batch->envelopes);
    free(batch);
}

// Nanoseconds from the kernel's stamp to `now`, both on the real-time clock; -1 without a stamp. A step of that clock
// between the two is not allowed to look like a negative wait.
static int64_t wait_of(struct msghdr *header, struct timespec now) {
    for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS) continue;
        struct timespec stamp;
        memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
        int64_t waited = (now.tv_sec - stamp.tv_sec) * 1000000000ll + (now.tv_nsec - stamp.tv_nsec);
        return waited < 0 ? 0 : waited;
    }
    return -1;
}

int datagram_batch_receive(int socket, const datagram_batch *batch) {
    struct datagram_envelopes *envelopes = batch->envelopes;
    for (int i = 0; i < datagram_batch_depth; i++) {
        struct msghdr *header = &envelopes->headers[i].msg_hdr;
        header->msg_namelen = sizeof(socket_address);
        header->msg_control = &envelopes->controls[i];
        header->msg_controllen = sizeof(control);
        envelopes->vectors[i].iov_len = datagram_capacity;
    }
    // MSG_TRUNC: the length is the datagram's own, even where it did not fit.
    int count = recvmmsg(socket, envelopes->headers, datagram_batch_depth, MSG_DONTWAIT | MSG_TRUNC, NULL);
    if (count < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;

    struct timespec now = {0, 0};
    if (count > 0 && envelopes->headers[0].msg_hdr.msg_controllen > 0) clock_gettime(CLOCK_REALTIME, &now);
    for (int i = 0; i < count; i++) {
        struct msghdr *header = &envelopes->headers[i].msg_hdr;
        batch->lengths[i] = envelopes->headers[i].msg_len;
        batch->waited[i] = header->msg_controllen > 0 ? wait_of(header, now) : -1;
    }
    return count;
}

int datagram_batch_send(int socket, int family, const datagram_batch *batch, int first, int end) {
    struct datagram_envelopes *envelopes = batch->envelopes;
    for (int i = first; i < end && family != AF_INET6; i++) {
        datagram_address to = address_from_socket(&envelopes->addresses[i]);
        envelopes->headers[i].msg_hdr.msg_namelen = address_to_socket(to, family, &envelopes->addresses[i]);
    }
    for (int i = first; i < end; i++) {
        struct msghdr *header = &envelopes->headers[i].msg_hdr;
        header->msg_control = NULL;
        header->msg_controllen = 0;
        envelopes->vectors[i].iov_len = batch->lengths[i];
    }
    int count;
    do {
        count = sendmmsg(socket, envelopes->headers + first, (unsigned)(end - first), MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

datagram_address datagram_batch_sender(const datagram_batch *batch, int index) {
    return address_from_socket(&batch->envelopes->addresses[index]);
}

void datagram_batch_address(const datagram_batch *batch, int index, datagram_address to) {
    batch->envelopes->headers[index].msg_hdr.msg_namelen =
        address_to_socket(to, AF_INET6, &batch->envelopes->addresses[index]);
}
