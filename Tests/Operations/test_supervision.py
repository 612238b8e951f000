"""A service manager's view: ready when it can be joined, fed by the room's thread, back with all seats after a crash."""
import json
import signal
import socket
import time

from rooms import active, text, written
from service_manager import Manager, held
from waiting import PATIENCE, settled


def state_of(process):
    """As the kernel has it: T is stopped (proc(5))."""
    with open(f"/proc/{process.pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


def test_ready_when_it_can_be_joined_and_watched_until_it_hangs(started, folder):
    manager = Manager(folder / "notify")
    host = started("host", "--config", written(folder), "--json", NOTIFY_SOCKET=manager.path, WATCHDOG_USEC="900000")
    ready = manager.hears("READY=1")
    assert ready and '"Hall" at port ' in ready
    port = int(ready.rsplit(" ", 1)[1])
    socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
    assert manager.hears("WATCHDOG=1") and manager.hears("WATCHDOG=1")
    host.send_signal(signal.SIGSTOP)
    assert settled(lambda: state_of(host), "T") == "T"
    manager.empty()
    assert manager.hears("WATCHDOG=1", within=1.8) is None
    host.send_signal(signal.SIGCONT)
    assert manager.hears("WATCHDOG=1")
    host.send_signal(signal.SIGTERM)
    assert manager.hears("STOPPING=1")
    assert host.wait(PATIENCE) == 0


def test_a_room_whose_own_thread_hangs_is_noticed_though_the_program_runs_on(started, folder):
    manager = Manager(folder / "notify")
    host = started("host", "--config", written(folder), "--json", NOTIFY_SOCKET=manager.path, WATCHDOG_USEC="900000")
    assert manager.hears("WATCHDOG=1")
    with held(host):
        assert state_of(host) != "T"
        # One answer may have been on its way.
        manager.hears("WATCHDOG=1", within=0.5)
        manager.empty()
        assert manager.hears("WATCHDOG=1", within=1.8) is None
    assert manager.hears("WATCHDOG=1")


def test_a_name_without_a_file_is_told_too(started, folder):
    manager = Manager("\0" + str(folder))
    started("host", "--config", written(folder), "--json", NOTIFY_SOCKET="@" + str(folder))
    assert manager.hears("READY=1")


def test_two_rooms_of_one_file_are_ready_together(started, roomful, folder):
    manager = Manager(folder / "notify")
    both = "".join(f'[[room]]\nname = "{name}"\npolicy = "open"\ndiscovery = "none"\nhttp = "off"\n' for name in ("Hall", "Kitchen"))
    host = started("host", "--config", written(folder, both), "--json", NOTIFY_SOCKET=manager.path)
    assert manager.hears("READY=1")
    for name in ("Hall", "Kitchen"):
        code, out, err = roomful("peers", "--room", name, "--json")
        assert (code, json.loads(out)) == (0, []), err
    assert roomful("stop", "--room", "Hall")[0] == 0
    assert roomful("peers", "--room", "Kitchen")[0] == 0
    assert roomful("stop", "--room", "Kitchen")[0] == 0
    assert host.wait(PATIENCE) == 0


def test_a_downtime_that_was_announced_is_waited_for_and_one_that_was_not_ends_the_stay(started, joins, roomful, folder):
    short = text(idle='"1s"', grace='"2s"')
    manager = Manager(folder / "notify")

    def host():
        process = started("host", "--config", written(folder, short), "--json", NOTIFY_SOCKET=manager.path)
        assert manager.hears("READY=1")
        return process

    process = host()
    player = joins("Blue")
    assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
    code, out, err = roomful("stop", "--back-in", "20s")
    assert (code, err) == (0, "") and "20s" in out
    assert process.wait(PATIENCE) == 0
    # Longer than a seat that was not announced is waited for: 1 s of silence and 2 s of grace.
    time.sleep(5)
    assert player.poll() is None
    process = host()
    assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
    assert roomful("stop")[0] == 0
    assert process.wait(PATIENCE) == 0
    player.wait(PATIENCE)
    said = player.stdout.read()
    assert "closed the room" in said
    assert said.count("the room is closed, and means to be back in 20 s") == 1


def test_a_downtime_that_cannot_be_is_refused(started, roomful, folder):
    manager = Manager(folder / "notify")
    started("host", "--config", written(folder), "--json", NOTIFY_SOCKET=manager.path)
    assert manager.hears("READY=1")
    for wrong in ("soon", "-1s", "25h", "nan", "1e300h"):
        code, _, err = roomful("stop", f"--back-in={wrong}")
        assert code == 2 and "--back-in takes a time of at most 24h" in err, (wrong, err)
    assert active(roomful) == {}
    assert roomful("peers")[0] == 0


def test_ten_crashes_in_a_row_and_every_seat_is_back(started, joins, roomful, folder):
    manager = Manager(folder / "notify")

    def host():
        process = started("host", "--config", written(folder), "--json", NOTIFY_SOCKET=manager.path)
        assert manager.hears("READY=1")
        return process

    process = host()
    names = ("Blue", "Red", "Green")
    for index, name in enumerate(names):
        joins(name)
        assert len(settled(lambda: active(roomful), {each: place + 1 for place, each in enumerate(names[: index + 1])})) == index + 1
    before = active(roomful)
    for _ in range(10):
        process.kill()
        process.wait()
        process = host()
        assert settled(lambda: active(roomful), before) == before


def test_whoever_reads_what_a_host_prints_and_goes_away_takes_no_room_along(started, roomful, folder):
    manager = Manager(folder / "notify")
    host = started("host", "--config", written(folder), "--json", NOTIFY_SOCKET=manager.path)
    assert manager.hears("READY=1")
    host.lines = []  # Nobody can read them any more.
    host.stdout.close()
    for task in ("lock", "unlock", "lock"):
        code, _, err = roomful(task)
        assert code == 0, err
    assert host.poll() is None
    host.terminate()
    assert host.wait(PATIENCE) == 0
    assert not list((folder / "state").rglob("*.sock"))
