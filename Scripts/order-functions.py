#!/usr/bin/env python3
"""Writes Packaging/order.txt.gz: the functions that a host runs, those of an idle room first.

usage: order-functions.py [PROGRAM]

PROGRAM is one of Scripts/build-release.sh, which lays its functions out by that list; without, it is built now. It runs
under valgrind for a minute: a room that opens and waits; then one that three controllers play in, and one of those.
Run this when much of the code is new: names that are no more are passed over, new ones lie with the rest.
"""
import contextlib
import gzip
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent.parent
LIST = HERE / "Packaging/order.txt.gz"
PATIENCE = 120  # Seconds; under valgrind all takes fifty times as long.


class Watched:
    """A program of which valgrind notes what it runs."""

    def __init__(self, program, folder, name, *words):
        self.name, self.notes, self.log = name, folder / f"{name}.callgrind", folder / f"{name}.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                ["valgrind", "--tool=callgrind", "--demangle=no", "--compress-strings=no",
                 f"--callgrind-out-file={self.notes}", program, *words],
                stdout=log, stderr=log, env={**os.environ, "ROOMFUL_STATE": str(folder / name)})

    def wait_until(self, what, is_so):
        ends = time.monotonic() + PATIENCE
        while not is_so():
            if self.process.poll() is not None or time.monotonic() > ends:
                said = " ".join(self.log.read_text(errors="replace").split())
                sys.exit(f"order-functions.py: in {PATIENCE} s, {self.name} did not come so far that {what}: {said[-400:]}")
            time.sleep(0.2)

    def says(self, words):
        self.wait_until(f"it says \"{words}\"", lambda: words in self.log.read_text(errors="replace"))

    def ran(self):
        """Ends it; the names of the program's own functions that ran."""
        self.process.send_signal(signal.SIGINT)
        if code := self.process.wait(timeout=PATIENCE):
            sys.exit(f"order-functions.py: {self.name} ended with {code}")
        names, own = set(), False
        for line in self.notes.read_text(errors="replace").splitlines():
            if line.startswith("ob="):
                own = line.endswith("/roomful")
            elif line.startswith("fn=") and own and not line.startswith(("fn=0x", "fn=(")):
                names.add(re.sub(r"'\d+$", "", line[3:]))
        return names

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def main():
    if len(sys.argv) > 2 or sys.argv[1:] in (["--help"], ["-h"]):
        sys.exit(__doc__)
    for tool, package in ("valgrind", "valgrind"), ("strip", "binutils"):
        shutil.which(tool) or sys.exit(f"order-functions.py: {tool} is missing; on Debian: apt-get install {package}")
    if len(sys.argv) == 1:
        subprocess.run([HERE / "Scripts/build-release.sh", "--product", "roomful"], check=True)
    built = sys.argv[1] if len(sys.argv) == 2 else HERE / ".build-release/release/roomful"
    with tempfile.TemporaryDirectory(prefix="roomful-order-") as made, contextlib.ExitStack() as ends:
        folder = pathlib.Path(made)
        program = folder / "roomful"
        # Valgrind cannot read the debug information that the toolchain's own libraries bring along.
        subprocess.run(["strip", "--strip-debug", "-o", program, built], check=True)

        def watch(name, *words):
            watched = Watched(program, folder, name, *words)
            ends.callback(watched.kill)
            return watched

        def host(name):
            ticket = folder / f"{name}.ticket"
            room = watch(
                name, "host", "Order", "--seats", "8", "--policy", "open", "--discovery", "none", "--code-file", ticket)
            room.wait_until("its room is open", ticket.exists)
            return room, ticket

        idle, _ = host("idle")
        time.sleep(10)
        groups = [idle.ran()]
        room, ticket = host("played")
        pads = [
            watch(f"pad{number}", "join", "--code-file", ticket, "--as", f"Pad {number}", "--replay",
                  HERE / "Recordings/demo/drop.csv", "--loop")
            for number in range(3)]
        for pad in pads:
            pad.says("has seat")
        time.sleep(30)
        groups += [each.ran() for each in (*pads[:1], room)]
    seen, names = set(), []
    for group in groups:
        names += sorted(group - seen)
        seen |= group
    LIST.write_bytes(gzip.compress("".join(f"{name}\n" for name in names).encode(), 9, mtime=0))
    print(f"{len(names):,} functions, {len(groups[0]):,} of them of an idle room: {LIST.relative_to(HERE)}")


if __name__ == "__main__":
    main()
