// What the motion link needs from C: batches of datagrams in one system call, sealing by libsodium, a prefetch.
//
// Swift's Glibc import does not show recvmmsg, sendmmsg and ppoll; libsodium is looked for at run time, so that
// building needs neither its headers nor its library.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- Sealing (sodium.c) ----

/// One suite of libsodium, as its "detached" functions are called.
typedef struct {
    int (*encrypt)(unsigned char *cipher, unsigned char *tag, unsigned long long *tag_length,
                   const unsigned char *message, unsigned long long message_length, const unsigned char *data,
                   unsigned long long data_length, const unsigned char *nothing, const unsigned char *nonce,
                   const unsigned char *key);
    int (*decrypt)(unsigned char *message, unsigned char *nothing, const unsigned char *cipher,
                   unsigned long long cipher_length, const unsigned char *tag, const unsigned char *data,
                   unsigned long long data_length, const unsigned char *nonce, const unsigned char *key);
} datagram_suite;

/// AES-256-GCM, or NULL when the machine has no libsodium or its processor no instructions for AES.
const datagram_suite *datagram_suite_aes256gcm(void);
/// ChaCha20-Poly1305 (RFC 8439), or NULL when the machine has no libsodium.
const datagram_suite *datagram_suite_chacha20poly1305(void);

/// Seals header and payload in place; `bytes` is header, payload and 16 bytes of room for the tag.
void datagram_seal(const datagram_suite *suite, unsigned char *bytes, size_t length, size_t header_length,
                   const unsigned char *key, uint32_t number);
/// Opens in place; false when the tag does not fit.
bool datagram_open(const datagram_suite *suite, unsigned char *bytes, size_t length, size_t header_length,
                   const unsigned char *key, uint32_t number);

// ---- Batches (batch.c) ----

enum {
    /// Datagrams that one system call carries.
    datagram_batch_depth = 64,
    /// Room for each: more than any of ours needs, so that a longer one is seen to be longer.
    datagram_capacity = 2048,
};

/// An IP address (IPv4 mapped into IPv6) as two numbers, its interface and port, in the machine's byte order.
typedef struct {
    uint64_t high, low;
    uint32_t scope;
    uint16_t port;
} datagram_address;

/// One of this machine's addresses in the same form, without interface and port; all zero where the system chooses.
typedef struct {
    uint64_t high, low;
} datagram_own_address;

/// Memory for 64 datagrams, made once and used for every call.
typedef struct {
    /// `datagram_batch_depth` times `datagram_capacity` bytes.
    unsigned char *bytes;
    /// Each datagram's true length; above `datagram_capacity`, its end was cut off.
    uint32_t *lengths;
    /// How long each waited in the socket, in nanoseconds; -1 when the socket does not stamp arrivals.
    int64_t *waited;
    /// What the system calls want to see.
    struct datagram_envelopes *envelopes;
} datagram_batch;

/// NULL when there is no memory.
datagram_batch *datagram_batch_create(void);
void datagram_batch_destroy(datagram_batch *batch);

/// Takes what waits in the socket, without blocking: 0 to 64, or minus errno.
int datagram_batch_receive(int socket, const datagram_batch *batch);
/// Sends datagrams `first` to `end` - 1 without blocking, by a socket of this family: how many the kernel took, or
/// minus errno if not even one. One that cannot leave from its own address leaves from the one that the system chooses.
int datagram_batch_send(int socket, int family, const datagram_batch *batch, int first, int end);

datagram_address datagram_batch_sender(const datagram_batch *batch, int index);
/// Where it was sent to; all zero unless the socket notes that.
datagram_own_address datagram_batch_dialled(const datagram_batch *batch, int index);
void datagram_batch_address(const datagram_batch *batch, int index, datagram_address to, datagram_own_address own);

// ---- Sockets (socket.c) ----

/// Opens a UDP socket that never blocks and binds it; returns it, or minus errno. Family: AF_INET6 (dual-stack) or
/// AF_INET.
int datagram_socket_open(int family, datagram_address bound_to);
/// Opens a TCP socket that never blocks, binds it and listens: connections wait in the kernel until somebody accepts
/// them. Returns it, or minus errno.
int stream_socket_listen(int family, datagram_address bound_to, int backlog);
/// The address that the socket is bound to; minus errno on failure, else 0.
int datagram_socket_address(int socket, datagram_address *address);
/// Asks for a receive buffer, with privilege beyond the system's limit, and reads back what was granted.
int datagram_socket_receive_buffer(int socket, int bytes);
/// Has the kernel stamp arrivals (13 to 15 % of the receive path's speed).
int datagram_socket_stamp_arrivals(int socket);
/// Has the kernel say of each datagram which of this machine's addresses it was sent to.
int datagram_socket_note_dialled(int socket, int family);
/// Datagrams that the kernel threw away since the socket was opened, for want of room or a wrong checksum; -1 when
/// the kernel does not say.
int64_t datagram_socket_drops(int socket);

// ---- Waiting (socket.c) ----

/// A counter that poll can see, for waking a thread; minus errno on failure.
int datagram_doorbell_open(void);
void datagram_doorbell_ring(int bell);
void datagram_doorbell_silence(int bell);

/// Waits until a descriptor is readable: bit 0 the first, bit 1 the second, bit 2 the third (-1: none). 0 when the time
/// has passed or a signal came. A negative time waits for ever.
int datagram_wait(int first, int second, int third, int64_t nanoseconds);

// ---- Waiting on many (watch.c) ----

enum {
    /// Readable descriptors that one wait tells of.
    datagram_watch_depth = 256,
};

/// Watches any number of descriptors, for one thread; minus errno on failure.
int datagram_watch_open(void);
/// Tells of `descriptor` by `label` as long as it is readable; 0 or minus errno.
int datagram_watch_add(int watch, int descriptor, uint64_t label);
void datagram_watch_remove(int watch, int descriptor);
/// Waits until something is readable: how many labels were written, 0 when the time has passed or a signal came. A
/// negative time waits for ever.
int datagram_watch_wait(int watch, uint64_t *labels, int capacity, int64_t nanoseconds);

// ---- The processor ----

/// Has the processor fetch a cache line that will be read soon.
static inline void datagram_prefetch(const void *address) { __builtin_prefetch(address); }

// ---- This process ----

/// Has allocations of so many bytes and more lie in pages of their own from now on, where the C library knows how (glibc).
void process_memory_own_pages(int bytes);
/// The program's build ID, as its linker made it of the whole file: how many bytes were written, 0 where it has none.
int process_build(uint8_t *bytes, int capacity);

// ---- What the doctor asks the system ----
#include "doctor.h"
