// A question to everybody on one interface, by multicast DNS.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Sends `question` to all responders of an interface (RFC 6762, 3) from the port of multicast DNS, and hears no answer:
/// what is answered to that port alone, libavahi-core hears, which has it open. Where it cannot be sent it is not.
void roomful_ask_everybody(unsigned interface, bool by_v6, const uint8_t *question, size_t length);
