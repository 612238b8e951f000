"""Hosts that stand still, as one on a dying disk or under a debugger does, and hosts that are gone without a word."""
import json
import signal

from rooms import active, text
from waiting import PATIENCE, settled, until


def test_one_that_stands_still_keeps_nobody_from_the_other_rooms_and_is_named_where_it_is_meant(hall, started, roomful, folder):
    hall(text())
    other = started(
        "host", "Other Room", "--policy", "open", "--discovery", "none", "--http", "off", "--code-file", folder / "other")
    until(lambda: roomful("peers", "--room", "Other Room")[0] == 0)
    other.send_signal(signal.SIGSTOP)
    try:
        code, out, err = roomful("peers", "--room", "Hall", timeout=30)
        assert code == 0 and "nobody is here" in out, err
        code, _, err = roomful("kick", "P1", "--room", "Other Room", timeout=30)
        assert code == 3 and "has not answered" in err and "other-room-" in err, err
        # It may be meant: nobody is kicked in the wrong room.
        code, _, err = roomful("kick", "P1", timeout=30)
        assert code == 2 and '--room: "Hall"' in err, err
    finally:
        other.send_signal(signal.SIGCONT)
    assert roomful("peers", "--room", "Other Room")[0] == 0


def next_line(process, wanted):
    """Up to the first line that says it."""
    return next(line for line in process.stdout if wanted in line)


def test_who_follows_one_that_is_killed_is_told_and_ends_as_of_what_cannot_be_reached(hall, joins, started, roomful):
    host = hall(text())
    joins("Blue")
    assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
    events = [started("events"), started("events", "--json")]
    lesson = started("teach", "circle", "--player", "P1")
    for follower in (*events, lesson):
        assert follower.stdout.readline()
    host.kill()
    host.wait()
    for follower in (*events, lesson):
        said = follower.stdout.read()
        assert follower.wait(PATIENCE) == 3 and "the room's host has gone without closing the room" in said, said


def test_who_followed_one_that_was_killed_goes_on_with_all_that_the_next_one_tells(hall, started, roomful, folder):
    host = hall(text())
    events = started("events", "--json", "--type", "room")
    hello = json.loads(events.stdout.readline())
    for task in ("lock", "unlock", "lock", "unlock"):
        assert roomful(task)[0] == 0
    told = [json.loads(events.stdout.readline()) for _ in range(4)]
    assert hello["type"] == "hello" and [each["state"] for each in told] == ["locked", "unlocked"] * 2
    host.kill()
    host.wait()
    place, said = f"{told[-1]['n']}@{hello['openedAt']}", events.stdout.read()
    assert events.wait(PATIENCE) == 3 and f"roomful events --after {place}" in said, said
    (folder / "notify").unlink()
    hall(text())
    assert roomful("lock")[0] == 0
    again = started("events", "--json", "--type", "room", "--after", place)
    hello, locked = [json.loads(again.stdout.readline()) for _ in range(2)]
    assert (hello["after"], locked["n"], locked["state"]) == (0, 1, "locked"), "4 is a number of the host before"


def test_one_that_closes_its_room_leaves_followers_with_nothing_to_complain_of(hall, started, roomful):
    hall(text())
    events = started("events", "--json")
    assert json.loads(events.stdout.readline())["type"] == "hello"
    assert roomful("stop")[0] == 0
    last = json.loads(events.stdout.read().splitlines()[-1])
    assert (events.wait(PATIENCE), last["state"]) == (0, "closing")


def test_who_watches_sees_it_come_back(hall, started, roomful, folder):
    host = hall(text())
    watch = started("peers", "--watch", "--json")
    assert next_line(watch, "[]")
    host.kill()
    host.wait()
    assert "no room runs on this machine" in next_line(watch, "roomful:")
    (folder / "notify").unlink()
    hall(text())
    assert next_line(watch, "[]")
    assert watch.poll() is None
