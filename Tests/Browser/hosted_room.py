"""A real room of the program under test: started, asked, killed and started again."""

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
# In make test, and where CI is set, nothing is left out because a tool is missing: it fails.
MAY_STAND_ASIDE = (
    os.environ.get("ROOMFUL_REQUIRE_AVAHI") != "1" and os.environ.get("CI", "") in ("", "0", "false"))
PROGRAM = os.environ.get("ROOMFUL_PROGRAM", str(HERE.parent.parent / ".build/debug/roomful"))
# Natives of these tests push, and do not leave the ground: their rooms watch for the paper's jump, too.
PAPER = str(HERE.parent.parent / "Examples/keepcalm.toml")
# In seconds: it bounds how long a fact is waited for, on a machine that stands still now and then, and judges nothing.
PATIENCE = 60


def free_port():
    """A port that is free for TCP and UDP alike, on every address. The kernel gives none of these to whoever takes any
    (32768 and up), so that it stays free while its room is down."""
    for _ in range(64):
        port = random.randrange(15_000, 32_000)
        with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
            try:
                tcp.bind(("", port))
                udp.bind(("", port))
            except OSError:
                continue
            return port
    raise RuntimeError("no port is free for TCP and UDP")


def wait_until(question, timeout=PATIENCE, what=None):
    """Asks until the answer is true, and returns it. Only for what another process does in its own time."""
    deadline = time.monotonic() + timeout
    while True:
        answer = question()
        if answer:
            return answer
        assert time.monotonic() < deadline, f"not within {timeout} s: {what() if callable(what) else what or question}"
        time.sleep(0.03)


class HostedRoom:
    """`roomful host` in a state folder of its own. `port` and `http` stay the same over restarts."""

    def __init__(self, *arguments, name="Living Room", seats=4):
        self.name, self.arguments, self.seats = name, arguments, seats
        self.folder = tempfile.mkdtemp(prefix="roomful-browser-")
        self.port, self.http = free_port(), free_port()
        self.code_file = os.path.join(self.folder, "ticket")
        self.environment = {**os.environ, "ROOMFUL_STATE": self.folder}
        self.environment.pop("XDG_RUNTIME_DIR", None)
        self.events, self.process = [], None

    def start(self):
        """Returns when the room answers at both of its ports."""
        command = [
            PROGRAM, "host", self.name, "--seats", str(self.seats), "--port", str(self.port),
            "--http", str(self.http), "--discovery", "none", "--json", "--code-file", self.code_file,
            "--gestures", PAPER, *self.arguments,
        ]
        self.log = open(os.path.join(self.folder, "log"), "ab")
        self.process = subprocess.Popen(
            command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log)
        threading.Thread(target=self._read, args=(self.process,), daemon=True).start()
        wait_until(self._answers, what=lambda: "the room's start; " + self.said())
        return self

    def stop(self, how=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def kill(self):
        """As a crash does it: nobody is told."""
        self.stop(signal.SIGKILL)

    def close(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def said(self):
        with open(os.path.join(self.folder, "log"), "rb") as log:
            return log.read().decode(errors="replace")[-4000:]

    def _read(self, process):
        for line in process.stdout:
            try:
                self.events.append(json.loads(line))
            except ValueError:
                pass

    def _answers(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the room ended at once: {self.said()}")
        for port in (self.port, self.http):
            with socket.socket() as probe:
                probe.settimeout(1)
                if probe.connect_ex(("127.0.0.1", port)) != 0:
                    return False
        return os.path.exists(self.code_file)

    # What it knows

    def cli(self, *arguments, check=True, timeout=PATIENCE, environment=None):
        """One command of the program against this room; its standard output."""
        done = subprocess.run(
            [PROGRAM, *arguments], env={**self.environment, **(environment or {})}, capture_output=True, text=True,
            timeout=timeout)
        assert not check or done.returncode == 0, f"{arguments}: {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout if check else done

    def json(self, *arguments):
        """Such a command's answer with `--json`: the values of its lines."""
        text = self.cli(*arguments, "--json")
        try:
            return json.loads(text)
        except ValueError:
            return [json.loads(line) for line in text.splitlines() if line.strip()]

    def peers(self):
        """Who is here, in the order of the seats."""
        return sorted(self.json("peers"), key=lambda peer: peer["seat"])

    def peer(self, who):
        """Everything about one of them, `detail` included."""
        return self.json("peers", who)[0]

    def typed_code(self):
        """The code as people type it; the ticket holds a longer one."""
        return self.json("qr")["code"]

    def ticket(self):
        """The ticket as fields; `address` is a list."""
        fields = {"address": []}
        for line in Path(self.code_file).read_text().splitlines():
            key, _, value = line.partition(" ")
            if key == "address":
                fields["address"].append(value)
            else:
                fields[key] = value
        return fields

    @property
    def base(self):
        """The room's TLS place as this machine reaches it, without a final slash."""
        return f"https://127.0.0.1:{self.port}"

    @property
    def local(self):
        """The loopback place without TLS."""
        return f"http://127.0.0.1:{self.http}"

    def phone_url(self, base=None, code=True, page="/"):
        """What the QR code says, at this machine's own address. (Ticket+URL.swift)"""
        import base64

        ticket = self.ticket()
        short = lambda text: base64.urlsafe_b64encode(bytes.fromhex(text)).decode().rstrip("=")
        fields = [("v", "1"), ("i", short(ticket["id"])), ("p", short(ticket["pin"]))]
        if code and "code" in ticket:
            fields.append(("c", ticket["code"].replace("-", "")))
        fields.append(("r", ticket["room"]))
        fragment = "&".join(f"{key}={urllib.parse.quote(value)}" for key, value in fields)
        return f"{base or self.base}{page}#{fragment}"

    # What it does

    def operator_url(self):
        """The operator's page on this machine, its token behind the #."""
        return self.json("open", "--print")["pages"][0]

    def operate(self, **task):
        """An operator's command by POST."""
        return self.command(token=self.operator_url().partition("#t=")[2], **task)

    def token(self, who):
        """The game's or the operator's, from the room's folder; the same over restarts."""
        return next(Path(self.folder).rglob(f"{who}-token")).read_text().strip()

    @property
    def game_token(self):
        """What games show."""
        return self.token("game")

    def game_link(self, path="/"):
        """A page of the loopback place, with the token for games behind the #, unless another stands there."""
        return self.local + path + ("" if "#" in path else f"#t={self.game_token}")

    def command(self, token=None, **task):
        """A game's command by POST on the loopback port; its answer. `http_error` holds the status when refused."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token or self.game_token}"}
        request = urllib.request.Request(f"{self.local}/api/commands", json.dumps(task).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return {"http_error": error.code, **json.loads(error.read() or b"{}")}

    def wait_event(self, timeout=PATIENCE, since=0, **fields):
        """The first reliable event with these fields, among those from the place `since` of `events` on."""
        matches = lambda event: all(event.get(key) == value for key, value in fields.items())
        return wait_until(
            lambda: next((event for event in self.events[since:] if matches(event)), None), timeout,
            lambda: f"an event with {fields}; the last were {self.events[-5:]}")

    def gesture(self, gesture, player=1, since=0):
        """The first gesture of this kind from the place `since` of `events` on, or `None` where none has begun."""
        return next(
            (event for event in self.events[since:] if event["type"] == "gesture" and event["gesture"] == gesture
             and event["phase"] == "began" and event["player"] == player), None)

    def felt(self, what, player=1):
        """Does what commands a haptic, and returns its receipt. One that a machine which stood still has made late has
        expired, and says so; that is done again."""
        deadline = time.monotonic() + PATIENCE
        while True:
            since = len(self.events)
            what()
            receipt = self.wait_event(type="haptic", player=player, since=since)
            if receipt["reason"] != "expired" or time.monotonic() > deadline:
                return receipt

    def follow(self, motion=True):
        """The room's event stream as a game on this machine reads it."""
        return EventStream(f"{self.local}/api/events?motion={int(motion)}", self.game_token)


class EventStream:
    """Server-sent events, gathered in `events` by a thread until it is closed."""

    def __init__(self, url, token):
        self.events = []
        request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
        self._answer = urllib.request.urlopen(request, timeout=PATIENCE)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        try:
            for line in self._answer:
                if line.startswith(b"data:"):
                    self.events.append(json.loads(line[5:]))
        except (OSError, ValueError, AttributeError):
            pass

    def motion(self, player=1):
        """The newest motion of a player; `None` before the first."""
        own = [event for event in self.events if event["type"] == "motion" and event["player"] == player]
        return own[-1] if own else None

    def close(self):
        try:
            self._answer.fp.raw._sock.shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):
            pass
        self._thread.join(2)
