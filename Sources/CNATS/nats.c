#include "cnats.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

typedef struct __natsOptions nats_options;

// One line for each function of the library that is called: what it answers, its name there, what it takes.
#define FUNCTIONS(f)                                                                                                   \
    f(int, nats_Open, (int64_t))                                                                                       \
    f(const char *, nats_GetLastError, (int *))                                                                        \
    f(const char *, natsStatus_GetText, (int))                                                                         \
    f(int, natsOptions_Create, (nats_options **))                                                                      \
    f(void, natsOptions_Destroy, (nats_options *))                                                                     \
    f(int, natsOptions_SetURL, (nats_options *, const char *))                                                         \
    f(int, natsOptions_SetName, (nats_options *, const char *))                                                        \
    f(int, natsOptions_SetUserInfo, (nats_options *, const char *, const char *))                                      \
    f(int, natsOptions_SetToken, (nats_options *, const char *))                                                       \
    f(int, natsOptions_SetUserCredentialsFromFiles, (nats_options *, const char *, const char *))                      \
    f(int, natsOptions_SetSecure, (nats_options *, bool))                                                              \
    f(int, natsOptions_LoadCATrustedCertificates, (nats_options *, const char *))                                      \
    f(int, natsOptions_SetTimeout, (nats_options *, int64_t))                                                          \
    f(int, natsOptions_SetAllowReconnect, (nats_options *, bool))                                                      \
    f(int, natsOptions_SetPingInterval, (nats_options *, int64_t))                                                     \
    f(int, natsOptions_SetMaxPingsOut, (nats_options *, int))                                                          \
    f(int, natsOptions_SetWriteDeadline, (nats_options *, int64_t))                                                    \
    f(int, natsOptions_SetClosedCB, (nats_options *, nats_closed, void *))                                             \
    f(int, natsOptions_SetErrorHandler,                                                                                \
      (nats_options *, void (*)(nats_connection *, nats_subscription *, int, void *), void *))                         \
    f(int, natsConnection_Connect, (nats_connection **, nats_options *))                                               \
    f(int, natsConnection_GetLastError, (nats_connection *, const char **))                                            \
    f(int64_t, natsConnection_GetMaxPayload, (nats_connection *))                                                      \
    f(int, natsConnection_PublishMsg, (nats_connection *, nats_message *))                                             \
    f(int, natsConnection_FlushTimeout, (nats_connection *, int64_t))                                                  \
    f(int, natsConnection_Subscribe,                                                                                   \
      (nats_subscription **, nats_connection *, const char *, nats_received, void *))                                  \
    f(void, natsConnection_Close, (nats_connection *))                                                                 \
    f(void, natsConnection_Destroy, (nats_connection *))                                                               \
    f(int, natsSubscription_SetPendingLimits, (nats_subscription *, int, int))                                         \
    f(void, natsSubscription_Destroy, (nats_subscription *))                                                           \
    f(int, natsMsg_Create, (nats_message **, const char *, const char *, const char *, int))                           \
    f(const char *, natsMsg_GetSubject, (const nats_message *))                                                        \
    f(const char *, natsMsg_GetReply, (const nats_message *))                                                          \
    f(const char *, natsMsg_GetData, (const nats_message *))                                                           \
    f(int, natsMsg_GetDataLength, (const nats_message *))                                                              \
    f(int, natsMsgHeader_Set, (nats_message *, const char *, const char *))                                            \
    f(int, natsMsgHeader_Get, (nats_message *, const char *, const char **))                                           \
    f(void, natsMsg_Destroy, (nats_message *))

#define DECLARE(type, name, arguments) static type(*name) arguments;
FUNCTIONS(DECLARE)
// Since 3.4.
static int (*natsOptions_SetIgnoreDiscoveredServers)(nats_options *, bool);

static pthread_once_t found_once = PTHREAD_ONCE_INIT;
static char problem[256];

static void find(void) {
    const char *const names[] = {"libnats.so.3.4", "libnats.so.3", "libnats.so.3.8", "libnats.so"};
    void *library = NULL;
    for (size_t index = 0; !library && index < sizeof names / sizeof *names; index++)
        library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(problem, sizeof problem, "this machine has no libnats, by which a site is reached: apt install libnats3.4");
        return;
    }
#define FIND(type, name, arguments)                                                                                    \
    *(void **)&name = dlsym(library, #name);                                                                           \
    if (!name) snprintf(problem, sizeof problem, "this machine's libnats has no %s: it is older than 3.0", #name);
    FUNCTIONS(FIND)
    *(void **)&natsOptions_SetIgnoreDiscoveredServers = dlsym(library, "natsOptions_SetIgnoreDiscoveredServers");
    if (!problem[0] && nats_Open(-1) != nats_fine) snprintf(problem, sizeof problem, "libnats cannot be started");
}

const char *nats_problem(void) {
    pthread_once(&found_once, find);
    return problem[0] ? problem : NULL;
}

// The library prints what goes wrong to standard error where nobody asks for it.
static void ignore(nats_connection *connection, nats_subscription *subscription, int status, void *closure) {
    (void)connection, (void)subscription, (void)status, (void)closure;
}

static int apply(nats_options *options, const nats_choices *choices) {
    int status = natsOptions_SetURL(options, choices->url);
    if (!status) status = natsOptions_SetName(options, choices->name);
    if (!status && choices->user) status = natsOptions_SetUserInfo(options, choices->user, choices->password);
    if (!status && choices->token) status = natsOptions_SetToken(options, choices->token);
    if (!status && choices->credentials)
        status = natsOptions_SetUserCredentialsFromFiles(options, choices->credentials, NULL);
    if (!status && choices->is_secure) status = natsOptions_SetSecure(options, true);
    if (!status && choices->authorities) status = natsOptions_LoadCATrustedCertificates(options, choices->authorities);
    if (!status) status = natsOptions_SetTimeout(options, choices->patience_ms);
    if (!status) status = natsOptions_SetAllowReconnect(options, false);
    // Which of a cluster's brokers is asked is our choice: a connection is to the one that was named.
    if (!status && natsOptions_SetIgnoreDiscoveredServers) status = natsOptions_SetIgnoreDiscoveredServers(options, true);
    // A broker that was stopped or cut off is noticed within three pings.
    if (!status) status = natsOptions_SetPingInterval(options, 3000);
    if (!status) status = natsOptions_SetMaxPingsOut(options, 2);
    if (!status) status = natsOptions_SetWriteDeadline(options, 3000);
    if (!status) status = natsOptions_SetErrorHandler(options, ignore, NULL);
    return status;
}

int nats_open_connection(const nats_choices *choices, nats_closed closed, void *closure, nats_connection **connection) {
    nats_options *options = NULL;
    int status = natsOptions_Create(&options);
    if (!status) status = apply(options, choices);
    if (!status) status = natsOptions_SetClosedCB(options, closed, closure);
    if (!status) status = natsConnection_Connect(connection, options);
    natsOptions_Destroy(options);
    return status;
}

const char *nats_last_words(int status) {
    const char *words = nats_GetLastError(NULL);
    return words && words[0] ? words : natsStatus_GetText(status);
}

const char *nats_connection_words(nats_connection *connection) {
    const char *words = NULL;
    natsConnection_GetLastError(connection, &words);
    return words && words[0] ? words : NULL;
}

void nats_close_connection(nats_connection *connection) { natsConnection_Close(connection); }
void nats_free_connection(nats_connection *connection) { natsConnection_Destroy(connection); }

int64_t nats_longest_payload(nats_connection *connection) { return natsConnection_GetMaxPayload(connection); }

int nats_publish(nats_connection *connection, const char *subject, const char *reply, const char *const *headers,
                 const void *payload, int length) {
    nats_message *message = NULL;
    int status = natsMsg_Create(&message, subject, reply, payload, length);
    for (; !status && headers && headers[0]; headers += 2) status = natsMsgHeader_Set(message, headers[0], headers[1]);
    if (!status) status = natsConnection_PublishMsg(connection, message);
    natsMsg_Destroy(message);
    return status;
}

int nats_flush(nats_connection *connection, int64_t patience_ms) {
    return natsConnection_FlushTimeout(connection, patience_ms);
}

int nats_hear(nats_connection *connection, const char *subject, int most, int most_bytes, nats_received received,
              void *closure, nats_subscription **subscription) {
    int status = natsConnection_Subscribe(subscription, connection, subject, received, closure);
    if (!status) status = natsSubscription_SetPendingLimits(*subscription, most, most_bytes);
    return status;
}

void nats_free_subscription(nats_subscription *subscription) { natsSubscription_Destroy(subscription); }

const char *nats_message_subject(const nats_message *message) { return natsMsg_GetSubject(message); }
const char *nats_message_reply(const nats_message *message) { return natsMsg_GetReply(message); }
const void *nats_message_payload(const nats_message *message) { return natsMsg_GetData(message); }
int nats_message_length(const nats_message *message) { return natsMsg_GetDataLength(message); }

const char *nats_message_header(nats_message *message, const char *name) {
    const char *value = NULL;
    return natsMsgHeader_Get(message, name, &value) == nats_fine ? value : NULL;
}

void nats_message_free(nats_message *message) { natsMsg_Destroy(message); }
