"""Native controllers with made motion: `roomful join --replay`, for games that are played by script."""

import math
import os
import subprocess
import tempfile

from hosted_room import PROGRAM

G = 9.80665
RATE = 100


def push(t, jumps):
    """KeepCalm's jump: pushed along y by 1 g for 80 ms. CoreMotion's sign: felt as a force towards the lower edge."""
    return (0.0, -G, G) if any(at <= t < at + 0.08 for at in jumps) else (0.0, 0.0, G)


def leap(t, jumps):
    """A body's jump, face up: 2 g of push-off for 200 ms, 300 ms of flight from `at` on, and a landing of 2.5 g."""
    for at in jumps:
        if at - 0.2 <= t < at:
            return (0.0, 0.0, 2 * G)
        if at <= t < at + 0.3:
            return (0.0, 0.0, 0.1 * G)
        if at + 0.3 <= t < at + 0.4:
            return (0.0, 0.0, 2.5 * G)
    return (0.0, 0.0, G)


def recording(folder, seconds, force):
    """A recording of `force(t)`, without turning; its path."""
    handle, path = tempfile.mkstemp(suffix=".csv", dir=folder)
    with os.fdopen(handle, "w") as file:
        file.write("t_s,ax,ay,az,gx,gy,gz\n")
        for tick in range(int(seconds * RATE)):
            x, y, z = force(tick / RATE)
            file.write(f"{tick / RATE:.3f},{x:.3f},{y:.3f},{z:.3f},0,0,0\n")
    return path


def turning(folder, turns, rest):
    """A recording that rests face up for `rest` s, then for each (axis, degrees): turns for 1 s, and rests again. About
    one axis only, so that the angles add up; its path."""
    handle, path = tempfile.mkstemp(suffix=".csv", dir=folder)
    rates = [0.0] * int(rest * RATE)
    for axis, degrees in turns:
        rates += [math.radians(degrees)] * RATE + [0.0] * int(rest * RATE)
    with os.fdopen(handle, "w") as file:
        file.write("t_s,ax,ay,az,gx,gy,gz\n")
        angle = 0.0
        for tick, rate in enumerate(rates):
            angle += rate / RATE
            if axis == "x":
                force, turn = (0, G * math.sin(angle), G * math.cos(angle)), (rate, 0, 0)
            else:
                force, turn = (-G * math.sin(angle), 0, G * math.cos(angle)), (0, rate, 0)
            file.write(",".join(f"{value:.4f}" for value in (tick / RATE, *force, *turn)) + "\n")
    return path


class Native:
    """`roomful join`, as a process of its own with a state folder of its own."""

    def __init__(self, room, name, recording, loop=False):
        self.folder = tempfile.mkdtemp(prefix="native-", dir=room.folder)
        command = [
            PROGRAM, "join", "--as", name, "--code-file", room.code_file, "--replay", recording,
            *(["--loop"] if loop else []), "--json",
        ]
        self.log = os.path.join(self.folder, "log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command, env={**os.environ, "ROOMFUL_STATE": self.folder}, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log)

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
