#!/usr/bin/env python3
"""Makes the fuzzers' first inputs, Fuzz/Corpus: run it when the golden vectors, the wire format's examples or the
meaning of a script's bytes have changed. What fuzzers found since stands beside them (`fuzz.sh` says how)."""

import json
import re
import struct
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
for number, example in enumerate(examples):
    if "…" in example:
        continue
    message = json.loads(example)
    is_call = message["type"] in ("pad", "offer", "accepted", "joined", "withdrawn")
    target = "calls" if is_call else "control"
    put(target, f"{number:02}-{message['type']}", json.dumps(message, separators=(",", ":")).encode())
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
