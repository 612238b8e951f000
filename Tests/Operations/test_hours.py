"""Opening hours: a time zone is chosen in which it is the time of day that is wanted, and a clock that can be put ahead."""
import json
import time

import pytest
from door import ask
from rooms import TILT, active, keys, put, reloaded, text
from shims import Clock
from waiting import settled, until

HOURS = '["daily 10:00-18:00"]'


def zone(hour, minute=0, second=0):
    """A TZ in which it is this time of day now."""
    west = (int(time.time()) - hour * 3_600 - minute * 60 - second) % 86_400
    sign, west = ("-", 86_400 - west) if west > 43_200 else ("", west)
    return f"<here>{sign}{west // 3_600}:{west // 60 % 60:02}:{west % 60:02}"


@pytest.fixture
def clock(folder):
    return Clock(folder)


def is_locked(folder):
    door = until(lambda: next((folder / "state").rglob("*.sock"), None))
    return ask(door, {"task": "status"})[0]["status"]["isLocked"]


def test_a_room_opens_at_its_hour_and_keeps_everybody_out_before(hall, roomful, folder, clock):
    hall(text(hours=HOURS), TZ=zone(9, 30), **clock.environment)
    assert is_locked(folder), "from its first moment on"
    code, _, err = roomful("join", "--code-file", folder / "ticket", "--as", "Early", "--replay", TILT)
    assert code != 0 and "locked" in err, err
    clock.put_to_the_hour(30)
    until(lambda: not is_locked(folder))


def test_it_closes_at_its_hour_and_who_plays_plays_on(hall, joins, roomful, folder, clock):
    host = hall(text(hours=HOURS, seats=2), TZ=zone(17, 30), **clock.environment)
    assert not is_locked(folder)
    joins("Blue")
    assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
    clock.put_to_the_hour(30)
    until(lambda: is_locked(folder))
    code, _, err = roomful("join", "--code-file", folder / "ticket", "--as", "Late", "--replay", TILT)
    assert code != 0 and "locked" in err, err
    assert active(roomful) == {"Blue": 1}
    # What the operator wants in between stands.
    assert roomful("unlock")[0] == 0
    time.sleep(2.5)
    assert not is_locked(folder)
    assert roomful("stop")[0] == 0
    told = [json.loads(line) for line in host.stdout.read().splitlines() if line.startswith("{")]
    assert [event["state"] for event in told if event["type"] == "room"] == ["locked", "unlocked", "closing"]


def test_the_hours_can_be_changed_while_people_play_and_wrong_ones_name_their_line(hall, roomful, folder):
    hall(text(), TZ=zone(12))
    assert not is_locked(folder)
    put(folder / "rooms.toml", text(hours='["daily 13:00-18:00"]'))
    assert keys(reloaded(roomful))["hours"]["isTaken"]
    until(lambda: is_locked(folder))
    for wrong in ('["noon"]', '["Tue 10-18"]', '"always"', "7"):
        put(folder / "rooms.toml", text(hours=wrong))
        code, _, err = roomful("reload")
        assert code == 2 and "rooms.toml:6: " in err and "hours" in err, err
    put(folder / "rooms.toml", text())
    assert keys(reloaded(roomful))["hours"]["isTaken"]
    until(lambda: not is_locked(folder))


@pytest.fixture
def killed(folder):
    """Ends a host without a word, and removes what it leaves."""

    def kill(host):
        host.kill()
        host.wait()
        for left in [folder / "notify", *(folder / "state").rglob("*.sock")]:
            left.unlink()

    return kill


def test_who_was_removed_stays_out_when_the_host_is_back_and_no_longer_than_the_room_is_open(hall, joins, killed, roomful, folder):
    def refused():
        blue = joins("Blue")
        assert blue.wait(60) != 0
        return "removed this controller" in blue.stdout.read()

    def kicked():
        blue = joins("Blue")
        until(lambda: active(roomful) == {"Blue": 1})
        assert roomful("kick", "Blue")[0] == 0 and blue.wait(60) != 0
        until(banned.exists)

    host = hall(text())
    banned = next((folder / "state").rglob("authority.pem")).parent / "banned"
    kicked()
    killed(host)
    host = hall(text())
    assert refused()
    assert roomful("unlock")[0] == 0
    until(lambda: not banned.exists())
    kicked()
    assert roomful("stop")[0] == 0 and host.wait(30) == 0
    (folder / "notify").unlink()
    assert not banned.exists()
    hall(text())
    joins("Blue")
    until(lambda: active(roomful) == {"Blue": 1})


def test_what_the_operator_decided_stands_when_the_host_is_back_and_no_longer(hall, killed, roomful, folder):
    """Killed and back: the lock, or the open door in closed hours. Closed for good, and opened again: as the hours say."""
    host = hall(text(), TZ=zone(12))
    assert roomful("lock")[0] == 0
    door = next((folder / "state").rglob("authority.pem")).parent / "door"
    assert settled(lambda: door.exists() and door.read_text(), "locked\n") == "locked\n"
    killed(host)
    host = hall(text(), TZ=zone(12))
    assert is_locked(folder)
    assert roomful("stop")[0] == 0 and host.wait(30) == 0
    (folder / "notify").unlink()
    assert not door.exists()
    host = hall(text(hours=HOURS), TZ=zone(9))
    assert is_locked(folder)
    assert roomful("unlock")[0] == 0
    assert settled(lambda: door.exists() and door.read_text().split()[:1], ["unlocked"]) == ["unlocked"]
    opens = int(door.read_text().split()[2])
    assert 3_600 - 120 < opens - time.time() <= 3_600, "it stands until the hours decide again"
    killed(host)
    host = hall(text(hours=HOURS), TZ=zone(9))
    assert not is_locked(folder), "the operator had opened it"
    killed(host)
    # Two hours later, and a file that no host wrote: the hours decide.
    for wrong in (f"unlocked until {int(time.time()) - 1}\n", "unlocked\n", "ajar\n", "unlocked until never\n", ""):
        door.write_text(wrong)
        host = hall(text(hours=HOURS), TZ=zone(9))
        assert is_locked(folder), wrong
        killed(host)
    host = hall(text(hours=HOURS), TZ=zone(11))
    assert not is_locked(folder), "what the hours had locked, they open"


def test_what_the_operator_decided_ends_with_its_hours_also_where_the_machine_slept_over_their_end(hall, roomful, folder, clock):
    hall(text(hours=HOURS), TZ=zone(15), **clock.environment)
    assert roomful("lock")[0] == 0

    def sleeps(hours):
        clock.put(hours * 3_600)
        time.sleep(2.5)

    sleeps(1.5)
    assert is_locked(folder), "at half past four"
    sleeps(19.5)
    assert settled(lambda: is_locked(folder), False) is False, "on the next day, at half past ten"


def test_whoever_looks_is_told_why_nobody_new_gets_in(hall, roomful):
    hall(text(hours=HOURS), TZ=zone(20))
    for command in ("peers", "accept"):
        said = [roomful(command)[1]]
        assert roomful("unlock")[0] == 0
        said.append(roomful(command)[1])
        assert roomful("lock")[0] == 0
        assert ["is locked, by its operator or its hours" in each for each in said] == [True, False], said
    room = json.loads(roomful("peers", "--json", "--status")[1])
    assert (room["name"], room["isLocked"], room["peers"]) == ("Hall", True, [])
