"""Several rooms in one program, by one file."""
import contextlib
import socket

import pytest
from door import ask
from rooms import put
from service_manager import Manager
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
    with socket.socket() as usual:
        # Whichever room had the usual port could lose it to another test's, between its two lives.
        with contextlib.suppress(OSError):
            usual.bind(("127.0.0.1", 8720))
            usual.listen()
        host = rooms("--json")
        before = ports(folder)
        host.terminate()
        host.wait(PATIENCE)
        rooms("--json")
        assert ports(folder) == before and len(set(before.values())) == len(NAMES)
