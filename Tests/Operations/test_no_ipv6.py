"""A machine whose kernel has no IPv6 at all: `Scripts/faults/no-ipv6.c` gives no such socket."""
import shutil
import subprocess

from rooms import ROOT, TILT, active
from service_manager import Manager
from waiting import settled

SHIM = ROOT / "Scripts/faults/no-ipv6.c"


def test_a_room_is_hosted_and_joined_where_the_kernel_has_no_ipv6(started, roomful, folder):
    compiler = shutil.which("clang") or shutil.which("cc")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", folder / "no-ipv6.so", SHIM, "-ldl"], check=True)
    without = {"LD_PRELOAD": str(folder / "no-ipv6.so")}
    manager = Manager(folder / "notify")
    host = started(
        "host", "Six", "--policy", "open", "--discovery", "none", "--http", "any", "--code-file", folder / "ticket",
        NOTIFY_SOCKET=manager.path, **without)
    assert manager.hears("READY=1"), host.poll()
    started(
        "join", "--code-file", folder / "ticket", "--as", "Blue", "--replay", TILT, "--loop",
        ROOMFUL_STATE=str(folder / "Blue"), **without)
    assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
    assert roomful("stop")[0] == 0
    said = host.stdout.read()
    assert "this machine has no IPv6" in said, said
