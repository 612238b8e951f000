"""Programs that run beside one another for Scripts/bench.py, and what else uses the machine meanwhile."""
import os
import pathlib
import queue
import re
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent.parent
os.environ["PATH"] += ":/opt/swift/usr/bin"
PROGRAMS = HERE / ".build-release/release"
TICK = os.sysconf("SC_CLK_TCK")


class Absent(Exception):
    """What is needed is not here; says how to get it."""


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


def waiting(port, patience=10):
    """A native controller's connection, up to the room's greeting; it asks for no seat."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connection = context.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=patience))
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
