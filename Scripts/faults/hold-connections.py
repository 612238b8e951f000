#!/usr/bin/env python3
"""Opens TCP connections and says nothing on them, until it is told to end.

usage: hold-connections.py HOST PORT COUNT
"""
import signal
import socket
import sys

if len(sys.argv) != 4:
    sys.exit(__doc__)
held = []
for _ in range(int(sys.argv[3])):
    connection = socket.socket()
    connection.setblocking(False)
    connection.connect_ex((sys.argv[1], int(sys.argv[2])))
    held.append(connection)
print(f"holding {len(held)}", flush=True)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
signal.sigwait({signal.SIGTERM})
