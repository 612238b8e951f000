#!/usr/bin/env python3
"""Asks a network ten times a second for a room's SRV record, and says when nobody answers for it. Knows no mDNS library.

usage: ask-room.py NAME INTERFACE [SECONDS]

It asks as an ordinary DNS client would, from a port of its own (RFC 6762, 6.7), so that the responder itself answers at
once and no cache stands in for it. JSON lines: `answered` at the first answer and after each silence of more than
300 ms, with `silence`, the seconds since the answer before, and `from`; at the end (SIGTERM, or SECONDS) `asked`,
`answers` and `longest`, the longest silence between two answers. `at` is CLOCK_MONOTONIC. For how long this program
itself stood still, and so heard nobody, is no part of a silence.
"""
import json
import signal
import struct
import sys
import time

from mdns import GROUP, PORT, SRV, packed, speaker


def question(name):
    instance = packed([name.encode(), b"_roomful", b"_tcp", b"local"])
    return struct.pack(">6H", 0x5252, 0, 1, 0, 0, 0) + instance + struct.pack(">2H", SRV, 1)


def main(name, interface, seconds):
    asker = speaker(interface, port=0)
    asked = answers = 0
    last, longest, is_over, awake = None, 0.0, False, time.monotonic()

    def end(*_):
        nonlocal is_over
        is_over = True

    signal.signal(signal.SIGTERM, end)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    start = time.monotonic()
    while not is_over and time.monotonic() - start < seconds:
        next_question = time.monotonic() + 0.1
        try:
            asker.sendto(question(name), (GROUP, PORT))
            asked += 1
        except OSError:
            pass  # The cable is out.
        while (rest := next_question - time.monotonic()) > 0:
            asker.settimeout(rest)
            try:
                packet, (address, _) = asker.recvfrom(9_000)
            except (TimeoutError, OSError):
                packet = b""
            # Each wait ends within 100 ms; what it took longer, this program did not run.
            now = time.monotonic()
            if last is not None and now - awake > 0.15:
                last = min(last + now - awake - 0.1, now)
            awake = now
            if len(packet) < 12 or struct.unpack(">H", packet[6:8])[0] == 0:
                continue
            silence = now - last if last else 0.0
            if last is None or silence > 0.3:
                print(json.dumps({"event": "answered", "at": now, "silence": silence, "from": address}), flush=True)
            answers, last, longest = answers + 1, now, max(longest, silence)
    print(json.dumps({"event": "end", "asked": asked, "answers": answers, "longest": longest}), flush=True)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]) if len(sys.argv) == 4 else float("inf"))
