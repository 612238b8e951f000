"""The room's site as any program sees it, with Python's own tools: requests, and a browser's controller without a browser."""

import json
import os
import ssl
import struct
import time
import urllib.error
import urllib.request

from hosted_room import PATIENCE
from websockets.sync.client import connect

TRUSTING = ssl.create_default_context()
TRUSTING.check_hostname = False
TRUSTING.verify_mode = ssl.CERT_NONE


def ask(url, body=None, **headers):
    """One request; its status, headers and body (as JSON where it is)."""
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {name.replace("_", "-"): value for name, value in headers.items()})
    try:
        answer = urllib.request.urlopen(
            request, timeout=PATIENCE, context=TRUSTING if url.startswith("https") else None)
    except urllib.error.HTTPError as error:
        answer = error
    text = answer.read()
    try:
        return answer.status, answer.headers, json.loads(text)
    except ValueError:
        return answer.status, answer.headers, text


def answer(game, number):
    """The answer to a command of this number, from among the events."""
    while True:
        message = json.loads(game.recv(PATIENCE))
        if message["type"] == "reply" and message.get("id") == number:
            return message


def invitation(room, **fields):
    stream = {"stream": 0, "measures": ["acceleration", "rotationRate"], "accelerationRange": 156.9064,
              "rotationRange": 34.90658503988659, "rate": 60}
    return {"type": "invite", "v": 1, "controller": os.urandom(16).hex(), "process": os.urandom(8).hex(), "name": "",
            "streams": [stream], "haptics": True, "code": room.ticket().get("code"), **fields}


def datagram(connection, number, index, at):
    """One sample at rest, as section 5 of WIRE-FORMAT.md lays it out."""
    run = struct.pack(">IBq", index, 1, at // 1000) + bytes(3) + struct.pack(">hhhhhh", 0, 0, 2048, 0, 0, 0)
    block = bytes([0, 0, 3]) + struct.pack(">I", 0) + run
    return struct.pack(">BIIq", 0x13, connection, number, at) + b"\x01" + struct.pack(">H", len(block)) + block


class Pad:
    """A browser's controller without a browser."""

    def __init__(self, room, base=None, **fields):
        base = base or room.base
        self.socket = connect(
            base.replace("http", "ws", 1) + "/api/controller", origin=base, compression=None,
            ssl=TRUSTING if base.startswith("https") else None)
        self.said = [json.loads(self.socket.recv(PATIENCE))]
        self.socket.send(json.dumps(invitation(room, **fields)))
        self.number = 0
        while self.said[-1]["type"] not in ("seated", "refused"):
            self.hear()

    def hear(self):
        message = self.socket.recv(PATIENCE)
        if isinstance(message, str):
            self.said.append(json.loads(message))
        return message

    @property
    def seat(self):
        return self.said[-1]

    def play(self, count=1):
        for _ in range(count):
            at = time.monotonic_ns()
            self.socket.send(datagram(self.seat["link"]["connection"], self.number, self.number, at))
            self.number += 1


def taken(peer):
    """Its samples that the room has, each once: those that a machine held up which stood still are late."""
    return peer["samples"]["delivered"] + peer["samples"]["late"]
