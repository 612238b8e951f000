#!/usr/bin/env python3
"""How long it takes to be seen, to see, and to play, by avahi-daemon, by the embedded responder, and by Avahi's own tools.

usage: discovery-benchmark.py [REPETITIONS] [FOLDER OF THE PROGRAMS]      20 and .build/debug, unless said otherwise

Needs root: it makes two hosts in network namespaces (Scripts/lan.sh). All figures of the table are of one run, in
milliseconds: the median, the 95th percentile, and the median's ratio to Avahi's own tools beside the same daemons. Where
ROOMFUL_FIGURES names a file, the figures are added there, for Scripts/bench.py.
"""
import json
import os
import pathlib
import re
import select
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
LAN = str(HERE / "lan.sh")
LIMIT = 15.0
# Says when a program starts, on its host: what it takes to get there is not its own time.
START = "import os, sys, time; print('started %.9f' % time.monotonic(), flush=True); os.execvp(sys.argv[1], sys.argv[1:])"


class Program:
    """A program on a host, whose lines are waited for."""

    def __init__(self, lan, host, *words):
        environment = {key: value for key, value in os.environ.items() if key != "XDG_RUNTIME_DIR"}
        self.process = subprocess.Popen(
            [LAN, "in", lan, str(host), sys.executable, "-c", START, *words], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=environment)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.said = ""

    def says(self, pattern):
        """What it says, and when that was read."""
        deadline = time.monotonic() + LIMIT
        while (now := time.monotonic()) < deadline:
            if match := re.search(pattern, self.said, re.MULTILINE):
                return match, now
            select.select([self.process.stdout], [], [], deadline - now)
            part = self.process.stdout.read()
            if part:
                self.said += part.decode(errors="replace")
            elif part == b"":
                break
        raise TimeoutError(f"{self.process.args} did not say {pattern} but:\n{self.said}")

    def at(self, pattern):
        """When it says that it said so."""
        return float(self.says(pattern + r" (\d+\.\d+)$")[0].group(1))

    @property
    def started(self):
        return self.at("^started")

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(3)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def measure(lan, programs, backend, repetitions):
    """Times in seconds: from the publishing program's start until seen, from the browsing one's until resolved, of that from
    its question, and from asking for a name until the first accepted sample. When a line was read counts, whosever it is."""
    bench, roomful = str(programs / "DiscoveryBenchmark"), str(programs / "roomful")
    seen, resolved, asked, accepted = [], [], [], []
    for number in range(repetitions):
        name = f"Bench {backend} {number}"
        if backend == "tools":
            watcher = Program(lan, 2, "avahi-browse", "-rp", "_roomful._tcp")
            time.sleep(0.3)
            room = Program(lan, 1, "avahi-publish", "--service", name, "_roomful._tcp", "7777", f"id={number:032x}")
            escaped = "^=.*" + re.escape(name.replace(" ", "\\032")) + ";"
            seen.append(watcher.says(escaped)[1] - room.started)
            watcher.end()
            again = Program(lan, 2, "avahi-browse", "-rp", "_roomful._tcp")
            resolved.append(again.says(escaped)[1] - again.started)
        else:
            watcher = Program(lan, 2, bench, "browse", backend)
            watcher.says("asked")
            time.sleep(0.3)
            room = Program(lan, 1, bench, "publish", backend, name)
            seen.append(watcher.says(f"^seen {name} ")[1] - room.started)
            watcher.end()
            again = Program(lan, 2, bench, "browse", backend)
            resolved.append(again.says(f"^seen {name} ")[1] - again.started)
            asked.append(again.at(f"^seen {name}") - again.at("^asked"))
        again.end()
        room.end()
    if backend != "tools":
        host = Program(lan, 1, roomful, "host", "Bench", "--policy", "open", "--discovery", backend, "--seats", "100")
        host.says("with 100 seats")
        status = Program(lan, 1, roomful, "browse", "--for", "3s", "--json", "--discovery", backend)
        pin = status.says(r'"pin":"([0-9a-f]{64})"')[0].group(1)
        status.end()
        for _ in range(repetitions):
            controller = Program(lan, 2, bench, "join", backend, "Bench", pin)
            accepted.append(controller.at("^accepted") - controller.at("^asked"))
            controller.end()
        host.end()
    return {"publish to seen": seen, "browse to resolved": resolved, "of that, from the question": asked,
            "name asked to accepted sample": accepted}


def main(repetitions, programs):
    if os.geteuid() != 0:
        sys.exit("two hosts in network namespaces need root")
    lan = f"b{os.getpid() % 100_000}"
    state = f"/tmp/roomful-{lan}"
    os.environ |= {"ROOMFUL_LAN_STATE": state, "ROOMFUL_STATE": state + "-room"}
    results = {}
    try:
        subprocess.run([LAN, "up", lan, "2"], check=True, stdout=subprocess.DEVNULL)
        for backend in ("tools", "daemon"):
            results[backend] = measure(lan, programs, backend, repetitions)
        for host in ("1", "2"):
            subprocess.run([LAN, "avahi", lan, host, "stop"], check=True)
        results["embedded"] = measure(lan, programs, "embedded", repetitions)
    finally:
        subprocess.run([LAN, "down", lan])
        subprocess.run(["rm", "-rf", state + "-room"])
    names = {"tools": "avahi-publish, avahi-browse", "daemon": "Roomful by avahi-daemon", "embedded": "Roomful, embedded"}
    print(f"| ms, {repetitions} times each | | median | p95 | to Avahi's tools |\n|---|---|---|---|---|")
    for what in results["tools"]:
        for backend, name in names.items():
            times = sorted(results[backend][what])
            if not times:
                continue
            median, p95 = statistics.median(times), times[min(len(times) - 1, int(0.95 * len(times)))]
            base = results["tools"][what]
            ratio = f"{median / statistics.median(base):.2f}" if base else "-"
            print(f"| {what} | {name} | {median * 1e3:.0f} | {p95 * 1e3:.0f} | {ratio} |")
    if path := os.environ.get("ROOMFUL_FIGURES"):
        with open(path, "a") as file:
            for what, word in (("publish to seen", "seen"), ("browse to resolved", "resolved"),
                               ("of that, from the question", "asked"), ("name asked to accepted sample", "accepted")):
                for backend in ("daemon", "embedded"):
                    figure = {"name": f"find-{word}-{backend}", "unit": "ms"}
                    for side, times in (("ours", results[backend][what]), ("beside", results["tools"][what])):
                        figure[side] = [time * 1e3 for time in times]
                    file.write(json.dumps(figure) + "\n")


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 20,
        (pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else HERE.parent / ".build/debug").resolve())
