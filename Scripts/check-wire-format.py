#!/usr/bin/env python3
"""Checks the golden vectors with a second implementation, which knows only Documentation/WIRE-FORMAT.md.

Every vector is decoded from its bytes, compared with the fields that it states, and encoded again to the same bytes.
Sealed datagrams are opened and sealed again with PyPI's `cryptography`; without that package this part is skipped.

    check-wire-format.py                  check; exit code 1 when anything differs
    check-wire-format.py --write-seals    seal every datagram anew and write the results into the vectors
"""

import json
import math
import struct
import sys
import zlib
from pathlib import Path

try:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

    SUITES = {"aes-256-gcm": AESGCM, "chacha20-poly1305": ChaCha20Poly1305}
except ImportError:
    SUITES = {}

VECTORS = Path(__file__).resolve().parent.parent / "Documentation" / "vectors"

VERSION = 1
KINDS = {1: "motion", 2: "feedback", 3: "browserMotion", 4: "browserFeedback"}
REASONS = {1: "left", 2: "paused", 3: "closing", 4: "kicked", 5: "replaced", 6: "tooFast", 255: "other"}
REFUSALS = {1: "unsupported", 2: "expired", 3: "notAllowed", 4: "busy"}
# Name, bit, bytes in a sample: in the order in which they stand there.
MEASURES = [
    ("acceleration", 1, 6), ("rotationRate", 2, 6), ("attitude", 4, 8), ("buttons", 8, 2), ("battery", 16, 1),
    ("submersion", 32, 13),
]
CONDITIONS = ["unknown", "notSubmerged", "submerged", "pastMaxDepth", "sensorDepthError"]
# Of what a water sensor reads: name, layout, steps in a unit, and the steps that mean that it is absent.
WATER = [
    ("depth", "h", 100, -0x8000), ("depthUncertainty", "H", 100, 0xFFFF), ("pressure", "H", 10, 0xFFFF),
    ("surfacePressure", "H", 10, 0xFFFF), ("temperature", "h", 100, -0x8000),
    ("temperatureUncertainty", "H", 100, 0xFFFF),
]
HEADER_SIZE, TAG_SIZE, MAXIMUM_DATAGRAM, MAXIMUM_MESSAGE, WINDOW = 9, 16, 1200, 512, 4096
LEAST_SQUARED_NORM = 1 << 27
INT64 = range(-(1 << 63), 1 << 63)


class Refused(Exception):
    """Bytes that a receiver must not use; the text is the word for why."""


# MARK: Reading


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def rest(self):
        return self.take(len(self.data) - self.at)

    def take(self, count):
        if count > len(self.data) - self.at:
            raise Refused("truncated")
        self.at += count
        return self.data[self.at - count : self.at]

    def read(self, layout):
        """One field, big-endian, as `struct` names it: B, H, I, h, q."""
        return struct.unpack(">" + layout, self.take(struct.calcsize(">" + layout)))[0]

    def __bool__(self):
        return self.at < len(self.data)


def read_header(datagram):
    if len(datagram) > MAXIMUM_DATAGRAM:
        raise Refused("oversized")
    reader = Reader(datagram)
    first = reader.read("B")
    if first >> 4 != VERSION:
        raise Refused("unknownVersion")
    if first & 15 not in KINDS:
        raise Refused("unknownKind")
    return {
        "kind": KINDS[first & 15],
        "connectionIndex": reader.read("H"),
        "connectionGeneration": reader.read("H"),
        "number": reader.read("I"),
    }


def read_payload(payload, ranges):
    """The send time, the known blocks, and the unknown ones with their places."""
    reader = Reader(payload)
    sent_at, blocks, unknown, position = reader.read("q"), [], [], 0
    while reader:
        number, length = reader.read("B"), reader.read("H")
        body = Reader(reader.take(length))
        if number in BLOCK_READERS:
            blocks.append(BLOCK_READERS[number](body, ranges))
        else:
            unknown.append({"position": position, "type": number, "body": body.rest().hex()})
        position += 1
    return str(sent_at), blocks, unknown


def read_stream(body, ranges):
    stream, epoch, bits = body.read("B"), body.read("B"), body.read("B")
    if bits >> len(MEASURES):
        raise Refused("malformedBlock")
    names = [name for name, bit, _ in MEASURES if bits & bit]
    size = 3 + sum(size for _, bit, size in MEASURES if bits & bit)
    block = {"type": "stream", "stream": stream, "epoch": epoch, "measures": names, "floor": body.read("I"), "runs": []}
    scale = ranges.get(stream, {})
    block.update(scale)
    while body:
        first, count, start = body.read("I"), body.read("B"), body.read("q")
        samples = Reader(body.take(count * size))
        if count == 0 or first < block["floor"] or first + count > min(block["floor"] + WINDOW, 0xFFFF_FFFF):
            raise Refused("malformedRun")
        run, latest = {"first": first, "start": str(start), "samples": []}, -1
        for _ in range(count):
            time = samples.read("B") << 16 | samples.read("H")
            if time <= latest:
                raise Refused("malformedRun")
            latest = time
            run["samples"].append(read_sample(samples, start + time, names, scale))
        block["runs"].append(run)
    return block


def read_sample(samples, microseconds, names, scale):
    nanoseconds = min(max(microseconds * 1000, INT64.start), INT64.stop - 1)
    sample = {"sampledAt": str(nanoseconds)}

    def axes(count, full_scale):
        raw = [samples.read("h") for _ in range(count)]
        if count == 4 and sum(part * part for part in raw) < LEAST_SQUARED_NORM:
            raise Refused("malformedRun")
        return [max(part, -32767) * full_scale / 32767 for part in raw]

    if "acceleration" in names:
        sample["acceleration"] = axes(3, scale.get("accelerationRange", 1))
    if "rotationRate" in names:
        sample["rotationRate"] = axes(3, scale.get("rotationRange", 1))
    if "attitude" in names:
        sample["attitude"] = axes(4, 1)
    if "buttons" in names:
        sample["buttons"] = samples.read("H")
    if "battery" in names:
        sample["battery"] = min(samples.read("B"), 100)
    if "submersion" in names:
        condition = samples.read("B")
        water = {"condition": CONDITIONS[condition if condition < len(CONDITIONS) else 0]}
        for name, layout, steps, absent in WATER:
            raw = samples.read(layout)
            if raw != absent:
                water[name] = raw / steps
        sample["submersion"] = water
    return sample


def read_acknowledgement(body, _):
    block = {"type": "acknowledgement", "stream": body.read("B"), "epoch": body.read("B"), "cumulative": body.read("I")}
    bitmap = body.rest()
    if len(bitmap) > WINDOW // 8:
        raise Refused("malformedBlock")
    block["bitmapBytes"] = len(bitmap)
    block["arrived"] = [
        block["cumulative"] + 1 + bit for bit in range(len(bitmap) * 8) if bitmap[bit // 8] >> (bit % 8) & 1
    ]
    return block


def read_message_block(body, _):
    return {"type": "message", "id": body.read("I"), "body": short(body).hex()}


def read_answer(body, _):
    answer = {"type": "probeAnswer", "id": body.read("H"), "receivedAt": str(body.read("q"))}
    rest = body.rest()
    grain = int.from_bytes(rest[:4], "big") if len(rest) >= 4 else 0
    return answer | ({"grain": grain} if grain else {})


def read_data(body, _):
    return {"type": "data", "channel": body.read("B"), "sequence": body.read("I"), "body": short(body).hex()}


def short(body):
    data = body.rest()
    if len(data) > MAXIMUM_MESSAGE:
        raise Refused("messageTooLong")
    return data


BLOCK_READERS = {
    1: read_stream,
    2: read_acknowledgement,
    3: lambda body, _: {"type": "probe", "id": body.read("H")},
    4: read_answer,
    5: read_message_block,
    6: lambda body, _: {"type": "receipt", "next": body.read("I")},
    7: read_data,
    8: lambda body, _: {"type": "goodbye", "reason": REASONS.get(body.read("B"), "other"), "lastSent": body.read("I")},
    9: lambda body, _: {"type": "account", "highest": body.read("I"), "unique": body.read("I")},
    10: lambda body, _: {
        "type": "tally", "links": body.read("H"), "datagrams": str(body.read("Q")), "sampled": str(body.read("Q")),
        "confirmed": str(body.read("Q")),
    },
}


def read_message(data):
    body = Reader(data)
    kind = body.read("B")
    if kind == 1:
        fields = ("id", "I"), ("intensity", "B"), ("sharpness", "B"), ("duration", "H"), ("timeToLive", "H")
        return {"kind": "haptic"} | {name: body.read(layout) for name, layout in fields}
    if kind == 2:
        number, outcome, moment = body.read("I"), body.read("B"), body.read("q")
        if outcome == 0:
            return {"kind": "hapticReceipt", "id": number, "outcome": "played", "playedAt": str(moment)}
        if outcome not in REFUSALS:
            raise Refused("malformedBlock")
        return {"kind": "hapticReceipt", "id": number, "outcome": REFUSALS[outcome]}
    if kind == 3:
        seat, player, color = body.read("H"), body.read("H"), body.read("I")
        return {"kind": "seat", "seat": seat, "player": player, "color": f"#{color & 0xFFFFFF:06x}"}
    if kind == 6:
        return {"kind": "application", "body": body.rest().hex()}
    if kind == 7:
        moment, text = body.read("q"), body.rest()
        if len(text) > 200:
            raise Refused("malformedBlock")
        return {"kind": "mark", "markedAt": str(moment), "text": text.decode(errors="replace")}
    if kind == 8:
        said = {"kind": "detect", "intensity": body.read("B"), "sharpness": body.read("B"), "duration": body.read("H")}
        for _ in range(body.read("B")):
            gesture, size = body.read("B"), body.read("B")
            rule = Reader(body.take(size))
            if gesture == 1:
                said |= {name: rule.read("H") for name in ("knock", "calm", "turn", "longest", "quiet")}
        return said
    if kind == 9:
        gesture, number, moment = body.read("B"), body.read("I"), body.read("q")
        if gesture != 1 or number < 0x8000_0000:
            raise Refused("malformedBlock")
        return {"kind": "found", "gesture": "tap", "id": number, "occurredAt": str(moment)}
    return {"kind": {4: "identify", 5: "rezero"}.get(kind, "unknown")}


# MARK: Writing


def number_of(names, word):
    return next(number for number, name in names.items() if name == word)


def write_header(header):
    first = VERSION << 4 | number_of(KINDS, header["kind"])
    return struct.pack(">BHHI", first, header["connectionIndex"], header["connectionGeneration"], header["number"])


def write_payload(sent_at, blocks, unknown):
    parts = [write_block(block) for block in blocks]
    for block in unknown:
        parts.insert(block["position"], framed(block["type"], bytes.fromhex(block["body"])))
    return struct.pack(">q", int(sent_at)) + b"".join(parts)


def framed(number, body):
    return struct.pack(">BH", number, len(body)) + body


def write_block(block):
    match block["type"]:
        case "stream":
            return framed(1, write_stream(block))
        case "acknowledgement":
            bitmap = bytearray(block["bitmapBytes"])
            for index in block["arrived"]:
                bit = index - block["cumulative"] - 1
                bitmap[bit // 8] |= 1 << bit % 8
            return framed(2, struct.pack(">BBI", block["stream"], block["epoch"], block["cumulative"]) + bitmap)
        case "probe":
            return framed(3, struct.pack(">H", block["id"]))
        case "probeAnswer":
            grain = struct.pack(">I", block["grain"]) if "grain" in block else b""
            return framed(4, struct.pack(">Hq", block["id"], int(block["receivedAt"])) + grain)
        case "message":
            return framed(5, struct.pack(">I", block["id"]) + bytes.fromhex(block["body"]))
        case "receipt":
            return framed(6, struct.pack(">I", block["next"]))
        case "data":
            return framed(7, struct.pack(">BI", block["channel"], block["sequence"]) + bytes.fromhex(block["body"]))
        case "goodbye":
            return framed(8, struct.pack(">BI", number_of(REASONS, block["reason"]), block["lastSent"]))
        case "account":
            return framed(9, struct.pack(">II", block["highest"], block["unique"]))
        case "tally":
            counts = (int(block[name]) for name in ("datagrams", "sampled", "confirmed"))
            return framed(10, struct.pack(">HQQQ", block["links"], *counts))


def write_stream(block):
    bits = sum(bit for name, bit, _ in MEASURES if name in block["measures"])
    body = struct.pack(">BBBI", block["stream"], block["epoch"], bits, block["floor"])
    for run in block["runs"]:
        body += struct.pack(">IBq", run["first"], len(run["samples"]), int(run["start"]))
        for sample in run["samples"]:
            body += write_sample(sample, int(run["start"]), block)
    return body


def write_sample(sample, start, block):
    def axes(values, full_scale):
        fixed = (round(value / full_scale * 32767) for value in values)
        return b"".join(struct.pack(">h", max(-32767, min(32767, part))) for part in fixed)

    nanoseconds = int(sample["sampledAt"])
    microseconds = -(-nanoseconds // 1000) if nanoseconds < 0 else nanoseconds // 1000
    data = (microseconds - start).to_bytes(3, "big")
    if "acceleration" in sample:
        data += axes(sample["acceleration"], block["accelerationRange"])
    if "rotationRate" in sample:
        data += axes(sample["rotationRate"], block["rotationRange"])
    if "attitude" in sample:
        data += axes(sample["attitude"], 1)
    if "buttons" in sample:
        data += struct.pack(">H", sample["buttons"])
    if "battery" in sample:
        data += struct.pack(">B", sample["battery"])
    if "submersion" in sample:
        water = sample["submersion"]
        data += struct.pack(">B", CONDITIONS.index(water["condition"]))
        for name, layout, steps, absent in WATER:
            data += struct.pack(">" + layout, round(water[name] * steps) if name in water else absent)
    return data


def write_message(message):
    match message["kind"]:
        case "haptic":
            names = "id", "intensity", "sharpness", "duration", "timeToLive"
            return struct.pack(">BIBBHH", 1, *(message[name] for name in names))
        case "hapticReceipt":
            played = message["outcome"] == "played"
            outcome = 0 if played else number_of(REFUSALS, message["outcome"])
            return struct.pack(">BIBq", 2, message["id"], outcome, int(message["playedAt"]) if played else 0)
        case "seat":
            return struct.pack(">BHHI", 3, message["seat"], message["player"], int(message["color"][1:], 16))
        case "identify":
            return b"\x04"
        case "rezero":
            return b"\x05"
        case "application":
            return b"\x06" + bytes.fromhex(message["body"])
        case "mark":
            return struct.pack(">Bq", 7, int(message["markedAt"])) + message["text"].encode()
        case "detect":
            head = struct.pack(">BBBHB", 8, message["intensity"], message["sharpness"], message["duration"], "knock" in message)
            names = "knock", "calm", "turn", "longest", "quiet"
            return head + (struct.pack(">BB5H", 1, 10, *(message[name] for name in names)) if "knock" in message else b"")
        case "found":
            return struct.pack(">BBIq", 9, 1, message["id"], int(message["occurredAt"]))
    return None  # Unknown: nobody who does not know it can write it.


# MARK: Sealing


def nonce(number):
    return bytes(8) + struct.pack(">I", number)


def seal(suite, key, number, header, payload):
    return header + SUITES[suite](key).encrypt(nonce(number), payload, header)


def opened(suite, key, number, datagram):
    """The payload, or `None` when the tag does not fit."""
    try:
        header = datagram[:HEADER_SIZE]
        return SUITES[suite](key).decrypt(nonce(number), datagram[HEADER_SIZE:], header)
    except InvalidTag:
        return None


# MARK: Checking


class Score:
    def __init__(self):
        self.passed, self.failures = 0, []

    def expect(self, where, found, wanted):
        if same(found, wanted):
            self.passed += 1
        else:
            self.failures.append(f"{where}\n    found  {found!r}\n    wanted {wanted!r}")


def same(found, wanted):
    """Equal; physical values to within a 10,000th, which is finer than any step of theirs."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(same(found[name], wanted[name]) for name in found)
    if isinstance(found, list) and isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    if isinstance(found, float) or isinstance(wanted, float):
        return math.isclose(found, wanted, rel_tol=1e-6, abs_tol=1e-6)
    return found == wanted


def check_datagram(vector, where, score):
    header, payload = bytes.fromhex(vector["headerBytes"]), bytes.fromhex(vector["payloadBytes"])
    blocks, unknown = vector["blocks"], vector.get("unknownBlocks", [])
    ranges = {
        block["stream"]: {name: block[name] for name in ("accelerationRange", "rotationRange") if name in block}
        for block in blocks
        if block["type"] == "stream"
    }
    score.expect(f"{where}: header read", read_header(header + payload), vector["header"])
    score.expect(f"{where}: header written", write_header(vector["header"]).hex(), vector["headerBytes"])
    score.expect(f"{where}: content read", list(read_payload(payload, ranges)), [vector["sentAt"], blocks, unknown])
    again = write_payload(vector["sentAt"], blocks, unknown)
    score.expect(f"{where}: content written", again.hex(), vector["payloadBytes"])
    sealed_size = len(header) + len(payload) + (TAG_SIZE if "key" in vector else 0)
    score.expect(f"{where}: fits a datagram", sealed_size <= MAXIMUM_DATAGRAM, True)
    if "key" in vector:
        check_seals(vector, header, payload, where, score)


def check_seals(vector, header, payload, where, score):
    key, number, stated = bytes.fromhex(vector["key"]), vector["header"]["number"], vector.get("sealed", {})
    score.expect(f"{where}: sealed by each suite", sorted(stated), ["aes-256-gcm", "chacha20-poly1305"])
    for suite in SUITES:
        datagram = bytes.fromhex(stated.get(suite, ""))
        if not datagram:
            continue
        sealed = seal(suite, key, number, header, payload)
        score.expect(f"{where}: sealed by {suite}", sealed.hex(), stated[suite])
        score.expect(f"{where}: opened by {suite}", opened(suite, key, number, datagram), payload)
        for place in 0, HEADER_SIZE, len(datagram) - 1:
            forged = bytearray(datagram)
            forged[place] ^= 1
            score.expect(f"{where}: {suite}, byte {place} forged", opened(suite, key, number, bytes(forged)), None)


def check_message(vector, where, score):
    stated = {name: value for name, value in vector.items() if name not in ("name", "bytes")}
    score.expect(f"{where}: read", read_message(bytes.fromhex(vector["bytes"])), stated)
    again = write_message(stated)
    if again is not None:
        score.expect(f"{where}: written", again.hex(), vector["bytes"])


def check_refusal(vector, where, score):
    data, found = bytes.fromhex(vector["bytes"]), "accepted"
    try:
        {"datagram": read_header, "payload": lambda data: read_payload(data, {}), "message": read_message}[
            vector["part"]
        ](data)
    except Refused as refusal:
        found = str(refusal)
    score.expect(where, found, vector["error"])


def check_seal(vector, where, score):
    """Datagrams that the host's own ciphers sealed."""
    if not SUITES:
        return
    key, header, payload = (bytes.fromhex(vector[part]) for part in ("key", "header", "payload"))
    sealed = seal(vector["suite"], key, vector["number"], header, payload)
    score.expect(f"{where}: sealed", sealed.hex(), vector["datagram"])
    score.expect(f"{where}: opened", opened(vector["suite"], key, vector["number"], sealed), payload)


def read_legacy(data):
    if len(data) != 36:
        raise Refused("truncated" if len(data) < 36 else "oversized")
    milliseconds, *axes, checksum = struct.unpack(">Q6fI", data)
    if checksum != zlib.crc32(data[:32]):
        raise Refused("wrongChecksum")
    if milliseconds > 9_223_372_036_854 or not all(map(math.isfinite, axes)):
        raise Refused("malformedBlock")
    return {"milliseconds": str(milliseconds), "acceleration": axes[:3], "rotationRate": axes[3:]}


def check_legacy(vector, where, score):
    data = bytes.fromhex(vector["bytes"])
    stated = {name: value for name, value in vector.items() if name not in ("name", "bytes")}
    try:
        found = read_legacy(data)
    except Refused as refusal:
        found = {"error": str(refusal)}
    score.expect(f"{where}: read", found, stated)
    if "error" not in stated:
        content = struct.pack(">Q6f", int(stated["milliseconds"]), *stated["acceleration"], *stated["rotationRate"])
        score.expect(f"{where}: written", (content + struct.pack(">I", zlib.crc32(content))).hex(), vector["bytes"])


CHECKS = {
    "motion.json": check_datagram,
    "feedback.json": check_datagram,
    "messages.json": check_message,
    "refused.json": check_refusal,
    "seal.json": check_seal,
    "legacy.json": check_legacy,
}


def check_document(score):
    """The worked example of the document is the vector of that name, byte for byte."""
    text = (VECTORS.parent / "WIRE-FORMAT.md").read_text()
    example = text.split("<!-- worked example -->")[1]
    found = "".join(line.split("|")[0] for line in example.split("```")[1].splitlines()[1:])
    vectors = json.loads((VECTORS / "motion.json").read_text())["vectors"]
    vector = next(vector for vector in vectors if vector["name"] == "one-sample")
    wanted = vector["headerBytes"] + vector["payloadBytes"]
    score.expect("WIRE-FORMAT.md, the worked example", "".join(found.split()), wanted)
    legacy = json.loads((VECTORS / "legacy.json").read_text())["vectors"][0]["bytes"]
    section = text.split("\n## 14.")[1].split("\n## ")[0]
    example = section.split("```")[1].splitlines()[1:]
    found = "".join("".join(line.split("  ")[0].split()) for line in example)
    score.expect("WIRE-FORMAT.md, the frame of section 14", found, legacy)


def write_seals():
    for name in "motion.json", "feedback.json":
        path = VECTORS / name
        content = json.loads(path.read_text())
        for vector in content["vectors"]:
            if "key" in vector:
                parts = [bytes.fromhex(vector[part]) for part in ("key", "headerBytes", "payloadBytes")]
                vector["sealed"] = {
                    suite: seal(suite, parts[0], vector["header"]["number"], *parts[1:]).hex() for suite in SUITES
                }
        path.write_text(json.dumps(content, indent=2, sort_keys=True, separators=(",", " : ")) + "\n")


def main():
    if sys.argv[1:] == ["--write-seals"]:
        if not SUITES:
            sys.exit("check-wire-format: sealing needs the package `cryptography` (pip install cryptography)")
        return write_seals()
    if sys.argv[1:]:
        sys.exit(__doc__)
    if not SUITES:
        print("The package `cryptography` is not installed, so sealing and opening were not checked.")
    score = Score()
    for name, check in CHECKS.items():
        vectors = json.loads((VECTORS / name).read_text())["vectors"]
        score.expect(f"{name}: holds vectors", bool(vectors), True)
        for vector in vectors:
            where = f"{name}, {vector['name']}"
            try:
                check(vector, where, score)
            except (Refused, KeyError, ValueError, StopIteration, struct.error) as error:
                score.failures.append(f"{where}: {type(error).__name__} {error}")
    check_document(score)
    for failure in score.failures:
        print(failure)
    print(f"{score.passed} passed, {len(score.failures)} failed")
    sys.exit(1 if score.failures else 0)


if __name__ == "__main__":
    main()
