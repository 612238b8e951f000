#!/usr/bin/env python3
"""What a site costs its hosts, and how soon a change shows: rooms of one program, idle, without a broker and with one.

    .build-venv/bin/python Scripts/site-benchmark.py [PROGRAM] [ROOMS]

Starts a nats-server of its own on 127.0.0.1 and ends it. Prints the processor's share of the program (all its rooms), and the
time from a command at a room's own door until somebody else hears of it from the broker.
"""
import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/Operations"))
from site_broker import Broker, Witness  # noqa: E402

SETTLING, WATCHED = 15, 20


def processor(pid):
    """Seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def command(door, task):
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(door))
        file = line.makefile("rw")
        file.write(json.dumps({"task": task}) + "\n")
        file.flush()
        return json.loads(file.readline())


async def delays(client, doors):
    """From the answer at a room's door until its status says so, ms."""
    locked, result = {}, []

    async def note(message):
        status = json.loads(message.data)
        locked[status["room"]] = status["isLocked"]

    await client.subscribe("rf.main.*.status", cb=note)
    await asyncio.sleep(2)
    for door in doors:
        room = command(door, "status")["status"]["room"]
        command(door, "lock")
        asked = time.monotonic()
        while not locked[room]:
            await asyncio.sleep(0.005)
        result.append(1_000 * (time.monotonic() - asked))
    return sorted(result)


def main(program, rooms):
    folder = Path(tempfile.mkdtemp(prefix="rf-", dir="/tmp"))
    broker = Broker(folder).start()
    try:
        for site in ("", f'site = "{broker.url}"\n'):
            text = "".join(
                f'[[room]]\nname = "Room {number}"\npolicy = "open"\ndiscovery = "none"\nhttp = "off"\n{site}' for number in range(rooms))
            (folder / "rooms.toml").write_text(text)
            state = folder / ("with" if site else "without")
            host = subprocess.Popen(
                [program, "host", "--config", folder / "rooms.toml", "--json"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=os.environ | {"ROOMFUL_STATE": str(state)})
            try:
                time.sleep(SETTLING)
                before, began = processor(host.pid), time.monotonic()
                time.sleep(WATCHED)
                share = (processor(host.pid) - before) / (time.monotonic() - began)
                print(f"{rooms} idle rooms {'with' if site else 'without'} a site: {100 * share:.1f} % of a processor")
                if site:
                    doors = list(state.rglob("*.sock"))
                    found = Witness(broker).run(lambda client: delays(client, doors))
                    print(f"a change is heard after {found[len(found) // 2]:.0f} ms in the median, {found[-1]:.0f} ms at most ({len(found)} rooms)")
            finally:
                host.terminate()
                host.wait()
    finally:
        broker.end()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else str(ROOT / ".build/debug/roomful"), int(sys.argv[2]) if len(sys.argv) > 2 else 30)
