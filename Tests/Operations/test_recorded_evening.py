"""A whole evening over real sockets, recorded: 5 % of a fleet's datagrams lost, contests, lessons, haptics, phones over
WebSocket, a kick, and a host that is killed and comes back. Each of its lives plays again to the same bytes, twice.

    ROOMFUL_EVENING_MINUTES=10      how long it lasts; else one minute
    ROOMFUL_EVENING_BROWSERS=2      phones in a real Chromium that are shaken all the time; else two in a long evening
"""
import collections
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import PROGRAM
from evenings import answering
from rooms import ROOT, is_written
from waiting import until

MINUTES = float(os.environ.get("ROOMFUL_EVENING_MINUTES", "1"))
BROWSERS = int(os.environ.get("ROOMFUL_EVENING_BROWSERS", "2" if MINUTES > 2 else "0"))
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


@pytest.fixture
def browsers():
    """Phones in a real browser, as many as are wanted."""
    if not BROWSERS:
        yield Browsers()
        return
    sys.path.append(str(ROOT / "Tests/Browser"))
    from chromium import PAGES
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=PAGES, args=["--no-sandbox"])
        yield Browsers(chromium)
        chromium.close()


class Browsers:
    """Pages that hold their seats from the evening's beginning to its end, and are shaken."""

    def __init__(self, chromium=None):
        self.chromium, self.phones = chromium, []

    def join(self, link):
        if not self.chromium:
            return
        from phone import Phone
        for _ in range(BROWSERS):
            phone = Phone(self.chromium, link, viewport={"width": 390, "height": 664}).start()
            phone.seated()
            self.phones.append(phone)

    def play(self, seconds):
        """One after the other holds still for a while: a shake has an end."""
        end, turn = time.monotonic() + seconds, 0
        while (left := end - time.monotonic()) > 0 and self.phones:
            push = 25 * (-1) ** turn if turn % 40 < 20 else 0
            for phone in self.phones:
                phone.hold((push, 0, 9.8), user=(push, 0, 0))
                phone.page.wait_for_timeout(min(80, left * 1_000) / len(self.phones))
            turn += 1
        time.sleep(max(0, end - time.monotonic()))


class Evening:
    """Who opens the room, and what an operator does in it."""

    def __init__(self, folder, run, roomful, browsers):
        self.folder, self.run, self.roomful, self.browsers = folder, run, roomful, browsers
        self.port = self.lessons = 0

    def open(self):
        ticket = self.folder / "ticket"
        ticket.unlink(missing_ok=True)
        host = self.run("host", "host", "Evening", "--policy", "open", "--seats", CROWD + BROWSERS + 6, "--discovery", "none", "--http", "off",
                        "--port", self.port, "--contest", "jump,keepcalm-jump", "--record", f"{self.folder}/evenings/",
                        "--code-file", ticket)
        until(lambda: is_written(ticket) or host.poll() is not None)
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
        return json.loads(self.roomful("peers", "--json")[1] or "[]")

    def play(self, seconds):
        """Marks, lessons and haptics, again and again."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.lessons += 1
            assert self.roomful("mark", f"trial {self.lessons}")[0] == 0
            lesson = self.run("lesson", "teach", f"leap {self.lessons}", "--player", "Blue", "--times", "2")
            assert self.roomful("identify", "Blue")[0] == 0
            self.browsers.play(min(15, left))
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
    """Its events by type, what became of players, and who was shaken or tossed."""
    events = [json.loads(line) for line in roomful("replay", recording, "--speed", "0", "--json", timeout=PATIENCE)[1].splitlines()]
    return collections.Counter(event["type"] for event in events), collections.Counter(
        event["state"] for event in events if event["type"] == "player"), {
        event["player"] for event in events if event["type"] == "gesture" and event["gesture"] in ("shake", "free-fall")}


def test_an_evening_with_everything_plays_again_in_each_life_of_its_host(folder, run, roomful, browsers):
    evening = Evening(folder, run, roomful, browsers)
    host = evening.open()
    half = MINUTES * 30
    run("fleet", "lab", "fleet", "--room", "Evening", "--controllers", CROWD, "--rate", RATE, "--for", f"{int(half * 2 + 60)}s",
        "--network", "loss=5%,delay=20±10ms,dup=1%", "--seed", 7)
    evening.join("Blue", "drop")
    evening.join("Red", "toss")
    until(lambda: len(evening.peers()) == CROWD + 2, within=60)
    browsers.join(roomful("qr", "--text")[1].strip())
    if PHONES.exists():
        evening.phones(half)
    evening.play(half)
    # Phones have no numbers to miss: what TCP loses it sends again.
    crowd = [peer["datagrams"] for peer in evening.peers() if peer["transport"] == "udp" and peer["name"] not in ("Blue", "Red")]
    lost = sum(datagrams["missing"] for datagrams in crowd) / max(1, sum(datagrams["authenticated"] for datagrams in crowd))
    assert 0.02 < lost < 0.08, f"{lost:.1%} were lost on their way"
    assert roomful("kick", "Red")[0] == 0
    until(lambda: len(evening.peers()) < CROWD + BROWSERS + 4)
    # The recorder writes five times a second, and later on a machine that starves it.
    assert roomful("mark", "Red has left")[0] == 0
    marks = evening.lessons + 1
    until(lambda: json.loads(roomful("record", "status", "--json")[1])["marks"] >= marks)
    answering(folder)
    host.kill()
    host.wait()
    time.sleep(1.5)  # Recordings are called by the second.

    host = evening.open()
    until(lambda: len([peer for peer in evening.peers() if peer["samples"]["delivered"] > RATE]) > CROWD + BROWSERS, within=60)
    if PHONES.exists():
        phones = evening.phones(half - 10)
    evening.play(half)
    assert not PHONES.exists() or phones.wait(60) == 0, (folder / "phones.log").read_text()
    assert roomful("stop")[0] == 0 and host.wait(60) == 0, (folder / "host.log").read_text()

    killed, whole = sorted((folder / "evenings").glob("*.mcap"))
    for recording, isWhole in ((killed, False), (whole, True)):
        report = verify(roomful, recording)
        assert report["finished"] == report["complete"] == isWhole
        events, states, moved = told(roomful, recording)
        assert {"player", "gesture", "verdict", "teaching", "haptic"} <= set(events), events
        assert isWhole or states["left"], states
        # And Red, who was taken out before the host was killed.
        assert len(moved) >= BROWSERS + (0 if isWhole else 1), f"{len(moved)} were shaken or tossed"
        print(f"{report['seconds']:.0f} s, {report['datagrams']} datagrams, {recording.stat().st_size} bytes: "
              f"{report['events']} events the same, {dict(events)}")
