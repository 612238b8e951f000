"""Requests behind one whose answer never ends: whoever breaks such a connection off ends no room."""
import json
import os
import socket
import ssl
import struct
import time

from waiting import settled

TRUSTING = ssl.create_default_context()
TRUSTING.check_hostname, TRUSTING.verify_mode = False, ssl.CERT_NONE
GET = "GET {} HTTP/1.1\r\nHost: {}\r\n\r\n"


def connected(port):
    return TRUSTING.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=10))


def stream_of(port):
    """A stranger's own, without a code."""
    place = f"127.0.0.1:{port}"
    with connected(port) as line:
        line.sendall(f"POST /api/controller/open HTTP/1.1\r\nHost: {place}\r\nOrigin: https://{place}\r\n"
                     "Content-Length: 0\r\nConnection: close\r\n\r\n".encode())
        said = b""
        while part := line.recv(4096):
            said += part
    return json.loads(said.partition(b"\r\n\r\n")[2])["stream"]


def test_a_broken_connection_ends_no_room(started, roomful, folder):
    host = started("host", "Hall", "--policy", "code", "--discovery", "none", "--code-file", folder / "ticket")
    assert settled(lambda: roomful("peers", "--json")[0], 0) == 0
    ticket = (folder / "ticket").read_text().splitlines()
    port = int(next(line for line in ticket if line.startswith("address 127.")).rpartition(":")[2])
    place = f"127.0.0.1:{port}"
    for lingers in [True, False] * 15:
        asked = GET.format(f"/api/controller/stream?stream={stream_of(port)}", place) + 3 * GET.format("/", place)
        line = connected(port)
        time.sleep(0.05)
        if lingers:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        line.sendall(asked.encode())
        os.close(line.detach())
        time.sleep(0.1)
        assert host.poll() is None, "the room is gone"
    assert roomful("peers", "--json")[0] == 0
    assert roomful("stop")[0] == 0
