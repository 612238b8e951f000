#!/usr/bin/env python3
"""A stranger who speaks TLS badly, at one host that is named: bad-tls.py HOST PORT

Tries what must be refused (old versions, weak ciphers, garbage, a message that claims 16 MiB) and, last, what must not.
Prints one JSON object a line: the case, what the host said to it, and how many bytes it took before it hung up. Bounded:
every case ends after 15 s.
"""
import json
import os
import socket
import ssl
import sys
import warnings

warnings.simplefilter("ignore")
PATIENCE = 15


def shake(name, place, lowest, highest, ciphers):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.minimum_version, context.maximum_version = lowest, highest
    context.set_ciphers(ciphers + ":@SECLEVEL=0")
    try:
        with socket.create_connection(place, PATIENCE) as plain, context.wrap_socket(plain) as secure:
            return {"case": name, "outcome": secure.version(), "cipher": secure.cipher()[0]}
    except ssl.SSLError as error:
        return {"case": name, "outcome": "refused", "alert": error.reason}


def pour(name, place, pieces):
    """Says these bytes until the host hangs up."""
    taken = 0
    with socket.create_connection(place, PATIENCE) as plain:
        plain.settimeout(PATIENCE)
        try:
            for piece in pieces:
                taken += plain.send(piece)
            while plain.recv(4_096):
                pass
            return {"case": name, "outcome": "closed", "taken": taken}
        except TimeoutError:
            return {"case": name, "outcome": "open", "taken": taken}
        except OSError:
            return {"case": name, "outcome": "closed", "taken": taken}


def record(body, kind=22):
    return bytes([kind, 3, 1]) + len(body).to_bytes(2, "big") + body


def main():
    place = (sys.argv[1], int(sys.argv[2]))
    version = ssl.TLSVersion
    say = lambda outcome: print(json.dumps(outcome), flush=True)
    say(shake("TLS 1.0", place, version.TLSv1, version.TLSv1, "ALL"))
    say(shake("TLS 1.1", place, version.TLSv1_1, version.TLSv1_1, "ALL"))
    for cipher in ("AES128-SHA", "DES-CBC3-SHA", "RC4-SHA", "ECDHE-RSA-AES128-SHA", "AES128-GCM-SHA256", "aNULL", "eNULL"):
        try:
            say(shake(cipher, place, version.TLSv1_2, version.TLSv1_2, cipher))
        except ssl.SSLError:
            pass  # This machine's own library does not know it any more.
    say(pour("garbage", place, [os.urandom(4_096) for _ in range(64)]))
    say(pour("plain HTTP", place, [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"]))
    # A ClientHello of 16 MiB, in records of 16 KiB.
    hello = [record(b"\x01\xff\xff\xff" + b"\x03\x03" + bytes(16_000))] + [record(bytes(16_384))] * 1_023
    say(pour("16 MiB claimed", place, hello))
    say(pour("a record of 64 KiB", place, [b"\x16\x03\x01\xff\xff" + bytes(65_535)]))
    say(pour("alerts without end", place, [record(b"\x01\x00", 21)] * 100_000))
    say(shake("TLS 1.2", place, version.TLSv1_2, version.TLSv1_2, "ECDHE+AESGCM"))
    say(shake("TLS 1.3", place, version.TLSv1_3, version.TLSv1_3, "ALL"))


if __name__ == "__main__":
    main()
