#!/usr/bin/env python3
"""Watches a network interface for UDP of one port, and for ICMP, until it is told to end. Needs root.

usage: watch-packets.py INTERFACE PORT

On SIGTERM it prints one JSON object: packets and bytes in and out, the longest UDP payload, fragments, ICMP.
"""
import json
import signal
import socket
import struct
import sys

ETH_P_ALL, PACKET_OUTGOING = 3, 4
NEXT_HEADER_FRAGMENT = 44


def look(frame, port, is_outgoing, seen):
    kind = struct.unpack(">H", frame[12:14])[0]
    if kind == 0x0800:
        length, flags = struct.unpack(">H", frame[16:18])[0], struct.unpack(">H", frame[20:22])[0]
        protocol, rest = frame[23], frame[14 + 4 * (frame[14] & 15) :]
        is_fragment = flags & 0x3FFF != 0
    elif kind == 0x86DD:
        length, protocol, rest = 40 + struct.unpack(">H", frame[18:20])[0], frame[20], frame[54:]
        is_fragment = protocol == NEXT_HEADER_FRAGMENT
    else:
        return
    if is_fragment:
        seen["fragments"] += 1
    elif protocol == 1:
        seen["icmp"] += 1
    elif protocol == 17 and port in struct.unpack(">HH", rest[:4]):
        way = "out" if is_outgoing else "in"
        seen[way + "Packets"] += 1
        seen[way + "Bytes"] += length
        seen["longest"] = max(seen["longest"], struct.unpack(">H", rest[4:6])[0] - 8)


def main(interface, port):
    names = ["inPackets", "inBytes", "outPackets", "outBytes", "longest", "fragments", "icmp"]
    seen = dict.fromkeys(names, 0)

    def count(frame, address):
        look(frame, port, address[2] == PACKET_OUTGOING, seen)

    def end(*_):
        # What has come and was not looked at yet: on a busy machine that may be all of a burst.
        watcher.setblocking(False)
        try:
            while True:
                count(*watcher.recvfrom(65_536))
        except BlockingIOError:
            print(json.dumps(seen), flush=True)
            sys.exit(0)

    watcher = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    watcher.bind((interface, ETH_P_ALL))
    signal.signal(signal.SIGTERM, end)
    # Whoever was started by a thread that blocks signals blocks them, too.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    print("watching", flush=True)
    while True:
        count(*watcher.recvfrom(65_536))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]))
