#!/usr/bin/env python3
"""Writes Packaging/order.txt.gz: the functions that a host runs, those of an idle room first.

usage: order-functions.py [PROGRAM]

PROGRAM is one of Scripts/build-release.sh, which lays its functions out by that list; without, it is built now. It runs
under valgrind for some minutes: a room that opens and waits; then one that three controllers play in, and what joins it.
Run this when much of the code is new: names that are no more are passed over, new ones lie with the rest.
"""
import gzip
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent.parent
LIST = HERE / "Packaging/order.txt.gz"


class Watched:
    """A program of which valgrind notes what it runs."""

    def __init__(self, program, folder, name, *words):
        self.notes = folder / f"{name}.callgrind"
        self.process = subprocess.Popen(
            ["valgrind", "--tool=callgrind", "--demangle=no", "--compress-strings=no",
             f"--callgrind-out-file={self.notes}", program, *words],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "ROOMFUL_STATE": str(folder / name)})

    def ran(self):
        """Ends it; the names of the program's own functions that ran."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=120)
        names, own = set(), False
        for line in self.notes.read_text(errors="replace").splitlines():
            if line.startswith("ob="):
                own = line.endswith("/roomful")
            elif line.startswith("fn=") and own and not line.startswith("fn=0x"):
                names.add(re.sub(r"'\d+$", "", line[3:]))
        return names


def wait_for(path):
    ends = time.monotonic() + 120
    while not path.exists():
        if time.monotonic() > ends:
            sys.exit("order-functions.py: the room did not open within 120 s under valgrind")
        time.sleep(0.2)


def main():
    if len(sys.argv) > 2 or sys.argv[1:] in (["--help"], ["-h"]):
        sys.exit(__doc__)
    if len(sys.argv) == 1:
        subprocess.run([HERE / "Scripts/build-release.sh", "--product", "roomful"], check=True)
    built = sys.argv[1] if len(sys.argv) == 2 else HERE / ".build-release/release/roomful"
    with tempfile.TemporaryDirectory(prefix="roomful-order-") as made:
        folder = pathlib.Path(made)
        program = folder / "roomful"
        # Valgrind cannot read the debug information that the toolchain's own libraries bring along.
        subprocess.run(["strip", "--strip-debug", "-o", program, built], check=True)
        ticket = folder / "ticket"
        host = ("host", "Order", "--seats", "8", "--policy", "open", "--discovery", "none", "--code-file", ticket)
        idle = Watched(program, folder, "idle", *host)
        wait_for(ticket)
        time.sleep(10)
        groups = [idle.ran()]
        ticket.unlink()
        played = Watched(program, folder, "played", *host)
        wait_for(ticket)
        join = ("join", "--code-file", ticket, "--replay", HERE / "Recordings/demo/jump.csv", "--loop", "--as")
        joined = [Watched(program, folder, f"pad{number}", *join, f"Pad {number}") for number in range(3)]
        time.sleep(40)
        groups += [each.ran() for each in (joined[0], played)]
        for each in joined[1:]:
            each.ran()
    seen, names = set(), []
    for group in groups:
        names += sorted(group - seen)
        seen |= group
    LIST.write_bytes(gzip.compress("".join(f"{name}\n" for name in names).encode(), 9, mtime=0))
    print(f"{len(names):,} functions, {len(groups[0]):,} of them of an idle room: {LIST.relative_to(HERE)}")


if __name__ == "__main__":
    main()
