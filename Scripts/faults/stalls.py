#!/usr/bin/env python3
"""Runs a command on a machine that stands still now and then, as a virtual one does whose host is busy.

usage: stalls.py [--seed N] [--every S] [--longest S] [--one] COMMAND...

Every now and then (after 0 to twice EVERY seconds, 3 unless told) the command and all that it started stand still at
once, for up to LONGEST seconds (1 unless told); their clocks go on. With --one it is one of their processes at a time.
Ends as the command does, and says on its last line how often and for how long it stood. Needs root, for a control group.
"""
import argparse
import contextlib
import os
import random
import signal
import subprocess
import sys
import time

reader = argparse.ArgumentParser(usage=__doc__)
reader.add_argument("--seed", type=int, default=1)
reader.add_argument("--every", type=float, default=3)
reader.add_argument("--longest", type=float, default=1)
reader.add_argument("--one", action="store_true")
reader.add_argument("command", nargs=argparse.REMAINDER)
given = reader.parse_args()
if not given.command:
    sys.exit(__doc__)
chance = random.Random(given.seed)
with open("/proc/mounts") as mounts:
    root = next((line.split()[1] for line in mounts if line.split()[2] == "cgroup2"), None)
if root is None or not os.access(root, os.W_OK):
    sys.exit("stalls.py needs root, and a mounted cgroup2, for a control group of its own")
group = os.path.join(root, f"stalls-{os.getpid()}")
one = os.path.join(group, "one")  # Where a single process stands still: SIGCONT would wake one that a test had stopped.
os.mkdir(group)
os.mkdir(one)


def write(file, what, where=group):
    with open(os.path.join(where, file), "w") as out:
        out.write(what)


def members(where=group):
    with open(os.path.join(where, "cgroup.procs")) as procs:
        return [int(line) for line in procs]


def move(process, where):
    with contextlib.suppress(ProcessLookupError):
        write("cgroup.procs", str(process), where)


def tell(process, which):
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, which)


def stand_still(seconds):
    if given.one:
        processes = members()
        if processes:
            move(chance.choice(processes), one)
            write("cgroup.freeze", "1", one)
            time.sleep(seconds)
            write("cgroup.freeze", "0", one)
            for process in members(one):
                move(process, group)
    else:
        write("cgroup.freeze", "1")
        time.sleep(seconds)
        write("cgroup.freeze", "0")


def enter():
    write("cgroup.procs", "0")
    for each in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(each, signal.SIG_DFL)


stood, times = 0.0, 0
child = subprocess.Popen(given.command, preexec_fn=enter)
for each in (signal.SIGINT, signal.SIGTERM):
    signal.signal(each, lambda which, _: child.send_signal(which))
while child.poll() is None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(chance.uniform(0, 2 * given.every))
        break
    seconds = chance.uniform(0, given.longest)
    begun = time.monotonic()
    stand_still(seconds)
    stood += time.monotonic() - begun
    times += 1
left = members() + members(one)
for process in left:
    tell(process, signal.SIGKILL)
for _ in range(100):
    with contextlib.suppress(OSError):
        if os.path.isdir(one):
            os.rmdir(one)
        os.rmdir(group)
        break
    time.sleep(0.05)
print(f"stalls.py: stood still {times} times, for {stood:.1f} s in all (seed {given.seed}); {len(left)} processes left", file=sys.stderr)
sys.exit(child.returncode if child.returncode >= 0 else 128 - child.returncode)
