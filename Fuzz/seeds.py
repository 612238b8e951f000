#!/usr/bin/env python3
"""Makes the fuzzers' first inputs, Fuzz/Corpus, from the golden vectors: run it when those have changed."""

import json
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
