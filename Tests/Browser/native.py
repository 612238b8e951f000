"""Native controllers with made motion: `roomful join --replay`, for games that are played by script."""

import fcntl
import json
import math
import os
import queue
import struct
import subprocess
import tempfile
import termios
import threading
import time

from hosted_room import HERE, PATIENCE, PROGRAM, wait_until

DEMO = HERE.parent.parent / "Recordings/demo"
G = 9.80665
RATE = 100


def push(t, jumps):
    """KeepCalm's jump: pushed along y by 1 g for 80 ms. CoreMotion's sign: felt as a force towards the lower edge."""
    return (0.0, -G, G) if any(at <= t < at + 0.08 for at in jumps) else (0.0, 0.0, G)


def leap(t, jumps):
    """A real jump, face up: pushed off, in the air for 300 ms, landed."""
    for at in jumps:
        if at <= t < at + 0.12 or at + 0.42 <= t < at + 0.5:
            return (0.0, 0.0, 2.2 * G)
        if at + 0.12 <= t < at + 0.42:
            return (0.0, 0.0, 0.2 * G)
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


def lively(folder, place):
    """Somebody in play: tilted to the side by an angle of its own, and jumping about every two seconds."""
    roll = math.radians((place * 37) % 80 - 40)
    beats = [2 * beat + 0.05 * ((beat * 7 + place * 3) % 9) for beat in range(1, 60)]
    still = recording(folder, 0, None)
    with open(still, "a") as file:
        for tick in range(120 * 50):
            t = tick / 50
            turn = roll if t < 1 else 0
            angle = roll * min(t, 1)
            y = -G if any(beat <= t < beat + 0.08 for beat in beats) else 0
            file.write(f"{t:.3f},{-G * math.sin(angle):.3f},{y:.3f},{G * math.cos(angle):.3f},0,{turn:.4f},0\n")
    return still


class Native:
    """`roomful join`, as a process of its own with a state folder of its own."""

    def __init__(self, room, name, recording=None, loop=False):
        """Without a recording it is fed: `feed`."""
        self.folder = tempfile.mkdtemp(prefix="native-", dir=room.folder)
        source = ["--replay", recording, *(["--loop"] if loop else [])] if recording else ["--stdin"]
        self.command = [PROGRAM, "join", "--as", name, "--code-file", room.code_file, "--json", *source]
        self.input = subprocess.DEVNULL if recording else subprocess.PIPE
        self.log = os.path.join(self.folder, "log")
        self._start()

    def _start(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                self.command, env={**os.environ, "ROOMFUL_STATE": self.folder}, stdout=log, stderr=log,
                stdin=self.input)

    def begin(self, force):
        """The first sample, whose time is when it was read: the clock of all that follow begins there. Where the
        machine stood still, so that nobody knows when that was, the program is started anew."""
        deadline = time.monotonic() + PATIENCE
        while True:
            unread = asked = time.monotonic()
            self.feed(force, 0)
            while self._unread() and self.process.poll() is None:
                unread = asked
                time.sleep(0.001)
                asked = time.monotonic()
            self.began = time.monotonic()
            if self.began - unread < 0.03 or self.began > deadline:
                return
            self.process.kill()
            self.process.wait()
            self._start()

    def _unread(self):
        return struct.unpack("i", fcntl.ioctl(self.process.stdin, termios.FIONREAD, b"\0" * 4))[0]

    def feed(self, force, at, rotation=(0, 0, 0)):
        """One sample, taken `at` seconds after the first: however late a busy machine reads it, its motion is the same."""
        self.say({"t": at, "acceleration": force, "rotationRate": rotation})

    def say(self, sample):
        """One line."""
        line = json.dumps(sample)
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            pass  # It has ended; the test will notice.

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Together:
    """Controllers that are fed by one thread, a sample every `interval` s, so that what they do has one clock."""

    def __init__(self, room, names, interval=0.1):
        self.room, self.interval = room, interval
        self.natives = []
        self.jumps = [[] for _ in names]
        self.lock = threading.Lock()
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self._feed, daemon=True)
        for place, name in enumerate(names):
            native = Native(room, name)
            self.natives.append(native)
            native.begin((0, 0, G))  # It joins when it knows what it measures; in the order of the names.
            wait_until(lambda: len(room.peers()) > place, what=f"{name}'s seat")
        self.thread.start()

    def jump(self, *delays, start=None):
        """Each of them, after its own delay in seconds from `start`, else from now on; `None`: not at all."""
        with self.lock:
            start = start or time.monotonic() + 2 * self.interval
            for jumps, delay in zip(self.jumps, delays):
                if delay is not None:
                    jumps.append(start + delay)

    def jumped(self, *players):
        """These players jump, each until the room tells it: a machine that stands still a second swallows a jump."""
        since, deadline = len(self.room.events), time.monotonic() + PATIENCE
        left = lambda: [player for player in players if not self.room.gesture("keepcalm-jump", player, since)]
        while left():
            assert time.monotonic() < deadline, f"no jump of {left()} was told"
            jumping = left()
            self.jump(*(0 if player in jumping else None for player in range(1, 1 + len(self.jumps))))
            again = time.monotonic() + 5
            while left() and time.monotonic() < again:
                time.sleep(0.03)

    def _feed(self):
        due = time.monotonic()
        while not self.ending.wait(max(0, due - time.monotonic())):
            with self.lock:
                pushed = [any(jump <= due < jump + 0.25 for jump in jumps) for jumps in self.jumps]
            for native, is_pushed in zip(self.natives, pushed):
                native.feed((0, -G if is_pushed else 0, G), due - native.began)
            due += self.interval

    def close(self):
        self.ending.set()
        self.thread.join(2)
        for native in self.natives:
            native.close()


class Turned:
    """A controller that lies face up and is turned about its x axis, for a second, whenever it is told to; fed a sample
    every 20 ms, with times of its own."""

    interval = 0.02

    def __init__(self, room, name):
        self.native = Native(room, name)
        self.native.begin((0, 0, G))
        self.rates = queue.SimpleQueue()
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self._feed, daemon=True)
        self.thread.start()

    def turn(self, degrees):
        count = round(1 / self.interval)
        for _ in range(count):
            self.rates.put(math.radians(degrees) / (count * self.interval))

    def _feed(self):
        due, angle = time.monotonic(), 0.0
        while not self.ending.wait(max(0, due - time.monotonic())):
            rate = 0.0 if self.rates.empty() else self.rates.get()
            angle += rate * self.interval
            force = (0, G * math.sin(angle), G * math.cos(angle))
            self.native.feed(force, due - self.native.began, (rate, 0, 0))
            due += self.interval

    def close(self):
        self.ending.set()
        self.thread.join(2)
        self.native.close()
