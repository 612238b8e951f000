"""The program as those have it who run it unattended: from a file, under a service manager."""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from disks import SmallDisk
from rooms import DROPPED, TILT, is_written, put
from service_manager import Manager
from site_broker import Broker
from site_rooms import Room
from standing_by import Host
from waiting import until

PROGRAM = os.environ.get("ROOMFUL_PROGRAM") or str(Path(__file__).resolve().parents[2] / ".build/debug/roomful")


# In make test, and where CI is set, nothing is left out because a tool is missing: it fails.
MAY_STAND_ASIDE = os.environ.get("ROOMFUL_REQUIRE_AVAHI") != "1" and os.environ.get("CI", "") in ("", "0", "false")


def stand_aside(reason):
    """Ends a test for which something is missing."""
    (pytest.skip if MAY_STAND_ASIDE else pytest.fail)(reason)


# What takes longest begins first: else, when all others have ended, one of it is waited for. --dist loadfile takes files in
# the order in which their tests stand here, with --no-loadscope-reorder; without it, by how many tests they have.
LONGEST = ["test_recordings.py", "test_forgetting.py", "test_site.py", "test_takeover.py", "test_standby.py",
           "test_recording_disks.py", "test_recorded_evening.py"]


def pytest_collection_modifyitems(items):
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(LONGEST)))


@pytest.fixture
def folder():
    """A short path: a Unix socket lives below it."""
    path = Path(tempfile.mkdtemp(prefix="rf-", dir="/tmp"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def environment(folder):
    result = {key: value for key, value in os.environ.items() if key not in ("XDG_RUNTIME_DIR", "NOTIFY_SOCKET", "WATCHDOG_USEC")}
    result["ROOMFUL_STATE"] = str(folder / "state")
    return result


@pytest.fixture
def state(folder):
    """Where those who are on the small disk keep their state."""
    return folder / "state"


@pytest.fixture
def disk(folder, environment, state):
    """A small disk, and commands on it."""
    disk = SmallDisk(folder, environment | {"ROOMFUL_STATE": str(state)})
    if not disk.isThere:
        stand_aside("no mount namespace can be made here")
    yield disk
    disk.holder.kill()
    disk.holder.wait()
    disk.holder.stdout.close()


@pytest.fixture
def roomful(environment):
    """Runs a command to its end: code, output, errors."""

    def run(*arguments, timeout=60, stdin=None, **more):
        done = subprocess.run(
            [PROGRAM, *map(str, arguments)], stdin=stdin, capture_output=True, text=True, timeout=timeout,
            env=environment | more, check=False)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A test that fails shows what its programs have said."""
    report = yield
    if report.when == "call" and report.failed:
        for process in getattr(item, "programs", []):
            if hasattr(process, "lines"):  # Somebody reads them.
                said = "".join(process.lines)
            else:
                os.set_blocking(process.stdout.fileno(), False)
                # As bytes: of a text, Python cannot say that there is nothing yet.
                said = (process.stdout.buffer.read() or b"").decode(errors="replace")
            report.sections.append((" ".join(map(str, process.args)) + f": {process.poll()}", said[-4_000:]))
    return report


@pytest.fixture
def started(environment, request):
    """Starts programs, and ends by their pid those that still run."""
    running = request.node.programs = []

    def start(*arguments, **more):
        process = subprocess.Popen(
            [PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, env=environment | more)
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def opened(started, folder):
    """Opens a room that everybody may join, unless its policy is another, and waits until it can be joined by its ticket."""

    def open_room(name, *flags, ticket="ticket", policy="open", **more):
        process = started(
            "host", name, "--policy", policy, "--discovery", "none", "--http", "off", "--code-file", folder / ticket,
            *flags, **more)
        until(lambda: is_written(folder / ticket) or process.poll() is not None)
        assert process.poll() is None, process.stdout.read()
        return process

    return open_room


@pytest.fixture
def hall(started, folder):
    """Opens what `rooms.toml` says, and waits until it can be joined."""

    def open_room(content, **more):
        put(folder / "rooms.toml", content)
        manager = Manager(folder / "notify")
        process = started("host", "--config", folder / "rooms.toml", "--json", NOTIFY_SOCKET=manager.path, **more)
        assert manager.hears("READY=1")
        process.manager = manager
        return process

    return open_room


@pytest.fixture
def joins(started, folder):
    """Somebody plays in a room, by its ticket, and moves as a recording does, again and again."""

    def join(name, *flags, ticket="ticket", replay=TILT, **more):
        return started(
            "join", "--code-file", folder / ticket, "--as", name, "--replay", replay, "--loop", *flags,
            ROOMFUL_STATE=str(folder / name), **more)

    return join


@pytest.fixture
def brokers(folder):
    """Starts brokers, each with a folder of its own, and ends by pid those that still run."""
    running = []

    def start(configuration=None, where="broker"):
        place = folder / where
        place.mkdir(exist_ok=True)
        broker = Broker(place, configuration)
        running.append(broker)
        return broker.start()

    yield start
    for broker in running:
        broker.end()


@pytest.fixture
def site(roomful, folder, brokers):
    """A site as `roomful site init` writes it, with its broker running."""
    place = folder / "broker"
    place.mkdir()
    code, out, err = roomful("site", "init", place / "site", "--name", "arcade")
    assert code == 0, err
    broker = brokers(place / "site/nats-server.conf")
    broker.words = out

    def given(role):
        return ["--site-name", "arcade", "--site-credentials", place / f"site/{role}.credentials"]

    broker.host = ["--site", broker.url, *given("host")]
    broker.flags = lambda role: ["--broker", broker.url, *given(role)]
    return broker


@pytest.fixture
def host(started, folder, environment):
    """Opens a room, and waits until it can be joined."""

    def open_room(name, *flags, **more):
        state = folder / f"state-{name}"
        process = started(
            "host", name, "--policy", "open", "--discovery", "none", "--http", "off", "--code-file", folder / f"{name}.ticket",
            *flags, ROOMFUL_STATE=str(state), **more)

        def command(*arguments):
            done = subprocess.run(
                [PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=60,
                env=environment | {"ROOMFUL_STATE": str(state)}, check=False)
            return done.returncode, done.stdout, done.stderr

        until(lambda: (folder / f"{name}.ticket").exists() or process.poll() is not None)
        assert process.poll() is None, process.stdout.read()
        until(lambda: list(state.rglob("*.sock")))
        return Room(name, process, state, command)

    return open_room


@pytest.fixture
def plays(joins):
    """Somebody plays in the room that `host` has opened by this name."""
    return lambda room, name="Blue": joins(name, ticket=f"{room}.ticket", replay=DROPPED)


@pytest.fixture
def machine(site, folder, started):
    """Starts a host of "Hall" with a state of its own, as on another machine."""

    def start(name, *flags, key=None, **more):
        process = started(
            "host", "Hall", "--json", "--discovery", "none", "--http", "off", "--code-file", folder / f"{name}.ticket", *site.host,
            "--site-key", key or site.folder / "site/site.key", *flags, ROOMFUL_STATE=str(folder / name), **more)
        return Host(process, folder / name, None)

    return start


@pytest.fixture
def pair(machine):
    """A host that owns the room, and a standby that is ready."""

    def start(*flags):
        first = machine("first", *flags)
        first.says("opens here (epoch 1")
        second = machine("second", "--standby", *flags)
        first.says("a standby is ready")
        second.says("standing by for host")
        until(first.is_open)
        return first, second

    return start


@pytest.fixture
def blue(joins):
    """Blue plays in "Hall", whichever of its hosts that is in."""
    return lambda ticket="first": joins("Blue", ticket=f"{ticket}.ticket", replay=DROPPED)
