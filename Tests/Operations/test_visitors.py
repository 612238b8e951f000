"""An exhibit: one device, and visitors who do not know of each other. In simulated time: `VisitorTests`."""
import contextlib
import json
import subprocess
import threading
import time
import urllib.request

import pytest
from conftest import PROGRAM
from rooms import active, keys, put, reloaded, text
from waiting import PATIENCE, settled


class Visitor:
    """A phone that is shaken, and lies on a table from when it is laid down; fed 50 times a second."""

    def __init__(self, command, environment):
        self.process = subprocess.Popen(
            [*map(str, command), "--stdin"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=environment)
        self.is_shaken, self.ending = True, threading.Event()
        self.thread = threading.Thread(target=self.feed, daemon=True)
        self.thread.start()

    def feed(self):
        count = 0
        with contextlib.suppress(OSError):  # It has ended.
            while not self.ending.wait(0.02):
                push = 15 * (-1) ** (count // 5) if self.is_shaken else 0
                line = json.dumps({"acceleration": (push, 0, 9.80665), "rotationRate": (0, 0, 0)})
                self.process.stdin.write(line.encode() + b"\n")
                self.process.stdin.flush()
                count += 1

    def end(self):
        self.ending.set()
        self.thread.join()
        self.process.kill()
        self.process.wait()
        with contextlib.suppress(OSError):
            self.process.stdin.close()


@pytest.fixture
def visitor(folder, environment):
    one = []

    def come():
        command = [PROGRAM, "join", "--code-file", folder / "ticket", "--as", "Blue"]
        one.append(Visitor(command, environment | {"ROOMFUL_STATE": str(folder / "Blue")}))
        return one[-1]

    yield come
    for each in one:
        each.end()


def peer(roomful):
    return json.loads(roomful("peers", "P1", "--json")[1])[0]


def test_what_a_visitor_leaves_is_gone_for_the_next_one(hall, visitor, started, roomful):
    hall(text(http='"any"', idle_reset='"10s"', grace='"24h"'))
    address, token = json.loads(roomful("open", "--print", "--json")[1])["pages"][0].split("/operator/#t=")
    blue = visitor()
    assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
    events = started("events", "--json")
    assert json.loads(events.stdout.readline())["type"] == "hello"
    rename = urllib.request.Request(
        address + "/api/commands", data=json.dumps({"task": "rename", "who": "P1", "name": "Anna"}).encode(),
        headers={"authorization": f"Bearer {token}"})
    assert urllib.request.urlopen(rename, timeout=PATIENCE).status == 200
    assert roomful("sensitivity", "P1", "1.5")[0] == 0
    assert active(roomful) == {"Anna": 1} and peer(roomful)["detail"]["sensitivity"] == 1.5
    blue.is_shaken = False
    assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
    assert peer(roomful)["detail"]["sensitivity"] == 1
    time.sleep(12)
    assert roomful("stop")[0] == 0
    told = [json.loads(line) for line in events.stdout.read().splitlines() if line.startswith("{")]
    changes = [(event["state"], event["name"]) for event in told if event["type"] == "player"]
    # Once, and not again while it lies there.
    assert [each for each in changes if each[0] != "renamed"] == [("left", "Anna"), ("joined", "Blue")]


def test_of_who_played_nothing_is_kept_once_the_room_is_closed_for_good(hall, joins, roomful, folder):
    """A host that is told to end by a signal, as by a service manager that starts it anew, keeps every seat."""
    def kept():
        files = (path for path in (folder / "state/rooms").rglob("*") if path.is_file())
        return any(b"Zwiebelkuchen" in path.read_bytes() for path in files)

    for is_for_good in (False, True):
        host = hall(text(seats=2))
        player = joins("Zwiebelkuchen")
        assert settled(lambda: active(roomful), {"Zwiebelkuchen": 1}) == {"Zwiebelkuchen": 1}
        if is_for_good:
            assert roomful("stop")[0] == 0
        else:
            host.terminate()
        assert host.wait(PATIENCE) == 0 and player.wait(PATIENCE) is not None
        (folder / "notify").unlink()
        assert kept() != is_for_good
    hall(text(seats=2))
    assert json.loads(roomful("peers", "--json")[1]) == []


def test_somebody_is_taken_out_of_what_a_closed_room_has_kept_and_everybody(hall, joins, roomful, folder):
    def names():
        files = [path.read_bytes() for path in (folder / "state/rooms").rglob("*") if path.is_file()]
        return {name for name in ("Zwiebelkuchen", "Birnbaum") if any(name.encode() in each for each in files)}

    host = hall(text(seats=2))
    for name in ("Zwiebelkuchen", "Birnbaum"):
        joins(name)
        assert settled(lambda name=name: name in active(roomful), True)
    code, _, err = roomful("erase", "--all", "--room", "Hall")
    assert code == 1 and "another host" in err, err
    host.kill()
    host.wait()
    code, _, err = roomful("erase", "Nobody", "--room", "Hall")
    assert code == 1 and "Birnbaum" in err, err
    assert roomful("erase", "--room", "Hall")[0] == 2
    assert roomful("erase", "--all", "--room", "Attic")[0] == 1
    assert names() == {"Zwiebelkuchen", "Birnbaum"}
    code, out, _ = roomful("erase", "zwiebelkuchen", "--room", "Hall", "--json")
    assert (code, json.loads(out)) == (0, {"erased": ["Zwiebelkuchen"]})
    assert names() == {"Birnbaum"}
    assert roomful("erase", "--all", "--room", "Hall")[1] == "erased Birnbaum\n"
    assert names() == set()
    assert roomful("erase", "--all", "--room", "Hall")[1] == "nobody was kept\n"


def test_the_time_can_be_changed_while_people_play_and_has_a_range(hall, roomful, folder):
    hall(text())
    put(folder / "rooms.toml", text(idle_reset='"3min"'))
    found = keys(reloaded(roomful))["idle-reset"]
    assert found["isTaken"] and found["to"] == "3min"
    for wrong in ('"9s"', '"25h"', '"soon"'):
        put(folder / "rooms.toml", text(idle_reset=wrong))
        code, _, err = roomful("reload")
        assert code == 2 and "rooms.toml:6: " in err and "idle-reset" in err, err
