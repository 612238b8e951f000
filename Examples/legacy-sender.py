#!/usr/bin/env python3
"""Sends KeepCalm's frames of 36 bytes to `roomful host --legacy PORT`: someone who stands still, and jumps each second."""
import socket, struct, sys, time, zlib

if len(sys.argv) != 4:
    sys.exit("usage: legacy-sender.py HOST PORT SECONDS")
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.connect((sys.argv[1], int(sys.argv[2])))
print("let me in with: roomful accept %s:%d" % udp.getsockname(), flush=True)
start = time.monotonic()
for tick in range(int(float(sys.argv[3]) * 100)):
    time.sleep(max(0, start + tick / 100 - time.monotonic()))
    y = 1 if 50 <= tick % 100 < 58 else 0
    # Milliseconds; acceleration in g with gravity, as CoreMotion signs it; rotation in rad/s. All big-endian.
    frame = struct.pack(">Q6f", tick * 10, 0, y, -1, 0, 0, 0)
    udp.send(frame + struct.pack(">I", zlib.crc32(frame)))
