#!/usr/bin/env python3
"""Everything at once that is known to cost a host memory, on loopback alone: press-memory.py PORT HTTP SECONDS

Holds 200 connections with 15 KB of headers each, lets 20 readers ask for /game/big.bin and read nothing, posts bodies that
never end, and floods the UDP port with garbage. Prints "pressing" once all of it stands. Bounded: 60 s at most.
"""
import os
import socket
import ssl
import sys
import time

TRUSTING = ssl.create_default_context()
TRUSTING.check_hostname, TRUSTING.verify_mode = False, ssl.CERT_NONE


def secure(port):
    return TRUSTING.wrap_socket(socket.create_connection(("127.0.0.1", port), 10))


def main():
    port, http, seconds = int(sys.argv[1]), int(sys.argv[2]), min(float(sys.argv[3]), 60)
    held = []
    head = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: "
    for _ in range(100):
        one = secure(port)
        one.sendall(head + b"a" * 15_000)
        held.append(one)
    for _ in range(100):
        one = socket.create_connection(("127.0.0.1", http), 10)
        one.sendall(b"POST /api/commands HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65536\r\n\r\n" + b"a" * 65_000)
        held.append(one)
    for _ in range(20):
        one = socket.create_connection(("127.0.0.1", http), 10)
        one.sendall(b"GET /game/big.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert one.recv(12) == b"HTTP/1.1 200"
        held.append(one)
    print("pressing", flush=True)
    stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    stranger.connect(("127.0.0.1", port))
    garbage = [b"\x11" + os.urandom(size) for size in (4, 20, 60, 200, 600)]
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for number in range(500):
            try:
                stranger.send(garbage[number % 5])
            except OSError:
                pass
        time.sleep(0.01)
    print("done", flush=True)


if __name__ == "__main__":
    main()
