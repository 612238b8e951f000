#!/usr/bin/env python3
"""Lies about rooms by multicast DNS, as any device on a network can. Knows no mDNS library. Needs no root.

usage: forge-rooms.py INTERFACE rooms COUNT [--seed N] [--seconds S]       announces COUNT rooms that do not exist
       forge-rooms.py INTERFACE withdraw COUNT [--seed N]                       says goodbye for the same
       forge-rooms.py INTERFACE room NAME --id ID [--pin PIN] --at IP:PORT announces one that claims this
       forge-rooms.py INTERFACE goodbye NAME [--times N]                        says goodbye for a room of somebody else
       forge-rooms.py INTERFACE malformed COUNT [--seed N] [--rate R]           packets of which nothing need be right

What is random follows the seed (default 1), which is printed. `--dump FILE` writes down each packet sent, as a line of
hexadecimal digits, so that one that kills somebody can be named; `replay FILE` instead of the command sends such a file. `--rate`
is packets a second, `--times` how often room and goodbye are said, `--ttl` how many seconds others keep what they heard.
"""
import argparse
import random
import socket
import struct
import time

from mdns import ANY, GROUP, NSEC, PORT, PTR, SRV, TXT, A, packed, record, response, service, speaker, text

TYPE = [b"_roomful", b"_tcp", b"local"]


def room(name, strings, address, port, server, ttl=120, game=None):
    """The records of one room, as its host would announce them."""
    instance, host = [name] + TYPE, [server, b"local"]
    records = [record(TYPE, PTR, packed(instance), ttl, False)]
    if game:
        records.append(record([b"_" + game, b"_sub"] + TYPE, PTR, packed(instance), ttl, False))
    return records + [
        record(instance, SRV, service(port, host), ttl),
        record(instance, TXT, text(strings), ttl),
        record(host, A, socket.inet_aton(address), ttl),
    ]


def claims(identity, pin):
    strings = [b"txtvers=1", b"v=1", b"id=" + identity, b"game=keepcalm", b"free=4", b"seats=4", b"policy=open"]
    return strings + ([b"pin=" + pin] if pin else [])


def forged(number, seed, ttl=120):
    luck = random.Random(f"{seed}:{number}")
    identity, pin = (bytes(luck.randrange(256) for _ in range(size)).hex().encode() for size in (16, 32))
    address = f"10.77.{luck.randrange(1, 255)}.{luck.randrange(1, 255)}"
    server = f"forged-{number % 50}".encode()
    return room(f"Forged {seed}/{number}".encode(), claims(identity, pin), address, 1 + luck.randrange(65_535), server, ttl,
                b"keepcalm")


# What parsers have stumbled over: CVE-2023-38469…38473 of Avahi among others, and terminals over names.
NAMES = [
    b"A\\.B", b"\\", b"A\\", b"\x1b[31mred\x1b]0;title\x07", b"\r\n\x00null", b"\xff\xfe not UTF-8", b"." * 63, b"x" * 63,
    "‮ turned round".encode(), b"", b" ", b"_sub", b"A\\032B", b"A\\999B", b"\xc3", "🎮".encode() * 15,
]


def some_room(luck):
    strings = [bytes(luck.randrange(256) for _ in range(luck.choice([0, 1, 9, 40, 255]))) for _ in range(luck.randrange(12))]
    if luck.random() < 0.5:
        strings = claims(bytes(luck.randrange(256) for _ in range(16)).hex().encode(), None) + strings
    name = luck.choice(NAMES) if luck.random() < 0.7 else bytes(luck.randrange(256) for _ in range(luck.randrange(1, 64)))
    return room(name, strings, "10.77.0.200", luck.randrange(65_536), luck.choice([b"forged-1", b"A\\.B", b"x" * 63]), 5)


def nonsense(luck):
    """One packet of which nothing need be right."""
    kind = luck.randrange(9)
    packet = bytearray(response(some_room(luck)))
    if kind == 0:  # cut off
        del packet[luck.randrange(len(packet)) :]
    elif kind == 1:  # some bits flipped
        for _ in range(luck.randrange(1, 20)):
            packet[luck.randrange(len(packet))] ^= 1 << luck.randrange(8)
    elif kind == 2:  # a name that points at itself, ahead, or round in circles
        target = luck.choice([12, 13, 14, len(packet), 0x3FFF, 0])
        packet[12:12] = struct.pack(">H", 0xC000 | target) * luck.randrange(1, 5)
    elif kind == 3:  # a length that says more or less than there is
        place = luck.randrange(12, len(packet) - 2)
        packet[place : place + 2] = struct.pack(">H", luck.choice([0, 1, 0xFF, 0xFFFF, 0x7FFF]))
    elif kind == 4:  # counts that are not true
        struct.pack_into(">H", packet, luck.choice([4, 6, 8, 10]), luck.choice([0, 1, 0xFFFF, 255]))
    elif kind == 5:  # a question with known answers, or a probe for somebody's name
        known = some_room(luck)
        question = packed(luck.choice([TYPE, [b"A\\.B"] + TYPE, [b"x"] * 120, []])) + struct.pack(">2H", luck.choice([ANY, PTR, 0]), 1)
        counts = luck.choice([(1, len(known), 0, 0), (1, 0, len(known), 0), (3, 0, 0, 0)])
        packet = bytearray(struct.pack(">6H", 0, luck.choice([0, 0x0200]), *counts) + question + b"".join(known))
    elif kind == 6:  # records that nobody asked for, of unknown kinds and without data
        records = [record(TYPE, luck.randrange(65_536), b"", luck.choice([0, 1, 0xFFFFFFFF])) for _ in range(30)]
        records += [record([b"x"] + TYPE, luck.choice([SRV, PTR, TXT, A, NSEC]), bytes(luck.randrange(8)), 5) for _ in range(30)]
        packet = bytearray(response(records))
    elif kind == 7:  # nothing but noise
        packet = bytearray(luck.randrange(256) for _ in range(luck.choice([0, 1, 11, 12, 13, 200, 1_472])))
    return bytes(packet[:9_000])


class Forger:
    def __init__(self, interface, dump):
        self.sent, self.dump = 0, open(dump, "w") if dump else None
        self.socket = speaker(interface)

    def send(self, packet):
        if self.dump:
            print(packet.hex(), file=self.dump, flush=True)
        self.socket.sendto(packet, (GROUP, PORT))
        self.sent += 1


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("interface")
    parser.add_argument("command", choices=["rooms", "withdraw", "room", "goodbye", "malformed", "replay"])
    parser.add_argument("what")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0, help="spread over so long")
    parser.add_argument("--rate", type=float, default=2_000, help="packets a second")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--ttl", type=int, default=4_500, help="seconds")
    parser.add_argument("--id")
    parser.add_argument("--pin")
    parser.add_argument("--at")
    parser.add_argument("--dump")
    options = parser.parse_args()
    forger = Forger(options.interface, options.dump)

    def packets():
        seed, name = options.seed, options.what.encode()
        if options.command in ("rooms", "withdraw"):
            ttl = 0 if options.command == "withdraw" else options.ttl
            # Three rooms fit a packet that no router cuts up.
            for first in range(0, int(options.what), 3):
                numbers = range(first, min(first + 3, int(options.what)))
                yield response([one for number in numbers for one in forged(number, seed, ttl)])
        elif options.command == "room":
            address, port = options.at.rsplit(":", 1)
            strings = claims(options.id.encode(), options.pin.encode() if options.pin else None)
            for _ in range(options.times):
                yield response(room(name, strings, address, int(port), b"forged-host", 120, b"keepcalm"))
        elif options.command == "goodbye":
            instance = [name] + TYPE
            for _ in range(options.times):
                yield response([
                    record(TYPE, PTR, packed(instance), 0, False),
                    record(instance, SRV, service(1, [b"forged-host", b"local"]), 0),
                    record(instance, TXT, text([b"txtvers=1"]), 0),
                ])
        elif options.command == "malformed":
            luck = random.Random(seed)
            for _ in range(int(options.what)):
                yield nonsense(luck)
        else:
            yield from (bytes.fromhex(line) for line in open(options.what))

    rate = options.rate
    if options.seconds and options.command in ("rooms", "withdraw"):
        rate = max(1, int(options.what) / 3 / options.seconds)
    start = time.monotonic()
    for packet in packets():
        forger.send(packet)
        time.sleep(max(0, start + forger.sent / rate - time.monotonic()))
    print(f"sent {forger.sent} packets, seed {options.seed}", flush=True)


if __name__ == "__main__":
    main()
