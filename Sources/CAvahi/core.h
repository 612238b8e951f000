// libavahi-core, the multicast DNS responder that avahi-daemon is made of, for this process's own use: found at run time
// where the machine has it (Debian: libavahi-core7), so that nothing needs it to build. The prototypes are our own, of
// what libavahi-core.so.7 promises; avahi_core.c says how that is checked.
#pragma once

#include <avahi-common/address.h>
#include <avahi-common/defs.h>
#include <avahi-common/strlst.h>
#include <avahi-common/watch.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct AvahiServer AvahiServer;
typedef struct AvahiSEntryGroup AvahiSEntryGroup;
typedef struct AvahiSServiceBrowser AvahiSServiceBrowser;
typedef struct AvahiSServiceResolver AvahiSServiceResolver;

typedef void (*avahi_core_server_told)(AvahiServer *, AvahiServerState, void *context);
typedef void (*avahi_core_group_told)(AvahiServer *, AvahiSEntryGroup *, AvahiEntryGroupState, void *context);
typedef void (*avahi_core_browser_told)(
    AvahiSServiceBrowser *, AvahiIfIndex, AvahiProtocol, AvahiBrowserEvent, const char *name, const char *type,
    const char *domain, AvahiLookupResultFlags, void *context);
typedef void (*avahi_core_resolver_told)(
    AvahiSServiceResolver *, AvahiIfIndex, AvahiProtocol, AvahiResolverEvent, const char *name, const char *type,
    const char *domain, const char *host, const AvahiAddress *, uint16_t port, AvahiStringList *,
    AvahiLookupResultFlags, void *context);

/// Why libavahi-core cannot be used, in a line for people; NULL if it can. Loads it at the first call.
const char *avahi_core_problem(void);

/// A responder that publishes nothing by itself: no host name, no addresses. On `only_interface`, or on all if NULL.
AvahiServer *avahi_core_server_new(
    const AvahiPoll *, const char *host_name, const char *only_interface, avahi_core_server_told, void *context,
    int *error);
void avahi_core_server_free(AvahiServer *);
int avahi_core_server_errno(AvahiServer *);

AvahiSEntryGroup *avahi_core_group_new(AvahiServer *, avahi_core_group_told, void *context);
void avahi_core_group_free(AvahiSEntryGroup *);
int avahi_core_group_commit(AvahiSEntryGroup *);

int avahi_core_add_service(
    AvahiServer *, AvahiSEntryGroup *, AvahiIfIndex, const char *name, const char *type, const char *domain,
    const char *host, uint16_t port, AvahiStringList *);
int avahi_core_add_subtype(
    AvahiServer *, AvahiSEntryGroup *, AvahiIfIndex, const char *name, const char *type, const char *domain,
    const char *subtype);
int avahi_core_update_txt(
    AvahiServer *, AvahiSEntryGroup *, AvahiIfIndex, const char *name, const char *type, const char *domain,
    AvahiStringList *);
/// Without the reverse record (RFC 1035, 3.5), which belongs to whichever responder speaks for the whole machine.
int avahi_core_add_address(AvahiServer *, AvahiSEntryGroup *, AvahiIfIndex, const char *host, const AvahiAddress *);

AvahiSServiceBrowser *avahi_core_browser_new(
    AvahiServer *, const char *type, const char *domain, avahi_core_browser_told, void *context);
void avahi_core_browser_free(AvahiSServiceBrowser *);
AvahiSServiceResolver *avahi_core_resolver_new(
    AvahiServer *, AvahiIfIndex, AvahiProtocol, const char *name, const char *type, const char *domain,
    avahi_core_resolver_told, void *context);
void avahi_core_resolver_free(AvahiSServiceResolver *);
