"""A machine that gives a program no more threads: TasksMax of its service, a container's pids.max, ulimit -u."""
import pytest
from rooms import put
from shims import shim
from waiting import PATIENCE


@pytest.fixture
def few(folder):
    """How many more there are stands in this file, while it is there."""
    return folder / "threads"


@pytest.fixture
def scarce(few, folder):
    return shim("few-threads", folder) | {"FEW_THREADS_FILE": str(few)}


def test_a_recording_that_gets_no_thread_is_refused_and_leaves_no_file(opened, roomful, few, scarce, folder):
    opened("Hall", **scarce)
    evenings = folder / "evenings"
    evenings.mkdir()
    put(few, "0")
    code, _, err = roomful("record", "start", f"{evenings}/")
    assert code and "no more threads" in err and "TasksMax" in err, err
    assert list(evenings.iterdir()) == []
    assert "nothing is recorded" in roomful("record", "status")[1]
    few.unlink()
    assert roomful("record", "start", f"{evenings}/")[0] == 0
    assert roomful("record", "stop")[0] == 0


def test_a_host_that_would_have_too_few_says_so_before_it_opens(started, few, scarce):
    put(few, "5")
    host = started("host", "Hall", "--discovery", "none", "--http", "off", **scarce)
    said = host.communicate(timeout=PATIENCE)[0]
    assert host.returncode == 1 and "this program may have 5" in said and "ulimit -u" in said, said
