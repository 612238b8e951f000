"""Disks that fail while an evening is recorded: the room plays on, says so once, and what stands in the file is good."""
import json
import os
import subprocess
import sys
import time

import pytest
from conftest import PROGRAM
from evenings import heard
from rooms import DROPPED, is_written
from shims import shim
from waiting import until


@pytest.fixture
def room(folder, environment, joins):
    """Starts a recorded room by a command that is given, and a controller that jumps in it."""
    hosts = []

    def open_room(command, recording, *arguments, **more):
        (folder / "log").touch()
        host = subprocess.Popen(
            [*command(PROGRAM, "host", "Disk", "--policy", "open", "--discovery", "none", "--http", "off", "--record",
                      recording, "--code-file", folder / "ticket", *arguments)],
            stdin=subprocess.DEVNULL, stdout=(folder / "log").open("w"), stderr=subprocess.STDOUT, env=environment | more)
        hosts.append(host)
        until(lambda: is_written(folder / "ticket") or host.poll() is not None)
        if host.poll() is None:
            joins("Blue", replay=DROPPED)
        return host

    yield open_room
    for host in hosts:
        host.kill()
        host.wait()


@pytest.fixture
def status(roomful):
    return lambda: json.loads(roomful("record", "status", "--json")[1] or "{}")


def delivered(roomful):
    peers = json.loads(roomful("peers", "--json")[1] or "[]")
    return sum(peer["samples"]["delivered"] for peer in peers)


def assert_plays_on(roomful):
    before = delivered(roomful)
    until(lambda: delivered(roomful) > before + 100)


def test_a_disk_that_fills_up_ends_the_recording_and_not_the_evening(disk, room, status, roomful, folder):
    recording = disk.folder / "evening.mcap"
    host = room(disk.inside, recording)
    until(lambda: status().get("events", 0) >= 10)
    disk.run("dd", "if=/dev/zero", f"of={disk.folder}/filler", "bs=4k")
    until(lambda: status().get("state") == "failed")
    assert "No space left" in status()["problem"]
    assert_plays_on(roomful)
    until(lambda: "recording has ended" in (folder / "log").read_text())
    assert (folder / "log").read_text().count("recording has ended") == 1
    done = disk.run(PROGRAM, "replay", recording, "--verify", "--json")
    report = json.loads(done.stdout)
    assert report["finished"] and "difference" not in report and report["damage"] == [], done.stdout
    assert report["events"] >= 1
    assert roomful("stop")[0] == 0 and host.wait(60) == 0
    # Nor is it a whole one once somebody was taken out of it.
    disk.run("rm", disk.folder / "filler")
    without = disk.folder / "without.mcap"
    assert disk.run(PROGRAM, "forget", recording, "P1", "--output", without).returncode == 0
    less = json.loads(disk.run(PROGRAM, "replay", without, "--verify", "--json").stdout)
    assert not less["complete"] and less["failure"] == report["failure"] and "No space left" in less["failure"], less


def test_on_a_disk_that_earlier_evenings_have_filled_the_host_opens_within_its_budget(disk, room, status, roomful):
    evenings = disk.folder / "evenings"
    for number in (1, 2):
        writing = (
            f"import os; os.makedirs('{evenings}', exist_ok=True); "
            f"open('{evenings}/Disk-{number}.mcap', 'wb').write(b'\\x89MCAP0\\r\\n' + bytes(13) + b'roomful' + bytes(400_000))")
        done = disk.run(sys.executable, "-c", writing)
        assert done.returncode == 0, done.stderr
    disk.run("dd", "if=/dev/zero", f"of={disk.folder}/filler", "bs=4k")
    host = room(disk.inside, f"{evenings}/", "--record-budget", "300KB")
    assert host.poll() is None
    until(lambda: status().get("events", 0) >= 5)
    assert disk.run("ls", evenings / "Disk-1.mcap").returncode != 0
    assert roomful("stop")[0] == 0 and host.wait(60) == 0


def test_a_disk_that_cannot_be_written_is_refused_before_the_room_opens(disk, room, folder):
    disk.run("mount", "-o", "remount,ro", disk.folder)
    host = room(disk.inside, disk.folder / "evening.mcap")
    assert host.wait(60) != 0
    assert "cannot record to" in (folder / "log").read_text() and "Read-only" in (folder / "log").read_text()


def test_a_file_that_is_taken_away_is_missed_at_once(room, status, roomful, folder):
    host = room(lambda *command: map(str, command), folder / "evening.mcap")
    until(lambda: status().get("events", 0) >= 5)
    (folder / "evening.mcap").unlink()
    until(lambda: status().get("state") == "failed")
    assert "evening.mcap" in status()["problem"]
    assert_plays_on(roomful)
    assert roomful("stop")[0] == 0 and host.wait(60) == 0


@pytest.mark.parametrize(("seconds", "is_whole"), [(3, True), (20, False)])
def test_a_disk_that_stands_still_costs_the_recording_at_most_and_never_the_room(
        seconds, is_whole, room, status, roomful, folder):
    host = room(lambda *command: map(str, command), folder / "evening.mcap", SLOW_DISK_FILE=str(folder / "seconds"),
                **shim("slow-disk", folder))
    until(lambda: status().get("events", 0) >= 5)
    (folder / "seconds").write_text(str(seconds))
    until(lambda: not (folder / "seconds").exists())
    for _ in range(seconds):
        before, asked = delivered(roomful), time.monotonic()
        until(lambda: delivered(roomful) > before)
        time.sleep(max(0, 1 - (time.monotonic() - asked)))
    until(lambda: is_whole or status().get("lostEntries", 0) > 0)
    assert roomful("stop")[0] == 0 and host.wait(60) == 0
    code, out, _ = roomful("replay", folder / "evening.mcap", "--verify", "--json")
    report = json.loads(out)
    assert report["finished"] and "difference" not in report, report
    assert (code == 0) == is_whole and (report["holes"] == []) == is_whole, report


def test_a_budget_removes_the_oldest_recordings_and_nothing_else(folder, opened, joins, status, roomful):
    evenings = folder / "evenings"
    evenings.mkdir(mode=0o700)
    (evenings / "robot.mcap").write_bytes(b"\x89MCAP0\r\n" + bytes(500_000))
    os.mkfifo(evenings / "pipe.mcap")
    # A small budget has small files.
    host = opened("Months", "--json", "--record", f"{evenings}/", "--record-budget", "200KB")
    for name in ("Anna", "Bert", "Cleo"):
        joins(name, replay=DROPPED)
    until(lambda: list(evenings.glob("*.part6.mcap")), within=90)
    assert roomful("stop")[0] == 0 and host.wait(60) == 0
    own = sorted(evenings.glob("Months*.mcap"))
    [first] = [path for path in own if ".part" not in path.name]
    assert not list(evenings.glob("*.part2.mcap"))
    assert sum(path.stat().st_size for path in own) < 400_000
    assert (evenings / "robot.mcap").exists() and (evenings / "pipe.mcap").exists()
    code, out, _ = roomful("replay", first, "--verify", "--json")
    report = json.loads(out)
    assert code == 1 and report["holes"] and "difference" not in report, report
    # What the tape does not lead to any more is told as it was kept.
    live = heard(host)
    told = [json.loads(line) for line in roomful("replay", first, "--speed", "0", "--json")[1].splitlines()]
    numbers = [event["n"] for event in told]
    assert numbers == sorted(set(numbers)) and any(b > a + 1 for a, b in zip(numbers, numbers[1:], strict=False)), numbers
    assert told[-1]["type"] == "room" and all(event == live.get(event["n"], event) for event in told)
    assert sum(number in live for number in numbers) > len(told) / 2, "the host told too little of it to compare"
