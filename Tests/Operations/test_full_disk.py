"""A room's own disk that is full while people join, and a database that another program holds."""
import contextlib
import json
import signal
import sqlite3
import subprocess
import sys

import pytest
from conftest import PROGRAM
from rooms import is_written
from waiting import until

READING = """
import glob, json, sqlite3
base = glob.glob("{state}/rooms/*/leases.sqlite")
print(json.dumps([
    [name for name, in sqlite3.connect(base[0]).execute("SELECT name FROM lease")],
    [json.loads(talents)["sensitivity"] for talents, in sqlite3.connect(base[0]).execute("SELECT json FROM talents")],
    [open(door).read() for door in glob.glob("{state}/rooms/*/door")]]))
"""


@pytest.fixture
def state(folder):
    return folder / "disk/state"


@pytest.fixture
def host(disk, folder):
    """A room whose state folder is on the small disk."""
    with (folder / "log").open("w") as log:
        host = subprocess.Popen(
            [*disk.inside(PROGRAM, "host", "Disk", "--policy", "open", "--discovery", "none", "--http", "off",
                          "--code-file", folder / "ticket")],
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, env=disk.environment)
    until(lambda: is_written(folder / "ticket"))
    yield host
    host.kill()
    host.wait()


def test_what_a_full_disk_refused_is_kept_as_soon_as_it_has_room(disk, host, joins, folder):
    def log():
        return (folder / "log").read_text()

    disk.run("dd", "if=/dev/zero", f"of={disk.folder}/filler", "bs=4k")
    joins("Blue")
    until(lambda: "seats are not saved" in log(), log)
    until(lambda: disk.run(PROGRAM, "sensitivity", "Blue", "1.7").returncode == 0)
    done = disk.run(PROGRAM, "lock")
    assert done.returncode == 0, done.stderr

    disk.run("rm", f"{disk.folder}/filler")
    until(lambda: "the disk has taken all that it had refused" in log(), log, within=30)
    assert log().count("not saved") == 1
    host.kill()
    host.wait()
    done = disk.run(sys.executable, "-c", READING.format(state=f"{disk.folder}/state"))
    assert done.stdout == '[["Blue"], [1.7], ["locked\\n"]]\n', done


def test_a_room_that_is_closed_for_good_on_a_full_disk_says_where_names_stay_and_what_to_do(disk, host, joins):
    base = f"{disk.folder}/state/rooms/*/leases.sqlite"

    def is_named(*more):
        return disk.run("sh", "-c", " && ".join([f"grep -q Blue {base}", *more])).returncode == 0

    def fill(name):
        disk.run("dd", "if=/dev/zero", f"of={disk.folder}/{name}", "bs=4k")

    joins("Blue")
    # What SQLite's log takes up until it is emptied would be room enough to remove somebody.
    until(lambda: is_named(f"test ! -s {base}-wal"), within=30)
    fill("filler")
    done = disk.run(PROGRAM, "stop")
    assert done.returncode == 1 and "may stay in" in done.stderr and "No space left" in done.stderr, done
    assert "roomful erase --all --room Disk" in done.stderr and "use --state" not in done.stderr, done
    assert host.wait(60) == 0 and is_named()

    # What its host took up, too.
    fill("more")
    erase = (PROGRAM, "erase", "--all", "--room", "Disk")
    done = disk.run(*erase)
    assert done.returncode == 1 and "names may stay in" in done.stderr and "Make room there" in done.stderr, done
    assert is_named()
    disk.run("rm", f"{disk.folder}/filler", f"{disk.folder}/more")
    done = disk.run(*erase)
    assert done.returncode == 0 and "Blue" in done.stdout and not is_named(), done


def test_a_database_that_another_program_holds_keeps_nobody_out_and_no_host_from_its_end(opened, joins, roomful, folder):
    room = opened("Held")
    [base] = folder.glob("state/rooms/*/leases.sqlite")
    with contextlib.closing(sqlite3.connect(base, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        blue = joins("Blue")

        def plays():
            peers = json.loads(roomful("peers", "--json")[1] or "[]")
            return any(peer["samples"]["delivered"] > 100 for peer in peers)

        until(lambda: plays() or blue.poll() is not None)
        assert blue.poll() is None, "its answer came too late"
        room.terminate()
        assert room.wait(15) == 0


@pytest.mark.parametrize("isKilled", [False, True])
def test_a_host_that_starts_on_a_full_disk_says_what_to_do(disk, host, isKilled):
    host.send_signal(signal.SIGKILL if isKilled else signal.SIGTERM)
    host.wait(60)
    # Its lock has its place, but nothing beside the database.
    there = f"{disk.folder}/state/rooms/*"
    disk.run("sh", "-c", f"for lock in {there}/host.lock; do echo 1 > $lock; done; rm -f {there}/leases.sqlite-shm")
    disk.run("dd", "if=/dev/zero", f"of={disk.folder}/filler", "bs=4k")
    done = disk.run(PROGRAM, "host", "Disk", "--policy", "open", "--discovery", "none", "--http", "off")
    assert done.returncode != 0
    assert "leases.sqlite: No space left on device; make room there or use --state" in done.stderr, done
