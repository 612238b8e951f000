#define _GNU_SOURCE
#include "cdatagrams.h"
#include <dlfcn.h>
#include <endian.h>
#include <pthread.h>
#include <string.h>

// libsodium, found once. The prototypes are our own: the ABI of these functions has not changed since 1.0.9.
static pthread_once_t found_once = PTHREAD_ONCE_INIT;
static datagram_suite aes256gcm, chacha20poly1305;
static bool has_aes256gcm, has_chacha20poly1305;

static void find(void) {
    void *library = dlopen("libsodium.so.23", RTLD_NOW | RTLD_LOCAL);   // 1.0.18: Debian 12, Ubuntu
    if (!library) library = dlopen("libsodium.so.26", RTLD_NOW | RTLD_LOCAL);   // 1.0.19 and later
    if (!library) return;

    int (*init)(void) = (int (*)(void))dlsym(library, "sodium_init");
    // It looks at the processor; 1 means that somebody else in this process had already called it.
    if (!init || init() < 0) return;

    *(void **)&chacha20poly1305.encrypt = dlsym(library, "crypto_aead_chacha20poly1305_ietf_encrypt_detached");
    *(void **)&chacha20poly1305.decrypt = dlsym(library, "crypto_aead_chacha20poly1305_ietf_decrypt_detached");
    has_chacha20poly1305 = chacha20poly1305.encrypt && chacha20poly1305.decrypt;

    int (*is_available)(void) = (int (*)(void))dlsym(library, "crypto_aead_aes256gcm_is_available");
    if (!is_available || is_available() != 1) return;
    *(void **)&aes256gcm.encrypt = dlsym(library, "crypto_aead_aes256gcm_encrypt_detached");
    *(void **)&aes256gcm.decrypt = dlsym(library, "crypto_aead_aes256gcm_decrypt_detached");
    has_aes256gcm = aes256gcm.encrypt && aes256gcm.decrypt;
}

const datagram_suite *datagram_suite_aes256gcm(void) {
    pthread_once(&found_once, find);
    return has_aes256gcm ? &aes256gcm : NULL;
}

const datagram_suite *datagram_suite_chacha20poly1305(void) {
    pthread_once(&found_once, find);
    return has_chacha20poly1305 ? &chacha20poly1305 : NULL;
}

enum { tag_length = 16 };

typedef struct { unsigned char bytes[12]; } nonce;

// 64 zero bits and the number, big-endian.
static nonce nonce_of(uint32_t number) {
    nonce once = {{0}};
    uint32_t big_endian = htobe32(number);
    memcpy(once.bytes + 8, &big_endian, sizeof big_endian);
    return once;
}

void datagram_seal(const datagram_suite *suite, unsigned char *bytes, size_t length, size_t header_length,
                   const unsigned char *key, uint32_t number) {
    nonce once = nonce_of(number);
    unsigned char *payload = bytes + header_length;
    size_t payload_length = length - header_length - tag_length;
    suite->encrypt(payload, payload + payload_length, NULL, payload, payload_length, bytes, header_length, NULL,
                   once.bytes, key);
}

bool datagram_open(const datagram_suite *suite, unsigned char *bytes, size_t length, size_t header_length,
                   const unsigned char *key, uint32_t number) {
    nonce once = nonce_of(number);
    unsigned char *payload = bytes + header_length;
    size_t payload_length = length - header_length - tag_length;
    return suite->decrypt(payload, NULL, payload, payload_length, payload + payload_length, bytes, header_length,
                          once.bytes, key) == 0;
}
