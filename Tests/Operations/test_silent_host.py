"""A host that stands still, as one on a dying disk or under a debugger does: its door is open, and nobody answers."""
import signal

from rooms import text
from waiting import until


def test_it_keeps_nobody_from_the_other_rooms_and_is_named_where_it_is_meant(hall, started, roomful, folder):
    hall(text())
    other = started(
        "host", "Other Room", "--policy", "open", "--discovery", "none", "--http", "off", "--code-file", folder / "other")
    until(lambda: roomful("peers", "--room", "Other Room")[0] == 0)
    other.send_signal(signal.SIGSTOP)
    try:
        code, out, err = roomful("peers", "--room", "Hall", timeout=30)
        assert code == 0 and "nobody is here" in out, err
        code, _, err = roomful("kick", "P1", "--room", "Other Room", timeout=30)
        assert code == 3 and "has not answered" in err and "other-room-" in err, err
        # It may be meant: nobody is kicked in the wrong room.
        code, _, err = roomful("kick", "P1", timeout=30)
        assert code == 2 and '--room: "Hall"' in err, err
    finally:
        other.send_signal(signal.SIGCONT)
    assert roomful("peers", "--room", "Other Room")[0] == 0
