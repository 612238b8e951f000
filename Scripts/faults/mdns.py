"""Multicast DNS by hand (RFC 6762), for those here who ask and lie by it. Knows no mDNS library. Needs no root."""
import socket
import struct

GROUP, PORT = "224.0.0.251", 5353
A, CNAME, PTR, TXT, SRV, NSEC, ANY = 1, 5, 12, 16, 33, 47, 255
UNIQUE = 0x8000


def packed(labels):
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def record(name, kind, data, ttl, is_unique=True):
    return packed(name) + struct.pack(">2HIH", kind, 1 | (UNIQUE if is_unique else 0), ttl, len(data)) + data


def text(strings):
    return b"".join(bytes([len(string)]) + string for string in strings)


def service(port, host):
    """What an SRV record says."""
    return struct.pack(">3H", 0, 0, port) + packed(host)


def response(records):
    return struct.pack(">6H", 0, 0x8400, 0, len(records), 0, 0) + b"".join(records)


def speaker(interface, port=PORT):
    """A socket that sends to the group by this interface, beside responders where it is from their port; 0 is one of its own."""
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    if port:
        own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    own.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
    place = struct.pack("=4s4si", bytes(4), bytes(4), socket.if_nametoindex(interface))
    own.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, place)
    own.bind(("", port))
    return own
