#define _GNU_SOURCE  // RTLD_DEEPBIND
#include "include/avahi_core.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<avahi-core/core.h>)
#include <avahi-core/core.h>
#endif

// The configuration of libavahi-core.so.7, whose layout is part of its binary interface.
struct configuration {
    char *host_name;
    char *domain_name;
    int use_ipv4, use_ipv6;
    AvahiStringList *allow_interfaces, *deny_interfaces;
    int publish_hinfo, publish_addresses, publish_workstation, publish_domain;
    int check_response_ttl, use_iff_running, enable_reflector, reflect_ipv;
    AvahiStringList *reflect_filters;
    int add_service_cookie, enable_wide_area;
    AvahiAddress wide_area_servers[4];
    unsigned n_wide_area_servers;
    int disallow_other_stacks;
    AvahiStringList *browse_domains;
    int disable_publishing, allow_point_to_point, publish_a_on_ipv6, publish_aaaa_on_ipv4;
    unsigned n_cache_entries_max;
    int64_t ratelimit_interval;
    unsigned ratelimit_burst;
    // A newer library may write more.
    char reserve[512];
};

#if __has_include(<avahi-core/core.h>)
_Static_assert(offsetof(struct configuration, n_cache_entries_max) == offsetof(AvahiServerConfig, n_cache_entries_max), "");
_Static_assert(offsetof(struct configuration, ratelimit_burst) == offsetof(AvahiServerConfig, ratelimit_burst), "");
_Static_assert(offsetof(struct configuration, publish_domain) == offsetof(AvahiServerConfig, publish_domain), "");
#endif

static struct {
    struct configuration *(*server_config_init)(struct configuration *);
    void (*server_config_free)(struct configuration *);
    void (*set_log_function)(void (*)(int level, const char *text));
    AvahiServer *(*server_new)(const AvahiPoll *, const struct configuration *, avahi_core_server_told, void *, int *);
    void (*server_free)(AvahiServer *);
    int (*server_errno)(AvahiServer *);
    AvahiSEntryGroup *(*s_entry_group_new)(AvahiServer *, avahi_core_group_told, void *);
    void (*s_entry_group_free)(AvahiSEntryGroup *);
    int (*s_entry_group_commit)(AvahiSEntryGroup *);
    int (*server_add_service_strlst)(
        AvahiServer *, AvahiSEntryGroup *, AvahiIfIndex, AvahiProtocol, AvahiPublishFlags, const char *, const char *,
        const char *, const char *, uint16_t, AvahiStringList *);
    int (*server_add_service_subtype)(
        AvahiServer *, AvahiSEntryGroup *, AvahiIfIndex, AvahiProtocol, AvahiPublishFlags, const char *, const char *,
        const char *, const char *);
    int (*server_update_service_txt_strlst)(
        AvahiServer *, AvahiSEntryGroup *, AvahiIfIndex, AvahiProtocol, AvahiPublishFlags, const char *, const char *,
        const char *, AvahiStringList *);
    int (*server_add_address)(
        AvahiServer *, AvahiSEntryGroup *, AvahiIfIndex, AvahiProtocol, AvahiPublishFlags, const char *,
        const AvahiAddress *);
    AvahiSServiceBrowser *(*s_service_browser_new)(
        AvahiServer *, AvahiIfIndex, AvahiProtocol, const char *, const char *, AvahiLookupFlags,
        avahi_core_browser_told, void *);
    void (*s_service_browser_free)(AvahiSServiceBrowser *);
    AvahiSServiceResolver *(*s_service_resolver_new)(
        AvahiServer *, AvahiIfIndex, AvahiProtocol, const char *, const char *, const char *, AvahiProtocol,
        AvahiLookupFlags, avahi_core_resolver_told, void *);
    void (*s_service_resolver_free)(AvahiSServiceResolver *);
} core;

static const char *problem;
static pthread_once_t loading = PTHREAD_ONCE_INIT;

// Whether the defaults stand where we believe them to stand.
static bool is_laid_out_as_known(void) {
    struct configuration defaults;
    memset(&defaults, 0xA5, sizeof defaults);
    core.server_config_init(&defaults);
    return !defaults.host_name && defaults.use_ipv4 == 1 && defaults.use_ipv6 == 1 && !defaults.allow_interfaces &&
           defaults.publish_addresses == 1 && defaults.publish_domain == 1 && defaults.enable_wide_area == 0 &&
           defaults.disallow_other_stacks == 0 && !defaults.browse_domains && defaults.publish_aaaa_on_ipv4 == 1 &&
           defaults.n_cache_entries_max == 4096 && defaults.ratelimit_burst == 0;
}

// What it would write to standard error, the states of its objects tell us.
static void be_silent(int level, const char *text) { (void)level, (void)text; }

static void load(void) {
    if (getenv("ROOMFUL_NO_AVAHI_CORE")) {
        problem = "libavahi-core is not used, because ROOMFUL_NO_AVAHI_CORE is set";
        return;
    }
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    problem = "libavahi-core cannot be used under a sanitizer, which forbids RTLD_DEEPBIND";
    return;
#endif
#endif
    // libavahi-core and libavahi-client both export avahi_entry_group_free and mean different things by it: bound deeply,
    // each calls its own.
    void *library = dlopen("libavahi-core.so.7", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (!library) {
        problem = "libavahi-core is missing; on Debian: apt-get install libavahi-core7";
        return;
    }
#define FIND(name) \
    if (!(*(void **)&core.name = dlsym(library, "avahi_" #name))) { \
        problem = "libavahi-core has no avahi_" #name ", as every version 7 should"; \
        return; \
    }
    FIND(server_config_init)
    FIND(server_config_free)
    FIND(set_log_function)
    FIND(server_new)
    FIND(server_free)
    FIND(server_errno)
    FIND(s_entry_group_new)
    FIND(s_entry_group_free)
    FIND(s_entry_group_commit)
    FIND(server_add_service_strlst)
    FIND(server_add_service_subtype)
    FIND(server_update_service_txt_strlst)
    FIND(server_add_address)
    FIND(s_service_browser_new)
    FIND(s_service_browser_free)
    FIND(s_service_resolver_new)
    FIND(s_service_resolver_free)
#undef FIND
    core.set_log_function(be_silent);
    if (!is_laid_out_as_known()) problem = "libavahi-core is of a version that this program does not know";
}

const char *avahi_core_problem(void) {
    pthread_once(&loading, load);
    return problem;
}

AvahiServer *avahi_core_server_new(
    const AvahiPoll *poll, const char *host_name, const char *only_interface, avahi_core_server_told told,
    void *context, int *error) {
    struct configuration configuration;
    core.server_config_init(&configuration);
    configuration.publish_addresses = 0;
    configuration.publish_hinfo = 0;
    configuration.publish_workstation = 0;
    configuration.publish_domain = 0;
    configuration.enable_wide_area = 0;
    configuration.host_name = strdup(host_name);
    if (only_interface) configuration.allow_interfaces = avahi_string_list_add(NULL, only_interface);
    AvahiServer *server = core.server_new(poll, &configuration, told, context, error);
    core.server_config_free(&configuration);
    return server;
}

void avahi_core_server_free(AvahiServer *server) { core.server_free(server); }
int avahi_core_server_errno(AvahiServer *server) { return core.server_errno(server); }

AvahiSEntryGroup *avahi_core_group_new(AvahiServer *server, avahi_core_group_told told, void *context) {
    return core.s_entry_group_new(server, told, context);
}

void avahi_core_group_free(AvahiSEntryGroup *group) { core.s_entry_group_free(group); }
int avahi_core_group_commit(AvahiSEntryGroup *group) { return core.s_entry_group_commit(group); }

int avahi_core_add_service(
    AvahiServer *server, AvahiSEntryGroup *group, AvahiIfIndex interface, const char *name, const char *type,
    const char *domain, const char *host, uint16_t port, AvahiStringList *strings) {
    return core.server_add_service_strlst(
        server, group, interface, AVAHI_PROTO_UNSPEC, 0, name, type, domain, host, port, strings);
}

int avahi_core_add_subtype(
    AvahiServer *server, AvahiSEntryGroup *group, AvahiIfIndex interface, const char *name, const char *type,
    const char *domain, const char *subtype) {
    return core.server_add_service_subtype(
        server, group, interface, AVAHI_PROTO_UNSPEC, 0, name, type, domain, subtype);
}

int avahi_core_update_txt(
    AvahiServer *server, AvahiSEntryGroup *group, AvahiIfIndex interface, const char *name, const char *type,
    const char *domain, AvahiStringList *strings) {
    return core.server_update_service_txt_strlst(
        server, group, interface, AVAHI_PROTO_UNSPEC, 0, name, type, domain, strings);
}

int avahi_core_add_address(
    AvahiServer *server, AvahiSEntryGroup *group, AvahiIfIndex interface, const char *host,
    const AvahiAddress *address) {
    return core.server_add_address(
        server, group, interface, AVAHI_PROTO_UNSPEC, AVAHI_PUBLISH_NO_REVERSE, host, address);
}

// Not AVAHI_LOOKUP_USE_MULTICAST, with which a name that is an alias of itself ends libavahi-core 0.8 (CVE-2026-24401).
// Names below .local are looked up by multicast without it.
static const AvahiLookupFlags no_lookup_flags = 0;

AvahiSServiceBrowser *avahi_core_browser_new(
    AvahiServer *server, const char *type, const char *domain, avahi_core_browser_told told, void *context) {
    return core.s_service_browser_new(
        server, AVAHI_IF_UNSPEC, AVAHI_PROTO_UNSPEC, type, domain, no_lookup_flags, told, context);
}

void avahi_core_browser_free(AvahiSServiceBrowser *browser) { core.s_service_browser_free(browser); }

AvahiSServiceResolver *avahi_core_resolver_new(
    AvahiServer *server, AvahiIfIndex interface, AvahiProtocol version, const char *name, const char *type,
    const char *domain, avahi_core_resolver_told told, void *context) {
    return core.s_service_resolver_new(
        server, interface, version, name, type, domain, version, no_lookup_flags, told, context);
}

void avahi_core_resolver_free(AvahiSServiceResolver *resolver) { core.s_service_resolver_free(resolver); }
