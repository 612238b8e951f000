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
import resource
import subprocess
import sys
import tempfile
import time

from bench_page import page
from bench_profile import figure, heap, heap_waiting, profile, profile_drained, profile_phones
from bench_programs import HERE, PROGRAMS, Absent, Others, Program, Room, waiting

PRODUCTS = ["roomful", "ENetPeers", "DatagramBenchmark", "CoordinatorBenchmark", "MotionBenchmark", "PhoneBenchmark",
            "HandsBenchmark", "LossBenchmark", "JoiningBenchmark", "ThousandsBenchmark", "DiscoveryBenchmark"]
WINDOW = 5.0  # Seconds of a live host's play that are measured.


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
        except (Absent, Unequal, TimeoutError, subprocess.TimeoutExpired, OSError) as error:
            if number == 0 and isinstance(error, Absent):
                raise
            NOTES.append(f"{what}, pair {number + 1} of {pairs} is left out: {error}")
            print(f"  {NOTES[-1]}")
    if len(all_of_them) < 2:
        raise Absent(f"of {pairs} pairs {len(all_of_them)} can be used")
    return all_of_them


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
            lambda: again(3, "PhoneBenchmark", "--for", 8), lambda: again(3, "PhoneBenchmark", "--for", 8, "--phones", 500)),
        "hands": lambda: kept("HandsBenchmark", 25),
        # Of 60 s at 60 Hz the last hundredth is 36 samples; at 20 % lost three losses in a row are some 29 of them.
        "losses": lambda: kept("LossBenchmark", 60),
        "process": lambda: process(folder),
        "joining": lambda: joining(folder),
        "finding": finding,
        "thousands": lambda: thousands(folder),
        "gather": lambda: gather(folder, max(2, options.pairs // 3), 1000, 30),
        "profile": lambda: each(*(lambda part=part: part(folder) for part in (
            profile, profile_drained, profile_phones, heap, heap_waiting))),
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
