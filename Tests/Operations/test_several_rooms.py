"""Several rooms in one program, by one file."""
import json

import pytest
from door import ask
from rooms import put, text
from service_manager import Manager
from site_broker import free_port
from waiting import PATIENCE, until

NAMES = ("Hall", "Annex", "Attic")


@pytest.fixture
def rooms(started, folder):
    """Opens three rooms of one file, and waits until all can be joined; `flags` may say how lines are printed."""
    manager = Manager(folder / "notify")

    def start(*flags, **more):
        each = "".join(f'[[room]]\nname = "{name}"\npolicy = "open"\ncode-file = "{name}.ticket"\n' for name in NAMES)
        put(folder / "rooms.toml", f'discovery = "none"\n{each}')
        manager.empty()
        process = started("host", "--config", folder / "rooms.toml", *flags, NOTIFY_SOCKET=manager.path, **more)
        assert manager.hears("READY=1")
        return process

    return start


def ports(folder):
    """Of plain HTTP, by room."""
    doors = until(lambda: len(found := list((folder / "state").rglob("*.sock"))) == len(NAMES) and found)
    statuses = [ask(door, {"task": "status"})[0]["status"] for door in doors]
    return {status["name"]: status["httpPort"] for status in statuses}


def test_the_address_of_each_ones_pages_outlives_a_restart(rooms, folder):
    """What each had is written down, and each takes what is written down."""
    host = rooms("--json")
    files = {name: next((folder / "state/rooms").glob(f"{name.lower()}-*/http-port")) for name in NAMES}
    before = ports(folder)
    assert before == {name: int(path.read_text()) for name, path in files.items()}
    assert len(set(before.values())) == len(NAMES)
    host.terminate()
    host.wait(PATIENCE)
    # The kernel gave them theirs, and may give it to another test's room between their two lives; of these it gives none.
    for path in files.values():
        path.write_text(f"{free_port()}\n")
    kept = {name: int(path.read_text()) for name, path in files.items()}
    rooms("--json")
    assert ports(folder) == kept


def test_each_line_says_of_which_room_it_is(rooms, roomful):
    host = rooms()
    assert roomful("lock", "--room", "Annex")[0] == 0
    host.terminate()
    lines = host.stdout.read().splitlines()
    assert [line for line in lines if "the room is locked" in line and line.startswith('"Annex"  ')], lines
    assert [line for line in lines if 'roomful.operator: "Annex": lock, by the socket' in line], lines
    for name in NAMES:
        # How it is come into, and what became of everybody.
        assert [line for line in lines if line.startswith(f'"{name}"    at ')], lines
        assert [line for line in lines if line == f'"{name}"  nobody was here'], lines


def test_each_event_says_of_which_room_it_is_where_there_are_several_and_else_is_as_ever(rooms, hall, roomful, folder):
    host = rooms("--json")
    assert roomful("lock", "--room", "Annex")[0] == 0
    host.terminate()
    told = [json.loads(line) for line in host.stdout.read().splitlines() if line.startswith("{")]
    assert {event["room"] for event in told} == set(NAMES)
    assert [event["room"] for event in told if event.get("state") == "locked"] == ["Annex"]
    host.wait(PATIENCE)
    (folder / "notify").unlink()
    alone = hall(text())
    alone.terminate()
    told = [json.loads(line) for line in alone.stdout.read().splitlines() if line.startswith("{")]
    assert {event["type"] for event in told if "room" in event} == {"hello"} and len(told) > 1


def test_what_keeps_one_of_them_closed_is_said_with_its_name_and_the_key_that_helps(rooms, roomful, folder):
    rooms("--json")
    code, _, err = roomful("host", "--config", folder / "rooms.toml")
    last = err.splitlines()[-1]
    assert code == 1 and "runs this room; use the key state or stop it" in last, err
    assert any(last.startswith(f'roomful: "{name}": another host (pid ') for name in NAMES), err
