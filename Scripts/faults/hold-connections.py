#!/usr/bin/env python3
"""Opens TCP connections and says nothing on them, until it is told to end; with --tls, after one request inside TLS.

usage: hold-connections.py HOST PORT COUNT [--tls]
"""
import signal
import socket
import ssl
import sys

if len(sys.argv) not in (4, 5):
    sys.exit(__doc__)
place = (sys.argv[1], int(sys.argv[2]))
trusting = ssl.create_default_context()
trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
held = []
for _ in range(int(sys.argv[3])):
    if "--tls" in sys.argv:
        connection = trusting.wrap_socket(socket.create_connection(place, 10))
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    else:
        connection = socket.socket()
        connection.setblocking(False)
        connection.connect_ex(place)
    held.append(connection)
print(f"holding {len(held)}", flush=True)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
signal.sigwait({signal.SIGTERM})
