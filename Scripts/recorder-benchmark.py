#!/usr/bin/env python3
"""What recording costs a room's thread, over real sockets: the time that the kernel charges to it, with and without.

usage: recorder-benchmark.py [--program FILE] [--controllers 21] [--rate 100] [--windows 12] [--seconds 5]

A release build's `roomful` unless another is named. One room, one fleet over loopback that goes on all the time; recording
is begun and ended by `roomful record`, window by window, so that both sides have the same room, load and machine. Receiving,
opening (AES-128-GCM), ledgers, merge, feedback and sending are all in the thread's time. The order of each pair is drawn by
turns, as a machine that slows down would else be charged to one side.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def thread_time(pid, name):
    """ns that the process's threads of this name were on a processor (proc(5), schedstat)."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            if (task / "comm").read_text().strip() == name:
                total += int((task / "schedstat").read_text().split()[0])
        except OSError:
            continue
    return total


class Room:
    def __init__(self, program, folder, controllers):
        self.program, self.folder = program, folder
        self.environment = {key: value for key, value in os.environ.items() if key != "XDG_RUNTIME_DIR"}
        self.environment["ROOMFUL_STATE"] = str(folder / "state")
        self.host = subprocess.Popen(
            [program, "host", "Bench", "--seats", str(controllers), "--policy", "open", "--discovery", "none", "--http", "off"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment)

    def ask(self, *words):
        done = subprocess.run([self.program, *words, "--json"], capture_output=True, text=True, env=self.environment, check=False)
        return json.loads(done.stdout) if done.returncode == 0 and done.stdout.strip() else None

    def start(self, *words):
        return subprocess.Popen(
            [self.program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=self.environment)

    def seated(self):
        return self.ask("peers") or []


def wait_until(question, seconds, what):
    end = time.monotonic() + seconds
    while not question():
        if time.monotonic() > end:
            raise SystemExit(f"not in time: {what}")
        time.sleep(0.1)


def window(room, number, seconds, is_recorded):
    """Of the room's thread and of the recorder's, µs for each datagram that came; and datagrams a second."""
    if is_recorded:
        assert room.ask("record", "start", str(room.folder / f"{number}.mcap")), "recording did not begin"
    time.sleep(0.3)
    names = ["roomful-room", "roomful-record"]
    datagrams = lambda: sum(peer["datagrams"]["authenticated"] for peer in room.seated())
    arrived, began = datagrams(), time.monotonic()
    before = [thread_time(room.host.pid, name) for name in names]
    time.sleep(seconds)
    after = [thread_time(room.host.pid, name) for name in names]
    took = time.monotonic() - began
    arrived = datagrams() - arrived
    if is_recorded:
        room.ask("record", "stop")
    return [(b - a) / 1e3 / max(1, arrived) for a, b in zip(before, after)] + [arrived / took]


def measure(room, arguments):
    sides = {False: [], True: []}
    for pair in range(arguments.windows):
        for is_recorded in [False, True] if pair % 2 == 0 else [True, False]:
            sides[is_recorded].append(window(room, pair, arguments.seconds, is_recorded))
    return sides


def report(sides, arguments, size):
    without, with_ = ([w[0] for w in sides[side]] for side in (False, True))
    added = [(b / a - 1) * 100 for a, b in zip(without, with_)]
    rate = statistics.mean(w[2] for side in sides.values() for w in side)
    mean, spread = statistics.mean(added), statistics.stdev(added) / len(added) ** 0.5
    print(f"{arguments.controllers} controllers at {arguments.rate} Hz, {rate:.0f} datagrams a second, "
          f"{len(added)} pairs of windows of {arguments.seconds} s:")
    for what, side in (("without a recorder", without), ("with a recorder   ", with_)):
        print(f"  the room's thread {what}  {statistics.mean(side):7.3f} µs a datagram (median {statistics.median(side):.3f})")
    print(f"  added, pair by pair: mean {mean:+.2f} % ± {spread:.2f} (standard error), median {statistics.median(added):+.2f} %")
    own = statistics.mean(w[1] for w in sides[True])
    disk = size / 1000 / arguments.windows / arguments.seconds
    print(f"  the recorder's own thread, beside it  {own:7.3f} µs a datagram; {disk:.0f} kB a second on disk")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=str(ROOT / ".build/release/roomful"))
    parser.add_argument("--controllers", type=int, default=21)
    parser.add_argument("--rate", type=int, default=100)
    parser.add_argument("--windows", type=int, default=12, help="pairs of windows")
    parser.add_argument("--seconds", type=float, default=5)
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="rf-", dir="/tmp"))
    room, started = Room(arguments.program, folder, arguments.controllers), []
    try:
        wait_until(lambda: room.ask("record", "status"), 20, "the room")
        length = int(arguments.windows * 2 * (arguments.seconds + 2) + 60)
        # A game that listens to everyone's motion, 60 times a second.
        started.append(room.start("events", "--json", "--motion"))
        started.append(room.start(
            "lab", "fleet", "--room", "Bench", "--controllers", str(arguments.controllers), "--rate", str(arguments.rate),
            "--for", f"{length}s"))
        wait_until(lambda: len(room.seated()) == arguments.controllers, 60, "everyone's seat")
        time.sleep(2)
        sides = measure(room, arguments)
        report(sides, arguments, sum(path.stat().st_size for path in folder.glob("*.mcap")))
    finally:
        for process in [*started, room.host]:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
