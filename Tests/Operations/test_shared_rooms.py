"""Programs that open several rooms from a file, one of which another host could own."""
import json
import signal

import pytest
from door import ask
from service_manager import Manager
from standing_by import Host
from waiting import PATIENCE, until


@pytest.fixture
def from_file(site, folder, started):
    """Starts a host of "Hall", and of a room that is its own, by a file; gives a way to write that anew, too."""

    def start(name, standby=False, **more):
        file = folder / f"{name}.toml"

        def write(seats, own_seats):
            hall = f'[[room]]\nname = "Hall"\nseats = {seats}\ncode-file = "{folder / name}.ticket"\n'
            hall += f'site = "{site.host[1]}"\nsite-name = "arcade"\nsite-credentials = "{site.folder / "site/host.credentials"}"\n'
            hall += f'site-key = "{site.folder / "site/site.key"}"\nstandby = {str(standby).lower()}\n'
            beside = file.with_suffix(".new")
            beside.write_text(
                f'discovery = "none"\nhttp = "off"\n{hall}[[room]]\nname = "Own {name}"\nseats = {own_seats}\n')
            beside.rename(file)

        write(4, 4)
        host = Host(started("host", "--config", file, "--json", ROOMFUL_STATE=str(folder / name), **more), folder / name, None)
        host.write = write
        return host

    return start


def in_hall(host, *requests):
    """As `ask`, of the room that several hosts could own."""
    doors = [door for door in host.state.rglob("*.sock") if door.name.startswith("hall-")]
    return ask(doors[0], *requests)


def seats_of_hall(host):
    try:
        return in_hall(host, {"task": "status"})[0]["status"]["seats"]
    except (OSError, IndexError, KeyError, json.JSONDecodeError):
        return None


def test_a_file_is_read_anew_wherever_the_room_is_and_holds_when_it_comes_back(from_file):
    first = from_file("first")
    first.says("opens here (epoch 1")
    second = from_file("second", standby=True)
    first.says("a standby is ready")
    # A room that another host has keeps no other one from being read anew, and takes it over when it opens.
    second.write(6, 7)
    second.signal(signal.SIGHUP)
    second.says('"Own second": seats: "4" to "7", taken over')
    second.says('"Hall" is not open here now')
    second.says('"Hall": seats: "4" to "6", taken over')
    # So does the host that has it.
    first.write(5, 4)
    first.signal(signal.SIGHUP)
    first.says('"Hall": seats: "4" to "5", taken over')
    assert seats_of_hall(first) == 5
    in_hall(first, {"task": "handover"})
    second.says("opens here (epoch 2")
    until(lambda: seats_of_hall(second) == 6)
    second.says("a standby is ready")
    in_hall(second, {"task": "handover"})
    first.says("opens here (epoch 3")
    until(lambda: seats_of_hall(first) == 5, "not as the program was started")
    # After a handover signals are heard still.
    second.write(8, 9)
    second.signal(signal.SIGHUP)
    second.says('"Own second": seats: "7" to "9", taken over')
    second.says('"Hall": seats: "6" to "8", taken over')


def test_a_program_of_several_rooms_that_a_service_manager_watches_ends_with_its_last(from_file, folder, roomful):
    manager = Manager(folder / "notify")
    host = from_file("first", NOTIFY_SOCKET=manager.path)
    host.says("opens here (epoch 1")
    assert manager.hears("READY=1")
    until(lambda: seats_of_hall(host))
    for room in ("Own first", "Hall"):
        assert host.process.poll() is None
        code, _, err = roomful("stop", "--room", room, ROOMFUL_STATE=str(folder / "first"))
        assert code == 0, err
    assert host.process.wait(PATIENCE) == 0
