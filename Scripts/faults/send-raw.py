#!/usr/bin/env python3
"""Sends IPv4 UDP datagrams as no honest program could: from any source address, with a wrong checksum. Needs root.

usage: send-raw.py SOURCE:PORT TARGET:PORT COUNT HEX [--wrong-checksum]
"""
import socket
import struct
import sys


def internet_checksum(data):
    """RFC 1071."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def packet(source, target, payload, is_wrong):
    (source, source_port), (target, target_port) = source, target
    addresses = socket.inet_aton(source) + socket.inet_aton(target)
    udp = struct.pack(">HHHH", source_port, target_port, 8 + len(payload), 0)
    checksum = internet_checksum(addresses + struct.pack(">BBH", 0, 17, len(udp) + len(payload)) + udp + payload) or 0xFFFF
    if is_wrong:
        checksum ^= 0x0101
    udp = udp[:6] + struct.pack(">H", checksum)
    # The kernel fills in the header's own checksum and its identification.
    header = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp) + len(payload), 0, 0, 64, 17, 0) + addresses
    return header + udp + payload


def endpoint(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    source, target, payload = endpoint(sys.argv[1]), endpoint(sys.argv[2]), bytes.fromhex(sys.argv[4])
    bytes_to_send = packet(source, target, payload, "--wrong-checksum" in sys.argv)
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    for _ in range(int(sys.argv[3])):
        raw.sendto(bytes_to_send, (target[0], 0))
    print(f"sent {sys.argv[3]} of {len(bytes_to_send)} bytes")
