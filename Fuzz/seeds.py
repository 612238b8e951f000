#!/usr/bin/env python3
"""Makes the fuzzers' first inputs, Fuzz/Corpus: run it when the golden vectors, the wire format's examples or the
meaning of a script's bytes have changed. What fuzzers found since stands beside them (`fuzz.sh` says how)."""

import json
import re
import struct
from collections import Counter
from pathlib import Path

FUZZ = Path(__file__).resolve().parent
VECTORS = FUZZ.parent / "Documentation" / "vectors"


def vectors(name):
    return json.loads((VECTORS / name).read_text())["vectors"]


def put(target, name, data):
    folder = FUZZ / "Corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


for vector in vectors("motion.json") + vectors("feedback.json"):
    payload = bytes.fromhex(vector["payloadBytes"])
    if len(payload) < 600:
        put("outer", vector["name"], bytes.fromhex(vector["headerBytes"]) + payload[:32])
        put("inner", vector["name"], payload)
for vector in vectors("messages.json"):
    body = bytes.fromhex(vector["bytes"])
    put("inner", "message-" + vector["name"], struct.pack(">qBHI", 0, 5, 4 + len(body), 0) + body)
for vector in vectors("refused.json"):
    data = bytes.fromhex(vector["bytes"])
    if vector["part"] != "message" and 0 < len(data) < 100:
        put("outer" if vector["part"] == "datagram" else "inner", "refused-" + vector["name"], data)

# The document's own messages: blocks of JSON, and objects that stand in the text.
document = (FUZZ.parent / "Documentation" / "WIRE-FORMAT.md").read_text()
examples = re.findall(r"```json\n(.*?)\n```", document, re.S) + re.findall(r"`(\{.*?\})`", document, re.S)
seen = Counter()
for example in examples:
    if "…" in example:
        continue
    message = json.loads(example)
    is_call = message["type"] in ("pad", "offer", "accepted", "joined", "withdrawn")
    target = "calls" if is_call else "control"
    seen[message["type"]] += 1
    put(target, f"{message['type']}-{seen[message['type']]}", json.dumps(message, separators=(",", ":")).encode())
put("calls", "refused", b'{"type":"refused","reason":"declined","message":"Not now.","retryAfter":30000}')
put("calls", "waiting", b'{"type":"waiting","timeout":1e999}')
put("calls", "strange", b'{"type":"teleport","to":[1,{"a":null}]}')
for name, strings in {
    "pad": ["txtvers=1", "v=1", "id=" + "0f" * 16, "pin=" + "01" * 32, "haptics=1"],
    "room": ["txtvers=1", "v=1", "id=" + "0f" * 16, "game=keepcalm", "free=2", "seats=4", "policy=code", "pin=" + "01" * 32],
    "pad-strange": ["ID=" + "0F" * 16, "v=99999", "pin=", "=", "", "haptics"],
}.items():
    put("calls", "txt-" + name, b"".join(bytes([len(string)]) + string.encode() for string in strings))
put("control", "strange", b'{"type":"teleport","to":[1,{"a":null}]}')
put("control", "not-a-number", b'{"type":"waiting","timeout":1e999}')

# Scripts: see Fuzz/Script/ScriptWorld+Deeds.swift. A deed's highest bits name the controller.
HOLD, PASS, STAND, SAMPLES, SENSOR, UP, COPY, SPOOF, DAMAGE, DOWN, FLIP, LOSE, JOIN, ASK = range(1, 15)
RESTART, BYE, RESUME, ROAM, TELL, LOCK, UNLOCK, KICK, ANSWER, HANG_UP, PLAY, SPEAK, DIE, JUMP, STRAY, LATE, END = range(15, 32)
MS10, MS200, S1, S3, S13, S52 = 52, 88, 98, 116, 136, 152


def of(pad, deed):
    return deed | pad << 5


everyone = [of(0, JOIN), of(1, JOIN), of(2, JOIN), of(0, SENSOR), of(1, SENSOR), of(2, SENSOR), PASS, MS200]
scripts = {
    "ordinary": [3] + everyone + [PASS, S1],
    "full": [0] + everyone + [of(0, BYE), 1, PASS, S1, of(1, JOIN), PASS, S1],
    "outage": [3] + everyone + [of(0, HOLD), PASS, S3, of(0, LOSE), 0, of(0, LOSE), 1, of(0, HOLD), PASS, S3],
    "grace": [3] + everyone + [of(0, HOLD), PASS, S13, of(0, HOLD), PASS, S3, of(1, HOLD), PASS, S52, PASS, S13],
    "shuffled": [3] + everyone + [of(0, HOLD), PASS, MS200, of(0, UP), 9, of(0, UP), 3, of(0, COPY), 2, of(0, UP), 2,
                                  of(0, LOSE), 0, of(0, HOLD), PASS, S1],
    "spoofed": [3] + everyone + [of(0, HOLD), PASS, MS200, of(0, SPOOF), 20, of(0, SPOOF), 33, of(0, HOLD), PASS, S1],
    "damaged": [3] + everyone + [of(1, HOLD), PASS, MS200, of(1, DAMAGE), 1, 2, 3, of(1, FLIP), 0, 4, 4, of(1, HOLD), PASS, S1],
    "roaming": [3] + everyone + [of(0, ROAM), PASS, MS200, of(0, ROAM), of(1, ROAM), PASS, S1],
    "pausing": [3] + everyone + [of(0, BYE), 0, PASS, S3, of(0, RESUME), PASS, S1],
    "program-again": [3] + everyone + [of(0, RESTART), 1, of(0, JOIN), of(0, SENSOR), PASS, S1, of(1, RESTART), 0, of(1, JOIN)],
    "host-again": [3] + everyone + [DIE, PASS, S3, PASS, S3],
    "host-pause": [3] + everyone + [STAND, S13, PASS, S1, STAND, S52, PASS, S1],
    "operator": [3 | 2 << 2] + everyone + [of(1, ANSWER), 1, of(0, ANSWER), 1, ANSWER, 3, PASS, S1, of(2, JOIN), ANSWER, 2, LOCK, of(2, JOIN), UNLOCK, KICK, 0, PASS, S1],
    "codes": [3 | 1 << 2] + [of(0, ASK), 12] * 11 + everyone + [PASS, S52, PASS, S13] + everyone,
    "thief": [3 | 32] + everyone + [of(2, ASK), 1, PASS, S1, of(0, JOIN), PASS, S1],
    "unheard": [3] + everyone + [of(0, ASK), 16, PASS, S1, of(0, ASK), 16, of(0, JOIN), PASS, S1],
    "talk": [3] + everyone + [of(0, TELL), 50, of(0, TELL), 51, of(1, SPEAK), 80, of(1, PLAY), of(0, PLAY), PASS, S1],
    "batch": [3] + everyone + [of(0, SAMPLES), 99] * 20 + [PASS, S3],
    "jump": [3] + everyone + [of(0, JUMP), S13, PASS, S3],
    "late": [3] + everyone + [of(0, HOLD), PASS, S1, of(0, LATE), 4, S1, of(0, HOLD), PASS, S1],
    "hang-up": [3] + everyone + [of(0, HANG_UP), 1, of(1, HANG_UP), 0, 0, of(2, HANG_UP), 0, 1, PASS, S3],
    "strangers": [3] + everyone + [STRAY, 0x11] + list(range(39)) + [END, 7, PASS, S1],
}
for name, script in scripts.items():
    put("script", name, bytes(script))

# A recording: the first byte says as what the rest is read.
put("recording", "file", bytes([0]) + bytes([6]) + struct.pack("<Q", 40) + bytes(40))
put("recording", "damaged", bytes([1]) + b"0123456789" * 3 + bytes([200]))
put("recording", "tape", bytes([2]) + struct.pack("<Iq", 0, 0) + bytes([6, 0, 4, 0, 1, 2, 3, 5, 0, 12, 5, 0, 11]))
put("recording", "opening", bytes([3]) + struct.pack("<H", 1) + bytes(60))

# Files that people hand in, and what they paste: the first letter says which reader it is for.
RECORDINGS = FUZZ.parent / "Recordings"
for path in sorted(RECORDINGS.glob("*/*.csv")):
    head = "".join(path.read_text().splitlines(keepends=True)[:12])
    if "label" not in path.name:
        put("files", "recording-" + path.stem, b"R" + head.encode())
put("files", "recording-takes", b"R" + b"rec,t_ms,ax_g,ay_g,az_g\na,0,0,0,1\na,10,0,0,1\nb,5,0,0,1\nb,15,0.1,0,1\n")
put("files", "lines-csv", b"L1.23,0.1,0.2,9.8,0,0,0\n1.24,0,0,9.8,0,0,0\n")
put("files", "lines-json", b'L{"t":1.23,"acceleration":[0.1,0.2,9.8],"rotationRate":[0,0,0],"attitude":[1,0,0,0]}\n{"acceleration":[0,0,9.8]}\n')
put("files", "gestures", b'G[jump]\npush = 1.9\nrefractory = 500\n\n[tap]\nenabled = false\n\n[hop]\nlike = "jump"\nminimumFlight = 120\n')
for number, example in enumerate(re.findall(r"```toml\n(.*?)\n```", (FUZZ.parent / "Documentation" / "RUNNING.md").read_text(), re.S)):
    put("files", f"configuration-{number}", b"C" + example.encode())
put("files", "configuration-rooms", b'Cpolicy = "ask"\n[[room]]\nname = "A"\nseats = 8\n[[room]]\nname = "B"\nport = 7778\nallow-origin = ["http://localhost:5173"]\n')
put("files", "configuration-text", b'Cname = """\nTwo\nlines"""\ngrace = 1e9\n')
pin, room, code = "03" * 32, "0f" * 16, "7KQM-2X9D"
put("files", "ticket", f"Troomful-ticket 1\nroom Living Room\nid {room}\npin {pin}\ncode {code}\naddress 192.168.1.5:7777\naddress [fe80::1%2]:7777\n".encode())
put("files", "link", b"Thttps://192.168.1.5:7777/#v=1&i=AAECAwQFBgcICQoLDA0ODw&p=A5BYxvLAy0kseTO4iaUDCFkwHAnn9Qj3zYTfQRDPwZA&c=7KQM2X9D&r=Living%20Room&a=%5B2001:db8::5%5D:7777&u=1")
put("files", "address", b"U[2001:db8::5]:7777")
put("files", "public-url", b"Uhttps://play.example.org/")

# What is said to a room's doors. "¦" ends a piece; {S} and {I} stand for what only the answer could tell.
SEAM = "¦".encode()
HOST = b"Host: localhost\r\nOrigin: https://localhost\r\n"
UPGRADE = (b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
           b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")


def frame(kind, body, final=True):
    length = bytes([0x80 | len(body)]) if len(body) < 126 else b"\xfe" + struct.pack(">H", len(body))
    return bytes([kind | (0x80 if final else 0)]) + length + bytes(4) + body


control = {message["type"]: json.dumps(message).encode() for message in map(json.loads, filter(lambda e: "…" not in e, examples))}
invite = json.loads(control["invite"])
invite.pop("secret", None)
refused = json.dumps(invite | {"streams": []}).encode()
invite = json.dumps(invite).encode()
motion = next(bytes.fromhex(vector["headerBytes"] + vector["payloadBytes"]) for vector in vectors("motion.json") if vector["name"] == "browser-motion")
for name, request in {
    "page": b"GET / HTTP/1.1\r\nHost: localhost\r\nAccept-Language: de;q=0.9, en\r\n\r\n",
    "game": b"GET /game HTTP/1.1\r\nHost: localhost\r\n\r\n" + SEAM + b"HEAD /game/?a=%20 HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: \"x\"\r\n\r\n",
    "command": b"POST /api/commands HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + b"A" * 43 + b"\r\nContent-Length: 17\r\n\r\n" + b'{"task":"status"}',
    "events": b"GET /api/events?after=17&motion=1&types=gesture,player&stream=x HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 9\r\n\r\n",
    "chunks": b"POST /api/events HTTP/1.1\r\nHost: games.local:7777\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"aft\r\n" + SEAM + b"7\r\ner\":17}\r\n0\r\n\r\n",
    "passed-on": b"GET /api/controller/open HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 1.2.3.4\r\nVia: 1.1 x\r\n\r\n",
    "preflight": b"OPTIONS /api/commands HTTP/1.1\r\nHost: 127.0.0.1:80\r\nOrigin: http://localhost:5173\r\n\r\n",
    "posts": b"POST /api/controller/open HTTP/1.1\r\n" + HOST + b"Content-Length: 0\r\n\r\n" + SEAM
             + b"POST /api/controller/send HTTP/1.1\r\n" + HOST + b"Roomful-Session: {S}\r\nContent-Type: application/json\r\nContent-Length: "
             + str(len(invite)).encode() + b"\r\n\r\n" + invite + SEAM
             + b"POST /api/controller/send HTTP/1.1\r\n" + HOST + b"Roomful-Session: {S}\r\nContent-Length: "
             + str(len(motion) + 2).encode() + b"\r\n\r\n" + struct.pack(">H", len(motion)) + motion + SEAM
             + b"GET /api/controller/stream?stream={I} HTTP/1.1\r\n" + HOST + b"\r\n",
    "posts-refused": b"POST /api/controller/open HTTP/1.1\r\n" + HOST + b"Content-Length: 0\r\n\r\n" + SEAM
             + b"POST /api/controller/send HTTP/1.1\r\n" + HOST + b"Roomful-Session: {S}\r\nContent-Type: application/json\r\nContent-Length: "
             + str(len(refused)).encode() + b"\r\n\r\n" + refused + SEAM
             + b"GET /api/controller/stream?stream={I} HTTP/1.1\r\n" + HOST + b"\r\n",
    "browser": b"GET /api/controller HTTP/1.1\r\n" + HOST + UPGRADE + SEAM + frame(1, invite) + SEAM + frame(2, motion) + frame(9, b"ping")
               + frame(1, control["status"]) + frame(1, control["goodbye"]) + frame(8, b"\x03\xe8"),
    "fragments": b"GET /api/controller HTTP/1.1\r\n" + HOST + UPGRADE + SEAM + frame(1, invite[:40], False) + frame(9, b"") + frame(0, invite[40:]) + SEAM + frame(1, control["sensor"]),
    "native": b"GET /control HTTP/1.1\r\nHost: 192.168.1.5:7777\r\n" + UPGRADE + SEAM + frame(1, invite),
    "listener": b"GET /api/events HTTP/1.1\r\n" + HOST + UPGRADE + SEAM + frame(1, b'{"token":"x","after":3,"motion":true}') + frame(1, b'{"task":"status","id":4}'),
}.items():
    put("doors", name, b"T" + request)
    if name in ("command", "passed-on", "events", "preflight"):
        put("doors", name + "-loopback", b"H" + request)
guest = json.dumps({"controller": "0f" * 16, "key": "01" * 32, "code": "7KQM2X9D", "last": "0e" * 16}).encode()
put("doors", "lobby", b"TPOST /api/lobby HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\nContent-Length: "
    + str(len(guest)).encode() + b"\r\n\r\n" + guest)
wish = {"controller": "0f" * 16, "ticketHash": "01" * 32, "timeout": 30_000, "seat": 3, "lobby": {"game": "keepcalm"},
        "player": {"name": "Ann", "color": 0x0072B2, "talents": {"sensitivity": 1.5, "gestures": [], "airtimes": {"differences": [12.5]}}}}
for name, request in {
    "promise": {"v": 1, "task": "promise", "seat": wish}, "promise-bare": {"v": 1, "task": "promise", "seat": {
        "controller": "0f" * 16, "ticketHash": "01" * 32, "timeout": 1_000}},
    "outcome": {"v": 1, "task": "outcome", "offer": "0f" * 8, "timeout": 1e308},
}.items():
    put("doors", "host-" + name, b"S" + json.dumps(request).encode())
lines = [
    {"task": "play", "who": "P1", "intensity": 1, "sharpness": 0.5, "duration": 60, "gesture": "g1"},
    {"task": "teach", "who": "Red", "gesture": "wave", "times": 3}, {"task": "lessonCancel", "who": "P1"},
    {"task": "seatMove", "who": "P1", "seat": 3}, {"task": "seatSwap", "who": "P1", "other": "Blue"},
    {"task": "rename", "who": "Blue", "name": "Green"}, {"task": "send", "who": "P2", "text": "hello"},
    {"task": "sensitivity", "who": "P2", "value": 1.5}, {"task": "identify", "who": "P1"}, {"task": "rezero", "who": "P1"},
    {"task": "lock"}, {"task": "accept"}, {"task": "decline", "message": "no"}, {"task": "kick", "who": "P2", "message": "out"},
    {"task": "taught", "who": "P1"}, {"task": "taughtRename", "who": "P1", "gesture": "wave", "name": "circle"},
    {"task": "taughtRemove", "who": "P1", "gesture": "wave"}, {"task": "taughtRefuse", "who": "P1"}, {"task": "unlock"},
]
for line in lines:
    put("doors", "line-" + line["task"], b"O" + json.dumps(line).encode())
put("doors", "lines", b"O" + b"\n".join(json.dumps(line).encode() for line in lines))
put("doors", "wish", b'O{"after":17,"motion":true,"motionRate":0.5,"types":["gesture"]}')
