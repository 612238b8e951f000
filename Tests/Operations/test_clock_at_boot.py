"""A machine without a battery for its clock: it boots in 1970, and is told the time once there is a network."""
import json
import time
from datetime import datetime

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


def test_a_recording_bears_the_date_of_its_beginning_by_the_clock_as_it_goes_then(opened, roomful, folder):
    """The room may be open for months, and its clock may have been put right since."""
    clock = Clock(folder)
    clock.put(300 - time.time())
    opened("Hall", **clock.environment)
    (folder / "evenings").mkdir()
    clock.put(0)
    time.sleep(2.5)  # So long the room is open: what is dated by that is told from what is dated by its own beginning.
    for _ in range(2):
        begun = time.time()
        assert roomful("record", "start", f"{folder}/evenings/")[0] == 0
        told = time.time()
        time.sleep(1.1)
        assert roomful("record", "stop")[0] == 0
        rows = [json.loads(line) for line in roomful("recordings", "--json", f"{folder}/evenings")[1].splitlines()]
        started = max(datetime.fromisoformat(row["startedAt"]).timestamp() for row in rows)
        assert begun - 2 < started <= told, (begun, told, rows)
    dates = sorted(row["startedAt"].replace(":", "-") for row in rows)
    assert sorted(path.stem for path in (folder / "evenings").iterdir()) == [f"Hall-{date}" for date in dates]
