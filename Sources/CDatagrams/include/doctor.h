// What `roomful doctor` asks the system: whether multicast DNS gets out and in, and whether the clock is kept right.
#pragma once
#include "cdatagrams.h"

enum {
    /// How far `doctor_mdns_open` came.
    doctor_opening = 0,
    doctor_joining = 1,
};

/// Opens multicast DNS's port (5353) beside whoever has it too, for one interface by its number, and joins the group
/// there (RFC 6762, 15.1). Family: AF_INET or AF_INET6. Never blocks; returns it, or minus errno and the stage.
int doctor_mdns_open(int family, unsigned interface, int *stage);
/// Sends to the group on that interface; 0, or minus errno: -EPERM is a firewall's.
int doctor_mdns_send(int socket, int family, unsigned interface, const void *bytes, size_t length);
/// One datagram of those that wait: its length, or minus errno.
int doctor_receive(int socket, void *bytes, size_t capacity, datagram_address *from);
/// 1 when a time service keeps the clock right, 0 when none does, minus errno when the kernel does not say.
int doctor_clock_is_synchronised(void);
