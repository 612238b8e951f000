#!/usr/bin/env python3
"""What a site costs its hosts, and how soon a change shows: rooms on several hosts, without a broker and with one.

    .build-venv/bin/python Scripts/site-benchmark.py [PROGRAM] [--hosts 1] [--rooms 30] [--controllers 0] [--rate 5]

ROOMS a host, CONTROLLERS a room, simulated by `roomful lab fleet` at RATE samples a second each; 0 leaves the rooms idle. Starts
a nats-server of its own on 127.0.0.1, and ends it and all programs. Prints the processor's share of the hosts' programs, what
they send to the broker, how far what the site says of each room is from what the room says at its own door, and the time from
a command there until somebody else hears of it from the broker, while all play.
"""
import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/Operations"))
from door import ask  # noqa: E402
from site_broker import Broker, Witness, free_port  # noqa: E402

SETTLING, WATCHED, PATIENCE = 15, 20, 240


def processor(programs):
    """Seconds that these have used."""
    fields = [Path(f"/proc/{program.pid}/stat").read_text().rsplit(")", 1)[1].split() for program in programs]
    return sum(int(field[11]) + int(field[12]) for field in fields) / os.sysconf("SC_CLK_TCK")


def of_room(door):
    """What the room says of itself at its own door, as the site says it."""
    status = ask(door, {"task": "status"})[0]["status"]
    return status | {"playing": len(status["peers"])}


class House:
    """Hosts of some rooms each, and who plays there."""

    def __init__(self, given, folder, broker):
        self.given, self.folder, self.broker = given, folder, broker
        self.hosts, self.fleets = [], []

    def start(self, *arguments, state):
        log = (self.folder / "programs.log").open("ab")
        return subprocess.Popen(
            [self.given.program, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env=os.environ | {"ROOMFUL_STATE": str(state)})

    def open(self):
        self.folder.mkdir()
        site = f'site = "{self.broker.url}"\n' if self.broker else ""
        for host in range(self.given.hosts):
            file = self.folder / f"host-{host}.toml"
            file.write_text("".join(
                f'[[room]]\nname = "Room {host}-{room}"\nseats = {max(8, self.given.controllers)}\npolicy = "open"\n'
                f'discovery = "none"\nhttp = "off"\n{site}' for room in range(self.given.rooms)))
            self.hosts.append(self.start("host", "--config", file, state=self.folder / f"host-{host}"))
        self.until(lambda: len(self.doors()) == self.given.hosts * self.given.rooms, "all rooms open")
        for host in range(self.given.hosts):
            for room in range(self.given.rooms if self.given.controllers else 0):
                self.fleets.append(self.start(
                    "lab", "fleet", "--room", f"Room {host}-{room}", "--controllers", self.given.controllers, "--rate", self.given.rate,
                    "--for", "30min", "--seed", len(self.fleets) + 1, state=self.folder / f"host-{host}"))
        self.until(self.all_play, "everybody plays")
        return self

    def doors(self):
        return list(self.folder.rglob("*.sock"))

    def all_play(self):
        return all(
            sum(peer["state"] == "active" for peer in of_room(door)["peers"]) == self.given.controllers for door in self.doors())

    def until(self, question, what):
        limit = time.monotonic() + PATIENCE
        while True:
            try:
                if question():
                    return
            except (OSError, KeyError, json.JSONDecodeError):
                pass
            assert time.monotonic() < limit, f"not within {PATIENCE} s: {what}\n" + (self.folder / "programs.log").read_text()[-2_000:]
            time.sleep(0.2)

    def end(self):
        for program in self.fleets + self.hosts:
            program.terminate()
        for program in self.fleets + self.hosts:
            program.wait()


class View:
    """What a reader of the site hears, and how far that is from what the rooms say."""

    def __init__(self, client, doors):
        self.client, self.doors, self.heard, self.came = client, doors, {}, {}

    async def measure(self):
        async def note(message):
            status = json.loads(message.data)
            self.heard[status["room"]], self.came[status["room"]] = status, time.monotonic()

        await self.client.subscribe("rf.main.*.status", cb=note)
        await asyncio.sleep(4)
        # Before the doors are asked, which holds up whoever listens here.
        ages = [time.monotonic() - came for came in self.came.values()]
        wrong, delays = 0, []
        for door in self.doors:
            own = of_room(door)
            heard = self.heard.get(own["room"], {})
            wrong += any(own[each] != heard.get(each) for each in ("name", "seats", "freeSeats", "isLocked", "playing"))
        for door in self.doors:
            room = ask(door, {"task": "status"})[0]["status"]["room"]
            ask(door, {"task": "lock"})
            asked = time.monotonic()
            while not self.heard[room]["isLocked"]:
                await asyncio.sleep(0.005)
            delays.append(1_000 * (time.monotonic() - asked))
        return wrong, max(ages), sorted(delays)


def sent(monitor):
    """Bytes that clients have sent to the broker."""
    with urllib.request.urlopen(f"http://127.0.0.1:{monitor}/varz", timeout=30) as answer:
        return json.load(answer)["in_bytes"]


def run(given, folder):
    rooms, monitor, shares = given.hosts * given.rooms, free_port(), {}
    broker = Broker(folder).start("-m", str(monitor))
    try:
        for way in ("without", "with"):
            house = House(given, folder / way, broker if way == "with" else None)
            try:
                house.open()
                time.sleep(SETTLING)
                used, bytes_before, began = processor(house.hosts), sent(monitor), time.monotonic()
                time.sleep(WATCHED)
                span = time.monotonic() - began
                shares[way] = 100 * (processor(house.hosts) - used) / span
                print(
                    f"{given.hosts} hosts, {rooms} rooms, {rooms * given.controllers} controllers at {given.rate:g} Hz, {way} a site: "
                    f"{shares[way]:.1f} % of a processor for all hosts, {shares[way] / rooms:.2f} % a room", flush=True)
                if way == "with":
                    print(f"to the broker: {(sent(monitor) - bytes_before) / span / rooms:,.0f} bytes a second and room")
                    wrong, age, delays = Witness(broker).run(lambda client: View(client, house.doors()).measure())
                    print(
                        f"the site's word of {rooms} rooms: {wrong} differ from the rooms' own, the oldest is {1_000 * age:.0f} ms old; a change is "
                        f"heard after {delays[len(delays) // 2]:.0f} ms in the median, {delays[-1]:.0f} ms at most")
            finally:
                house.end()
        difference = (shares["with"] - shares["without"]) / rooms
        print(f"the site costs {difference:.2f} % of a processor a room; {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    finally:
        broker.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=str(ROOT / ".build/release/roomful"))
    parser.add_argument("--hosts", type=int, default=1)
    parser.add_argument("--rooms", type=int, default=30, help="of each host")
    parser.add_argument("--controllers", type=int, default=0, help="of each room")
    parser.add_argument("--rate", type=float, default=5, help="samples a second of each controller")
    folder = Path(tempfile.mkdtemp(prefix="rf-", dir="/tmp"))
    try:
        run(parser.parse_args(), folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
