"""A service manager's view: ready when it can be joined, fed by the room's thread, back with all seats after a crash."""
import contextlib
import ctypes
import json
import os
import signal
import socket
import time
from pathlib import Path

PATIENCE = 60


class Manager:
    """The socket that systemd would listen at."""

    def __init__(self, path):
        self.path = str(path)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)

    def hears(self, word, within=PATIENCE):
        """Waits for a message that begins with this word."""
        deadline = time.monotonic() + within
        while (left := deadline - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try:
                message = self.socket.recv(4_096).decode()
            except TimeoutError:
                break
            if message.startswith(word):
                return message
        return None

    def empty(self):
        self.socket.settimeout(0.01)
        try:
            while self.socket.recv(4_096):
                pass
        except TimeoutError:
            pass


@contextlib.contextmanager
def held(process):
    """The room's own thread stands still, and no other (ptrace(2))."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    seize, interrupt, detach = 0x4206, 0x4207, 17
    names = {int(task.name): (task / "comm").read_text().strip() for task in Path(f"/proc/{process.pid}/task").iterdir()}
    [thread] = [thread for thread, name in names.items() if name == "roomful-room"]
    assert libc.ptrace(seize, thread, None, None) == 0, os.strerror(ctypes.get_errno())
    assert libc.ptrace(interrupt, thread, None, None) == 0, os.strerror(ctypes.get_errno())
    os.waitpid(thread, 0x40000000)  # __WALL
    try:
        yield
    finally:
        assert libc.ptrace(detach, thread, None, None) == 0, os.strerror(ctypes.get_errno())


def written(folder, text='name = "Hall"\npolicy = "open"\ndiscovery = "none"\nhttp = "off"\ncode-file = "ticket"\n'):
    (folder / "rooms.toml").write_text(text)
    return folder / "rooms.toml"


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
    assert until(lambda: state_of(host), "T") == "T"
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
    text = "".join(f'[[room]]\nname = "{name}"\npolicy = "open"\ndiscovery = "none"\nhttp = "off"\n' for name in ("Hall", "Kitchen"))
    host = started("host", "--config", written(folder, text), "--json", NOTIFY_SOCKET=manager.path)
    assert manager.hears("READY=1")
    for name in ("Hall", "Kitchen"):
        code, out, err = roomful("peers", "--room", name, "--json")
        assert (code, json.loads(out)) == (0, []), err
    assert roomful("stop", "--room", "Hall")[0] == 0
    assert roomful("peers", "--room", "Kitchen")[0] == 0
    assert roomful("stop", "--room", "Kitchen")[0] == 0
    assert host.wait(PATIENCE) == 0


def active(roomful):
    """Who plays, and in which seat."""
    code, out, _ = roomful("peers", "--json")
    return {peer["name"]: peer["seat"] for peer in json.loads(out) if peer["state"] == "active"} if code == 0 else {}


def until(seen, wanted):
    deadline = time.monotonic() + PATIENCE
    while (found := seen()) != wanted and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def test_a_downtime_that_was_announced_is_waited_for_and_one_that_was_not_ends_the_stay(started, roomful, folder):
    recording = os.path.join(os.path.dirname(__file__), "../../Recordings/demo/tilt.csv")
    short = 'name = "Hall"\npolicy = "open"\ndiscovery = "none"\nhttp = "off"\ncode-file = "ticket"\nidle = "1s"\ngrace = "6s"\n'
    manager = Manager(folder / "notify")

    def host():
        process = started("host", "--config", written(folder, short), "--json", NOTIFY_SOCKET=manager.path)
        assert manager.hears("READY=1")
        return process

    process = host()
    player = started(
        "join", "--code-file", folder / "ticket", "--as", "Blue", "--replay", recording, "--loop", ROOMFUL_STATE=str(folder / "Blue"))
    assert until(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
    code, out, err = roomful("stop", "--back-in", "20s")
    assert (code, err) == (0, "") and "20s" in out
    assert process.wait(PATIENCE) == 0
    # Longer than a seat that was not announced is waited for: 1 s of silence and 6 s of grace.
    time.sleep(9)
    assert player.poll() is None
    process = host()
    assert until(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
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
    for text in ("soon", "-1s", "25h", "nan", "1e300h"):
        code, _, err = roomful("stop", f"--back-in={text}")
        assert code == 2 and "--back-in takes a time of at most 24h" in err, (text, err)
    assert active(roomful) == {}
    assert roomful("peers")[0] == 0


def test_ten_crashes_in_a_row_and_every_seat_is_back(started, roomful, folder):
    manager = Manager(folder / "notify")
    recording = os.path.join(os.path.dirname(__file__), "../../Recordings/demo/tilt.csv")

    def host():
        process = started("host", "--config", written(folder), "--json", NOTIFY_SOCKET=manager.path)
        assert manager.hears("READY=1")
        return process

    process = host()
    names = ("Blue", "Red", "Green")
    for index, name in enumerate(names):
        started(
            "join", "--code-file", folder / "ticket", "--as", name, "--replay", recording, "--loop",
            ROOMFUL_STATE=str(folder / name))
        assert len(until(lambda: active(roomful), {each: place + 1 for place, each in enumerate(names[: index + 1])})) == index + 1
    before = active(roomful)
    for _ in range(10):
        process.kill()
        process.wait()
        process = host()
        assert until(lambda: active(roomful), before) == before
