"""A machine without a battery for its clock: it boots in 1970, and is told the time once there is a network."""
import json
import time

from rooms import active, written
from service_manager import Manager
from shims import Clock
from waiting import settled, until


def test_a_clock_that_is_set_after_boot_costs_nobody_a_seat_or_a_sample(started, joins, roomful, folder):
    clock, manager = Clock(folder), Manager(folder / "notify")

    def set_clock(to):
        clock.put(to - time.time())

    def host():
        process = started("host", "--config", written(folder), "--json", NOTIFY_SOCKET=manager.path, **clock.environment)
        assert manager.hears("READY=1")
        return process

    def samples():
        return {peer["name"]: peer["samples"] for peer in json.loads(roomful("peers", "--json")[1])}

    def plays_on():
        before = samples()
        until(lambda: samples()["Blue"]["delivered"] > before["Blue"]["delivered"] + 50)

    set_clock(300)
    process = host()
    joins("Blue")
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
    joins("Red")
    assert settled(lambda: active(roomful), {"Blue": 1, "Red": 2}) == {"Blue": 1, "Red": 2}
