#!/usr/bin/env python3
"""Takes something from each of a room's doors for readers, and then nothing more, until it is told to end.

usage: stop-reading.py PORT TOKEN

A WebSocket and a stream of events, a file of /game/big.bin, and a WebSocket that goes on asking for the status and reads no
answer. It says how many questions that one could ask.
"""
import base64
import os
import signal
import socket
import sys
import time

if len(sys.argv) != 3:
    sys.exit(__doc__)
port, token = int(sys.argv[1]), sys.argv[2]
HEAD = "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"


def opened(path, *headers):
    """A connection whose request is answered; little of it fits into its own buffer."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    connection.connect(("127.0.0.1", port))
    lines = (f"{name}: {value}\r\n" for name, value in headers)
    connection.sendall((HEAD % (path, port) + "".join(lines) + "\r\n").encode())
    answer = connection.recv(12)
    assert answer in (b"HTTP/1.1 101", b"HTTP/1.1 200"), answer
    return connection


def text(words):
    """A WebSocket's text message as a client sends it, RFC 6455, 5.2; a mask of zeros changes nothing."""
    assert len(words) < 126
    return bytes([0x81, 0x80 | len(words), 0, 0, 0, 0]) + words.encode()


def socket_of_events(wish):
    key = base64.b64encode(os.urandom(16)).decode()
    connection = opened(
        "/api/events", ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", key))
    connection.sendall(text('{"token":"%s"%s}' % (token, wish)))
    return connection


is_over = False


def end(*_):
    global is_over
    is_over = True


signal.signal(signal.SIGTERM, end)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
asker = socket_of_events(',"types":["battery"]')
held = [
    socket_of_events(""), opened("/api/events", ("Authorization", "Bearer " + token)), opened("/game/big.bin"), asker]
print(f"holding {len(held)}", flush=True)
asked = 0
while not is_over:
    time.sleep(0.02)
    if asker is None:
        continue
    try:
        asker.sendall(text('{"task":"status"}'))
        asked += 1
    except OSError:
        print(f"ended after {asked} questions", flush=True)
        asker = None
