"""A machine without a battery for its clock: it boots in 1970, and is told the time once there is a network."""
import json
import shutil
import subprocess
import time

from rooms import ROOT, TILT, active, written
from service_manager import Manager
from waiting import settled, until

SHIM = ROOT / "Scripts/faults/wall-clock.c"


def test_a_clock_that_is_set_after_boot_costs_nobody_a_seat_or_a_sample(started, roomful, folder):
    compiler = shutil.which("clang") or shutil.which("cc")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", folder / "clock.so", SHIM, "-ldl"], check=True)
    clock = {"LD_PRELOAD": str(folder / "clock.so"), "WALL_CLOCK_FILE": str(folder / "clock")}
    manager = Manager(folder / "notify")

    def set_clock(to):
        (folder / "clock.new").write_text(str(int(to - time.time())))
        (folder / "clock.new").rename(folder / "clock")

    def host():
        process = started("host", "--config", written(folder), "--json", NOTIFY_SOCKET=manager.path, **clock)
        assert manager.hears("READY=1")
        return process

    def samples():
        return {peer["name"]: peer["samples"] for peer in json.loads(roomful("peers", "--json")[1])}

    def plays_on():
        before = samples()
        until(lambda: samples()["Blue"]["delivered"] > before["Blue"]["delivered"] + 50)

    def join(name):
        started("join", "--code-file", folder / "ticket", "--as", name, "--replay", TILT, "--loop",
                ROOMFUL_STATE=str(folder / name))

    set_clock(300)
    process = host()
    join("Blue")
    assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
    plays_on()
    # The network is there, and somebody tells the time: half a century.
    set_clock(time.time())
    plays_on()
    book = samples()["Blue"]
    assert (book["missing"], book["late"]) == (0, 0), book
    # The power fails twice: once it comes back with the clock as it is, once with that of 1970. What was kept is of the
    # other century then, the room's certificate too.
    for when in (time.time(), 600):
        process.kill()
        process.wait()
        set_clock(when)
        process = host()
        assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
        plays_on()
    opened = next(line for line in process.stdout if '"openedAt"' in line)
    assert json.loads(opened)["openedAt"].startswith("1970-"), opened
    join("Red")
    assert settled(lambda: active(roomful), {"Blue": 1, "Red": 2}) == {"Blue": 1, "Red": 2}
