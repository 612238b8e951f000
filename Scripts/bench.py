#!/usr/bin/env python3
"""Measures Roomful beside what others use, in one run, and writes Documentation/PERFORMANCE.md.

usage: bench.py [--pairs N] [--only PART ...] [--page FILE]

  --pairs N     pairs of the live host and ENet at each size; default 10
  --only PART   some of: datagrams, coordinator, motion, phones, hands, losses, process, joining, finding, gather,
                thousands, profile, live; prints, and writes no page
  --page FILE   writes the page there; default Documentation/PERFORMANCE.md

Builds what it needs as people install it (Scripts/build-release.sh), runs on loopback only, and ends what it started. Everything on the page is a median of
rounds of this run; where something ran beside, the ratio is the median of the ratios of single rounds.
"""
import argparse
import contextlib
import json
import os
import pathlib
import queue
import re
import resource
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from bench_page import page

HERE = pathlib.Path(__file__).resolve().parent.parent
os.environ["PATH"] += ":/opt/swift/usr/bin"
PROGRAMS = HERE / ".build-release/release"
PRODUCTS = ["roomful", "ENetPeers", "DatagramBenchmark", "CoordinatorBenchmark", "MotionBenchmark", "PhoneBenchmark",
            "HandsBenchmark", "LossBenchmark", "JoiningBenchmark", "ThousandsBenchmark", "DiscoveryBenchmark"]
TICK = os.sysconf("SC_CLK_TCK")
WINDOW = 5.0  # Seconds of a live host's play that are measured.


class Absent(Exception):
    """What is needed is not here; says how to get it."""


# What the live host does, by what stands on the stack; the first that fits.
STAGES = [
    ("the kernel: datagrams read", "recvmmsg"),
    ("the kernel: feedback sent", "sendmmsg"),
    ("feedback written and sealed", "12nextFeedback", "aes256gcm_encrypt"),
    ("seals opened", "crypto_aead_aes256gcm_decrypt", "crypto_aead_aes256gcm_beforenm"),
    ("gestures: recognizers", "RecognizerV6update", "RecognizerRowV", "Sliding", "TimeDrawers"),
    ("gestures: order, attitude, contests", "10InputMerge"),
    ("delays noted", "9noteDelay"),
    ("ledgers, budgets, clocks", "18SessionCoordinator"),
    ("the room's thread otherwise: it sleeps, wakes, asks for the time", "roomful-room "),
]
ELSEWHERE = "other threads: connections, events, the disk"


# Programs that run beside one another

class Program:
    """A program whose lines are waited for, and that is ended by its pid."""

    def __init__(self, *words, **environment):
        self.process = subprocess.Popen(
            [str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, **environment}, text=True, errors="replace")
        self.lines, self.said = queue.Queue(), []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.strip())
        self.lines.put(None)

    def says(self, pattern, within=60.0):
        deadline = time.monotonic() + within
        while True:
            try:
                line = self.lines.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                raise TimeoutError(f"{self.process.args[:3]} did not say {pattern!r} within {within} s: {self.said[-5:]}")
            if line is None:
                raise Absent(f"{self.process.args[:3]} ended: {' '.join(self.said[-3:])}")
            self.said.append(line)
            if match := re.search(pattern, line):
                return match

    @property
    def cpu(self):
        """Seconds of processor time so far, all threads together."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    @property
    def own(self):
        """Bytes that are no file's: what the process wrote itself."""
        maps = pathlib.Path(f"/proc/{self.process.pid}/smaps_rollup").read_text()
        return int(re.search(r"Anonymous:\s+(\d+)", maps)[1]) * 1024

    @property
    def resident(self):
        """Bytes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024

    def ended(self, within=60.0):
        """Its exit code, when it has ended by itself and said its last."""
        code = self.process.wait(within)
        while (line := self.lines.get(timeout=5)) is not None:
            self.said.append(line)
        return code

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Room:
    """`roomful host`, in a state folder of its own, advertised nowhere."""

    def __init__(self, folder, seats, *more):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="room-", dir=folder))
        self.environment = {"ROOMFUL_STATE": str(folder)}
        self.ticket = folder / "ticket"
        self.program = Program(
            PROGRAMS / "roomful", "host", "Bench", "--seats", seats, "--policy", "open", "--discovery", "none",
            "--http", "off", "--code-file", self.ticket, *more, **self.environment)
        deadline = time.monotonic() + 20
        while not self.ticket.exists():
            if time.monotonic() > deadline or self.program.process.poll() is not None:
                raise Absent(f"the room did not open: {self.program.said}")
            time.sleep(0.02)

    @property
    def port(self):
        return int(re.search(r"^address .*:(\d+)$", self.ticket.read_text(), re.MULTILINE)[1])

    def fleet(self, controllers, rate, seconds, *more):
        return Program(
            PROGRAMS / "roomful", "lab", "fleet", "--code-file", self.ticket, "--controllers", controllers, "--rate",
            rate, "--for", f"{seconds}s", *more, **self.environment)

    def end(self):
        self.program.end()


def share(program, samples):
    """Nanoseconds of the program's processor time a sample, over a window in which it receives so many a second."""
    before, began = program.cpu, time.monotonic()
    time.sleep(WINDOW)
    return (program.cpu - before) * 1e9 / (samples * (time.monotonic() - began))


# The parts

def kept(product, *words, state=None, within=None):
    """Runs a benchmark of ours; the figures that it kept."""
    with tempfile.NamedTemporaryFile(prefix="roomful-figures-", suffix=".jsonl") as file:
        # One that misses a goal of its own exits with 1, and has said its figures all the same.
        done = subprocess.run(
            [PROGRAMS / product, *map(str, words)],
            env={**os.environ, "ROOMFUL_FIGURES": file.name, **({"ROOMFUL_STATE": state} if state else {})},
            stderr=subprocess.PIPE, text=True, timeout=within)
        print(done.stderr, end="", file=sys.stderr)
        lines = [json.loads(line) for line in pathlib.Path(file.name).read_text().splitlines()]
        if done.returncode not in (0, 1) or not lines:
            raise Absent(f"{product} ended with {done.returncode}: {' '.join(done.stderr.split())[-200:]}")
        return lines


def again(times, product, *words):
    """The same so often, each run a round: what is too short to see how even the machine is."""
    figures = {}
    for _ in range(times):
        for figure in kept(product, *words):
            known = figures.setdefault(figure["name"], {**figure, "ours": [], "beside": []})
            known["ours"] += figure["ours"]
            known["beside"] += figure["beside"]
    return list(figures.values())


def live(folder, pairs, controllers, rate):
    """One after the other in the same half minute, again and again: a room with a fleet, and ENet."""
    ours, beside = [], []
    for number in range(pairs):
        room = Room(folder, controllers)
        fleet = room.fleet(controllers, rate, int(WINDOW) + 3)
        try:
            fleet.says(rf" {controllers} joined +[1-9]\d* samples/s", within=90)
            time.sleep(1)
            ours.append(share(room.program, controllers * rate))
            if fleet.ended() != 0:
                print(f"  pair {number + 1}: the fleet's books do not add up:", *fleet.said[-6:], sep="\n    ")
        finally:
            fleet.end()
            room.end()
        host = Program(PROGRAMS / "ENetPeers", "host", controllers)
        peers = None
        try:
            port = host.says(r"^port (\d+)$")[1]
            peers = Program(PROGRAMS / "ENetPeers", "send", port, controllers, rate, WINDOW + 3)
            peers.says("^connected$")
            time.sleep(1)
            beside.append(share(host, controllers * rate))
        finally:
            if peers:
                peers.end()
            host.end()
        print(f"  pair {number + 1}: ours {ours[-1]:.0f} ns a sample, ENet {beside[-1]:.0f}: {ours[-1] / beside[-1]:.2f}")
    return [{"name": f"live-{controllers}x{rate}", "unit": "ns", "ours": ours, "beside": beside}]


def gather(folder, pairs, controllers, rate):
    """What it saves, and costs in delay, to let datagrams gather before they are read."""
    times, delays = {"0.5ms": [], "0ms": []}, {"0.5ms": [], "0ms": []}
    for number in range(pairs):
        for setting in times:
            room = Room(folder, controllers, "--gather", setting)
            fleet = room.fleet(controllers, rate, int(WINDOW) + 3)
            try:
                fleet.says(rf" {controllers} joined +[1-9]\d* samples/s", within=90)
                time.sleep(1)
                times[setting].append(share(room.program, controllers * rate))
                delays[setting].append(float(fleet.says(r"^delay .*? p99 ([\d.]+) ms", within=90)[1]))
            finally:
                fleet.end()
                room.end()
        print(f"  pair {number + 1}: gathering {times['0.5ms'][-1]:.0f} ns a sample, else {times['0ms'][-1]:.0f}")
    name = f"{controllers}x{rate}"
    return [
        {"name": f"gather-{name}", "unit": "ns", "ours": times["0.5ms"], "beside": times["0ms"]},
        {"name": f"gather-delay-{name}", "unit": "ms", "ours": delays["0.5ms"], "beside": delays["0ms"]},
    ]


def waiting(port):
    """A native controller's connection, up to the room's greeting; it asks for no seat."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connection = context.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=10))
    connection.sendall(
        b"GET /control HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: cm9vbWZ1bC1iZW5jaC0wMA==\r\n\r\n")
    heard = b""
    while b'"hello"' not in heard:
        part = connection.recv(4096)
        if not part:
            raise Absent("the room closed a connection that waits")
        heard += part
    return connection


def profile(folder, controllers=1000, rate=30):
    """Where a live host's processor time goes: shares of samples by perf, by what stands on the stack."""
    if not shutil.which("perf"):
        raise Absent("perf is not here: sudo apt install linux-perf")
    room = Room(folder, controllers)
    fleet = room.fleet(controllers, rate, 12)
    taken = folder / "perf.data"
    try:
        fleet.says(rf" {controllers} joined +[1-9]\d* samples/s", within=90)
        time.sleep(1)
        done = subprocess.run(
            ["perf", "record", "-e", "cpu-clock", "-F", "1999", "-g", "-o", taken, "-p", str(room.program.process.pid), "--",
             "sleep", "7"], capture_output=True, text=True)
    finally:
        fleet.end()
        room.end()
    said = subprocess.run(["perf", "script", "-i", taken, "-F", "comm,ip,sym"], capture_output=True, text=True).stdout
    shares, total = dict.fromkeys([what for what, *_ in STAGES] + [ELSEWHERE], 0), 0
    for stack in said.split("\n\n"):
        if not stack.strip():
            continue
        total += 1
        shares[next((what for what, *words in STAGES if any(word in stack for word in words)), ELSEWHERE)] += 1
    if total < 500:
        raise Absent(f"perf took {total} samples: {' '.join(done.stderr.split())[-200:]}")
    return [{"name": f"profile-{what}", "unit": "%", "ours": [count / total * 100], "beside": []}
            for what, count in shares.items()]


def process(folder):
    """A host with nobody, with 1,000 controllers, and how long the program needs to its seat."""
    room = Room(folder, 1100)
    try:
        time.sleep(2)
        idle, own = room.program.resident, room.program.own
        joins, starts = [], []
        for number in range(21):
            began = time.monotonic()
            subprocess.run([PROGRAMS / "roomful", "--version"], stdout=subprocess.DEVNULL, check=True)
            starts.append((time.monotonic() - began) * 1000)
            began = time.monotonic()
            join = Program(
                PROGRAMS / "roomful", "join", "--as", f"Pad {number}", "--code-file", room.ticket, "--replay",
                HERE / "Recordings/demo/drop.csv", "--json", ROOMFUL_STATE=str(folder / "pad"))
            try:
                join.says(r'"seat":|"seated"')
                joins.append((time.monotonic() - began) * 1000)
            finally:
                join.end()
        before = room.program.resident
        with contextlib.ExitStack() as open_ones:
            for _ in range(400):
                open_ones.enter_context(waiting(room.port))
            time.sleep(1)
            waits = room.program.resident - before
        fleet = room.fleet(1000, 30, 5)
        try:
            fleet.says(r" 1000 joined +[1-9]\d* samples/s", within=90)
            time.sleep(3)
            grown = room.program.resident - idle
        finally:
            fleet.end()
    finally:
        room.end()
    return [
        {"name": "idle-mib", "unit": "MiB", "ours": [idle / 2**20], "beside": []},
        {"name": "idle-own-mib", "unit": "MiB", "ours": [own / 2**20], "beside": []},
        {"name": "waiting-kib", "unit": "KiB", "ours": [waits / 400 / 1024], "beside": []},
        {"name": "process-kib-a-controller", "unit": "KiB", "ours": [grown / 1000 / 1024], "beside": []},
        {"name": "join-program-ms", "unit": "ms", "ours": joins, "beside": starts},
    ]


def joining(folder):
    """The handshake alone, one controller alone, and a thousand at once."""
    room = Room(folder, 1100)
    try:
        return kept("JoiningBenchmark", room.ticket, 1000)
    finally:
        room.end()


def thousands(folder, most=10_000):
    """As many as are carried whole, up to ten thousand, and the highest rate at which; they and the host share these cores."""
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    why = []
    for controllers in (most, most * 9 // 10, most * 7 // 10):
        if descriptors < controllers + 500:
            why.append(f"{controllers}: run this in a shell with ulimit -n {controllers + 500}")
            continue
        room = Room(folder, controllers)
        try:
            return kept(
                "ThousandsBenchmark", room.ticket, controllers, state=room.environment["ROOMFUL_STATE"], within=240)
        except (Absent, subprocess.TimeoutExpired) as error:
            why.append(f"{controllers}: {error}")
            print(f"  {why[-1]}")
        finally:
            room.end()
    raise Absent("; ".join(why))


def finding():
    """Rooms by name, by both responders, beside Avahi's tools."""
    with tempfile.NamedTemporaryFile(prefix="roomful-figures-", suffix=".jsonl") as file:
        done = subprocess.run(
            [HERE / "Scripts/discovery-benchmark.py", "5", PROGRAMS], stderr=subprocess.PIPE, text=True,
            env={**os.environ, "ROOMFUL_FIGURES": file.name})
        lines = [json.loads(line) for line in pathlib.Path(file.name).read_text().splitlines()]
        if done.returncode != 0 or not lines:
            raise Absent(f"discovery-benchmark.py ended with {done.returncode}: {' '.join(done.stderr.split())[-200:]}")
        return lines


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, add_help=True)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--page", default=str(HERE / "Documentation/PERFORMANCE.md"))
    options = parser.parse_args()
    if options.pairs < 2:
        parser.error("a ratio takes two pairs at least")

    parts = {
        "datagrams": lambda: kept("DatagramBenchmark"),
        "coordinator": lambda: kept("CoordinatorBenchmark", "1000"),
        "motion": lambda: again(9, "MotionBenchmark"),
        "phones": lambda: kept("PhoneBenchmark", "--for", 15) + kept("PhoneBenchmark", "--for", 15, "--phones", 500),
        "hands": lambda: kept("HandsBenchmark", 25),
        # Of 60 s at 60 Hz the last hundredth is 36 samples; at 20 % lost three losses in a row are some 29 of them.
        "losses": lambda: kept("LossBenchmark", 60),
        "process": lambda: process(folder),
        "joining": lambda: joining(folder),
        "finding": finding,
        "thousands": lambda: thousands(folder),
        "gather": lambda: gather(folder, max(2, options.pairs // 3), 1000, 30),
        "profile": lambda: profile(folder),
        "live": lambda: live(folder, options.pairs, 400, 30) + live(folder, options.pairs, 1000, 30),
    }
    if unknown := [part for part in options.only if part not in parts]:
        parser.error(f"there is no {unknown[0]}; there are {', '.join(parts)}")

    # As many descriptors as root may give; else what the shell allows.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(most, 40_000), max(most, 40_000)))
    except (ValueError, PermissionError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    for product in PRODUCTS:
        subprocess.run([HERE / "Scripts/build-release.sh", "--product", product], check=True)
    # What the builds themselves leave of a load is forgotten within two minutes.
    settled = time.monotonic() + 150
    while os.getloadavg()[0] > 0.5 and time.monotonic() < settled:
        time.sleep(5)
    load, began = os.getloadavg()[0], time.monotonic()
    if load > 0.5:
        print(f"this machine is busy (load {load:.1f}): a quiet one shows better figures")
    figures, missing = {}, {}
    with tempfile.TemporaryDirectory(prefix="roomful-bench-") as made:
        folder = pathlib.Path(made)
        for part in options.only or parts:
            print(f"\n== {part}", flush=True)
            try:
                figures.update({figure["name"]: figure for figure in parts[part]()})
            except (Absent, TimeoutError) as error:
                missing[part] = str(error)
                print(f"not measured: {error}")
    text = page(figures, missing, load, (time.monotonic() - began) / 60)
    if options.only:
        print("\n" + text)
    else:
        pathlib.Path(options.page).write_text(text)
        print(f"\nwritten: {options.page}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
