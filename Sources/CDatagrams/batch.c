#define _GNU_SOURCE
#include "cdatagrams.h"
#include "address.h"
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

// Room for two control messages: the kernel's stamp, and which of our addresses the datagram was sent to. What leaves bears
// the second alone.
typedef union {
    struct cmsghdr aligned;
    unsigned char bytes[CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(struct in6_pktinfo))];
} control;

struct datagram_envelopes {
    struct mmsghdr headers[datagram_batch_depth];
    struct iovec vectors[datagram_batch_depth];
    socket_address addresses[datagram_batch_depth];
    control controls[datagram_batch_depth];
    datagram_own_address owns[datagram_batch_depth];
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

// Nanoseconds from the kernel's stamp to `now`, both on the real-time clock. A step of that clock between the two is
// not allowed to look like a negative wait.
static int64_t wait_since(const unsigned char *stamped, struct timespec now) {
    struct timespec stamp;
    memcpy(&stamp, stamped, sizeof stamp);
    int64_t waited = (now.tv_sec - stamp.tv_sec) * 1000000000ll + (now.tv_nsec - stamp.tv_nsec);
    return waited < 0 ? 0 : waited;
}

static datagram_own_address own_from_socket(const socket_address *from) {
    datagram_address address = address_from_socket(from);
    return (datagram_own_address){address.high, address.low};
}

// What the kernel says of a datagram beside its sender: -1, and no address, where it says nothing.
static void read_control(struct msghdr *header, struct timespec now, int64_t *waited, datagram_own_address *dialled) {
    *waited = -1;
    *dialled = (datagram_own_address){0, 0};
    for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part)) {
        if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_TIMESTAMPNS) {
            *waited = wait_since(CMSG_DATA(part), now);
        } else if (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_PKTINFO) {
            struct in6_pktinfo info;
            memcpy(&info, CMSG_DATA(part), sizeof info);
            *dialled = own_from_socket(&(socket_address){.v6 = {.sin6_family = AF_INET6, .sin6_addr = info.ipi6_addr}});
        } else if (part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_PKTINFO) {
            struct in_pktinfo info;
            memcpy(&info, CMSG_DATA(part), sizeof info);
            *dialled = own_from_socket(&(socket_address){.v4 = {.sin_family = AF_INET, .sin_addr = info.ipi_spec_dst}});
        }
    }
}

// Has a datagram leave from its own address, if it has one. The interface is the routes' to choose; a link-local
// address stands beside one whose scope says it.
static void write_control(struct datagram_envelopes *envelopes, int index, int family) {
    struct msghdr *header = &envelopes->headers[index].msg_hdr;
    datagram_own_address own = envelopes->owns[index];
    header->msg_control = NULL;
    header->msg_controllen = 0;
    if (own.high == 0 && own.low == 0) return;
    socket_address from;
    if (address_to_socket((datagram_address){own.high, own.low, 0, 0}, family, &from) == 0) return;

    struct cmsghdr *part = &envelopes->controls[index].aligned;
    if (family == AF_INET6) {
        struct in6_pktinfo info = {.ipi6_addr = from.v6.sin6_addr};
        *part = (struct cmsghdr){
            .cmsg_len = CMSG_LEN(sizeof info), .cmsg_level = IPPROTO_IPV6, .cmsg_type = IPV6_PKTINFO};
        memcpy(CMSG_DATA(part), &info, sizeof info);
        header->msg_controllen = CMSG_SPACE(sizeof info);
    } else {
        struct in_pktinfo info = {.ipi_spec_dst = from.v4.sin_addr};
        *part =
            (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof info), .cmsg_level = IPPROTO_IP, .cmsg_type = IP_PKTINFO};
        memcpy(CMSG_DATA(part), &info, sizeof info);
        header->msg_controllen = CMSG_SPACE(sizeof info);
    }
    header->msg_control = part;
}

// Whether the kernel refused an address that is ours no more, or was none to send from: a group, all hosts.
static bool is_refusal_of_own(int error) {
    return error == EINVAL || error == EADDRNOTAVAIL || error == ENETUNREACH || error == EHOSTUNREACH;
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
        read_control(header, now, &batch->waited[i], &envelopes->owns[i]);
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
        write_control(envelopes, i, family);
        envelopes->vectors[i].iov_len = batch->lengths[i];
    }
    while (true) {
        int count = sendmmsg(socket, envelopes->headers + first, (unsigned)(end - first), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count >= 0) return count;
        struct msghdr *refused = &envelopes->headers[first].msg_hdr;
        if (refused->msg_control && is_refusal_of_own(errno)) {
            refused->msg_control = NULL;
            refused->msg_controllen = 0;
        } else if (errno != EINTR) {
            return -errno;
        }
    }
}

datagram_address datagram_batch_sender(const datagram_batch *batch, int index) {
    return address_from_socket(&batch->envelopes->addresses[index]);
}

datagram_own_address datagram_batch_dialled(const datagram_batch *batch, int index) {
    return batch->envelopes->owns[index];
}

void datagram_batch_address(const datagram_batch *batch, int index, datagram_address to, datagram_own_address own) {
    batch->envelopes->owns[index] = own;
    batch->envelopes->headers[index].msg_hdr.msg_namelen =
        address_to_socket(to, AF_INET6, &batch->envelopes->addresses[index]);
}
