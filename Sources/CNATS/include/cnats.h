// libnats, looked for at run time: building needs neither its headers nor its library.
//
// The declarations are our own, of functions and numbers that have stood since libnats 2.0 (nats.h, status.h of 3.4.1).
// All that is opaque stays so: no layout of the library's is known here.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct __natsConnection nats_connection;
typedef struct __natsSubscription nats_subscription;
typedef struct __natsMsg nats_message;

/// What libnats answers, as far as something depends on it (natsStatus).
enum {
    nats_fine = 0,
    nats_protocol_error = 2,
    nats_input_output_error = 3,
    nats_connection_closed = 5,
    nats_no_server = 6,
    nats_stale_connection = 7,
    nats_secure_connection_wanted = 8,
    nats_secure_connection_required = 9,
    nats_authentication_failed = 11,
    nats_payload_too_long = 21,
    nats_timed_out = 26,
    nats_tls_error = 29,
};

/// How to reach a broker. Whatever is not wanted is NULL.
typedef struct {
    /// `nats://HOST:PORT`, without secrets.
    const char *url;
    /// What the broker's operator sees.
    const char *name;
    const char *user, *password;
    const char *token;
    /// NATS's own file of a user's JWT and seed.
    const char *credentials;
    bool is_secure;
    /// Certificates in PEM.
    const char *authorities;
    int64_t patience_ms;
} nats_choices;

/// Called on a thread of the library's; `closure` is what was given.
typedef void (*nats_closed)(nats_connection *connection, void *closure);
typedef void (*nats_received)(nats_connection *connection, nats_subscription *subscription, nats_message *message,
                              void *closure);

/// Why the library cannot be used, or NULL when it can.
const char *nats_problem(void);

/// Connects once, and never again by itself: a natsStatus. Blocks for `patience_ms`, perhaps twice.
int nats_open_connection(const nats_choices *choices, nats_closed closed, void *closure, nats_connection **connection);
/// What the library says of the last failure on this thread.
const char *nats_last_words(int status);
/// What the broker said last of this connection, or NULL.
const char *nats_connection_words(nats_connection *connection);
/// Ends a connection; `closed` is called once none of the library's threads reads from it, whoever ended it.
void nats_close_connection(nats_connection *connection);
/// Gives a connection back that is closed.
void nats_free_connection(nats_connection *connection);
/// The longest payload that the broker takes, in bytes.
int64_t nats_longest_payload(nats_connection *connection);

/// Publishes; `headers` are names and values in turn, ended by NULL, or NULL.
int nats_publish(nats_connection *connection, const char *subject, const char *reply, const char *const *headers,
                 const void *payload, int length);
/// Waits until the broker has taken what was published.
int nats_flush(nats_connection *connection, int64_t patience_ms);

/// Hears a subject; what is more than so many messages or bytes is dropped by the library.
int nats_hear(nats_connection *connection, const char *subject, int most, int most_bytes, nats_received received,
              void *closure, nats_subscription **subscription);
/// Gives a subscription back, after its connection said that it is closed: before, some thread may be about to fill it.
void nats_free_subscription(nats_subscription *subscription);

const char *nats_message_subject(const nats_message *message);
const char *nats_message_reply(const nats_message *message);
const void *nats_message_payload(const nats_message *message);
int nats_message_length(const nats_message *message);
/// NULL where it has no such header.
const char *nats_message_header(nats_message *message, const char *name);
void nats_message_free(nats_message *message);
