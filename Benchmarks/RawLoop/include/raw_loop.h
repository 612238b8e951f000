// The least that a program can do with datagrams: the limit that the receive path is measured against.
#pragma once
#include <stdint.h>

/// A UDP socket on 127.0.0.1 with this much receive buffer; its port. Negative on failure.
int raw_open(int receive_buffer, uint16_t *port);
/// A UDP socket that sends to this port of 127.0.0.1. Negative on failure.
int raw_connect(uint16_t port);
/// Reads all that waits with recvmmsg, 64 deep, touching each datagram's first byte; how many there were.
int raw_drain(int socket);
/// Lets sleeps of the calling thread end when they are due, not up to 50 microseconds later.
void raw_sleep_exactly(void);
/// Processor time of the calling thread in nanoseconds.
int64_t raw_thread_time(void);
