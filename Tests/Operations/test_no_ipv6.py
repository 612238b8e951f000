"""A machine whose kernel has no IPv6 at all: `Scripts/faults/no-ipv6.c` gives no such socket."""
from rooms import active
from service_manager import Manager
from shims import shim
from waiting import settled


def test_a_room_is_hosted_and_joined_where_the_kernel_has_no_ipv6(started, joins, roomful, folder):
    without = shim("no-ipv6", folder)
    manager = Manager(folder / "notify")
    host = started(
        "host", "Six", "--policy", "open", "--discovery", "none", "--http", "any", "--code-file", folder / "ticket",
        NOTIFY_SOCKET=manager.path, **without)
    assert manager.hears("READY=1"), host.poll()
    joins("Blue", **without)
    assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
    assert roomful("stop")[0] == 0
    said = host.stdout.read()
    assert "this machine has no IPv6" in said, said
