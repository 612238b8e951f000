"""Rooms in a site, for tests: hosts with a real broker, and what their own machine says of them."""
import json
import socket
import subprocess
import time
from pathlib import Path

import pytest
from conftest import PROGRAM
from site_broker import PATIENCE, Broker

ROOT = Path(__file__).resolve().parents[2]
RECORDING = ROOT / "Recordings/demo/jump.csv"


def eventually(question, patience=PATIENCE):
    """The answer, once it is true; the last one when time is over."""
    limit = time.monotonic() + patience
    while True:
        answer = question()
        if answer or time.monotonic() > limit:
            return answer
        time.sleep(0.1)


@pytest.fixture
def brokers(folder):
    """Starts brokers, each with a folder of its own, and ends by pid those that still run."""
    running = []

    def start(configuration=None, where="broker"):
        place = folder / where
        place.mkdir(exist_ok=True)
        broker = Broker(place, configuration)
        running.append(broker)
        return broker.start()

    yield start
    for broker in running:
        broker.end()


@pytest.fixture
def site(roomful, folder, brokers):
    """A site as `roomful site init` writes it, with its broker running."""
    place = folder / "broker"
    place.mkdir()
    code, out, err = roomful("site", "init", place / "site", "--name", "arcade")
    assert code == 0, err
    broker = brokers(place / "site/nats-server.conf")
    broker.words = out

    def given(role):
        return ["--site-name", "arcade", "--site-credentials", place / f"site/{role}.credentials"]

    broker.host = ["--site", broker.url, *given("host")]
    broker.flags = lambda role: ["--broker", broker.url, *given(role)]
    return broker


class Room:
    """A hosted room, and what its own machine says of it."""

    def __init__(self, name, process, state, roomful):
        self.name, self.process, self.state, self.roomful = name, process, state, roomful

    def status(self):
        code, out, _ = self.roomful("peers", "--room", self.name)
        return out if code == 0 else ""

    def ask(self, *requests):
        """Commands by the operator's door, and their answers."""
        door = next(self.state.rglob("*.sock"))
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(PATIENCE)
            line.connect(str(door))
            file = line.makefile("rw")
            answers = []
            for request in requests:
                file.write(json.dumps(request) + "\n")
                file.flush()
                answers.append(json.loads(file.readline()))
            return answers

    def happen(self, count):
        """So many events, an even number: the room is locked and unlocked."""
        self.ask(*[{"task": "lock" if number % 2 == 0 else "unlock"} for number in range(count)])

    def told(self):
        """The room's own word: its events by number, as far as it remembers them, up to the last it has told by now."""
        last, told = next(self.listen({"task": "events"}))["after"], {}
        if last:
            for event in self.listen({"task": "events", "after": 0}):
                told |= {event["n"]: event} if "n" in event else {}
                if event.get("n", 0) >= last:
                    break
        return told

    def listen(self, request):
        """The events of the operator's door, the greeting first."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(PATIENCE)
            line.connect(str(next(self.state.rglob("*.sock"))))
            line.sendall(json.dumps(request).encode() + b"\n")
            with line.makefile() as file:
                for text in file:
                    yield json.loads(text)["event"]

    def standing(self):
        return self.ask({"task": "status"})[0]["status"].get("site") or {"state": None}


@pytest.fixture
def host(started, folder, environment):
    """Opens a room, and waits until it can be joined."""

    def open_room(name, *flags, **more):
        state = folder / f"state-{name}"
        process = started(
            "host", name, "--policy", "open", "--discovery", "none", "--http", "off", "--code-file", folder / f"{name}.ticket",
            *flags, ROOMFUL_STATE=str(state), **more)

        def command(*arguments):
            done = subprocess.run(
                [PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=60,
                env=environment | {"ROOMFUL_STATE": str(state)}, check=False)
            return done.returncode, done.stdout, done.stderr

        assert eventually(lambda: (folder / f"{name}.ticket").exists() or process.poll() is not None)
        assert process.poll() is None, process.stdout.read()
        assert eventually(lambda: list(state.rglob("*.sock")))
        return Room(name, process, state, command)

    return open_room


@pytest.fixture
def plays(started, folder):
    def join(room, name="Blue"):
        return started(
            "join", "--code-file", folder / f"{room}.ticket", "--as", name, "--replay", RECORDING, "--loop",
            ROOMFUL_STATE=str(folder / name))

    return join


def connected(room):
    assert eventually(lambda: room.standing()["state"] == "connected"), room.standing()


def problem(room):
    return eventually(lambda: room.standing()["state"] == "away" and room.standing()["problem"])


def caught_up(room):
    """Everything that the room has told until now is confirmed, or in a gap: what it says of itself may be a second old."""
    last = max(room.told(), default=-1)

    def is_so():
        standing = room.standing()
        return standing["state"] == "connected" and standing["waiting"] == 0 and standing["confirmed"] + standing["lost"] > last

    assert eventually(is_so), room.standing()


def whole(records, room=None):
    """Numbers of one opening follow one another, gaps included; answers the events by number, and the gaps."""
    last, events, gaps = {}, {}, []
    for _, record in records:
        if room and record["name"] != room:
            continue
        key = record["room"], record["opened"]
        if gap := record.get("gap"):
            gaps.append((gap["first"], gap["last"]))
            assert record["n"] == gap["last"]
        else:
            assert record["event"].get("n", 0) == record["n"]
            assert record["n"] not in events, f"{record['n']} stands in the stream twice"
            assert record["n"] > last.get(key, -1), "out of order"
            events[record["n"]] = record["event"]
        last[key] = max(record["n"], last.get(key, -1))
    return events, gaps
