#!/usr/bin/env python3
"""Measures Roomful beside what others use, in one run, and writes Documentation/PERFORMANCE.md.

usage: bench.py [--pairs N] [--only PART ...] [--page FILE]

  --pairs N     pairs of the live host and ENet at each size; default 10
  --only PART   some of: datagrams, coordinator, motion, phones, hands, losses, process, joining, finding, gather,
                thousands, profile, live; prints, and writes no page
  --page FILE   writes the page there; default Documentation/PERFORMANCE.md

Builds what it needs as people install it (Scripts/build-release.sh), runs on loopback only, and ends what it started.
Everything on the page is a median of rounds of this run; where something ran beside, the ratio is the median of the ratios
of single rounds. A pair whose books do not add up is left out, and named. What else runs on the machine is watched.
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


# What a host does, by what stands on the stack; the first that fits.
STAGES = [
    ("the kernel: datagrams read", "recvmmsg"),
    ("the kernel: feedback sent", "sendmmsg"),
    ("feedback written and sealed", "12nextFeedback", "aes256gcm_encrypt"),
    ("seals opened", "crypto_aead_aes256gcm_decrypt", "crypto_aead_aes256gcm_beforenm", "crypto_aead_chacha20poly1305"),
    ("gestures: recognizers", "RecognizerV6update", "RecognizerRowV", "Sliding", "TimeDrawers"),
    ("gestures: order, attitude, contests", "10InputMerge"),
    ("delays noted", "9noteDelay"),
    ("ledgers, budgets, clocks", "18SessionCoordinator"),
]
# What an engine keeps of a peer, by names on the stacks that asked for the memory: the first that fits.
KEPT = [
    ("recognizers, and what each remembers", "RecognizerRowV", "SwingTail", "HoldStill", "RecognizerV6update"),
    ("a stream: its order, device motion, attitude", "0B0V7connect", "StreamTrackV"),
    ("the player, its gestures and fusion", "6PlayerV", "6FusionV", "InputMerge0B0V6assign"),
    ("delays, as histograms, and the latest stamps", "DelayCountsV", "MergeSinkV6assign"),
    ("the clock, by its probes", "ClockEstimatorV", "DriftEstimateV"),
    ("the last minute, in counts a second", "MinuteHistoryV"),
    ("the link: keys, replay window, ledger, budget", "4PeerV4open_9continues"),
    ("the seat", "SessionCoordinator0B0V5place", "AgendaV"),
    ("the ledger of a stream's samples", "PeerMotionV6stream"),
]
THREAD = ("the room's thread otherwise: it sleeps, wakes, asks for the time", "roomful-room ")
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
    def own(self):
        """Bytes that are no file's: what the process wrote itself."""
        maps = pathlib.Path(f"/proc/{self.process.pid}/smaps_rollup").read_text()
        return int(re.search(r"Anonymous:\s+(\d+)", maps)[1]) * 1024

    @property
    def resident(self):
        """Bytes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024

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

    def fleet(self, controllers, rate, seconds):
        return Program(
            PROGRAMS / "roomful", "lab", "fleet", "--code-file", self.ticket, "--controllers", controllers, "--rate",
            rate, "--for", f"{seconds}s", **self.environment)

    def end(self):
        self.program.end()


class Others:
    """What else runs on this machine, looked at every 5 s: cores that were used by no program of ours, or taken away."""

    def __init__(self):
        self.part, self.seen = "", []  # What is measured; and of each look that part, and the cores.
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        before, began = self._used(), time.monotonic()
        while True:
            time.sleep(5)
            now, ended = self._used(), time.monotonic()
            self.seen.append((self.part, max(0.0, (now - before) / (ended - began))))
            before, began = now, ended

    def _used(self):
        """Seconds of processor time that are not ours; the kernel's own for datagrams is nobody's."""
        user, nice, system, *_ = cpu = [int(ticks) for ticks in pathlib.Path("/proc/stat").read_text().split(None, 11)[1:11]]
        return (user + nice + system + cpu[7] - self._ours()) / TICK

    def _ours(self):
        """Ticks of this program and of all that it began, with those that have ended."""
        parents, ticks = {}, {}
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(folder.name)] = int(fields[1])
            ticks[int(folder.name)] = sum(map(int, fields[11:15]))
        ours = {os.getpid()}
        while grown := {pid for pid, parent in parents.items() if parent in ours} - ours:
            ours |= grown
        return sum(ticks[pid] for pid in ours if pid in ticks)


class Unequal(Exception):
    """Books that do not add up: what was measured meanwhile says nothing."""


NOTES = []  # What the page says beside its tables.


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


def pads(room, controllers, rate):
    """Native controllers that play for WINDOW, each at its own moment and by no relay: what that came to, by name."""
    try:
        figures = kept(
            "ThousandsBenchmark", room.ticket, controllers, rate, WINDOW, state=room.environment["ROOMFUL_STATE"], within=120)
    except (Absent, subprocess.TimeoutExpired) as error:
        raise Unequal(error)
    return {figure["name"].removeprefix("play-"): figure["ours"][0] for figure in figures}


def enet(controllers, rate):
    """The same of ENet's host: as many packets, at the same moments, of which it says once a second how many came."""
    line = r"^([\d.]+) (\d+) ([\d.]+) (\d+)$"
    host, peers = Program(PROGRAMS / "ENetPeers", "host", controllers), None
    try:
        port = host.says(r"^port (\d+)$")[1]
        peers = Program(PROGRAMS / "ENetPeers", "send", port, controllers, rate, WINDOW + 2)
        peers.says("^connected$")
        # In the first second with packets not all was sent yet.
        for _ in range(10):
            if int((first := host.says(line))[2]) > 0:
                break
        else:
            raise Unequal("nothing came of what ENet's peers sent within 10 s")
        for _ in range(int(WINDOW)):
            last = host.says(line)
        seconds, received, cpu, wakes = (float(last[place]) - float(first[place]) for place in range(1, 5))
        sent = peers.says(r"^sent (\d+), ([\d.]+) %")
        for _ in range(8):
            if (came := int(host.says(line)[2])) == int(sent[1]):
                break
        else:
            raise Unequal(f"ENet's peers sent {sent[1]} packets, and {came} came")
        return {"ns": cpu * 1e9 / received, "wakes": wakes / seconds, "sender": float(sent[2])}
    finally:
        if peers:
            peers.end()
        host.end()


def exact(played, rate):
    if played["differing"]:
        raise Unequal(f"{played['differing']:.0f} lines of the room's books differ, {played['drops']:.0f} datagrams dropped")
    if missing := {"ns", "wakes", "sender", "waited", "late"} - set(played):
        raise Unequal(f"the pads do not say {', '.join(sorted(missing))}")
    if played["late"] >= 1000 / rate:
        raise Unequal(f"pads spoke late by p99 {played['late']:.0f} ms, which is an interval")
    return played


def rounds(what, pairs, play):
    """So many results of a pair's play; what says nothing is left out, and the page says so."""
    all_of_them = []
    for number in range(pairs):
        try:
            all_of_them.append(play())
        except (Absent, Unequal, TimeoutError, OSError) as error:
            if number == 0 and isinstance(error, Absent):
                raise
            NOTES.append(f"{what}, pair {number + 1} of {pairs} is left out: {error}")
            print(f"  {NOTES[-1]}")
    if len(all_of_them) < 2:
        raise Absent(f"of {pairs} pairs {len(all_of_them)} can be used")
    return all_of_them


def figure(name, unit, ours, beside=()):
    return {"name": name, "unit": unit, "ours": list(ours), "beside": list(beside)}


def live(folder, pairs, controllers, rate):
    """One after the other in the same half minute, again and again: a room with pads, and ENet with its peers."""
    drops, size = [], f"{controllers}x{rate}"

    def play():
        room = Room(folder, controllers)
        try:
            played = pads(room, controllers, rate)
        finally:
            room.end()
        drops.append(played["drops"])
        ours, beside = exact(played, rate), enet(controllers, rate)
        print(f"  ours {ours['ns']:.0f} ns a sample, ENet {beside['ns']:.0f}: {ours['ns'] / beside['ns']:.2f}; wake-ups "
              f"{ours['wakes']:.0f} and {beside['wakes']:.0f}")
        return ours, beside

    played = rounds(f"{controllers} controllers at {rate} Hz", pairs, play)
    return [
        figure(f"live{word}-{size}", unit, (ours[name] for ours, _ in played), (beside[name] for _, beside in played))
        for word, name, unit in (
            ("", "ns", "ns"), ("-wakes", "wakes", "a second"), ("-sender", "sender", "% of a core"))
    ] + [figure(f"live-drops-{size}", "datagrams", drops)]


def gather(folder, pairs, controllers, rate):
    """What it saves, and how much later datagrams are read, to let them gather before."""
    def play():
        played = {}
        for setting in ("0.5ms", "0ms"):
            room = Room(folder, controllers, "--gather", setting)
            try:
                played[setting] = exact(pads(room, controllers, rate), rate)
            finally:
                room.end()
        print(f"  gathering {played['0.5ms']['ns']:.0f} ns a sample, else {played['0ms']['ns']:.0f}")
        return played

    played = rounds(f"gathering, {controllers} controllers at {rate} Hz", pairs, play)
    return [
        figure(f"gather{word}-{controllers}x{rate}", unit, *([pair[setting][name] for pair in played]
                                                             for setting in ("0.5ms", "0ms")))
        for word, name, unit in (("", "ns", "ns"), ("-wakes", "wakes", "a second"), ("-delay", "waited", "ms"))
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


def shares(prefix, taken, stages, rest, among=""):
    """Of what perf took the shares, by the first stage of which a word stands on the stack; `among` stands on all of them."""
    said = subprocess.run(["perf", "script", "-i", taken, "-F", "comm,ip,sym"], capture_output=True, text=True).stdout
    counts, total = dict.fromkeys([what for what, *_ in stages] + [rest], 0), 0
    for stack in said.split("\n\n"):
        if stack.strip() and among in stack:
            total += 1
            counts[next((what for what, *words in stages if any(word in stack for word in words)), rest)] += 1
    if total < 500:
        raise Absent(f"perf took {total} samples only")
    return [figure(f"{prefix}-{what}", "%", [count / total * 100]) for what, count in counts.items()]


def each(*parts):
    """What the parts of one measure, also where another of them fails."""
    figures = []
    for measure in parts:
        try:
            figures += measure()
        except Exception as error:
            NOTES.append(f"not measured: {error}")
            print(f"  {NOTES[-1]}")
    if not figures:
        raise Absent("; ".join(NOTES[-len(parts):]))
    return figures


def profile(folder, controllers=1000, rate=30):
    """Where a live host's processor time goes, and where that of what waits in a socket."""
    if not shutil.which("perf"):
        raise Absent("perf is not here: sudo apt install linux-perf")
    record = ["perf", "record", "-e", "cpu-clock", "-F", "1999", "-g", "-o"]
    room, players = Room(folder, controllers), None
    try:
        players = Program(
            PROGRAMS / "ThousandsBenchmark", room.ticket, controllers, rate, 10, **room.environment)
        players.says("have their seats", within=90)
        time.sleep(2)
        subprocess.run(
            [*record, folder / "live.data", "-p", str(room.program.process.pid), "--", "sleep", "7"], capture_output=True)
    finally:
        if players:
            players.end()
        room.end()
    subprocess.run([*record, folder / "drained.data", PROGRAMS / "DatagramBenchmark", "1000"], capture_output=True)
    # Below libsodium perf finds no callers: whose seals they are it cannot say.
    drained = [stage for stage in STAGES if stage[0] != "seals opened"]
    return each(
        lambda: shares("profile-live", folder / "live.data", [*STAGES, THREAD], ELSEWHERE),
        lambda: shares(
            "profile-drained", folder / "drained.data", drained, "the loop that does it, and its answers put together",
            among="drainIntoEngine"))


def heap(folder, peers=100):
    """What an engine keeps of a peer whose last minute is full, in bytes asked for: every block, by where it was asked for."""
    if not shutil.which("valgrind"):
        raise Absent("valgrind is not here: sudo apt install valgrind")
    taken = folder / "heap.json"
    # Its own malloc, which counts, is looked into as well.
    done = subprocess.run(
        ["valgrind", "--tool=dhat", "--soname-synonyms=somalloc=NONE", f"--dhat-out-file={taken}",
         PROGRAMS / "CoordinatorBenchmark", "hold", str(peers)], capture_output=True, text=True, timeout=400)
    if done.returncode != 0 or not taken.exists():
        raise Absent(f"valgrind ended with {done.returncode}: {' '.join(done.stderr.split())[-200:]}")
    return held(json.loads(taken.read_text()), peers)


def held(said, peers):
    """Of what dhat says is held at a program's end, the engine's, by what it is for; a peer's part."""
    bytes_of = dict.fromkeys([what for what, *_ in KEPT] + ["the rest"], 0)
    for point in said["pps"]:
        stack = " ".join(said["ftbl"][frame] for frame in point["fs"])
        if "10RoomEngine" in stack or "18SessionCoordinator" in stack:
            bytes_of[next((what for what, *words in KEPT if any(word in stack for word in words)), "the rest")] += point["eb"]
    if not any(bytes_of.values()):
        raise Absent("dhat names nothing of the engine's")
    return [figure(f"heap-{what}", "bytes", [count / peers]) for what, count in bytes_of.items()]


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
        "phones": lambda: each(
            lambda: kept("PhoneBenchmark", "--for", 15), lambda: kept("PhoneBenchmark", "--for", 15, "--phones", 500)),
        "hands": lambda: kept("HandsBenchmark", 25),
        # Of 60 s at 60 Hz the last hundredth is 36 samples; at 20 % lost three losses in a row are some 29 of them.
        "losses": lambda: kept("LossBenchmark", 60),
        "process": lambda: process(folder),
        "joining": lambda: joining(folder),
        "finding": finding,
        "thousands": lambda: thousands(folder),
        "gather": lambda: gather(folder, max(2, options.pairs // 3), 1000, 30),
        "profile": lambda: each(lambda: profile(folder), lambda: heap(folder)),
        "live": lambda: each(
            lambda: live(folder, options.pairs, 400, 30), lambda: live(folder, options.pairs, 1000, 30)),
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
    others, began = Others(), time.monotonic()
    figures, missing = {}, {}
    with tempfile.TemporaryDirectory(prefix="roomful-bench-") as made:
        folder = pathlib.Path(made)
        for part in options.only or parts:
            others.part = part
            print(f"\n== {part}", flush=True)
            try:
                figures.update({figure["name"]: figure for figure in parts[part]()})
            except Exception as error:  # Whatever it is: the other parts' minutes are not to be thrown away for it.
                missing[part] = str(error) if isinstance(error, (Absent, Unequal, TimeoutError)) else repr(error)[:200]
                print(f"not measured: {missing[part]}")
    text = page(figures, missing, NOTES, others.seen, (time.monotonic() - began) / 60)
    if options.only:
        print("\n" + text)
    else:
        pathlib.Path(options.page).write_text(text)
        print(f"\nwritten: {options.page}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
