"""A whole evening over real sockets, recorded: 5 % of a fleet's datagrams lost, contests, lessons, haptics, phones over
WebSocket, a kick, and a host that is killed and comes back. Each of its lives plays again to the same bytes, twice.

    ROOMFUL_EVENING_MINUTES=10      how long it lasts; else one minute
"""
import collections
import json
import os
import re
import subprocess
import time
from pathlib import Path

import pytest
from conftest import PROGRAM
from test_recordings import ROOT, answering, until

MINUTES = float(os.environ.get("ROOMFUL_EVENING_MINUTES", "1"))
CROWD, RATE = (15, 100) if MINUTES > 2 else (5, 50)
# A debug build plays no faster than it lived on a busy machine.
PATIENCE = 60 + MINUTES * 120
PHONES = Path(PROGRAM).parent / "PhoneBenchmark"


@pytest.fixture
def run(folder, environment):
    """Starts a program whose words go to a file; those that still run in the end are ended by their pid."""
    running = []

    def start(name, *arguments, program=PROGRAM, own_state=False):
        state = {"ROOMFUL_STATE": str(folder / name)} if own_state else {}
        with (folder / f"{name}.log").open("a") as log:
            process = subprocess.Popen([str(program), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=subprocess.STDOUT, env=environment | state)
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.wait()


class Evening:
    """Who opens the room, and what an operator does in it."""

    def __init__(self, folder, run, roomful):
        self.folder, self.run, self.roomful = folder, run, roomful
        self.port = self.lessons = 0

    def open(self):
        ticket = self.folder / "ticket"
        ticket.unlink(missing_ok=True)
        host = self.run("host", "host", "Evening", "--policy", "open", "--seats", CROWD + 6, "--discovery", "none", "--http", "off",
                        "--port", self.port, "--contest", "jump,keepcalm-jump", "--record", f"{self.folder}/evenings/",
                        "--code-file", ticket)
        until(lambda: ticket.exists() and ticket.stat().st_size or host.poll() is not None)
        assert host.poll() is None, (self.folder / "host.log").read_text()
        self.port = re.search(r"https://[^:/]+:(\d+)", self.roomful("qr", "--text")[1]).group(1)
        return host

    def join(self, name, motion):
        self.run(name, "join", "--as", name, "--replay", ROOT / f"Recordings/demo/{motion}.csv", "--loop",
                 "--code-file", self.folder / "ticket", own_state=True)

    def phones(self, seconds):
        link = self.roomful("qr", "--text")[1].strip()
        return self.run("phones", "--phones", 2, "--rate", 60, "--for", int(seconds), "--link", link, program=PHONES)

    def peers(self):
        found = json.loads(self.roomful("peers", "--json")[1] or "[]")
        return found if isinstance(found, list) else found.get("peers", [])

    def play(self, seconds):
        """Marks, lessons and haptics, again and again."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.lessons += 1
            assert self.roomful("mark", f"trial {self.lessons}")[0] == 0
            lesson = self.run("lesson", "teach", f"leap {self.lessons}", "--player", "Blue", "--times", "2")
            assert self.roomful("identify", "Blue")[0] == 0
            time.sleep(min(15, left))
            lesson.terminate()
            lesson.wait()


def verify(roomful, recording):
    reports = []
    for _ in range(2):
        code, out, errors = roomful("replay", recording, "--verify", "--json", timeout=PATIENCE)
        reports.append(json.loads(out))
        assert code == 0 and reports[-1]["same"], (out, errors)
    assert reports[0] == reports[1]
    return reports[0]


def told(roomful, recording):
    """Its events by type, and what became of players."""
    events = [json.loads(line) for line in roomful("replay", recording, "--speed", "0", "--json", timeout=PATIENCE)[1].splitlines()]
    return collections.Counter(event["type"] for event in events), collections.Counter(
        event["state"] for event in events if event["type"] == "player")


def test_an_evening_with_everything_plays_again_in_each_life_of_its_host(folder, run, roomful):
    evening = Evening(folder, run, roomful)
    host = evening.open()
    half = MINUTES * 30
    run("fleet", "lab", "fleet", "--room", "Evening", "--controllers", CROWD, "--rate", RATE, "--for", f"{int(half * 2 + 60)}s",
        "--network", "loss=5%,delay=20±10ms,dup=1%", "--seed", 7)
    evening.join("Blue", "jump")
    evening.join("Red", "shake")
    until(lambda: len(evening.peers()) == CROWD + 2, 60)
    if PHONES.exists():
        evening.phones(half)
    evening.play(half)
    # Phones have no numbers to miss: what TCP loses it sends again.
    crowd = [peer["datagrams"] for peer in evening.peers() if peer["transport"] == "udp" and peer["name"] not in ("Blue", "Red")]
    lost = sum(datagrams["missing"] for datagrams in crowd) / max(1, sum(datagrams["authenticated"] for datagrams in crowd))
    assert 0.02 < lost < 0.08, f"{lost:.1%} were lost on their way"
    assert roomful("kick", "Red")[0] == 0
    until(lambda: len(evening.peers()) < CROWD + 4)
    # The recorder writes five times a second, and later on a machine that starves it.
    assert roomful("mark", "Red has left")[0] == 0
    marks = evening.lessons + 1
    until(lambda: json.loads(roomful("record", "status", "--json")[1])["marks"] >= marks)
    answering(folder)
    host.kill()
    host.wait()
    time.sleep(1.5)  # Recordings are called by the second.

    host = evening.open()
    until(lambda: len([peer for peer in evening.peers() if peer["samples"]["delivered"] > RATE]) > CROWD, 60)
    if PHONES.exists():
        phones = evening.phones(half - 10)
    evening.play(half)
    assert not PHONES.exists() or phones.wait(60) == 0, (folder / "phones.log").read_text()
    assert roomful("stop")[0] == 0 and host.wait(60) == 0, (folder / "host.log").read_text()

    killed, whole = sorted((folder / "evenings").glob("*.mcap"))
    for recording, isWhole in ((killed, False), (whole, True)):
        report = verify(roomful, recording)
        assert report["finished"] == report["complete"] == isWhole
        events, states = told(roomful, recording)
        assert {"player", "gesture", "verdict", "teaching", "haptic"} <= set(events), events
        assert isWhole or states["left"], states
        print(f"{report['seconds']:.0f} s, {report['datagrams']} datagrams, {recording.stat().st_size} bytes: "
              f"{report['events']} events the same, {dict(events)}")
